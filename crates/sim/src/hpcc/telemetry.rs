//! Telemetry that packets carry in modes 3 and 7, kept aside so that frames stay small.

use weir_congestion::IntHop;
use weir_units::{Rate, Time};

/// Most switches that a packet's telemetry has room for.
pub(crate) const MAX_HOPS: usize = 5;
/// What one packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// When the sender made it, ns.
    pub at_ns: u64,
    hops: [IntHop; MAX_HOPS],
    count: usize,
}

impl Record {
    /// The switches' reports; none if more switches reported than there is room for, which the reference ignores.
    pub fn hops(&self) -> &[IntHop] {
        self.hops.get(..self.count).unwrap_or_default()
    }
}

/// The records of all packets under way. Index 0 is no record.
#[derive(Clone, Debug)]
pub(crate) struct Telemetry {
    records: Vec<Record>,
    free: Vec<u32>,
}

impl Telemetry {
    /// No packet under way.
    pub fn new() -> Self {
        Telemetry { records: vec![Record::default()], free: Vec::new() }
    }

    /// A record for a packet that is made now.
    #[inline]
    pub fn begin(&mut self, now: u64) -> u32 {
        let record = Record { at_ns: now, ..Record::default() };
        if let Some(index) = self.free.pop() {
            self.records[index as usize] = record;
            return index;
        }
        self.records.push(record);
        (self.records.len() - 1) as u32
    }

    /// A packet is gone.
    #[inline]
    pub fn free(&mut self, index: u32) {
        if index != 0 {
            self.free.push(index);
        }
    }

    /// The record of a packet.
    #[inline]
    pub fn get(&self, index: u32) -> Record {
        self.records.get(index as usize).copied().unwrap_or_default()
    }

    /// A switch adds its report: its clock, bytes sent before this packet, bytes queued behind it, its rate. The controller
    /// cuts them to the units and widths of the reference's fields.
    pub fn push(&mut self, index: u32, now: u64, sent: u64, queued: u64, bps: u64) {
        let Some(record) = self.records.get_mut(index as usize).filter(|_| index != 0) else { return };
        if let Some(hop) = record.hops.get_mut(record.count) {
            *hop = IntHop {
                at: Time::from_ns(now),
                tx_bytes: sent,
                queue_bytes: queued,
                rate: Rate::from_bps(bps),
            };
        }
        record.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_five_reports_and_is_used_again() {
        let mut telemetry = Telemetry::new();
        let index = telemetry.begin(7);
        telemetry.push(index, 1000, 1048, 85, 100);
        let record = telemetry.get(index);
        let hop = record.hops()[0];
        assert_eq!((record.at_ns, hop.at, hop.tx_bytes, hop.queue_bytes), (7, Time::from_ns(1000), 1048, 85));
        for _ in 0..MAX_HOPS {
            telemetry.push(index, 2000, 0, 0, 100);
        }
        assert!(telemetry.get(index).hops().is_empty(), "more switches than the record has room for");
        telemetry.free(index);
        assert_eq!(telemetry.begin(8), index);
        assert!(telemetry.get(index).hops().is_empty());
    }
}
