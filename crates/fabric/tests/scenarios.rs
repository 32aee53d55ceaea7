//! Every scenario of the repository loads, says what it has without effect, and reads back from what it writes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use weir_fabric::{NoticeKind, Scenario};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn load(text: &str, origin: &str) -> Scenario {
    let mut resolve = |name: &str| std::fs::read_to_string(folder().join(name)).map_err(|e| e.to_string());
    Scenario::from_toml(text, origin, &mut resolve).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", errors.join("\n"))
    })
}

fn all() -> Vec<(String, Scenario)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let scenario = load(&std::fs::read_to_string(&path).unwrap(), &name);
            (name, scenario)
        })
        .collect()
}

#[test]
fn every_scenario_loads_and_has_flows() {
    let scenarios = all();
    assert!(scenarios.len() >= 16, "{} scenarios", scenarios.len());
    for (file, scenario) in scenarios {
        assert_eq!(scenario.name, file);
        assert!(!scenario.description.is_empty(), "{file}");
        for seed in &scenario.run.seeds {
            let set = scenario.flows(*seed);
            assert!(!set.flows.is_empty(), "{file}");
            for flow in &set.flows {
                assert!(flow.src != flow.dst && flow.bytes > 0 && flow.src.0 < scenario.topology.hosts());
            }
        }
    }
}

/// Shipped scenarios have no key without effect, but where control is off by its one switch; and only those that are
/// about deadlock can deadlock.
#[test]
fn scenarios_have_no_idle_keys() {
    for (file, scenario) in all() {
        for notice in &scenario.notices {
            match notice.kind {
                NoticeKind::NoEffect => assert!(!scenario.control.enabled, "{file}: {notice}"),
                NoticeKind::Risk => {
                    assert!(["deadlock-ring", "dragonfly"].contains(&file.as_str()), "{file}: {notice}");
                }
            }
        }
    }
}

#[test]
fn what_a_scenario_writes_reads_back() {
    for (file, scenario) in all() {
        let text = scenario.to_toml();
        let mut again = load(&text, &format!("{file}, written out:\n{text}"));
        again.notices = scenario.notices.clone();
        assert!(again == scenario, "{file} changed:\n{text}");
    }
}

/// The switches of every scenario can be, and ask for headroom that fits their buffers.
#[test]
fn switches_are_valid() {
    for (file, scenario) in all() {
        for node in scenario.topology.hosts()..scenario.topology.nodes().len() as u32 {
            let config = scenario.switch_config(weir_fabric::NodeId(node));
            config.validate().unwrap_or_else(|error| panic!("{file}: {error}"));
        }
    }
}

/// The reference page names every key that the reader knows: a key that does not exist makes it list them.
#[test]
fn the_reference_page_has_every_key() {
    let page = std::fs::read_to_string(folder().join("../docs/scenario.md")).unwrap();
    let mut known = std::collections::BTreeSet::new();
    let mut ask = |text: &str| {
        let errors = Scenario::from_toml(text, "x", &mut |_| Err(String::new())).unwrap_err();
        let before = known.len();
        for error in errors.iter().filter(|error| error.message.starts_with("`zzz`")) {
            let (_, keys) = error.help.split_once("Keys are: ").unwrap();
            known.extend(keys.split(", ").map(str::to_owned));
        }
        assert!(errors.iter().any(|error| error.message.starts_with("`zzz`")), "{text}\n{errors:?}");
        known.len() - before
    };
    assert!(ask("zzz = 1") >= 14);
    for kind in [
        "star",
        "dumbbell",
        "parking-lot",
        "leaf-spine",
        "fat-tree",
        "rail-optimised",
        "dragonfly",
        "explicit",
    ] {
        ask(&format!("[topology]\nkind = \"{kind}\"\nzzz = 1"));
    }
    ask("[topology]\nkind = \"explicit\"\nlinks = [{ zzz = 1 }]");
    ask("[topology]\nkind = \"fat-tree\"\nk = 4\nzzz = 1");
    for table in ["qos", "buffer", "pfc", "nic", "control", "run", "pfc.watchdog"] {
        ask(&format!("[{table}]\nzzz = 1"));
    }
    ask("[[class]]\nzzz = 1");
    for ecn in ["{ zzz = 1 }", "[{ zzz = 1 }]"] {
        ask(&format!("[[class]]\necn = {ecn}"));
    }
    let star = "[topology]\nkind = \"star\"\nhosts = 2\nrate = \"10 Gb/s\"\n";
    ask(&format!("{star}[probes]\nzzz = 1"));
    ask(&format!("{star}[[route]]\nzzz = 1"));
    for kind in [
        "incast",
        "permutation",
        "all-to-all",
        "all-reduce",
        "reduce-scatter",
        "all-gather",
        "moe",
        "pipeline",
        "storage",
        "poisson",
        "pairs",
        "csv",
    ] {
        ask(&format!("{star}[[workload]]\nkind = \"{kind}\"\nzzz = 1\nrepeat = {{ zzz = 1 }}"));
    }
    for kind in [
        "loss",
        "drop-every",
        "reorder",
        "duplicate",
        "corrupt",
        "link-down",
        "flap",
        "pause-storm",
        "slow-receiver",
    ] {
        ask(&format!("{star}[[fault]]\nkind = \"{kind}\"\nzzz = 1"));
    }
    assert!(known.len() > 150, "{} keys", known.len());
    let words: std::collections::BTreeSet<&str> =
        page.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).collect();
    let missing: Vec<&String> = known.iter().filter(|key| !words.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "docs/scenario.md does not name {missing:?}");
}
