//! `weir sim hpcc`.

use super::{Weir, json, repository};

fn case(name: &str) -> Weir {
    let weir = Weir::new();
    let folder = repository(&format!("fixtures/ns3-hpcc/{name}"));
    for file in ["config.txt", "topology.txt", "flow.txt", "trace.txt"] {
        weir.file(file, std::fs::read(folder.join(file)).unwrap());
    }
    weir
}

/// The reference's own inputs give the reference's own output.
#[test]
fn a_configuration_runs_as_it_is() {
    let weir = case("U1");
    let out = weir.well(&["sim", "hpcc", "config.txt"]);
    assert!(out.contains("flows completed") && out.contains("packet-hops"), "{out}");
    let config = std::fs::read_to_string(weir.path("config.txt")).unwrap();
    let fct = config.lines().find_map(|line| line.strip_prefix("FCT_OUTPUT_FILE ")).unwrap();
    let expected = std::fs::read(repository("fixtures/ns3-hpcc/U1/expected").join(fct)).unwrap();
    assert_eq!(std::fs::read(weir.path(fct)).unwrap(), expected);
    let first = weir.well(&["sim", "hpcc", "config.txt", "--format", "json"]);
    let summary = json(&first);
    assert!(summary["flows"] == summary["flows_completed"] && summary["notices"].is_array());
    assert_eq!(first, weir.well(&["sim", "hpcc", "config.txt", "--format", "json"]));
}

#[test]
fn a_flow_file_that_is_cut_is_refused_and_nothing_written() {
    let weir = case("incast16");
    let text = std::fs::read_to_string(weir.path("flow.txt")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    weir.file("flow.txt", lines[..lines.len() - 3].join("\n"));
    let before = weir.files();
    weir.fails(&["sim", "hpcc", "config.txt"], 2, &["flow.txt:1", "states"]);
    assert_eq!(weir.files(), before);
    weir.well(&["sim", "hpcc", "config.txt", "--repeat-last"]);
}

#[test]
fn a_wrong_value_is_told_with_its_line() {
    let weir = case("incast16");
    let text = std::fs::read_to_string(weir.path("config.txt")).unwrap();
    let line = text.lines().position(|line| line.starts_with("CC_MODE")).unwrap() + 1;
    weir.file("config.txt", text.replace("CC_MODE 1", "CC_MODE 42"));
    weir.fails(&["sim", "hpcc", "config.txt"], 2, &[&format!("config.txt:{line}"), "42", "DCQCN"]);
    weir.file("config.txt", text.replace("CC_MODE 1", "CC_MODE x"));
    weir.fails(&["sim", "hpcc", "config.txt"], 2, &[&format!("config.txt:{line}"), "x"]);
}
