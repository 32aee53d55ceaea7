//! Bad inputs of the ns-3 HPCC mode: one clear message, no panic, nothing written.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use weir_sim::hpcc::{HpccError, Options, Summary, run};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/ns3-hpcc")
}

/// The U1 case (a star, ten flows, milliseconds of run time), to be spoilt.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in ["config.txt", "topology.txt", "flow.txt", "trace.txt"] {
            fs::copy(fixtures().join("U1").join(file), folder.path().join(file)).unwrap();
        }
        Case { folder }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(file), text).unwrap();
    }

    /// Replaces `from`, which must be there, by `to`.
    fn edit(self, file: &str, from: &str, to: &str) -> Self {
        let text = self.read(file);
        assert!(text.contains(from), "{file} has no {from}");
        self.write(file, text.replacen(from, to, 1));
        self
    }

    fn add(self, line: &str) -> Self {
        let text = self.read("config.txt");
        self.write("config.txt", format!("{text}\n{line}\n"));
        self
    }

    fn run(&self) -> Result<Summary, HpccError> {
        let options = Options { base_dir: self.folder.path().into(), ..Options::default() };
        run(Path::new("config.txt"), &options, &mut |_| ())
    }

    /// Everything in the folder, with its content.
    fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut content = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone());
                    content.insert(path, Vec::new());
                } else {
                    content.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        content
    }

    /// The message of the refusal, after a look that nothing has been written.
    fn refusal(&self) -> String {
        let before = self.content();
        let message = self.run().unwrap_err().to_string();
        assert_eq!(self.content(), before, "{message}");
        message
    }
}

