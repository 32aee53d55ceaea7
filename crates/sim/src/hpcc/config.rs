//! The configuration file: `KEY value…` words, every key of the reference and the two of its monitored build.
//!
//! A key the reference does not know is skipped, as there, but reported. A missing key takes the reference's
//! default, and is reported when it matters. Units are the reference's: seconds for the stop time, ns for the
//! queue monitor, whole us for the DCQCN timers and LINK_DOWN, MiB for the buffer, 1000 B for Kmin and Kmax.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::clock::seconds_to_ns;
use super::error::HpccError;
use super::keys;
use super::text::{Word, Words, rate_bps};

/// Congestion control of the hosts: the reference's CC_MODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CcMode {
    /// 1: DCQCN as Mellanox NICs do it.
    Dcqcn,
    /// 3: HPCC, with telemetry in every packet.
    Hpcc,
    /// 7: TIMELY, with a time stamp in every packet.
    Timely,
    /// 8: DCTCP, as a rate.
    Dctcp,
}

impl CcMode {
    /// The number in the file.
    pub fn number(self) -> u32 {
        match self {
            CcMode::Dcqcn => 1,
            CcMode::Hpcc => 3,
            CcMode::Timely => 7,
            CcMode::Dctcp => 8,
        }
    }

    /// Bytes of telemetry in every data packet and acknowledgement.
    pub(crate) fn telemetry_bytes(self) -> u32 {
        match self {
            CcMode::Dcqcn | CcMode::Dctcp => 0,
            CcMode::Hpcc => 42,
            CcMode::Timely => 8,
        }
    }
}

/// `QLEN_TS file interval-ns switch port`.
#[derive(Clone, Debug)]
pub(crate) struct QueueSeries {
    pub file: PathBuf,
    pub interval_ns: u64,
    pub node: u32,
    pub port: u32,
    pub line: u32,
}

/// `RATE_TS file interval-ns`.
#[derive(Clone, Debug)]
pub(crate) struct RateSeries {
    pub file: PathBuf,
    pub interval_ns: u64,
}

/// `LINK_DOWN us-after-2-s node node`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkDown {
    pub at_ns: u64,
    pub nodes: [u32; 2],
    pub line: u32,
}

/// What a configuration file says, in the units of the fields' names.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub file: PathBuf,
    pub mode: CcMode,
    pub ecn: bool,
    pub payload_bytes: u32,
    pub topology: PathBuf,
    pub flows: PathBuf,
    pub trace: Option<PathBuf>,
    pub fct: PathBuf,
    pub pfc: PathBuf,
    pub stop_ns: u64,
    pub alpha_us: u64,
    pub decrease_us: u64,
    pub increase_us: u64,
    pub gain: f64,
    pub fast_recovery: u32,
    pub rate_ai_bps: u64,
    pub rate_hai_bps: u64,
    pub min_rate_bps: u64,
    pub dctcp_rate_ai_bps: u64,
    pub clamp_target: bool,
    pub error_rate: f64,
    pub chunk_bytes: u32,
    pub ack_interval_bytes: u32,
    pub back_to_zero: bool,
    pub has_window: bool,
    pub global_rtt: bool,
    pub variable_window: bool,
    pub fast_react: bool,
    pub target_utilisation: f64,
    pub mi_threshold: u32,
    pub int_multiplier: u32,
    pub multi_rate: bool,
    pub sample_feedback: bool,
    pub rate_bound: bool,
    pub ack_high_priority: bool,
    pub link_down: Option<LinkDown>,
    pub trace_enabled: bool,
    pub kmax_kb: HashMap<u64, u32>,
    pub kmin_kb: HashMap<u64, u32>,
    pub pmax: HashMap<u64, f64>,
    pub buffer_mib: u32,
    pub queue_file: Option<PathBuf>,
    pub queue_start_ns: u64,
    pub queue_end_ns: u64,
    pub queue_series: Option<QueueSeries>,
    pub rate_series: Option<RateSeries>,
    pub notices: Vec<String>,
}

