//! `weir sim explain`: no column without an explanation.

use super::{Weir, json};
use std::collections::BTreeSet;

#[test]
fn every_key_and_column_of_a_result_is_explained() {
    let weir = Weir::new();
    let fields = json(&weir.well(&["sim", "explain", "--format", "json"]));
    let fields = fields.as_array().unwrap();
    let known = |place: &str| -> BTreeSet<String> {
        let here = fields.iter().filter(|f| f["place"].as_str().unwrap().split(", ").any(|p| p == place));
        here.map(|f| f["name"].as_str().unwrap().to_owned()).collect()
    };
    // A run with pauses, series, histograms, and one that ends in a deadlock.
    for (scenario, code) in [("builtin:incast", 0), ("builtin:deadlock-ring", 1)] {
        let told = weir.run(&["sim", "run", scenario, "--format", "json", "--timing", "--out", "results"]);
        assert_eq!(told.code, code);
        let result = json(&told.out);
        let summary = known("summary");
        let explained = |place: &str, value: &serde_json::Value| {
            let known = known(place);
            let list = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
            for key in list.iter().filter_map(|item| item.as_object()).flat_map(|item| item.keys()) {
                assert!(known.contains(key), "{place}: `{key}` is not explained");
            }
        };
        let parts: BTreeSet<&str> = [
            "summary",
            "flows",
            "jobs",
            "hosts",
            "ports",
            "pauses",
            "deadlocks",
            "lossless_drops",
            "series",
            "run",
        ]
        .into();
        for (key, value) in result.as_object().unwrap() {
            match parts.contains(key.as_str()) {
                true => explained(key, value),
                false => assert!(known("results.json").contains(key), "`{key}` is not explained"),
            }
        }
        for port in result["ports"].as_array().unwrap() {
            explained("priorities", &port["priorities"]);
        }
        for part in ["events", "trees"] {
            explained("pauses", &result["pauses"][part]);
        }
        explained("pauses", &result["pauses"]["trees"][0]["edges"]);
        for key in result["summary"]["slowdown"].as_object().unwrap().keys() {
            assert!(summary.contains(key), "percentiles: `{key}` is not explained");
        }
        for name in ["flows.csv", "ports.csv", "queues.csv", "series.csv"] {
            let Ok(text) = std::fs::read_to_string(weir.path("results").join(name)) else { continue };
            for column in text.lines().next().unwrap().split(',') {
                assert!(known(name).contains(column), "{name}: `{column}` is not explained");
            }
        }
    }
    weir.well(&["sim", "check", "builtin:incast", "--flows-csv", "list.csv"]);
    let list = std::fs::read_to_string(weir.path("list.csv")).unwrap();
    for column in list.lines().nth(1).unwrap().split(',') {
        assert!(known("flows.csv of --flows-csv").contains(column), "`{column}` is not explained");
    }
}

#[test]
fn one_column_or_one_file_can_be_asked_for() {
    let weir = Weir::new();
    let out = weir.well(&["sim", "explain", "slowdown"]);
    assert!(out.contains("fct_ps over ideal_ps") && !out.contains("paused_ps"), "{out}");
    assert!(weir.well(&["sim", "explain", "fct.txt"]).contains("7: fct"));
    weir.fails(&["sim", "explain", "nonsense"], 2, &["nonsense", "help"]);
}
