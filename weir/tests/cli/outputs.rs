//! Files that are written: whole, or not at all.

use super::{SMALL, Weir, json};
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn a_folder_gets_everything() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let args = [
        "sim",
        "run",
        "a.toml",
        "--out",
        "deep/results",
        "--set",
        "probes.queue_series=1 us",
        "--format",
        "json",
    ];
    let out = weir.well(&args);
    let read = |name: &str| std::fs::read_to_string(weir.path("deep/results").join(name)).unwrap();
    assert_eq!(read("results.json"), out);
    for (name, column) in [
        ("flows.csv", "fct_ps"),
        ("ports.csv", "tx_bytes"),
        ("queues.csv", "paused_ps"),
        ("series.csv", "value"),
    ] {
        let text = read(name);
        assert!(text.lines().count() > 1 && text.lines().next().unwrap().contains(column), "{name}\n{text}");
    }
    assert_eq!(std::fs::read_dir(weir.path("deep/results")).unwrap().count(), 5);
    weir.well(&["sim", "run", "a.toml", "--out", "many", "--seeds", "1..2"]);
    let two = std::fs::read_to_string(weir.path("many/seed-2/results.json")).unwrap();
    assert_eq!(json(&two)["seed"], 2);
}

#[test]
fn a_file_gets_what_its_name_says() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    weir.well(&["sim", "run", "a.toml", "--out", "r.json"]);
    weir.well(&["sim", "run", "a.toml", "--out", "r.csv"]);
    let read = |name: &str| std::fs::read_to_string(weir.path(name)).unwrap();
    assert_eq!(read("r.json"), weir.well(&["sim", "run", "a.toml", "--format", "json"]));
    assert_eq!(read("r.csv"), weir.well(&["sim", "run", "a.toml", "--format", "csv"]));
    assert_eq!(weir.files(), ["a.toml", "r.csv", "r.json"]);
}

#[test]
fn what_cannot_be_written_ends_with_3_before_the_work() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL).file("file", "x");
    std::fs::create_dir(weir.path("folder")).unwrap();
    let run = |option: &str, path: &str, pieces: &[&str]| {
        weir.fails(&["sim", "run", "a.toml", option, path], 3, pieces);
    };
    run("--out", "missing/r.json", &["missing/r.json", "no such file", "help"]);
    run("--out", "file/results", &["file/results", "not a directory", "help"]);
    run("--out", "file", &["file", "help"]);
    run("--flows-csv", "missing/f.csv", &["missing/f.csv", "help"]);
    run("--flows-csv", "folder", &["folder", "directory", "help"]);
    run("--flows-csv", "/dev/full", &["/dev/full", "no space left", "help"]);
    weir.fails(
        &["sim", "run", "a.toml", "--pcap", "s0:4", "--pcap-file", "missing/p"],
        3,
        &["missing/p", "help"],
    );
    weir.fails(&["man", "--out", "file"], 3, &["file", "help"]);
    assert_eq!(weir.files(), ["a.toml", "file", "folder"]);
    assert_eq!(std::fs::read_to_string(weir.path("file")).unwrap(), "x");
    assert_eq!(std::fs::read_dir(weir.path("folder")).unwrap().count(), 0);
}

#[test]
fn a_run_that_cannot_be_leaves_nothing() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL).file("weir.pcapng", "before");
    weir.fails(&["sim", "run", "a.toml", "--out", "results", "--pcap", "s9:0"], 2, &["s9:0", "s0:0"]);
    assert_eq!(weir.files(), ["a.toml", "weir.pcapng"]);
    assert_eq!(std::fs::read_to_string(weir.path("weir.pcapng")).unwrap(), "before");
    weir.fails(&["sim", "run", "a.toml", "--pcap", "s0:4", "--seeds", "1..2"], 2, &["--pcap", "--seed 1"]);
    weir.fails(&["sim", "run", "a.toml", "--pcap-file", "x"], 2, &["--pcap"]);
}

#[test]
fn the_scenario_is_not_overwritten() {
    let weir = Weir::new();
    weir.file("a.csv", SMALL);
    weir.fails(&["sim", "run", "a.csv", "--out", "a.csv"], 2, &["a.csv", "overwritten"]);
    weir.fails(&["sim", "run", "a.csv", "--flows-csv", "./a.csv"], 2, &["a.csv", "overwritten"]);
    weir.fails(&["sim", "run", "a.csv", "--pcap", "s0:1", "--pcap-file", "a.csv"], 2, &["overwritten"]);
    assert_eq!(std::fs::read_to_string(weir.path("a.csv")).unwrap(), SMALL);
}

/// The flows of a collective, written out and read back, take as long as the collective.
#[test]
fn flows_that_were_written_run_the_same() {
    let weir = Weir::new();
    let text = SMALL.replace(
        "kind = \"incast\"\nreceivers = \"h4\"",
        "name = \"ring\"\nkind = \"all-reduce\"\nhosts = \"all\"",
    );
    weir.file("ring.toml", &text);
    weir.well(&["sim", "check", "ring.toml", "--flows-csv", "ring.csv"]);
    let list = std::fs::read_to_string(weir.path("ring.csv")).unwrap();
    assert!(list.starts_with("# flows = 40\nid,src,dst,bytes,"), "{list}");
    let start = text.find("[[workload]]").unwrap();
    weir.file("list.toml", format!("{}[[workload]]\nkind = \"csv\"\nfile = \"ring.csv\"\n", &text[..start]));
    let run = |file| json(&weir.well(&["sim", "run", file, "--format", "json"]));
    let (ring, list) = (run("ring.toml"), run("list.toml"));
    assert_eq!(ring["flows"].as_array().map(Vec::len), Some(40));
    assert_eq!(ring["end_ps"], list["end_ps"]);
}

#[test]
fn a_full_disk_is_told() {
    let weir = Weir::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let out =
        Command::new(env!("CARGO_BIN_EXE_weir")).args(["sim", "scenarios"]).stdout(full).output().unwrap();
    let err = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(3), "{err}");
    assert!(err.contains("standard output") && err.contains("no space left"), "{err}");
    drop(weir);
}

/// `weir … | head -1`: the reader goes, and nobody complains.
#[test]
fn a_broken_pipe_is_quiet() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["sim", "run", "builtin:leaf-spine-websearch", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut first = [0; 1];
    out.read_exact(&mut first).unwrap();
    drop(out);
    let told = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&told.stderr), "");
    assert!(told.status.success(), "{:?}", told.status);
}

#[test]
fn a_closed_standard_error_is_no_reason_to_die() {
    let weir = Weir::new();
    weir.file("bad.toml", "x = 1\n");
    let shell = |line: &str| {
        let line = line.replace("WEIR", env!("CARGO_BIN_EXE_weir"));
        Command::new("sh").args(["-c", &line]).current_dir(weir.folder.path()).status().unwrap().code()
    };
    assert_eq!(shell("WEIR sim check bad.toml 2>&-"), Some(2));
    assert_eq!(shell("WEIR sim check bad.toml 2>/dev/full"), Some(2));
    assert_eq!(shell("WEIR man --out man 2>/dev/full"), Some(0));
}
