//! What the command line takes.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A lossless RoCEv2 network as software: tune it, simulate it, look into its packets.
#[derive(Debug, Parser)]
#[command(name = "weir", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_long_help = "\
Exit codes: 0 fine; 1 findings, or a goal missed; 2 bad usage or input; 3 could not do it.
Results go to standard output, progress and messages to standard error. NO_COLOR is respected.

Examples:
  weir tune                                   find thresholds for the built-in 320-host fabric
  weir sim run scenarios/incast.toml          run a scenario
  weir sim hpcc config.txt                    run an ns-3 HPCC configuration as it is
  weir pcap trace.pcapng --format json        check every ICRC of a capture")]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search for the parameters that keep a fabric lossless and fast.
    Tune(Tune),
    /// Run a fabric in simulated time.
    Sim(Sim),
    /// Read a capture: RoCEv2, CNP, PFC; verify every ICRC.
    Pcap(Pcap),
    /// Print a completion script for a shell.
    #[command(after_long_help = "Example:\n  weir completion bash > /etc/bash_completion.d/weir")]
    Completion {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages.
    #[command(after_long_help = "Example:\n  weir man --out /usr/local/share/man/man1")]
    Man {
        /// Folder to write them to.
        #[arg(long)]
        out: PathBuf,
    },
}

/// How to print a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
}

/// Arguments of `weir tune`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "\
Without a file, the built-in fabric is tuned: 320 hosts at 100 Gb/s on a 400 Gb/s fat-tree with the WebSearch load at
50 %, the reference case of the HPCC paper.

Every candidate runs on the same seeds. A recommendation that does not beat the best published preset beyond the noise
between seeds says so.

Examples:
  weir tune
  weir tune scenarios/incast.toml --out tuned --favour latency
  weir tune --budget quick --format json")]
pub struct Tune {
    /// Fabric and workload, a scenario in TOML.
    pub fabric: Option<PathBuf>,
    /// Folder for best.toml, sonic.json and results.json.
    #[arg(long, value_name = "DIR", default_value = "weir-tune")]
    pub out: PathBuf,
    /// How much to search: `quick`, `normal` or `thorough`.
    #[arg(long, value_enum, default_value_t = Budget::Normal)]
    pub budget: Budget,
    /// What to put first.
    #[arg(long, value_enum, default_value_t = Favour::Balance)]
    pub favour: Favour,
    /// Seed of the search and of its workloads.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; all cores if not given.
    #[arg(long)]
    pub threads: Option<usize>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How much to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Budget {
    /// Two seeds, a dozen candidates.
    Quick,
    /// Three seeds, some two dozen candidates.
    Normal,
    /// Five seeds, some fifty candidates.
    Thorough,
}

/// What to put first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Favour {
    /// Short flows.
    Latency,
    /// Long flows.
    Throughput,
    /// Both.
    Balance,
}

/// Arguments of `weir sim`.
#[derive(Debug, ClapArgs)]
pub struct Sim {
    #[command(subcommand)]
    pub command: SimCommand,
}

#[derive(Debug, Subcommand)]
pub enum SimCommand {
    /// Run a scenario and print what came of it.
    Run(SimRun),
    /// Read a scenario, and print what it says and which keys have no effect.
    Check(SimCheck),
    /// Run an ns-3 HPCC configuration with its topology, flow and trace files as they are.
    Hpcc(SimHpcc),
    /// Compare the JSON results of two runs.
    Compare(SimCompare),
    /// Say what the columns and fields of results mean.
    Explain {
        /// Only those whose name holds this text.
        name: Option<String>,
    },
}

/// Arguments of `weir sim run`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "\
Examples:
  weir sim run scenarios/incast.toml
  weir sim run scenarios/incast.toml --seeds 1..8 --format json > runs.json
  weir sim run scenarios/incast.toml --out results/        results.json, flows.csv, ports.csv, queues.csv, series.csv
  weir sim run scenarios/incast.toml --pcap switch:0 --pcap-file port.pcapng")]
pub struct SimRun {
    /// The scenario, in TOML.
    pub scenario: PathBuf,
    /// Instead of the scenario's seeds.
    #[arg(long, conflicts_with = "seeds")]
    pub seed: Option<u64>,
    /// Seeds from A to B, B included: one run each, on all cores.
    #[arg(long, value_name = "A..B")]
    pub seeds: Option<String>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: RunFormat,
    /// Folder for results.json and the CSV files.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Port whose frames are written as RoCEv2, as `node:port`.
    #[arg(long, value_name = "PORT")]
    pub pcap: Option<String>,
    /// Where they are written, as pcapng.
    #[arg(long, value_name = "FILE", default_value = "weir.pcapng")]
    pub pcap_file: PathBuf,
    /// Write the point-to-point flows of every workload to this file, as CSV, and run nothing.
    #[arg(long, value_name = "FILE")]
    pub flows_csv: Option<PathBuf>,
    /// Threads for several seeds; all cores if not given.
    #[arg(long)]
    pub threads: Option<usize>,
}

/// How to print a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// For people.
    #[default]
    Human,
    /// For programs: everything.
    Json,
    /// The flows as CSV.
    Csv,
}

/// Arguments of `weir sim check`.
#[derive(Debug, ClapArgs)]
pub struct SimCheck {
    /// The scenario, in TOML.
    pub scenario: PathBuf,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `weir sim hpcc`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "\
Paths in the configuration are taken as written, from the working directory. fct.txt, pfc.txt and qlen.txt are written
where it says. Two keys more than the reference are known: `QLEN_TS file interval-ns switch port` and
`RATE_TS file interval-ns`. What of the configuration is not honoured is said on standard error.

Example:
  cd fixtures/ns3-hpcc/incast16 && weir sim hpcc config.txt")]
pub struct SimHpcc {
    /// The configuration.
    pub config: PathBuf,
    /// If the flow file lists fewer flows than it says, repeat the last one, as the reference does.
    #[arg(long)]
    pub repeat_last: bool,
    /// Added to the seed of every switch's ECMP hash.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub ecmp_seed_offset: u32,
    /// How to print the summary.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `weir sim compare`.
#[derive(Debug, ClapArgs)]
pub struct SimCompare {
    /// Results before.
    pub a: PathBuf,
    /// Results after.
    pub b: PathBuf,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `weir pcap`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "\
Exit code 1 where an ICRC is wrong, a packet is malformed, or the file is cut off.

Examples:
  weir pcap trace.pcapng
  weir pcap --format json trace.pcap | jq .icrc_bad
  tcpdump -w - udp port 4791 | weir pcap -")]
pub struct Pcap {
    /// The capture, pcap or pcapng; `-` for standard input.
    pub file: PathBuf,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
