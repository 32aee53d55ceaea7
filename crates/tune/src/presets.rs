//! The known presets, each with its published source.

use crate::candidate::{Candidate, ControlChoice};
use weir_fabric::{EcnRule, EcnThresholds as Thresholds};
use weir_units::{Bytes, Rate};

const fn kb(kmin: u64, kmax: u64, pmax: f64) -> Thresholds {
    Thresholds { kmin: Bytes::from_kb(kmin), kmax: Bytes::from_kb(kmax), pmax }
}

fn preset(name: &str, source: &str, ecn: EcnRule, control: ControlChoice) -> Candidate {
    Candidate { name: name.into(), source: source.into(), ecn, control }
}

fn at_100(thresholds: Thresholds) -> EcnRule {
    EcnRule::Proportional { at: Rate::from_gbps(100), thresholds }
}

/// Every preset, in the order in which they are tried and shown.
pub fn presets() -> Vec<Candidate> {
    vec![
        preset(
            "dcqcn-paper",
            "Zhu et al., SIGCOMM 2015: 5 KB, 200 KB, 1 % at 40 Gb/s, timers 55 us, byte counter 10 MB",
            EcnRule::Fixed(kb(5, 200, 0.01)),
            ControlChoice::Paper,
        ),
        preset(
            "mlx5+sonic",
            "mlx5 firmware defaults at the hosts; SONiC's AZURE_LOSSLESS profile (1 MiB, 2 MiB, 5 %) at the switches",
            EcnRule::Fixed(Thresholds { kmin: Bytes::from_mib(1), kmax: Bytes::from_mib(2), pmax: 0.05 }),
            ControlChoice::Firmware,
        ),
        preset(
            "hpcc-paper",
            "Alibaba, HPCC artefact (SIGCOMM 2019): 400 KB, 1600 KB, 20 % at 100 Gb/s in proportion to speed; timers 1, 4, 300 us",
            at_100(kb(400, 1600, 0.2)),
            ControlChoice::Hpcc,
        ),
        preset(
            "conweave",
            "ConWeave artefact (SIGCOMM 2023): 100 KB, 400 KB, 20 % at every speed",
            EcnRule::Fixed(kb(100, 400, 0.2)),
            ControlChoice::ConWeave,
        ),
        preset(
            "simai",
            "SimAI's default configuration: by speed, 100G 400/1600 KB 20 %, 200G 300/1200 KB 80 %, 400G 800/3200 KB 20 %",
            EcnRule::Table(vec![
                (Rate::from_gbps(100), kb(400, 1600, 0.2)),
                (Rate::from_gbps(200), kb(300, 1200, 0.8)),
                (Rate::from_gbps(400), kb(800, 3200, 0.2)),
            ]),
            ControlChoice::SimAi,
        ),
        preset(
            "paraleon-expert",
            "Paraleon's expert baseline (ICNP 2024): 1600 KB, 6400 KB, 20 %; R_AI 50, R_HAI 150 Mb/s, cut interval 80 us",
            EcnRule::Fixed(kb(1600, 6400, 0.2)),
            ControlChoice::ParaleonExpert,
        ),
        preset(
            "pfc-only",
            "DCQCN off, as Meta reports for its 400 Gb/s clusters (SIGCOMM 2024; theirs adds a receiver-driven library)",
            EcnRule::Off,
            ControlChoice::Off,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_preset_has_a_source() {
        let all = presets();
        let names: std::collections::BTreeSet<_> = all.iter().map(|preset| preset.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
        assert!(all.iter().all(|preset| preset.source.len() > 20));
    }

    #[test]
    fn thresholds_are_ordered() {
        for preset in presets() {
            if let Some(t) = preset.ecn.at(Rate::from_gbps(100)) {
                assert!(t.kmin <= t.kmax && (0.0..=1.0).contains(&t.pmax), "{}", preset.name);
            }
        }
    }
}
