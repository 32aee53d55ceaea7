//! `weir sim run` and `weir sim check`.

use super::show;
use crate::args::{Format, RunFormat, SimCheck, SimRun};
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{files, scenario};
use std::path::Path;
use weir_fabric::Scenario;
use weir_sim::net::{self, Direction, NoTap, RunOptions, Tap};
use weir_sim::results::{Results, flows_csv, ports_csv, queues_csv, series_csv};
use weir_units::Time;
use weir_wire::capture::PcapngWriter;

/// Run a scenario.
pub fn run(args: &SimRun) -> Result<Exit, Failure> {
    let scenario = scenario::read(&args.scenario)?;
    scenario::tell_notices(&scenario);
    let seeds = seeds(args, &scenario)?;
    if let Some(path) = &args.flows_csv {
        let flows = scenario.flows(seeds[0]);
        files::write_whole(
            path,
            weir_fabric::write_flows(&flows, &scenario.topology, &scenario.qos).as_bytes(),
        )?;
        eprintln!("{} flows written to {}", flows.flows.len(), path.display());
        return Ok(Exit::Fine);
    }
    if args.pcap.is_some() && seeds.len() > 1 {
        return Err(Failure::Input("error: --pcap writes one run\nhelp: choose it with --seed N".into()));
    }
    let results = match seeds.as_slice() {
        [seed] => vec![one(args, &scenario, *seed)?],
        seeds => many(args, &scenario, seeds)?,
    };
    if let Some(folder) = &args.out {
        save(folder, &results)?;
    }
    match args.format {
        RunFormat::Human => files::print(&show::runs(&scenario, &results))?,
        RunFormat::Json if results.len() == 1 => files::print(&with_line_end(results[0].to_json()))?,
        RunFormat::Json => files::print(&files::json(&results)?)?,
        RunFormat::Csv => {
            for result in &results {
                files::print(&flows_csv(result))?;
            }
        }
    }
    let bad = results.iter().any(|r| {
        r.summary.lossless_drops > 0
            || r.summary.deadlocks > 0
            || r.summary.failed > 0
            || r.summary.unfinished > 0
    });
    Ok(if bad { Exit::Findings } else { Exit::Fine })
}

fn with_line_end(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn seeds(args: &SimRun, scenario: &Scenario) -> Result<Vec<u64>, Failure> {
    if let Some(seed) = args.seed {
        return Ok(vec![seed]);
    }
    let Some(range) = &args.seeds else {
        return Ok(if scenario.run.seeds.is_empty() { vec![1] } else { scenario.run.seeds.clone() });
    };
    let parsed = range.split_once("..").and_then(|(a, b)| {
        let (a, b): (u64, u64) = (a.trim().parse().ok()?, b.trim_start_matches('=').trim().parse().ok()?);
        (a <= b && b - a < 100_000).then(|| (a..=b).collect())
    });
    parsed.ok_or_else(|| {
        Failure::Input(format!("error: --seeds {range} is not a range of at most 100000 seeds\nhelp: write for example --seeds 1..8"))
    })
}

struct Watch<'a>(&'a Bar);

impl net::Progress for Watch<'_> {
    fn update(&mut self, now: Time, done: u64, flows: u64) -> bool {
        self.0.set(done, flows, &format!("{done} of {flows} flows, {now} simulated"));
        true
    }
}

fn one(args: &SimRun, scenario: &Scenario, seed: u64) -> Result<Results, Failure> {
    let mut options = RunOptions::default();
    options.seed = Some(seed);
    let bar = Bar::new("flows");
    let result = match &args.pcap {
        None => net::run_tapped(scenario, &options, &mut Watch(&bar), &mut NoTap),
        Some(port) => {
            options.taps = vec![port.clone()];
            let mut tap = ToPcap::new(port)?;
            let result = net::run_tapped(scenario, &options, &mut Watch(&bar), &mut tap);
            if result.is_ok() {
                bar.clear();
                let bytes = tap.finish()?;
                files::write_whole(&args.pcap_file, &bytes)?;
                eprintln!("{} bytes of capture written to {}", bytes.len(), args.pcap_file.display());
            }
            result
        }
    };
    bar.clear();
    result.map_err(|error| Failure::Input(format!("error: {}: {error}", args.scenario.display())))
}

fn many(args: &SimRun, scenario: &Scenario, seeds: &[u64]) -> Result<Vec<Results>, Failure> {
    let options = |seed| RunOptions { seed: Some(seed), ..RunOptions::default() };
    let jobs: Vec<_> = seeds.iter().map(|&seed| (scenario, options(seed))).collect();
    let run = || net::run_many(&jobs);
    let results = match args.threads {
        None => run(),
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Failure::System(format!("error: can't start {threads} threads: {error}")))?
            .install(run),
    };
    results
        .into_iter()
        .map(|r| r.map_err(|error| Failure::Input(format!("error: {}: {error}", args.scenario.display()))))
        .collect()
}

/// Writes what a tap sees as pcapng into memory.
struct ToPcap {
    writer: PcapngWriter<Vec<u8>>,
    interfaces: [u32; 2],
}

impl ToPcap {
    fn new(port: &str) -> Result<Self, Failure> {
        let open = || -> std::io::Result<Self> {
            let mut writer = PcapngWriter::new(Vec::new())?;
            let out = writer.interface(&format!("{port} out"))?;
            let into = writer.interface(&format!("{port} in"))?;
            Ok(Self { writer, interfaces: [out, into] })
        };
        open().map_err(|error| Failure::System(format!("error: can't begin a capture: {error}")))
    }

    fn finish(self) -> Result<Vec<u8>, Failure> {
        self.writer
            .finish()
            .map_err(|error| Failure::System(format!("error: can't end the capture: {error}")))
    }
}

impl Tap for ToPcap {
    fn frame(&mut self, _tap: usize, at: Time, direction: Direction, bytes: &[u8]) {
        let interface = self.interfaces[usize::from(direction == Direction::In)];
        // Memory does not fail.
        let _ = self.writer.frame(interface, at.as_ns(), bytes);
    }
}

fn save(folder: &Path, results: &[Results]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::io("make the folder", folder, error))?;
    for result in results {
        let suffix = if results.len() == 1 { String::new() } else { format!("-{}", result.seed) };
        let files: [(&str, &str, String); 5] = [
            ("results", "json", with_line_end(result.to_json())),
            ("flows", "csv", flows_csv(result)),
            ("ports", "csv", ports_csv(result)),
            ("queues", "csv", queues_csv(result)),
            ("series", "csv", series_csv(result)),
        ];
        for (name, kind, text) in files {
            files::write_whole(&folder.join(format!("{name}{suffix}.{kind}")), text.as_bytes())?;
        }
    }
    Ok(())
}

/// Read a scenario and say what it is.
pub fn check(args: &SimCheck) -> Result<Exit, Failure> {
    let scenario = scenario::read(&args.scenario)?;
    match args.format {
        Format::Json => {
            let notices: Vec<String> = scenario.notices.iter().map(ToString::to_string).collect();
            files::print(&files::json(&serde_json::json!({
                "name": scenario.name,
                "hosts": scenario.topology.hosts(),
                "switches": scenario.topology.switches(),
                "links": scenario.topology.links().len(),
                "notices": notices,
                "resolved": scenario.to_toml(),
            }))?)?;
        }
        Format::Human => {
            scenario::tell_notices(&scenario);
            files::print(&format!("# {}\n{}", show::heading(&scenario).trim_end(), scenario.to_toml()))?;
        }
    }
    Ok(if scenario.notices.is_empty() { Exit::Fine } else { Exit::Findings })
}