const COMPLETE: &str = "complete the line";

impl Config {
    /// Reads `text`, the content of `file`.
    pub(crate) fn parse(file: &Path, text: &str) -> Result<Self, HpccError> {
        let mut config = Config::defaults(file);
        let mut words = Words::new(file, text);
        let mut seen: HashMap<&'static str, u32> = HashMap::new();
        let mut unknown: Vec<Word<'_>> = Vec::new();
        while let Some(word) = words.next() {
            let Some(key) = keys::known(word.text) else {
                if unknown.last().is_none_or(|last| last.line != word.line) {
                    unknown.push(word);
                }
                continue;
            };
            if let Some(before) = seen.insert(key, word.line) {
                config.notices.push(format!(
                    "{}:{}: {key} was already given in line {before}; the later one counts",
                    file.display(),
                    word.line
                ));
            }
            config.read_key(key, word.line, &mut words)?;
        }
        for word in unknown {
            config.notices.push(format!(
                "{}:{}: {} is no key of ns-3 HPCC: ignored{}",
                file.display(),
                word.line,
                word.text,
                keys::nearest(word.text).map(|k| format!(" (is {k} meant?)")).unwrap_or_default()
            ));
        }
        for (key, what) in [("TOPOLOGY_FILE", "topology"), ("FLOW_FILE", "flows")] {
            if !seen.contains_key(key) {
                return Err(words.invalid(
                    1,
                    format!("no {key}"),
                    format!("add a line `{key} <path of the {what}>`"),
                ));
            }
        }
        config.check(&words, &seen)?;
        config.notices.extend(keys::report(&config, &seen));
        Ok(config)
    }

    fn defaults(file: &Path) -> Self {
        Config {
            file: file.into(),
            mode: CcMode::Dcqcn,
            ecn: true,
            payload_bytes: 1000,
            topology: PathBuf::new(),
            flows: PathBuf::new(),
            trace: None,
            fct: "fct.txt".into(),
            pfc: "pfc.txt".into(),
            stop_ns: seconds_to_ns(3.01),
            alpha_us: 55,
            decrease_us: 4,
            increase_us: 1500,
            gain: 1.0 / 16.0,
            fast_recovery: 5,
            rate_ai_bps: 5_000_000,
            rate_hai_bps: 50_000_000,
            min_rate_bps: 100_000_000,
            dctcp_rate_ai_bps: 1_000_000_000,
            clamp_target: false,
            error_rate: 0.0,
            chunk_bytes: 0,
            ack_interval_bytes: 0,
            back_to_zero: false,
            has_window: true,
            global_rtt: true,
            variable_window: false,
            fast_react: true,
            target_utilisation: 0.95,
            mi_threshold: 5,
            int_multiplier: 1,
            multi_rate: true,
            sample_feedback: false,
            rate_bound: true,
            ack_high_priority: false,
            link_down: None,
            trace_enabled: true,
            kmax_kb: HashMap::new(),
            kmin_kb: HashMap::new(),
            pmax: HashMap::new(),
            buffer_mib: 16,
            queue_file: None,
            queue_start_ns: 2_000_000_000,
            queue_end_ns: 2_100_000_000,
            queue_series: None,
            rate_series: None,
            notices: Vec::new(),
        }
    }

