//! Help in two lengths, completion, manual pages.

use super::Weir;

/// Every command that does something.
pub const COMMANDS: [&[&str]; 11] = [
    &["tune"],
    &["sim"],
    &["sim", "run"],
    &["sim", "check"],
    &["sim", "scenarios"],
    &["sim", "hpcc"],
    &["sim", "compare"],
    &["sim", "explain"],
    &["pcap"],
    &["completion"],
    &["man"],
];

#[test]
fn every_command_has_short_and_long_help() {
    let weir = Weir::new();
    for command in [&[] as &[&str]].iter().chain(&COMMANDS) {
        let with = |flag| weir.well(&[*command, &[flag]].concat());
        let (short, long) = (with("-h"), with("--help"));
        assert!(short.contains("Usage: weir"), "{command:?}\n{short}");
        assert!(long.lines().count() > short.lines().count() || command == &["sim"], "{command:?}");
        if command != &["sim"] {
            assert!(long.contains("Example"), "{command:?} has no example\n{long}");
        }
        for line in long.lines() {
            assert!(line.chars().count() <= 110, "{command:?}: too long: {line}");
        }
        // Every option says what it is for.
        for line in short.lines().filter(|line| line.trim_start().starts_with("--")) {
            assert!(line.trim().contains("  ") || line.ends_with('>'), "{command:?}: {line}");
        }
    }
}

#[test]
fn no_command_is_left_out_above() {
    let weir = Weir::new();
    for (help, level) in [(weir.well(&["-h"]), 1), (weir.well(&["sim", "-h"]), 2)] {
        let listed = help
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1)
            .take_while(|line| !line.is_empty())
            .filter(|line| !line.starts_with("   "));
        for line in listed {
            let name = line.split_whitespace().next().unwrap();
            let known =
                COMMANDS.iter().any(|command| command.len() == level && command.last() == Some(&name));
            assert!(known || name == "help", "{name}");
        }
    }
}

#[test]
fn wrong_usage_says_what_is_meant_and_ends_with_2() {
    let weir = Weir::new();
    weir.fails(&["sim", "comapre", "x.json"], 2, &["comapre", "'compare'"]);
    weir.fails(&["sim", "run"], 2, &["<SCENARIO>"]);
    weir.fails(&["sim", "run", "x.toml", "--format", "yaml"], 2, &["yaml", "human", "json", "csv"]);
    weir.fails(&["pcap", "x.pcap", "--format", "csv"], 2, &["csv", "human", "json"]);
    weir.fails(&["sim", "run", "x.toml", "--seeds", "8..1"], 2, &["write 1..8"]);
    weir.fails(&["sim", "run", "x.toml", "--seed", "-1"], 2, &["-1"]);
    weir.fails(&["sim", "run", "x.toml", "--seed", "1", "--seeds", "1..2"], 2, &["cannot be used with"]);
    weir.fails(&["sim", "run", "x.toml", "--threads", "0"], 2, &["0"]);
    weir.fails(&[], 2, &["Usage: weir"]);
}

#[test]
fn the_version_is_an_answer() {
    let out = Weir::new().well(&["--version"]);
    assert_eq!(out, format!("weir {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completion_for_every_shell() {
    let weir = Weir::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = weir.well(&["completion", shell]);
        for word in ["weir", "hpcc", "compare", "flows-csv"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    weir.fails(&["completion", "tcsh"], 2, &["tcsh", "bash"]);
}

/// What is completed is asked of bash itself.
#[test]
fn bash_completes_with_the_script() {
    let weir = Weir::new();
    weir.file("weir.bash", weir.well(&["completion", "bash"]));
    let ask = "source weir.bash; COMP_WORDS=(weir sim co); COMP_CWORD=2; _weir weir co sim; echo \"${COMPREPLY[@]}\"";
    let asked = std::process::Command::new("bash")
        .args(["-c", ask])
        .current_dir(weir.folder.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&asked.stdout).trim(), "compare", "{asked:?}");
}

#[test]
fn manual_pages_for_every_command() {
    let weir = Weir::new();
    weir.well(&["man", "--out", "man"]);
    for command in [&[] as &[&str]].iter().chain(&COMMANDS) {
        let name = [&["weir"], *command].concat().join("-");
        let page = std::fs::read_to_string(weir.path(&format!("man/{name}.1"))).unwrap();
        let section = |name: &str| page.contains(&format!(".SH {name}"));
        assert!(page.contains(".TH") && section("NAME") && section("SYNOPSIS"), "{name}");
    }
    let pages = std::fs::read_dir(weir.path("man")).unwrap().count();
    assert_eq!(pages, COMMANDS.len() + 1);
    let first = std::fs::read(weir.path("man/weir-sim-run.1")).unwrap();
    weir.well(&["man", "--out", "man"]);
    assert_eq!(std::fs::read(weir.path("man/weir-sim-run.1")).unwrap(), first, "the same pages every time");
}
