//! `weir tune`.

use super::{SMALL, Weir, json};

#[test]
fn a_search_ends_in_a_fabric_that_runs() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let out = weir.well(&["tune", "a.toml", "--budget", "quick", "--out", "deep/tuned"]);
    for piece in ["hpcc-paper", "pfc-only", "long p99", "score", "chosen", "deep/tuned/best.toml"] {
        assert!(out.contains(piece), "no `{piece}` in\n{out}");
    }
    let names: Vec<_> =
        std::fs::read_dir(weir.path("deep/tuned")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    // What was chosen can be run, and gives what the search saw.
    let report = json(&std::fs::read_to_string(weir.path("deep/tuned/results.json")).unwrap());
    let trials = report["trials"].as_array().unwrap();
    let chosen = trials.iter().find(|trial| trial["name"] == report["chosen"]).unwrap();
    let run = json(&weir.well(&["sim", "run", "deep/tuned/best.toml", "--seed", "1", "--format", "json"]));
    assert_eq!(run["summary"]["slowdown"]["p99"], chosen["runs"][0]["p99"]);
    assert!(json(&std::fs::read_to_string(weir.path("deep/tuned/sonic.json")).unwrap()).is_object());
}

#[test]
fn a_search_is_the_same_every_time_and_on_any_number_of_threads() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let run = |threads| {
        weir.well(&["tune", "a.toml", "--budget", "12trials", "--format", "json", "--threads", threads])
    };
    let first = run("1");
    assert_eq!(first, run("2"));
    assert_eq!(json(&first)["trials"].as_array().map(Vec::len), Some(12));
    assert_eq!(std::fs::read_to_string(weir.path("weir-tune/results.json")).unwrap(), first);
}

#[test]
fn a_time_is_kept() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let begun = std::time::Instant::now();
    weir.well(&["tune", "a.toml", "--budget", "1s"]);
    // Generous, for a machine that is busy with other tests.
    assert!(begun.elapsed().as_secs_f64() < 15.0, "{:?}", begun.elapsed());
}

#[test]
fn a_search_that_cannot_be_leaves_nothing() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL).file("file", "x");
    weir.fails(&["tune", "a.toml", "--out", "file"], 3, &["file", "help"]);
    weir.fails(&["tune", "a.toml", "--budget", "60"], 2, &["60s", "60trials"]);
    weir.fails(&["tune", "a.toml", "--favour", "both"], 2, &["both", "balance"]);
    weir.fails(&["tune", "missing.toml"], 2, &["missing.toml"]);
    assert_eq!(weir.files(), ["a.toml", "file"]);
}

#[test]
fn a_fabric_that_loses_whatever_is_chosen_is_a_finding() {
    let weir = Weir::new();
    weir.file(
        "a.toml",
        SMALL.replace("200 KB", "2 MB") + "[buffer]\ntotal = \"600 KB\"\nheadroom = \"0 B\"\n",
    );
    let told = weir.run(&["tune", "a.toml", "--budget", "quick"]);
    assert_eq!(told.code, 1, "{}\n{}", told.out, told.err);
    assert!(told.out.contains("✗ NOT lossless"), "{}", told.out);
}
