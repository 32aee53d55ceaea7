//! Arguments of `weir sim`.

use super::Format;
use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

/// Arguments of `weir sim`.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub struct Sim {
    #[command(subcommand)]
    pub command: SimCommand,
}

#[derive(Debug, Subcommand)]
pub enum SimCommand {
    /// Run a scenario and print what came of it.
    Run(SimRun),
    /// Read a scenario: what it says once every default is filled in, and which keys have no effect.
    Check(SimCheck),
    /// List the scenarios that are built in, or print one to start from.
    Scenarios(SimScenarios),
    /// Run an ns-3 HPCC configuration with its topology, flow and trace files as they are.
    Hpcc(SimHpcc),
    /// Compare the JSON results of two runs.
    Compare(SimCompare),
    /// Say what the columns and fields of results mean, and their units.
    Explain(SimExplain),
}

/// Arguments of `weir sim run`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
A run depends on the scenario and the seed alone: the same two give the same bytes of JSON and the same
digest, on any number of threads.

Ends with 1 where a frame of a lossless class was dropped, a deadlock was found, or flows did not end.

Examples:
  weir sim run scenarios/incast.toml
  weir sim run builtin:incast --set control.enabled=false     PFC alone
  weir sim run builtin:incast --set 'workload[0].bytes=4 MB' --set class[roce].ecn.pmax=0.05
  weir sim run scenarios/victim.toml --seeds 1..8 --format json > runs.json
  weir sim run scenarios/incast.toml --out results/           results.json and CSV tables
  weir sim run scenarios/incast.toml --pcap s0:16 --pcap-file port.pcapng")]
pub struct SimRun {
    /// The scenario, in TOML; `builtin:NAME` for one that is built in, `-` for standard input.
    pub scenario: PathBuf,
    /// Run with this seed rather than the scenario's.
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    pub seed: Option<u64>,
    /// Run with the seeds from A to B, B included: one run each, on all cores.
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    pub seeds: Option<std::ops::RangeInclusive<u64>>,
    /// Change a key of the scenario before it is read.
    ///
    /// KEY is the path of the key with dots; an element of a list is chosen by its number from 0, or by its name:
    /// `workload[0].bytes`, `class[roce].ecn.pmax`. VALUE is what would stand behind the equals sign; quotes
    /// round text may be left out. Can be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: RunFormat,
    /// Also write the result to a file, or to files in a folder.
    ///
    /// A name that ends in `.json` gets the whole result, one that ends in `.csv` the flows. Any other is a folder,
    /// made if it is not there, for results.json, flows.csv, ports.csv, queues.csv and series.csv; with several
    /// seeds there is a folder `seed-N` for each.
    #[arg(long, value_name = "FILE|DIR")]
    pub out: Option<PathBuf>,
    /// Write what passes a port as RoCEv2 to a capture; PORT is `node:port`, such as `s0:16`.
    #[arg(long, value_name = "PORT")]
    pub pcap: Vec<String>,
    /// The capture that `--pcap` writes, in pcapng.
    #[arg(long, value_name = "FILE", default_value = "weir.pcapng", requires = "pcap")]
    pub pcap_file: PathBuf,
    /// Write the point-to-point flows of every workload to this file as CSV, with what each waits for.
    #[arg(long, value_name = "FILE")]
    pub flows_csv: Option<PathBuf>,
    /// Threads for runs with several seeds; as many as there are cores if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Put the run time into JSON, which is then no longer the same every time.
    #[arg(long)]
    pub timing: bool,
}

/// How to print a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// For people.
    #[default]
    Human,
    /// For programs: everything. A list where there are several seeds.
    Json,
    /// The flows, one line each.
    Csv,
}

/// Arguments of `weir sim check`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  weir sim check scenarios/incast.toml
  weir sim check my.toml --format json | jq '.errors[] | .line, .message'
  weir sim check my.toml --format toml > resolved.toml        every default written out")]
pub struct SimCheck {
    /// The scenario, in TOML; `builtin:NAME` for one that is built in, `-` for standard input.
    pub scenario: PathBuf,
    /// Change a key before the scenario is read, as in `weir sim run`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Write the point-to-point flows of every workload to this file as CSV, with what each waits for.
    #[arg(long, value_name = "FILE")]
    pub flows_csv: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: CheckFormat,
}

/// How to print a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people.
    #[default]
    Human,
    /// For programs: errors and notices with their places, resolved values.
    Json,
    /// The scenario with every default written out.
    Toml,
}

/// Arguments of `weir sim scenarios`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  weir sim scenarios
  weir sim scenarios incast > my.toml
  weir sim run builtin:incast")]
pub struct SimScenarios {
    /// Print this one as it is, to start from.
    pub name: Option<String>,
    /// How to print the list.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `weir sim hpcc`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Paths in the configuration are taken as written, from the working directory. fct.txt, pfc.txt and
qlen.txt are written where it says. Two keys more than the reference are known:
`QLEN_TS file interval-ns switch port` and `RATE_TS file interval-ns`. What of the configuration is not
honoured is said on standard error, and in the JSON.

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
    /// Put the run time into JSON, which is then no longer the same every time.
    #[arg(long)]
    pub timing: bool,
    /// How to print the summary.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `weir sim compare`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Ends with 0 where both runs are the same in everything but run time, and with 1 where they differ.
Results of several seeds are compared seed by seed.

Examples:
  weir sim run a.toml --format json > a.json
  weir sim run b.toml --format json > b.json
  weir sim compare a.json b.json")]
pub struct SimCompare {
    /// Results before.
    pub a: PathBuf,
    /// Results after.
    pub b: PathBuf,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `weir sim explain`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  weir sim explain
  weir sim explain slowdown
  weir sim explain fct.txt")]
pub struct SimExplain {
    /// Only columns and fields whose name holds this text, or that are in this file or table.
    pub column: Option<String>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `A..B` with B included, or `A..=B`, or one number.
fn seeds(text: &str) -> Result<std::ops::RangeInclusive<u64>, String> {
    let number = |text: &str| {
        text.trim()
            .parse::<u64>()
            .map_err(|_| format!("`{}` is not a whole number; write for example 1..8", text.trim()))
    };
    let (from, to) = match text.split_once("..") {
        Some((from, to)) => (number(from)?, number(to.strip_prefix('=').unwrap_or(to))?),
        None => (number(text)?, number(text)?),
    };
    if from > to {
        return Err(format!("{from} comes after {to}; write {to}..{from}"));
    }
    if to - from >= 100_000 {
        return Err("that is more than 100,000 runs".to_owned());
    }
    Ok(from..=to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_ranges_with_their_end() {
        assert_eq!(seeds("1..8"), Ok(1..=8));
        assert_eq!(seeds("1..=8"), Ok(1..=8));
        assert_eq!(seeds("7"), Ok(7..=7));
        assert!(seeds("8..1").unwrap_err().contains("write 1..8"));
        assert!(seeds("1..x").unwrap_err().contains("`x`"));
        assert!(seeds("0..18446744073709551615").is_err());
    }
}
