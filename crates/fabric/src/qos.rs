//! Traffic classes: what is lossless, what is marked, who goes first.

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

/// Thresholds for links of one speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EcnRow {
    /// The speed; `None` for every speed that no other row names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// The thresholds.
    #[serde(flatten)]
    pub thresholds: EcnThresholds,
}

/// How a class shares a port with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// Before all that is not strict; among strict classes the higher priority goes first.
    Strict,
    /// Shares what strict classes leave, by weight in bytes (deficit weighted round robin).
    Weighted(u32),
}

/// A traffic class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Class {
    /// Its name, for workloads to refer to.
    pub name: String,
    /// 802.1p priority, 0 to 7, and the PFC priority of a lossless class. Each class has its own.
    pub priority: u8,
    /// Code points that map to the class; the first is the one that its packets carry.
    pub dscp: Vec<u8>,
    /// Whether PFC protects it.
    pub lossless: bool,
    /// ECN marking; empty where it is off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ecn: Vec<EcnRow>,
    /// Its share of a port.
    pub scheduling: Scheduling,
}

impl Class {
    /// The thresholds at a port of this rate, if the class is marked there.
    pub fn ecn_at(&self, rate: Rate) -> Option<EcnThresholds> {
        let exact = self.ecn.iter().find(|row| row.rate == Some(rate));
        exact.or_else(|| self.ecn.iter().find(|row| row.rate.is_none())).map(|row| row.thresholds)
    }
}

/// When a switch decides about a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkAt {
    /// When a packet leaves, by the depth that it leaves behind.
    #[default]
    Dequeue,
    /// When a packet arrives, by the depth that it finds.
    Enqueue,
}

/// The policy of the fabric: the same on every switch and NIC.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
