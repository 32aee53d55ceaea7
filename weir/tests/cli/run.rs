//! `weir sim run`: results for people and for programs.

use super::{SMALL, Weir, json, repository};
use std::time::Instant;

#[test]
fn the_readmes_first_command_is_quick_and_readable() {
    let weir = Weir::new();
    let scenario = repository("scenarios/incast.toml");
    let begun = Instant::now();
    let out = weir.well(&["sim", "run", scenario.to_str().unwrap()]);
    // The issue's own bound, for a run that takes some 20 ms.
    assert!(begun.elapsed().as_secs_f64() < 1.0, "{:?}", begun.elapsed());
    for piece in [
        "incast: 16 hosts",
        "star, 17 hosts",
        "DCQCN",
        "seed 1",
        "p99",
        "s0:16/3",
        "deepest",
        "✓ 16 flows completed",
        "✓ lossless",
        "✓ no deadlock",
        "Jain",
        "digest ",
    ] {
        assert!(out.contains(piece), "no `{piece}` in\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "colour in a file");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "a line is too long\n{out}");
}

#[test]
fn json_is_the_same_every_time_and_on_any_number_of_threads() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let one = weir.well(&["sim", "run", "a.toml", "--format", "json"]);
    assert_eq!(one, weir.well(&["sim", "run", "a.toml", "--format", "json"]));
    let run = |threads| {
        weir.well(&["sim", "run", "a.toml", "--format", "json", "--seeds", "1..4", "--threads", threads])
    };
    let all = run("1");
    assert_eq!(all, run("2"));
    let list = json(&all);
    assert_eq!(list.as_array().map(Vec::len), Some(4));
    assert_eq!(list[0], json(&one));
    let seeds: Vec<_> = list.as_array().unwrap().iter().map(|r| r["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, [1, 2, 3, 4]);
    assert!(json(&one)["run"].get("wall_s").is_none(), "run time was not asked for");
    let timed = json(&weir.well(&["sim", "run", "a.toml", "--format", "json", "--timing"]));
    assert!(timed["run"]["wall_s"].as_f64().unwrap() > 0.0);
    assert_eq!(timed["digest"], json(&one)["digest"]);
}

/// A result says what was run, not where its file lay: notes of keys without effect name the file, and do not count.
#[test]
fn the_digest_does_not_depend_on_the_files_place() {
    let weir = Weir::new();
    let text = format!("{SMALL}[control]\nenabled = false\npreset = \"firmware\"\n");
    weir.file("a.toml", &text).file("b.toml", &text);
    let run = |args: &[&str]| json(&weir.well(&[&["sim", "run", "--format", "json"], args].concat()));
    let (a, b) = (run(&["a.toml"]), run(&["./b.toml"]));
    assert_eq!((&a["digest"], &a["config_hash"]), (&b["digest"], &b["config_hash"]));
    let other = run(&["a.toml", "--seed", "2"]);
    assert_eq!(a["config_hash"], other["config_hash"]);
    assert_ne!(a["digest"], other["digest"]);
}

#[test]
fn settings_change_the_run() {
    let weir = Weir::new();
    let run = |set: &[&str]| {
        let mut args = vec!["sim", "run", "builtin:incast", "--format", "json"];
        args.extend(set.iter().flat_map(|set| ["--set", *set]));
        json(&weir.well(&args))
    };
    let (with, without) = (run(&[]), run(&["control.enabled=false"]));
    assert!(with["summary"]["cnps"].as_u64() > Some(0) && without["summary"]["cnps"] == 0);
    let small = run(&["workload[0].bytes=4 KB", "class[roce].ecn.pmax=0.05"]);
    assert_eq!(small["flows"][0]["bytes"], 4000);
    assert_ne!(with["config_hash"], small["config_hash"]);
}

#[test]
fn csv_has_a_line_a_flow() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let one = weir.well(&["sim", "run", "a.toml", "--format", "csv"]);
    assert_eq!(one.lines().count(), 5);
    assert!(one.starts_with("id,src,dst,bytes,"));
    let two = weir.well(&["sim", "run", "a.toml", "--format", "csv", "--seeds", "3..4"]);
    assert!(two.starts_with("seed,id,src,"));
    assert_eq!(two.lines().filter(|line| line.starts_with("4,")).count(), 4);
    let columns = |line: &str| line.split(',').count();
    assert!(two.lines().all(|line| columns(line) == columns(two.lines().next().unwrap())));
}

#[test]
fn standard_input_is_a_scenario_too() {
    let weir = Weir::new();
    let out = weir.command(&["sim", "run", "-", "--format", "json"]).write_stdin(SMALL).output().unwrap();
    assert!(out.status.success());
    weir.file("a.toml", SMALL);
    assert_eq!(
        String::from_utf8(out.stdout).unwrap(),
        weir.well(&["sim", "run", "a.toml", "--format", "json"])
    );
}

#[test]
fn a_deadlock_is_a_finding() {
    let weir = Weir::new();
    let told = weir.run(&["sim", "run", "builtin:deadlock-ring"]);
    assert_eq!(told.code, 1);
    assert!(
        told.out.contains("✗ DEADLOCK of priority 3") && told.out.contains("s0:1 → s1:2"),
        "{}",
        told.out
    );
    let told = weir.run(&["sim", "run", "builtin:deadlock-ring", "--format", "json"]);
    assert_eq!((told.code, json(&told.out)["end"].as_str()), (1, Some("deadlock")));
    assert!(told.err.contains("cyclic buffer dependency"), "{}", told.err);
}

#[test]
fn a_drop_in_a_lossless_class_is_a_finding() {
    let weir = Weir::new();
    // No headroom: what is on the way when the pause is sent finds no room.
    let told = weir.run(&[
        "sim",
        "run",
        "builtin:incast",
        "--set",
        "buffer.headroom=0 B",
        "--set",
        "buffer.total=1 MB",
    ]);
    assert_eq!(told.code, 1, "{}", told.out);
    assert!(
        told.out.contains("✗ NOT lossless") && told.out.contains("✗ lost at s0, from port"),
        "{}",
        told.out
    );
}

#[test]
fn what_the_time_limit_cuts_off_is_no_finding() {
    let weir = Weir::new();
    weir.file("a.toml", format!("{SMALL}[run]\nstop = \"20 us\"\n"));
    let out = weir.well(&["sim", "run", "a.toml"]);
    assert!(out.contains("• 0 of 4 flows completed, 4 were not finished at the time limit"), "{out}");
}

#[test]
fn several_seeds_are_a_row_each() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let out = weir.well(&["sim", "run", "a.toml", "--seeds", "1..3"]);
    for piece in ["\n1  ", "\n2  ", "\n3  ", "\nmean ", "✓ 3 runs met their goals"] {
        assert!(out.contains(piece), "no {piece:?} in\n{out}");
    }
}

#[test]
fn keys_without_effect_are_told() {
    let weir = Weir::new();
    weir.file("a.toml", format!("{SMALL}[control]\nenabled = false\npreset = \"firmware\"\n"));
    let told = weir.run(&["sim", "run", "a.toml"]);
    assert!(told.out.contains("a.toml:15:") && told.out.contains("has no effect"), "{}", told.out);
    assert!(told.err.is_empty(), "said twice: {}", told.err);
    let told = weir.run(&["sim", "run", "a.toml", "--format", "json"]);
    assert!(told.err.contains("note: a.toml:15:"), "{}", told.err);
}

#[test]
fn built_in_scenarios_are_listed_and_printed() {
    let weir = Weir::new();
    let list = weir.well(&["sim", "scenarios"]);
    assert!(list.contains("incast") && list.contains("16 hosts send 1 MB each"), "{list}");
    let entries = json(&weir.well(&["sim", "scenarios", "--format", "json"]));
    for entry in entries.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let file = std::fs::read_to_string(repository(&format!("scenarios/{name}.toml"))).unwrap();
        assert_eq!(weir.well(&["sim", "scenarios", name]), file);
    }
    weir.fails(&["sim", "scenarios", "nothing"], 2, &["nothing", "incast"]);
}

#[test]
fn a_check_says_what_the_scenario_comes_to() {
    let weir = Weir::new();
    let out = weir.well(&["sim", "check", "builtin:fat320-websearch"]);
    for piece in [
        "fat-tree, 320 hosts, 56 switches",
        "web-search",
        "base round trip",
        "roce",
        "lossless",
        "400 Gb/s",
        "headroom",
    ] {
        assert!(out.contains(piece), "no `{piece}` in\n{out}");
    }
}
