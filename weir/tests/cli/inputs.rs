//! Inputs that are wrong: one clear message each, with the place and what to write instead.

use super::{SMALL, Weir, json, repository};

/// A scenario with one piece replaced.
fn with(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    SMALL.replacen(from, to, 1)
}

#[test]
fn a_wrong_scenario_is_refused_with_line_and_remedy() {
    let cases: [(&str, String, &[&str]); 12] = [
        ("misspelt key", with("rate =", "raet ="), &["bad.toml:6:1", "raet", "rate"]),
        ("misspelt table", with("[topology]", "[topolgy]"), &["bad.toml:3", "topolgy", "topology"]),
        ("missing unit", with("\"100 Gb/s\"", "100"), &["bad.toml:6:8", "without a unit", "\"100 Gb/s\""]),
        ("unknown unit", with("100 Gb/s", "100 Gbit"), &["bad.toml:6:8", "Gbit", "Gb/s"]),
        ("no host", with("hosts = 5", "hosts = 0"), &["bad.toml:5", "hosts"]),
        ("too many hosts", with("hosts = 5", "hosts = 5000000000"), &["bad.toml:5", "hosts"]),
        ("impossible rate", with("100 Gb/s", "3 Gb/s"), &["bad.toml:6", "10"]),
        ("no such host", with("\"h4\"", "\"h9\""), &["bad.toml:11:13", "h9"]),
        (
            "no such kind",
            with("\"incast\"", "\"incats\""),
            &["bad.toml:10:8", "incats", "did you mean \"incast\""],
        ),
        ("cut in a string", SMALL[..SMALL.find(" Gb/s").unwrap()].to_owned(), &["bad.toml:6", "cut short"]),
        ("cut in a table", SMALL[..SMALL.find("kind").unwrap()].to_owned(), &["bad.toml:3", "kind"]),
        ("empty", String::new(), &["bad.toml:1:1", "topology"]),
    ];
    for (what, text, pieces) in cases {
        let weir = Weir::new();
        weir.file("bad.toml", text);
        for args in [
            &["sim", "run", "bad.toml", "--out", "results", "--flows-csv", "flows.csv"] as &[&str],
            &["sim", "check", "bad.toml"],
            &["tune", "bad.toml"],
        ] {
            let err = weir.fails(args, 2, pieces);
            assert!(err.contains("error") && err.contains("help"), "{what}: {err}");
            assert!(!err.contains('\u{1b}'), "{what}: colour in a file: {err:?}");
        }
        assert_eq!(weir.files(), ["bad.toml"], "{what}: something was written");
    }
}

/// A cyclic or disconnected fabric is as wrong as a misspelt one.
#[test]
fn an_impossible_topology_is_refused() {
    let weir = Weir::new();
    let explicit = |links: &str| {
        format!(
            "[topology]\nkind = \"explicit\"\nhosts = [\"a\", \"b\"]\nswitches = [\"s\"]\nrate = \"100 Gb/s\"\nlinks = {links}\n"
        )
    };
    for (links, pieces) in [
        ("[[\"a\", \"s\"]]", ["bad.toml", "b"]),
        ("[[\"a\", \"s\"], [\"b\", \"t\"]]", ["bad.toml:6", "t"]),
        ("[[\"a\", \"a\"], [\"b\", \"s\"]]", ["bad.toml:6", "a"]),
    ] {
        weir.file("bad.toml", explicit(links));
        weir.fails(&["sim", "run", "bad.toml"], 2, &pieces);
    }
}

#[test]
fn all_errors_come_at_once() {
    let weir = Weir::new();
    weir.file("bad.toml", with("\"200 KB\"", "200") + "[pfc]\nquanta = \"many\"\nrefersh = 0.5\n");
    let err =
        weir.fails(&["sim", "check", "bad.toml"], 2, &["bad.toml:12:9", "bad.toml:14:10", "bad.toml:15:1"]);
    assert_eq!(err.matches("error").count(), 3, "{err}");
}

#[test]
fn errors_as_json_for_editors() {
    let weir = Weir::new();
    weir.file("bad.toml", with("rate =", "raet ="));
    let told = weir.run(&["sim", "check", "bad.toml", "--format", "json"]);
    assert_eq!((told.code, told.err.as_str()), (2, ""));
    let report = json(&told.out);
    assert_eq!(report["valid"], false);
    let error = &report["errors"][0];
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(6), Some(1)));
    assert!(error["message"].as_str().unwrap().contains("raet") && error["help"].is_string());
}