    fn read_key(&mut self, key: &'static str, line: u32, words: &mut Words<'_>) -> Result<(), HpccError> {
        match key {
            "ENABLE_QCN" => self.ecn = flag(words, key)?,
            "PACKET_PAYLOAD_SIZE" => self.payload_bytes = whole(words, key)?,
            "TOPOLOGY_FILE" => self.topology = path(words, key)?,
            "FLOW_FILE" => self.flows = path(words, key)?,
            "TRACE_FILE" => self.trace = Some(path(words, key)?),
            "FCT_OUTPUT_FILE" => self.fct = path(words, key)?,
            "PFC_OUTPUT_FILE" => self.pfc = path(words, key)?,
            "SIMULATOR_STOP_TIME" => self.stop_ns = seconds_to_ns(positive(words, key)?),
            "CC_MODE" => {
                let (mode, line) = words.value::<u32>(key, WHOLE, COMPLETE)?;
                self.mode = match mode {
                    1 => CcMode::Dcqcn,
                    3 => CcMode::Hpcc,
                    7 => CcMode::Timely,
                    8 => CcMode::Dctcp,
                    found => return Err(HpccError::UnknownMode { file: words.file(), line, found }),
                };
            }
            // The reference hands these doubles to a function of whole microseconds.
            "ALPHA_RESUME_INTERVAL" => self.alpha_us = positive(words, key)? as u64,
            "RATE_DECREASE_INTERVAL" => self.decrease_us = positive(words, key)? as u64,
            "RP_TIMER" => self.increase_us = positive(words, key)? as u64,
            "EWMA_GAIN" => self.gain = positive(words, key)?,
            "FAST_RECOVERY_TIMES" => self.fast_recovery = whole(words, key)?,
            "RATE_AI" => self.rate_ai_bps = rate(words, key)?,
            "RATE_HAI" => self.rate_hai_bps = rate(words, key)?,
            "MIN_RATE" => self.min_rate_bps = rate(words, key)?,
            "DCTCP_RATE_AI" => self.dctcp_rate_ai_bps = rate(words, key)?,
            "CLAMP_TARGET_RATE" => self.clamp_target = flag(words, key)?,
            "ERROR_RATE_PER_LINK" => self.error_rate = positive(words, key)?,
            "L2_CHUNK_SIZE" => self.chunk_bytes = whole(words, key)?,
            "L2_ACK_INTERVAL" => self.ack_interval_bytes = whole(words, key)?,
            "L2_BACK_TO_ZERO" => self.back_to_zero = flag(words, key)?,
            "HAS_WIN" => self.has_window = flag(words, key)?,
            // Only the value 1 means one RTT for all pairs.
            "GLOBAL_T" => self.global_rtt = whole(words, key)? == 1,
            "VAR_WIN" => self.variable_window = flag(words, key)?,
            "FAST_REACT" => self.fast_react = flag(words, key)?,
            "U_TARGET" => self.target_utilisation = positive(words, key)?,
            "MI_THRESH" => self.mi_threshold = whole(words, key)?,
            "INT_MULTI" => self.int_multiplier = whole(words, key)?,
            "MULTI_RATE" => self.multi_rate = flag(words, key)?,
            "SAMPLE_FEEDBACK" => self.sample_feedback = flag(words, key)?,
            "RATE_BOUND" => self.rate_bound = flag(words, key)?,
            "ACK_HIGH_PRIO" => self.ack_high_priority = flag(words, key)?,
            "LINK_DOWN" => {
                let us = words.value::<u64>("LINK_DOWN time (us)", WHOLE, COMPLETE)?.0;
                let nodes = [whole(words, "LINK_DOWN node")?, whole(words, "LINK_DOWN node")?];
                let at_ns = us.saturating_mul(1000).saturating_add(2_000_000_000);
                self.link_down = (us > 0).then_some(LinkDown { at_ns, nodes, line });
            }
            "ENABLE_TRACE" => self.trace_enabled = flag(words, key)?,
            "KMAX_MAP" => map(words, key, &mut self.kmax_kb, whole)?,
            "KMIN_MAP" => map(words, key, &mut self.kmin_kb, whole)?,
            "PMAX_MAP" => map(words, key, &mut self.pmax, positive)?,
            "BUFFER_SIZE" => self.buffer_mib = whole(words, key)?,
            "QLEN_MON_FILE" => self.queue_file = Some(path(words, key)?),
            "QLEN_MON_START" => self.queue_start_ns = words.value(key, WHOLE, COMPLETE)?.0,
            "QLEN_MON_END" => self.queue_end_ns = words.value(key, WHOLE, COMPLETE)?.0,
            "QLEN_TS" => {
                self.queue_series = Some(QueueSeries {
                    file: path(words, "QLEN_TS file")?,
                    interval_ns: interval(words, "QLEN_TS interval (ns)")?,
                    node: whole(words, "QLEN_TS switch")?,
                    port: whole(words, "QLEN_TS port")?,
                    line,
                });
            }
            "RATE_TS" => {
                self.rate_series = Some(RateSeries {
                    file: path(words, "RATE_TS file")?,
                    interval_ns: interval(words, "RATE_TS interval (ns)")?,
                });
            }
            // Keys without an effect, here as in the reference: the value is read and checked all the same.
            "PAUSE_TIME" | "PINT_LOG_BASE" | "PINT_PROB" => drop(positive(words, key)?),
            "USE_DYNAMIC_PFC_THRESHOLD" => drop(flag(words, key)?),
            _ => drop(path(words, key)?),
        }
        Ok(())
    }

