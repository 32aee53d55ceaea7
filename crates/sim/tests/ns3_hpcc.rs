//! The ns-3 HPCC mode against the files that the reference itself wrote (fixtures/ns3-hpcc).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use weir_sim::hpcc::{Options, Summary, run};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/ns3-hpcc")
}

/// A case copied to a folder of its own and run there.
struct Case {
    name: &'static str,
    folder: TempDir,
    summary: Summary,
}

impl Case {
    fn run(name: &'static str, options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in ["config.txt", "topology.txt", "flow.txt", "trace.txt"] {
            fs::copy(fixtures().join(name).join(file), folder.path().join(file)).unwrap();
        }
        let options = Options { base_dir: folder.path().into(), ..options };
        let summary = run(Path::new("config.txt"), &options, &mut |_| ()).unwrap();
        Case { name, folder, summary }
    }

    /// Compares an output with the reference's, of the same name or `expected`.
    fn same_as(&self, output: &str, expected: &str) {
        let found = fs::read(self.folder.path().join(output)).unwrap();
        let folder = fixtures().join(self.name).join("expected");
        let whole = folder.join(expected);
        if whole.exists() {
            same_text(self.name, output, &found, &fs::read(whole).unwrap());
        } else {
            let digest = fs::read_to_string(folder.join(format!("{expected}.digest"))).unwrap();
            same_digest(self.name, output, &found, &digest);
        }
    }

    fn same(&self, output: &str) {
        self.same_as(output, output);
    }

    /// Compares the counts of the run with those that the reference printed.
    fn same_counts(&self, stats: &str) {
        let text = fs::read_to_string(fixtures().join(self.name).join("expected").join(stats)).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        let expected = |name: &str| -> u64 {
            let at = words.iter().position(|word| *word == name).unwrap();
            words[at + 1].parse().unwrap()
        };
        let s = &self.summary;
        let counts = [
            ("host_tx", s.host_frames),
            ("host_tx_data", s.host_data_frames),
            ("switch_tx", s.switch_frames + s.pfc_sent),
            ("switch_tx_data", s.switch_data_frames),
            ("ecn_marks", s.marks),
            ("drops", s.drops),
            ("pause_rx", s.pauses),
            ("resume_rx", s.resumes),
            ("acks", s.acks),
            ("nacks", s.nacks),
            ("cnp_acks", s.cnp_acks),
            ("now_ns", s.now_ns),
        ];
        for (name, found) in counts {
            assert_eq!(found, expected(name), "{} {name}", self.name);
        }
    }
}

fn same_text(case: &str, output: &str, found: &[u8], expected: &[u8]) {
    if found == expected {
        return;
    }
    let (found, expected) = (String::from_utf8_lossy(found), String::from_utf8_lossy(expected));
    let differs = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
    let line = differs.unwrap_or_else(|| found.lines().count().min(expected.lines().count()));
    panic!(
        "{case} {output}:{}: found {:?}, the reference has {:?}",
        line + 1,
        found.lines().nth(line),
        expected.lines().nth(line)
    );
}

/// See the README of the fixtures for the form of a digest.
fn same_digest(case: &str, output: &str, found: &[u8], digest: &str) {
    let mut expected = digest.lines();
    let lines: Vec<&[u8]> = found.split_inclusive(|byte| *byte == b'\n').collect();
    for (block, lines) in lines.chunks(1000).enumerate() {
        let bytes = lines.iter().flat_map(|line| line.iter());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let want = digest.lines().nth(block + 1);
        let from = block * 1000 + 1;
        assert_eq!(
            Some(format!("{hash:016x}").as_str()),
            want,
            "{case} {output}: lines {from} to {} differ from the reference's",
            from + lines.len() - 1
        );
    }
    let size = format!("lines {} bytes {}", lines.len(), found.len());
    assert_eq!(expected.next(), Some(size.as_str()), "{case} {output}");
}

#[test]
fn uncontended_flows_take_as_long_to_the_nanosecond() {
    for name in ["U1", "U2"] {
        let case = Case::run(name, Options::default());
        case.same("out/fct.txt");
        case.same_counts("out/stats.txt");
    }
}

#[test]
fn step_marking_gives_the_same_queue_and_rates() {
    let case = Case::run("D1", Options::default());
    for output in ["out_mon/qlen.txt", "out_mon/qlen_ts.txt", "out_mon/rate_ts.txt"] {
        case.same(output);
    }
    case.same_counts("out_mon/stats.txt");
}

#[test]
fn pfc_alone_gives_the_same_pauses_queue_and_rates() {
    for name in ["D3", "S5"] {
        let case = Case::run(name, Options::default());
        for output in ["out_mon/pfc.txt", "out_mon/qlen.txt", "out_mon/qlen_ts.txt", "out_mon/rate_ts.txt"] {
            case.same(output);
        }
        case.same_counts("out_mon/stats.txt");
    }
}

#[test]
fn sixteen_to_one_under_dcqcn_gives_the_same_queue_and_rates() {
    let case = Case::run("S2", Options::default());
    for output in ["out_mon/qlen.txt", "out_mon/qlen_ts.txt", "out_mon/rate_ts.txt"] {
        case.same(output);
    }
    case.same_counts("out_mon/stats.txt");
}

#[test]
fn incasts_complete_at_the_same_times() {
    for name in ["incast2", "incast16"] {
        let case = Case::run(name, Options::default());
        for output in ["fct.txt", "pfc.txt", "qlen.txt"] {
            case.same(output);
        }
    }
}

#[test]
fn f5_completes_at_the_same_times() {
    let case = Case::run("F5", Options { final_histogram: true, ..Options::default() });
    case.same("out_mon/fct.txt");
    case.same("out_mon/qlen.txt");
    case.same_counts("out_mon/stats.txt");
    // Its flow file is the one whose count has a digit left over.
    let warnings = &case.summary.warnings;
    assert!(warnings[0].contains("states 8848 flows, the file lists 884"), "{warnings:?}");
}

#[test]
fn ws320_completes_at_the_same_times() {
    let case = Case::run("ws320", Options::default());
    case.same("fct.txt");
    case.same("pfc.txt");
    assert_eq!(case.summary.flows_completed, 1936);
}

#[test]
fn ws320_with_other_ecmp_seeds_completes_at_the_same_times() {
    for ecmp_seed_offset in [1000, 2000, 3000] {
        let case = Case::run("ws320", Options { ecmp_seed_offset, ..Options::default() });
        case.same_as("fct.txt", &format!("fct-ecmp-{ecmp_seed_offset}.txt"));
    }
}

#[test]
fn a_run_is_the_same_twice() {
    let (one, two) = (Case::run("incast16", Options::default()), Case::run("incast16", Options::default()));
    assert_eq!(one.summary, two.summary);
    let text = |case: &Case| fs::read(case.folder.path().join("fct.txt")).unwrap();
    assert_eq!(text(&one), text(&two));
}
