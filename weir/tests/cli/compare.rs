//! `weir sim compare`.

use super::{SMALL, Weir, json};

fn two_runs() -> Weir {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    weir.well(&["sim", "run", "a.toml", "--out", "a.json"]);
    weir.well(&["sim", "run", "a.toml", "--out", "b.json", "--set", "topology.delay=3 us"]);
    weir
}

#[test]
fn the_same_run_is_the_same() {
    let weir = two_runs();
    let out = weir.well(&["sim", "compare", "a.json", "a.json"]);
    assert!(out.contains("✓ The runs are the same"), "{out}");
}

#[test]
fn what_differs_is_a_finding() {
    let weir = two_runs();
    let told = weir.run(&["sim", "compare", "a.json", "b.json"]);
    assert_eq!(told.code, 1);
    for piece in ["different scenarios", "slowdown p99", "FCT mean", "+", "4 flows in both"] {
        assert!(told.out.contains(piece), "no `{piece}` in\n{}", told.out);
    }
    let told = weir.run(&["sim", "compare", "a.json", "b.json", "--format", "json"]);
    let report = json(&told.out);
    assert_eq!(
        (told.code, report["identical"].as_bool(), report["matched_flows"].as_u64()),
        (1, Some(false), Some(4))
    );
    let fct = report["metrics"].as_array().unwrap().iter().find(|m| m["name"] == "fct_mean_us").unwrap();
    // Four links' delay more there and back: at least 8 us.
    assert!(fct["b"].as_f64().unwrap() - fct["a"].as_f64().unwrap() >= 8.0, "{fct}");
}

#[test]
fn two_seeds_of_one_scenario_are_told_from_two_scenarios() {
    let weir = two_runs();
    weir.well(&["sim", "run", "a.toml", "--out", "c.json", "--seed", "2"]);
    let told = weir.run(&["sim", "compare", "a.json", "c.json"]);
    assert!(told.code == 1 && told.out.contains("The same scenario with seed 1 and seed 2"), "{}", told.out);
}

#[test]
fn several_seeds_are_paired() {
    let weir = two_runs();
    weir.well(&["sim", "run", "a.toml", "--seeds", "1..3", "--out", "many.json"]);
    weir.well(&["sim", "compare", "many.json", "many.json"]);
    weir.well(&[
        "sim",
        "run",
        "a.toml",
        "--seeds",
        "1..3",
        "--out",
        "more.json",
        "--set",
        "topology.delay=3 us",
    ]);
    let told = weir.run(&["sim", "compare", "many.json", "more.json"]);
    assert!(
        told.code == 1 && told.out.contains("Means over 3 seeds") && told.out.contains("3 of 3"),
        "{}",
        told.out
    );
    let told = weir.run(&["sim", "compare", "many.json", "more.json", "--format", "json"]);
    assert_eq!(json(&told.out).as_array().map(Vec::len), Some(3));
    weir.fails(&["sim", "compare", "many.json", "a.json"], 2, &["3 runs against 1", "--seeds"]);
}

#[test]
fn what_is_no_result_is_refused() {
    let weir = two_runs();
    let text = std::fs::read_to_string(weir.path("a.json")).unwrap();
    weir.file("cut.json", &text[..text.len() / 2]);
    weir.file("other.json", "{\"schema\": 99}").file("list.json", "[]");
    weir.fails(&["sim", "compare", "a.json", "cut.json"], 2, &["cut.json", "line", "help"]);
    weir.fails(&["sim", "compare", "a.json", "other.json"], 2, &["other.json", "99", "help"]);
    weir.fails(&["sim", "compare", "list.json", "a.json"], 2, &["list.json", "help"]);
    weir.fails(&["sim", "compare", "a.json", "a.toml"], 2, &["a.toml", "help"]);
}