    /// What the reference would loop for ever on, divide by, or overflow.
    fn check(&self, words: &Words<'_>, seen: &HashMap<&'static str, u32>) -> Result<(), HpccError> {
        let refuse = |key: &str, problem: String, remedy: &str| {
            Err(words.invalid(seen.get(key).copied().unwrap_or(1), problem, remedy))
        };
        if self.payload_bytes == 0 || self.payload_bytes > 65_000 {
            let problem = format!("PACKET_PAYLOAD_SIZE is {} bytes", self.payload_bytes);
            return refuse("PACKET_PAYLOAD_SIZE", problem, "write 1 to 65000, usually 1000");
        }
        if self.mode == CcMode::Dcqcn {
            let timers = [
                ("ALPHA_RESUME_INTERVAL", self.alpha_us),
                ("RATE_DECREASE_INTERVAL", self.decrease_us),
                ("RP_TIMER", self.increase_us),
            ];
            for (key, us) in timers {
                if us == 0 || us > 1_000_000_000 {
                    let problem = format!("{key} is {us} whole microseconds");
                    return refuse(key, problem, "write at least 1 and at most 1000000000 us");
                }
            }
        }
        if self.buffer_mib == 0 || self.buffer_mib > 4095 {
            let problem = format!("BUFFER_SIZE is {} MiB", self.buffer_mib);
            return refuse("BUFFER_SIZE", problem, "write 1 to 4095, in MiB a switch");
        }
        if self.back_to_zero && self.chunk_bytes == 0 {
            let problem = "L2_BACK_TO_ZERO 1 needs chunks, but L2_CHUNK_SIZE is 0".to_owned();
            return refuse("L2_BACK_TO_ZERO", problem, "write L2_CHUNK_SIZE 4000, or L2_BACK_TO_ZERO 0");
        }
        if self.int_multiplier == 0 {
            return refuse("INT_MULTI", "INT_MULTI is 0".to_owned(), "write at least 1");
        }
        for (key, p) in
            self.pmax.values().map(|p| ("PMAX_MAP", *p)).chain([("ERROR_RATE_PER_LINK", self.error_rate)])
        {
            if p > 1.0 {
                return refuse(key, format!("{key} has the probability {p}"), "write at most 1");
            }
        }
        Ok(())
    }
}

const WHOLE: &str = "a whole number that is not negative";

fn whole(words: &mut Words<'_>, key: &str) -> Result<u32, HpccError> {
    Ok(words.value(key, WHOLE, COMPLETE)?.0)
}

fn flag(words: &mut Words<'_>, key: &str) -> Result<bool, HpccError> {
    Ok(words.value::<u32>(key, "0 or 1", COMPLETE)?.0 != 0)
}

fn positive(words: &mut Words<'_>, key: &str) -> Result<f64, HpccError> {
    let word = words.peek();
    let (value, _) = words.number(key, COMPLETE)?;
    match word {
        Some(word) if value < 0.0 => Err(words.bad(word, key, "a number that is not negative")),
        _ => Ok(value),
    }
}