#[test]
fn files_that_are_none() {
    let weir = Weir::new();
    weir.file("garbage.toml", [0xff, 0xfe, 0x00, b'\n', 0x80]).file("nul.toml", [0u8; 64]);
    std::fs::create_dir(weir.path("folder")).unwrap();
    for command in [&["sim", "run"] as &[&str], &["sim", "check"], &["tune"]] {
        let with = |file| [command, &[file]].concat();
        weir.fails(&with("missing.toml"), 2, &["missing.toml", "no such file", "help"]);
        weir.fails(&with("folder"), 2, &["folder", "is a directory", "help"]);
        weir.fails(&with("garbage.toml"), 2, &["garbage.toml:1", "not a text file", "help"]);
        weir.fails(&with("nul.toml"), 2, &["nul.toml:1"]);
        weir.fails(&with("builtin:nothing"), 2, &["nothing", "incast"]);
    }
    assert_eq!(weir.files(), ["folder", "garbage.toml", "nul.toml"]);
    weir.fails(&["sim", "compare", "missing.json", "missing.json"], 2, &["missing.json", "help"]);
    weir.fails(&["sim", "compare", "nul.toml", "nul.toml"], 2, &["nul.toml", "results.json"]);
    weir.fails(&["sim", "hpcc", "missing.txt"], 2, &["missing.txt"]);
    weir.fails(&["sim", "hpcc", "garbage.toml"], 2, &["garbage.toml"]);
    weir.fails(&["sim", "hpcc", "folder"], 2, &["folder"]);
    weir.fails(&["pcap", "missing.pcap"], 2, &["missing.pcap", "help"]);
    weir.fails(&["pcap", "folder"], 2, &["folder", "help"]);
    weir.fails(&["pcap", "garbage.toml"], 2, &["garbage.toml", "pcapng"]);
}

#[test]
fn a_file_that_the_scenario_names_is_found_beside_it() {
    let weir = Weir::new();
    std::fs::create_dir(weir.path("sub")).unwrap();
    let text = SMALL.replace(
        "kind = \"incast\"\nreceivers = \"h4\"\nbytes = \"200 KB\"",
        "kind = \"csv\"\nfile = \"flows.csv\"",
    );
    weir.file("sub/list.toml", &text);
    weir.fails(&["sim", "run", "sub/list.toml"], 2, &["flows.csv", "sub/list.toml:11"]);
    weir.file("sub/flows.csv", "# flows = 2\nsrc,dst,bytes\nh0,h1,1000\n");
    weir.fails(&["sim", "run", "sub/list.toml"], 2, &["flows.csv", "2"]);
    weir.file("sub/flows.csv", "# flows = 1\nsrc,dst,bytes,start_ps\nh0,h1,1000,0\n");
    let result = json(&weir.well(&["sim", "run", "sub/list.toml", "--format", "json"]));
    assert_eq!(result["summary"]["completed"], 1);
}

#[test]
fn a_setting_that_cannot_be_is_refused() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let fails = |set: &str, pieces: &[&str]| weir.fails(&["sim", "run", "a.toml", "--set", set], 2, pieces);
    fails("control.enabled", &["--set control.enabled", "=", "help"]);
    fails("workload[3].bytes=1 MB", &["workload", "1 elements"]);
    fails("topology.rate=100", &["a.toml with --set:6", "without a unit"]);
    fails("topology.hosst=7", &["hosst", "hosts"]);
    assert_eq!(weir.files(), ["a.toml"]);
}

#[test]
fn every_scenario_of_the_repository_is_right() {
    let weir = Weir::new();
    for entry in std::fs::read_dir(repository("scenarios")).unwrap() {
        let path = entry.unwrap().path();
        let report = json(&weir.well(&["sim", "check", path.to_str().unwrap(), "--format", "json"]));
        assert_eq!(report["valid"], true, "{}", path.display());
        assert!(report["flows"].as_u64().unwrap() > 0 && report["resolved"]["topology"].is_object());
    }
}

/// What `--format toml` prints is the same scenario: it generates the same flows and ends in the same digest.
#[test]
fn a_resolved_scenario_runs_the_same() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    weir.file("resolved.toml", weir.well(&["sim", "check", "a.toml", "--format", "toml"]));
    let run = |file| json(&weir.well(&["sim", "run", file, "--format", "json"]));
    assert_eq!(run("a.toml")["digest"], run("resolved.toml")["digest"]);
}
