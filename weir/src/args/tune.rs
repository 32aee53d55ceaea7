//! Arguments of `weir tune`.

use super::Format;
use clap::ValueEnum;
use std::path::PathBuf;

/// Arguments of `weir tune`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Without a file, the built-in fabric is tuned: 320 hosts at 100 Gb/s on a 400 Gb/s fat-tree with the
WebSearch load at 50 %, the reference case of the HPCC paper.

Every candidate runs on the same seeds. A recommendation that does not beat the best published preset
beyond the noise between seeds says so.

Examples:
  weir tune
  weir tune scenarios/incast.toml --out tuned --favour latency
  weir tune --budget quick --format json")]
pub struct Tune {
    /// Fabric and workload, a scenario in TOML; `builtin:NAME` for one that is built in.
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
