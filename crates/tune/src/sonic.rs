//! A SONiC configuration snippet that sets the chosen thresholds.
//!
//! Table and field names are those of SONiC's `config_db.json`: `WRED_PROFILE` (thresholds in bytes, probability in
//! percent) and `QUEUE` (which profile a port's queue uses).

use serde_json::{Map, Value, json};
use weir_fabric::EcnThresholds as Thresholds;
use weir_units::Rate;

/// The snippet for link speeds `speeds` and the lossless queues `queues`, as JSON text with a line end.
///
/// One `WRED_PROFILE` a speed, and a `QUEUE` entry for each queue with the pattern `Ethernet_<speed>` as the port,
/// to be replaced with the ports of that speed. A speed without thresholds (no marking) gets no profile.
pub fn sonic_snippet(speeds: &[(Rate, Option<Thresholds>)], queues: &[u8]) -> String {
    let mut profiles = Map::new();
    let mut bindings = Map::new();
    for (rate, thresholds) in speeds {
        let Some(thresholds) = thresholds else { continue };
        let speed = format!("{}G", rate.as_bps() / 1_000_000_000);
        let profile = format!("WEIR_LOSSLESS_{speed}");
        profiles.insert(
            profile.clone(),
            json!({
                "ecn": "ecn_all",
                "wred_green_enable": "true",
                "wred_yellow_enable": "true",
                "wred_red_enable": "true",
                "green_min_threshold": thresholds.kmin.get().to_string(),
                "green_max_threshold": thresholds.kmax.get().to_string(),
                "green_drop_probability": percent(thresholds.pmax),
                "yellow_min_threshold": thresholds.kmin.get().to_string(),
                "yellow_max_threshold": thresholds.kmax.get().to_string(),
                "yellow_drop_probability": percent(thresholds.pmax),
                "red_min_threshold": thresholds.kmin.get().to_string(),
                "red_max_threshold": thresholds.kmax.get().to_string(),
                "red_drop_probability": percent(thresholds.pmax),
            }),
        );
        for queue in queues {
            bindings.insert(format!("Ethernet_{speed}|{queue}"), json!({ "wred_profile": profile }));
        }
    }
    let root = json!({ "WRED_PROFILE": Value::Object(profiles), "QUEUE": Value::Object(bindings) });
    let mut text = serde_json::to_string_pretty(&root).unwrap_or_default();
    text.push('\n');
    text
}

/// A probability as SONiC's whole percent, at least 1 where it is not zero.
fn percent(probability: f64) -> String {
    let percent = (probability * 100.0).round();
    (if probability > 0.0 { percent.max(1.0) } else { 0.0 }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_units::Bytes;

    #[test]
    fn a_profile_a_speed_bound_to_every_lossless_queue() {
        let thresholds = Thresholds { kmin: Bytes::from_kb(400), kmax: Bytes::from_kb(1600), pmax: 0.2 };
        let text =
            sonic_snippet(&[(Rate::from_gbps(100), Some(thresholds)), (Rate::from_gbps(400), None)], &[3, 4]);
        let json: Value = serde_json::from_str(&text).unwrap();
        let profile = &json["WRED_PROFILE"]["WEIR_LOSSLESS_100G"];
        assert_eq!(profile["green_min_threshold"], "400000");
        assert_eq!(profile["green_max_threshold"], "1600000");
        assert_eq!(profile["green_drop_probability"], "20");
        assert_eq!(json["QUEUE"]["Ethernet_100G|4"]["wred_profile"], "WEIR_LOSSLESS_100G");
        assert!(json["WRED_PROFILE"].get("WEIR_LOSSLESS_400G").is_none());
    }

    #[test]
    fn a_small_probability_does_not_round_to_never() {
        assert_eq!(
            (percent(0.001).as_str(), percent(0.0).as_str(), percent(1.0).as_str()),
            ("1", "0", "100")
        );
    }
}