fn rate(words: &mut Words<'_>, key: &str) -> Result<u64, HpccError> {
    let word = words.expect(key, COMPLETE)?;
    rate_bps(word.text).ok_or_else(|| words.bad(word, key, "a rate such as 20Mb/s"))
}

fn path(words: &mut Words<'_>, key: &str) -> Result<PathBuf, HpccError> {
    Ok(words.expect(key, COMPLETE)?.text.into())
}

fn interval(words: &mut Words<'_>, key: &str) -> Result<u64, HpccError> {
    let word = words.peek();
    match (words.value::<u64>(key, WHOLE, COMPLETE)?, word) {
        ((0, _), Some(word)) => Err(words.bad(word, key, "at least 1 ns")),
        ((ns, _), _) => Ok(ns),
    }
}

fn map<T>(
    words: &mut Words<'_>,
    key: &str,
    into: &mut HashMap<u64, T>,
    value: fn(&mut Words<'_>, &str) -> Result<T, HpccError>,
) -> Result<(), HpccError> {
    for _ in 0..whole(words, key)? {
        let bps = words.value::<u64>(&format!("{key} rate (b/s)"), WHOLE, COMPLETE)?.0;
        into.insert(bps, value(words, key)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, HpccError> {
        Config::parse(Path::new("config.txt"), &format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{text}"))
    }

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn values_are_read_in_the_references_units() {
        let config = parse(
            "SIMULATOR_STOP_TIME 2.002\nRP_TIMER 55.9\nRATE_AI 20Mb/s\nLINK_DOWN 5 3 4\nGLOBAL_T 2\n\
             KMIN_MAP 2 100000000000 400 400000000000 1600\nPMAX_MAP 1 100000000000 0.2\n\
             QLEN_TS out/q.txt 1000 3 2",
        )
        .unwrap();
        assert_eq!(config.stop_ns, 2_001_999_999);
        assert_eq!(config.increase_us, 55);
        assert_eq!(config.rate_ai_bps, 20_000_000);
        assert_eq!(config.link_down.unwrap().at_ns, 2_000_005_000);
        assert!(!config.global_rtt);
        assert_eq!(config.kmin_kb[&400_000_000_000], 1600);
        assert_eq!(config.pmax[&100_000_000_000], 0.2);
        assert_eq!(config.queue_series.unwrap().port, 2);
    }

    #[test]
    fn what_is_wrong_is_said_with_line_and_remedy() {
        assert_eq!(
            message("CC_MODE 10"),
            "config.txt:3: CC_MODE 10 is not known here; write 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)"
        );
        assert_eq!(
            message("\nKMAX_MAP 1 100 x"),
            "config.txt:4: KMAX_MAP: found `x`, expected a whole number that is not negative"
        );
        assert_eq!(
            message("RATE_AI 20Mbit"),
            "config.txt:3: RATE_AI: found `20Mbit`, expected a rate such as 20Mb/s"
        );
        assert_eq!(message("RP_TIMER"), "config.txt:3: the file ends before RP_TIMER; complete the line");
        assert!(message("RP_TIMER 0.5").contains("at least 1"));
        assert!(message("SIMULATOR_STOP_TIME -1").contains("not negative"));
        assert!(message("RATE_TS r.txt 0").contains("at least 1 ns"));
        assert!(message("BUFFER_SIZE 5000").contains("MiB"));
        let missing = Config::parse(Path::new("c"), "CC_MODE 1").unwrap_err().to_string();
        assert_eq!(missing, "c:1: no TOPOLOGY_FILE; add a line `TOPOLOGY_FILE <path of the topology>`");
    }

    #[test]
    fn unknown_and_repeated_keys_are_reported() {
        let config = parse("KMAXMAP 1 2\nHAS_WIN 0\nHAS_WIN 1").unwrap();
        assert!(config.notices.iter().any(|n| n.contains("config.txt:3: KMAXMAP") && n.contains("KMAX_MAP")));
        assert!(config.notices.iter().any(|n| n.contains("line 4")));
        assert!(config.has_window);
    }
}
