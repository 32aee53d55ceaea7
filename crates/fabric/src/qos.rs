//! Traffic classes: what is lossless, what is marked, who goes first.

use crate::text::keywords;
use serde::Serialize;
use weir_units::{Bytes, Rate};

/// The ECN thresholds of one egress queue (RED on the instantaneous depth).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EcnThresholds {
    /// Nothing is marked at or below this depth.
    pub kmin: Bytes,
    /// Everything is marked above this depth.
    pub kmax: Bytes,
    /// Probability of a mark at `kmax`, 0 to 1; linear from 0 at `kmin`.
    pub pmax: f64,
}

/// How the thresholds of a class follow from the speed of a port.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EcnRule {
    /// Nothing is marked.
    #[default]
    Off,
    /// The same bytes at every speed.
    Fixed(EcnThresholds),
    /// In proportion to the speed.
    Proportional {
        /// The speed that the thresholds are meant for.
        at: Rate,
        /// Thresholds at that speed.
        thresholds: EcnThresholds,
    },
    /// Thresholds by speed; a speed that is not there has those of the nearest one that is.
    Table(Vec<(Rate, EcnThresholds)>),
}

impl EcnRule {
    /// The thresholds at a port of this rate, if anything is marked there.
    pub fn at(&self, rate: Rate) -> Option<EcnThresholds> {
        match self {
            EcnRule::Off => None,
            EcnRule::Fixed(thresholds) => Some(*thresholds),
            EcnRule::Proportional { at, thresholds } => {
                let scale = |bytes: Bytes| {
                    let scaled =
                        u128::from(bytes.get()) * u128::from(rate.as_bps()) / u128::from(at.as_bps().max(1));
                    Bytes::new(u64::try_from(scaled).unwrap_or(u64::MAX))
                };
                Some(EcnThresholds {
                    kmin: scale(thresholds.kmin),
                    kmax: scale(thresholds.kmax),
                    ..*thresholds
                })
            }
            EcnRule::Table(rows) => rows
                .iter()
                .min_by_key(|(speed, _)| speed.as_bps().abs_diff(rate.as_bps()))
                .map(|(_, thresholds)| *thresholds),
        }
    }

    /// Whether nothing is marked at any speed.
    pub fn is_off(&self) -> bool {
        match self {
            EcnRule::Off => true,
            EcnRule::Table(rows) => rows.is_empty(),
            _ => false,
        }
    }
}

/// How a class shares a port with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// Before all that is not strict; among strict classes the higher priority goes first.
    Strict,
    /// Shares what strict classes leave, by weight in bytes (deficit weighted round robin).
    Weighted(u32),
}

/// A traffic class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name, for workloads to refer to.
    pub name: String,
    /// 802.1p priority, 0 to 7, and the PFC priority of a lossless class. Each class has its own.
    pub priority: u8,
    /// Code points that map to the class; the first is the one that its packets carry.
    pub dscp: Vec<u8>,
    /// Whether PFC protects it.
    pub lossless: bool,
    /// ECN marking.
    pub ecn: EcnRule,
    /// Its share of a port.
    pub scheduling: Scheduling,
}

keywords! {
    /// When a switch decides about a mark.
    pub enum MarkAt: "a place to mark" {
        /// When a packet leaves, by the depth that it leaves behind.
        #[default]
        Dequeue = "dequeue",
        /// When a packet arrives, by the depth that it finds.
        Enqueue = "enqueue",
    }
}

/// The policy of the fabric: the same on every switch and NIC.
#[derive(Clone, Debug, PartialEq)]
pub struct Qos {
    /// Index of the class of data that names none.
    pub default_class: u8,
    /// Index of the class of acknowledgements; `None`: that of the data they acknowledge.
    pub ack_class: Option<u8>,
    /// Index of the class of congestion notification packets.
    pub cnp_class: u8,
    /// Where marking happens.
    pub mark_at: MarkAt,
    /// Whether switches mark at all; off, thresholds have no effect.
    pub ecn: bool,
    /// The classes; at most 8.
    pub classes: Vec<Class>,
}

impl Qos {
    /// The thresholds of a class at a port of this rate: `None` where it is not marked, or nothing is.
    pub fn ecn_at(&self, class: u8, rate: Rate) -> Option<EcnThresholds> {
        let class = self.classes.get(usize::from(class)).filter(|_| self.ecn)?;
        class.ecn.at(rate)
    }

    /// The class whose DSCP list holds this code point; what no list holds is best effort on the default class.
    pub fn class_of_dscp(&self, dscp: u8) -> u8 {
        let found = self.classes.iter().position(|class| class.dscp.contains(&dscp));
        found.map_or(self.default_class, |i| i as u8)
    }

    /// The class of this name.
    pub fn class_named(&self, name: &str) -> Option<u8> {
        self.classes.iter().position(|class| class.name == name).map(|i| i as u8)
    }
}

impl Default for Qos {
    /// The usual lossless RoCE policy: RoCE data on priority 3 (DSCP 26), lossless and marked; congestion
    /// notifications on strict priority 6 (DSCP 48); everything else best effort.
    fn default() -> Self {
        let thresholds = EcnThresholds { kmin: Bytes::from_kb(400), kmax: Bytes::from_kb(1600), pmax: 0.2 };
        let class = |name: &str, priority, dscp, lossless, ecn, scheduling| Class {
            name: name.to_owned(),
            priority,
            dscp: vec![dscp],
            lossless,
            ecn,
            scheduling,
        };
        let ecn = EcnRule::Proportional { at: Rate::from_gbps(100), thresholds };
        Self {
            default_class: 0,
            ack_class: None,
            cnp_class: 1,
            mark_at: MarkAt::Dequeue,
            ecn: true,
            classes: vec![
                class("roce", 3, 26, true, ecn, Scheduling::Weighted(1)),
                class("cnp", 6, 48, false, EcnRule::Off, Scheduling::Strict),
            ],
        }
    }
}
