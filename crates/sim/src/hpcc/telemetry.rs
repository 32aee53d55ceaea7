//! Telemetry that packets carry in modes 3 and 7, kept aside so that frames stay small.

/// Most switches that a packet's telemetry has room for.
pub(crate) const MAX_HOPS: usize = 5;

/// What one switch reports, in the reference's encoding: 24 bits of time (ns), 20 bits of bytes sent in units of
/// 128 times the multiplier, 17 bits of queue in units of 80 times the multiplier, and the line's rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hop {
    pub time: u32,
    pub bytes: u32,
    pub queue: u32,
    pub bps: u64,
}

/// What one packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// When the sender made it.
    pub at_ns: u64,
    pub hops: [Hop; MAX_HOPS],
    /// Switches passed; more than [`MAX_HOPS`] if the record has overflowed.
    pub count: u16,
}

const TIME_BITS: u32 = 24;
const BYTES_BITS: u32 = 20;
const QUEUE_BITS: u32 = 17;
const BYTE_UNIT: u64 = 128;
const QUEUE_UNIT: u64 = 80;

/// The records of all packets under way. Index 0 is no record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Telemetry {
    multiplier: u64,
    records: Vec<Record>,
    free: Vec<u32>,
}

impl Telemetry {
    /// With the configuration's INT_MULTI.
    pub fn new(multiplier: u32) -> Self {
        Telemetry {
            multiplier: u64::from(multiplier.max(1)),
            records: vec![Record::default()],
            free: Vec::new(),
        }
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

    /// A switch adds its report: its clock, bytes sent before this packet, bytes queued behind it, its rate.
    pub fn push(&mut self, index: u32, now: u64, sent: u64, queued: u64, bps: u64) {
        let multiplier = self.multiplier;
        let Some(record) = self.records.get_mut(index as usize).filter(|_| index != 0) else { return };
        record.hops[record.count as usize % MAX_HOPS] = Hop {
            time: (now & mask(TIME_BITS)) as u32,
            bytes: (sent / (BYTE_UNIT * multiplier) & mask(BYTES_BITS)) as u32,
            queue: (queued / (QUEUE_UNIT * multiplier) & mask(QUEUE_BITS)) as u32,
            bps,
        };
        record.count = record.count.saturating_add(1);
    }

    /// Nanoseconds from one report to the next.
    pub fn elapsed_ns(new: &Hop, old: &Hop) -> u64 {
        u64::from(new.time.wrapping_sub(old.time)) & mask(TIME_BITS)
    }

    /// Bytes sent from one report to the next.
    pub fn sent_bytes(&self, new: &Hop, old: &Hop) -> u64 {
        (u64::from(new.bytes.wrapping_sub(old.bytes)) & mask(BYTES_BITS)) * BYTE_UNIT * self.multiplier
    }

    /// Bytes queued at a report.
    pub fn queue_bytes(&self, hop: &Hop) -> u64 {
        u64::from(hop.queue) * QUEUE_UNIT * self.multiplier
    }
}

const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_wrap_as_their_fields_do() {
        let mut telemetry = Telemetry::new(1);
        let index = telemetry.begin(7);
        telemetry.push(index, (1 << 24) - 10, 128 * ((1 << 20) - 1), 85, 100);
        telemetry.push(index, (1 << 24) + 90, 128 * ((1 << 20) + 2), 0, 100);
        let record = telemetry.get(index);
        assert_eq!((record.at_ns, record.count), (7, 2));
        assert_eq!(Telemetry::elapsed_ns(&record.hops[1], &record.hops[0]), 100);
        assert_eq!(telemetry.sent_bytes(&record.hops[1], &record.hops[0]), 3 * 128);
        assert_eq!(telemetry.queue_bytes(&record.hops[0]), 80);
        telemetry.free(index);
        assert_eq!(telemetry.begin(8), index);
        assert_eq!(telemetry.get(index).count, 0);
    }
}
