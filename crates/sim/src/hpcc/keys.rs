//! The keys of a configuration: which there are, which have an effect in which mode, what is said of the rest.

use std::collections::HashMap;

use super::config::{CcMode, Config};

/// When a key changes the run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Always,
    /// Only in these modes.
    In(&'static [CcMode]),
    /// Only with ENABLE_QCN 1.
    WithEcn,
    /// Only with HAS_WIN 1.
    WithWindow,
    /// Only with HAS_WIN 1 or in mode 3.
    WithRtt,
    /// Never, here or in the reference.
    Never,
    /// In the reference, but not here.
    NotHere,
}

use CcMode::{Dcqcn, Dctcp, Hpcc, Timely};
use Effect::{Always, In, Never, NotHere, WithEcn, WithRtt, WithWindow};

/// Every key, when it has an effect, and its default as a message shows it (empty: no message when missing).
const KEYS: &[(&str, Effect, &str)] = &[
    ("ENABLE_QCN", Always, "1"),
    ("USE_DYNAMIC_PFC_THRESHOLD", Never, ""),
    ("PACKET_PAYLOAD_SIZE", Always, "1000"),
    ("PAUSE_TIME", Never, ""),
    ("DATA_RATE", Never, ""),
    ("LINK_DELAY", Never, ""),
    ("TOPOLOGY_FILE", Always, ""),
    ("FLOW_FILE", Always, ""),
    ("TRACE_FILE", NotHere, ""),
    ("TRACE_OUTPUT_FILE", NotHere, ""),
    ("ENABLE_TRACE", NotHere, ""),
    ("FCT_OUTPUT_FILE", Always, "fct.txt"),
    ("PFC_OUTPUT_FILE", Always, "pfc.txt"),
    ("SIMULATOR_STOP_TIME", Always, "3.01 s"),
    ("CC_MODE", Always, "1"),
    ("ALPHA_RESUME_INTERVAL", In(&[Dcqcn]), "55 us"),
    ("RATE_DECREASE_INTERVAL", In(&[Dcqcn]), "4 us"),
    ("CLAMP_TARGET_RATE", In(&[Dcqcn]), "0"),
    ("RP_TIMER", In(&[Dcqcn]), "1500 us"),
    ("EWMA_GAIN", In(&[Dcqcn, Dctcp]), "1/16"),
    ("FAST_RECOVERY_TIMES", In(&[Dcqcn]), "5"),
    ("RATE_AI", In(&[Dcqcn, Hpcc, Timely]), "5Mb/s"),
    ("RATE_HAI", In(&[Dcqcn, Timely]), "50Mb/s"),
    ("MIN_RATE", Always, "100Mb/s"),
    ("DCTCP_RATE_AI", In(&[Dctcp]), "1000Mb/s"),
    ("ERROR_RATE_PER_LINK", Always, ""),
    ("L2_CHUNK_SIZE", Always, "0"),
    ("L2_ACK_INTERVAL", Always, "0 (no flow ever completes)"),
    ("L2_BACK_TO_ZERO", Always, ""),
    ("HAS_WIN", Always, "1"),
    ("GLOBAL_T", WithRtt, "1"),
    ("VAR_WIN", WithWindow, "0"),
    ("FAST_REACT", In(&[Hpcc]), "1"),
    ("U_TARGET", In(&[Hpcc]), "0.95"),
    ("MI_THRESH", In(&[Hpcc]), "5"),
    ("INT_MULTI", In(&[Hpcc]), "1"),
    ("MULTI_RATE", In(&[Hpcc]), "1"),
    ("SAMPLE_FEEDBACK", In(&[Hpcc]), "0"),
    ("PINT_LOG_BASE", In(&[]), ""),
    ("PINT_PROB", In(&[]), ""),
    ("RATE_BOUND", Always, "1"),
    ("ACK_HIGH_PRIO", Always, "0"),
    ("LINK_DOWN", Always, ""),
    ("KMAX_MAP", WithEcn, ""),
    ("KMIN_MAP", WithEcn, ""),
    ("PMAX_MAP", WithEcn, ""),
    ("BUFFER_SIZE", Always, "16 MiB"),
    ("QLEN_MON_FILE", Always, ""),
    ("QLEN_MON_START", Always, ""),
    ("QLEN_MON_END", Always, ""),
    ("QLEN_TS", Always, ""),
    ("RATE_TS", Always, ""),
];