#[track_caller]
fn refused(case: Case, parts: &[&str]) {
    let message = case.refusal();
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn missing_files_are_named_with_the_key_that_names_them() {
    for (file, key) in
        [("topology.txt", "TOPOLOGY_FILE"), ("flow.txt", "FLOW_FILE"), ("trace.txt", "TRACE_FILE")]
    {
        let case = Case::new();
        fs::remove_file(case.path(file)).unwrap();
        refused(case, &[file, "cannot read", key, "config.txt"]);
    }
    let case = Case::new();
    fs::remove_file(case.path("config.txt")).unwrap();
    refused(case, &["config.txt: cannot read the configuration"]);
}

#[test]
fn values_that_cannot_be_are_refused_with_their_line() {
    let edits = [
        ("config.txt", "CC_MODE 1", "CC_MODE 10", "CC_MODE 10 is not known here; write 1 (DCQCN)"),
        ("config.txt", "CC_MODE 1", "CC_MODE one", "CC_MODE: found `one`"),
        ("config.txt", "RP_TIMER 300", "RP_TIMER 0", "RP_TIMER is 0 whole microseconds"),
        ("config.txt", "RATE_AI 20Mb/s", "RATE_AI 20Mbit", "RATE_AI: found `20Mbit`, expected a rate"),
        ("config.txt", "EWMA_GAIN 0.00390625", "EWMA_GAIN nan", "EWMA_GAIN: found `nan`"),
        ("config.txt", "PMAX_MAP 2 100000000000 0.2", "PMAX_MAP 2 100000000000 20", "probability 20"),
        ("config.txt", "KMIN_MAP 2 100000000000", "KMIN_MAP 2 10000000000", "KMIN_MAP has no value"),
        (
            "config.txt",
            "KMAX_MAP 2 100000000000 1600",
            "KMAX_MAP 2 100000000000 1",
            "a Kmin that is not above",
        ),
        ("config.txt", "LINK_DOWN 0 0 0", "LINK_DOWN 5 0 1", "no link joins node 0 and node 1"),
        ("config.txt", "FCT_OUTPUT_FILE out/fct.txt", "FCT_OUTPUT_FILE flow.txt", "which is an input"),
        ("config.txt", "PFC_OUTPUT_FILE out/pfc.txt", "PFC_OUTPUT_FILE out/fct.txt", "name the same file"),
        (
            "config.txt",
            "PFC_OUTPUT_FILE out/pfc.txt",
            "PFC_OUTPUT_FILE flow.txt/pfc",
            "cannot write PFC_OUTPUT_FILE",
        ),
        ("config.txt", "TOPOLOGY_FILE topology.txt", "", "add a line `TOPOLOGY_FILE"),
        ("topology.txt", "100Gbps", "100", "for which KMIN_MAP has no value"),
        ("topology.txt", "100Gbps", "fast", "rate: found `fast`"),
        ("topology.txt", "1000ns", "1000m", "delay: found `1000m`"),
        ("trace.txt", "0", "2 1", "the file ends before a node to trace"),
    ];
    for (file, from, to, part) in edits {
        refused(Case::new().edit(file, from, to), &[part]);
    }
    refused(Case::new().add("QLEN_TS q.txt 1000 0 1"), &["QLEN_TS: node 0 is no switch"]);
    refused(Case::new().add("QLEN_TS q.txt 1000 2 9"), &["QLEN_TS: node 2 is no switch with an interface 9"]);
    refused(Case::new().add("RATE_TS r.txt 0"), &["at least 1 ns"]);
}

#[test]
fn flows_that_cannot_be_are_refused_with_their_line() {
    let case = || {
        let case = Case::new();
        case.write("topology.txt", "5 2 3\n2 4\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n3 4 100Gbps 1us 0\n");
        case
    };
    let flows = [
        ("1\n0 1 3 100 1000 2\n0 1 3 100 1000 2\n", "states 1 flows, the file lists 2; write 2 there"),
        ("3\n0 1 3 100 1000 2\n", "states 3 flows, the file lists 1; write 1 there"),
        (
            "1\n0 9 3 100 1000 2\n",
            "flow.txt:2: a flow's destination is node 9, but the topology has nodes 0 to 4",
        ),
        ("1\n0 2 3 100 1000 2\n", "flow.txt:2: a flow's destination is node 2, a switch; write a host"),
        ("1\n0 1 3 100 x 2\n", "flow.txt:2: a flow's bytes: found `x`"),
        ("1\n0 1 3 100 1000\n", "flow.txt:2: the file ends before a flow's start"),
        ("1\n0 3 3 100 1000 2\n", "flow.txt:2: no path leads from node 0 to node 3 and back"),
        ("", "flow.txt:1: the file ends before the number of flows"),
        ("many", "flow.txt:1: the number of flows: found `many`"),
    ];
    for (text, part) in flows {
        let case = case();
        case.write("flow.txt", text);
        refused(case, &[part]);
    }
}

#[test]
fn a_file_cut_anywhere_is_run_or_refused() {
    for (file, step) in [("config.txt", 5), ("topology.txt", 1), ("flow.txt", 1)] {
        let whole = Case::new().read(file);
        let (mut cuts, mut refusals) = (0, 0);
        for end in (0..whole.len()).step_by(step) {
            cuts += 1;
            let case = Case::new();
            case.write(file, &whole[..end]);
            let before = case.content();
            if let Err(error) = case.run() {
                refusals += 1;
                assert!(!error.to_string().is_empty());
                assert_eq!(case.content(), before, "{error}");
            }
        }
        assert!(refusals > cuts / 4, "{file}: {refusals} of {cuts} cuts were refused");
    }
}

/// A small generator for the damage below: its quality does not matter.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

#[test]
fn damaged_bytes_never_panic() {
    const SPOILERS: &[u8] = b"0123456789.-+eE \nGMkbps\xff\0nan/";
    let mut state = 1;
    let files = ["config.txt", "topology.txt", "flow.txt", "trace.txt"];
    for round in 0..600 {
        // Without a histogram: a digit could put its end, and that of the run, years away.
        let case = Case::new().edit("config.txt", "QLEN_MON_FILE", "X");
        let file = files[round % files.len()];
        let mut bytes = fs::read(case.path(file)).unwrap();
        for _ in 0..1 + next(&mut state) % 4 {
            let at = next(&mut state) % bytes.len();
            bytes[at] = SPOILERS[next(&mut state) % SPOILERS.len()];
        }
        case.write(file, &bytes);
        let before = case.content();
        if let Err(error) = case.run() {
            assert_eq!(case.content(), before, "{error}");
        }
    }
}

#[test]
fn outputs_in_folders_that_do_not_exist_are_made() {
    let case = Case::new().edit("config.txt", "out/fct.txt", "deep/er/fct.txt");
    let summary = case.run().unwrap();
    assert!(case.path("deep/er/fct.txt").exists());
    assert!(summary.notices.contains(&"made the folder deep".to_owned()), "{:?}", summary.notices);
}

#[test]
fn devices_may_be_outputs() {
    let case = Case::new().edit("config.txt", "out/pfc.txt", "/dev/null").edit(
        "config.txt",
        "out/qlen.txt",
        "/dev/null",
    );
    assert_eq!(case.run().unwrap().flows_completed, case.run().unwrap().flows);
}
