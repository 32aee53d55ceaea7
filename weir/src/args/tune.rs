//! Arguments of `weir tune`.

use super::Format;
use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `weir tune`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Without a file, the built-in fabric is tuned: 320 hosts at 100 Gb/s on a 400 Gb/s fat-tree with the
WebSearch load at 50 %, the reference case of the HPCC paper (`weir sim scenarios fat320-tune`).

The search runs the published presets, then candidates spread over Kmin, Kmax, Pmax and reaction points,
then others around the best. Every candidate runs on the same seeds. A recommendation that does not beat
the best published preset beyond the noise between seeds says so, and recommends the preset.

A budget in time depends on the machine; any other gives the same result everywhere.

Ends with 1 where even the recommendation loses packets of a lossless class.

Examples:
  weir tune
  weir tune --budget 5min --favour latency
  weir tune scenarios/leaf-spine-websearch.toml --out tuned --budget 40trials
  weir tune --budget quick --format json")]
pub struct Tune {
    /// Fabric and workload, a scenario in TOML; `builtin:NAME` for one that is built in.
    pub fabric: Option<PathBuf>,
    /// Folder for best.toml, sonic.json and results.json.
    #[arg(long, value_name = "DIR", default_value = "weir-tune")]
    pub out: PathBuf,
    /// How much to search: `quick`, `normal`, `thorough`, a time such as `60s` or `5min`, or a number of candidates
    /// such as `200trials`.
    #[arg(long, value_parser = budget, default_value = "normal", value_name = "BUDGET")]
    pub budget: Budget,
    /// What to put first.
    #[arg(long, value_enum, default_value_t = Favour::Balance)]
    pub favour: Favour,
    /// Seed of the search and of its workloads.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads; as many as there are cores if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How much to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Two seeds, a dozen candidates besides the presets.
    Quick,
    /// Four seeds, some fifteen.
    Normal,
    /// Five seeds, some forty.
    Thorough,
    /// About this long.
    Time(Duration),
    /// This many candidates, the presets among them.
    Trials(u32),
}

fn budget(text: &str) -> Result<Budget, String> {
    match text {
        "quick" => return Ok(Budget::Quick),
        "normal" => return Ok(Budget::Normal),
        "thorough" => return Ok(Budget::Thorough),
        _ => {}
    }
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = (text[..split].parse::<u32>(), text[split..].trim());
    let seconds = |number: u32, each: u64| Budget::Time(Duration::from_secs(u64::from(number) * each));
    match (number, unit) {
        (Ok(0), _) => Err("nothing can be found in none".to_owned()),
        (Ok(n), "s") => Ok(seconds(n, 1)),
        (Ok(n), "min") => Ok(seconds(n, 60)),
        (Ok(n), "h") => Ok(seconds(n, 3600)),
        (Ok(n), "trials" | "trial") => Ok(Budget::Trials(n)),
        (Ok(n), "") => Err(format!("{n} of what? write {n}s or {n}trials")),
        _ => Err("write quick, normal, thorough, a time such as 60s or 5min, or a number such as 200trials"
            .to_owned()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_times_or_numbers() {
        assert_eq!(budget("quick"), Ok(Budget::Quick));
        assert_eq!(budget("60s"), Ok(Budget::Time(Duration::from_secs(60))));
        assert_eq!(budget("5 min"), Ok(Budget::Time(Duration::from_secs(300))));
        assert_eq!(budget("200trials"), Ok(Budget::Trials(200)));
        assert!(budget("60").unwrap_err().contains("60s or 60trials"));
        for wrong in ["0s", "", "fast", "-1s", "1e3s", "99999999999s"] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }
}
