//! Packet-hops a second and bytes a flow of the simulator: `cargo bench -p weir-sim`.
//!
//! A packet-hop is one frame put on one line: data and acknowledgements, of hosts and switches. Times are of one run each
//! after none to warm up, as a user would see them; give a name to run only the cases that hold it.

use std::time::Instant;
use weir_fabric::Scenario;
use weir_sim::hpcc;
use weir_sim::net::{self, Quiet, RunOptions};

const FAT320: &str = include_str!("../../../scenarios/fat320-websearch.toml");

const INCAST16: &str = r#"
[topology]
kind = "star"
hosts = 17
rate = "100 Gb/s"
delay = "1 us"
[buffer]
total = "32 MiB"
[control]
algorithm = "dcqcn"
preset = "hpcc-sim"
[nic]
mtu = "1000 B"
ack_every = 1
[[workload]]
kind = "incast"
receivers = "h16"
bytes = "16 MB"
"#;

/// A permutation on a three-tier fat-tree of `k` ports: k^3 / 4 hosts.
fn permutation(k: u32, bytes: &str) -> String {
    format!(
        "[topology]\nkind = \"fat-tree\"\nk = {k}\nrate = \"100 Gb/s\"\ndelay = \"1 us\"\n\n[buffer]\ntotal = \"32 MiB\"\n\n\
         [nic]\nmtu = \"1024 B\"\nack_every = 8\n\n[control]\nalgorithm = \"dcqcn\"\npreset = \"hpcc-sim\"\n\n\
         [[workload]]\nkind = \"permutation\"\nbytes = \"{bytes}\"\n"
    )
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let run = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    println!(
        "{:<30} {:>8} {:>9} {:>8} {:>9} {:>10} {:>10}",
        "case", "flows", "M hops", "set-up", "run", "M hops/s", "B a flow"
    );
    let own: [(&str, String); 4] = [
        ("own: 16 to 1, one switch", INCAST16.into()),
        ("own: fat320 web search", FAT320.into()),
        ("own: permutation, 1024 hosts", permutation(16, "2 MB")),
        ("own: permutation, 8192 hosts", permutation(32, "100 KB")),
    ];
    for (name, text) in own.iter().filter(|(name, _)| run(name)) {
        if let Err(error) = own_mode(name, text) {
            eprintln!("{name}: {error}");
        }
    }
    for case in ["incast16", "ws320", "F5_fat320_websearch50_1ms"] {
        let name = format!("ns-3 mode: {case}");
        if run(&name)
            && let Err(error) = ns3_mode(&name, case)
        {
            eprintln!("{name}: {error}");
        }
    }
    println!("peak memory of all cases together: {} MB", peak_kb() / 1000);
}

fn own_mode(name: &str, text: &str) -> Result<(), String> {
    let begun = Instant::now();
    let before = peak_kb();
    let mut none = |file: &str| Err(format!("no file {file}"));
    let scenario = Scenario::from_toml(text, name, &mut none).map_err(|e| format!("{e:?}"))?;
    let read = begun.elapsed().as_secs_f64();
    let results = net::run(&scenario, &RunOptions::default(), &mut Quiet).map_err(|e| e.to_string())?;
    let grown = peak_kb().saturating_sub(before) * 1000;
    line(
        name,
        results.summary.flows,
        results.run.frame_hops,
        read + results.run.setup_s,
        results.run.wall_s,
        grown,
    );
    Ok(())
}

fn ns3_mode(name: &str, case: &str) -> Result<(), String> {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/ns3-hpcc/");
    let folder = std::env::temp_dir().join(format!("weir-bench-{}-{case}", std::process::id()));
    let copied = copy(std::path::Path::new(fixture).join(case).as_path(), &folder);
    let outcome = copied.map_err(|e| e.to_string()).and_then(|()| {
        let config = ["config.txt", "config_timed.txt"].map(|file| folder.join(file));
        let config = config.iter().find(|path| path.exists()).ok_or("no configuration")?;
        let options = hpcc::Options { base_dir: folder.clone(), ..Default::default() };
        let before = peak_kb();
        let begun = Instant::now();
        let summary = hpcc::run(config, &options, &mut |_| ()).map_err(|e| e.to_string())?;
        let grown = peak_kb().saturating_sub(before) * 1000;
        line(name, summary.flows, summary.packet_hops(), 0.0, begun.elapsed().as_secs_f64(), grown);
        Ok(())
    });
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

fn copy(from: &std::path::Path, to: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to.join("out"))?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn line(name: &str, flows: u64, hops: u64, setup_s: f64, wall_s: f64, grown_bytes: u64) {
    println!(
        "{name:<30} {flows:>8} {:>9.2} {:>5.0} ms {:>7.2} s {:>10.2} {:>10.0}",
        hops as f64 / 1e6,
        setup_s * 1e3,
        wall_s,
        hops as f64 / wall_s.max(1e-9) / 1e6,
        grown_bytes as f64 / flows.max(1) as f64
    );
}

/// Most resident memory so far, in kB (Linux; 0 elsewhere).
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