/// The key as a static text, if it is one.
pub(crate) fn known(text: &str) -> Option<&'static str> {
    KEYS.iter().map(|(key, ..)| *key).find(|key| *key == text)
}

/// A key that differs in little more than a letter, for a message. Words that are no names get none.
pub(crate) fn nearest(text: &str) -> Option<&'static str> {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let upper = text.to_ascii_uppercase();
    KEYS.iter()
        .map(|(key, ..)| (distance(&upper, key), *key))
        .min()
        .filter(|(d, key)| *d <= 1 + key.len() / 6)
        .map(|(_, key)| key)
}

/// What to tell the user about keys without an effect and keys that are missing.
pub(crate) fn report(config: &Config, seen: &HashMap<&'static str, u32>) -> Vec<String> {
    let mut notices = Vec::new();
    let given = |wanted: &dyn Fn(Effect) -> bool| -> String {
        let keys: Vec<&str> = KEYS
            .iter()
            .filter(|(key, effect, _)| wanted(*effect) && seen.contains_key(key))
            .map(|(key, ..)| *key)
            .collect();
        keys.join(", ")
    };
    let mut say = |keys: String, what: String| {
        if !keys.is_empty() {
            notices.push(format!("{keys}: {what}"));
        }
    };
    let mode = config.mode;
    say(
        given(&|e| e == NotHere),
        "not honoured: no packet trace is written; the other outputs are".to_owned(),
    );
    say(given(&|e| e == Never), "no effect, here as in the reference".to_owned());
    say(
        given(&|e| matches!(e, In(modes) if !modes.contains(&mode))),
        format!("no effect in CC_MODE {}, here as in the reference", mode.number()),
    );
    if !config.ecn {
        say(given(&|e| e == WithEcn), "no effect, because ENABLE_QCN is 0".to_owned());
    }
    if !config.has_window {
        let windowed = |e| e == WithWindow || (e == WithRtt && mode != Hpcc);
        say(given(&windowed), "no effect, because HAS_WIN is 0".to_owned());
    }
    let missing: Vec<String> = KEYS
        .iter()
        .filter(|(key, effect, default)| {
            !default.is_empty() && !seen.contains_key(key) && has_effect(*effect, config)
        })
        .map(|(key, _, default)| format!("{key} {default}"))
        .collect();
    say(missing.join(", "), "missing, so the reference's default is used".to_owned());
    if config.queue_file.is_none() {
        notices.push("QLEN_MON_FILE: missing, so no queue histogram is written".to_owned());
    }
    notices
}

fn has_effect(effect: Effect, config: &Config) -> bool {
    match effect {
        Always => true,
        In(modes) => modes.contains(&config.mode),
        WithEcn => config.ecn,
        WithWindow => config.has_window,
        WithRtt => config.has_window || config.mode == Hpcc,
        Never | NotHere => false,
    }
}

/// Letters to insert, delete or replace to get from one text to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_misspelt_key_is_recognised() {
        assert_eq!(nearest("KMAXMAP"), Some("KMAX_MAP"));
        assert_eq!(nearest("has_win"), Some("HAS_WIN"));
        assert_eq!(nearest("RATE_TIMER_X"), None);
        assert_eq!(nearest("12"), None);
    }

    #[test]
    fn every_key_has_an_effect_or_is_reported() {
        let text = "TOPOLOGY_FILE t\nFLOW_FILE f\nENABLE_QCN 0\nHAS_WIN 0\nVAR_WIN 1\nU_TARGET 0.95\n\
                    PAUSE_TIME 5\nENABLE_TRACE 1\nKMAX_MAP 1 1 1\nCC_MODE 8\n";
        let notices = Config::parse(Path::new("c"), text).unwrap().notices;
        for key in ["VAR_WIN", "U_TARGET", "PAUSE_TIME", "ENABLE_TRACE", "KMAX_MAP", "DCTCP_RATE_AI"] {
            assert!(notices.iter().any(|n| n.contains(key)), "{key}: {notices:?}");
        }
        assert!(!notices.iter().any(|n| n.contains("RP_TIMER")), "{notices:?}");
    }
}
