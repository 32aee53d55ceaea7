//! Frames as small values, and the events that carry them.

use weir_switch::Frame as SwitchFrame;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Data,
    Ack,
    Nack,
    /// PFC; `seq` is 1 for a pause, 0 for a resume, `flow` the paused class.
    Pfc,
}

const KIND_MASK: u8 = 0b11;
const PRIORITY_SHIFT: u8 = 2;
const CE: u8 = 1 << 5;
const CNP: u8 = 1 << 6;

/// A frame on a line or in a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    /// The flow it belongs to.
    pub flow: u32,
    /// Data: its first byte. ACK and NACK: the byte expected next.
    pub seq: u32,
    /// Where its telemetry is kept, in the modes that have some.
    pub telemetry: u32,
    /// Its length on the line.
    pub bytes: u16,
    /// Switches passed so far.
    pub hop: u8,
    bits: u8,
}

impl Frame {
    /// A frame of a flow, in its class.
    pub fn new(kind: Kind, flow: u32, seq: u32, bytes: u16, priority: u8) -> Self {
        let kind = match kind {
            Kind::Data => 0,
            Kind::Ack => 1,
            Kind::Nack => 2,
            Kind::Pfc => 3,
        };
        Frame { flow, seq, telemetry: 0, bytes, hop: 0, bits: kind | (priority & 7) << PRIORITY_SHIFT }
    }

    #[inline]
    pub fn kind(self) -> Kind {
        match self.bits & KIND_MASK {
            0 => Kind::Data,
            1 => Kind::Ack,
            2 => Kind::Nack,
            _ => Kind::Pfc,
        }
    }

    #[inline]
    pub fn priority(self) -> u8 {
        self.bits >> PRIORITY_SHIFT & 7
    }

    /// Whether a switch marked it.
    #[inline]
    pub fn is_ce(self) -> bool {
        self.bits & CE != 0
    }

    /// Whether it tells the sender that a data packet was marked: the reference's CNP is a flag of the ACK.
    #[inline]
    pub fn is_cnp(self) -> bool {
        self.bits & CNP != 0
    }

    /// The same with the CNP flag.
    #[inline]
    pub fn with_cnp(mut self, cnp: bool) -> Self {
        if cnp {
            self.bits |= CNP;
        }
        self
    }
}

impl SwitchFrame for Frame {
    #[inline]
    fn bytes(&self) -> u32 {
        u32::from(self.bytes)
    }

    /// The reference marks every frame of a class, acknowledgements too.
    #[inline]
    fn ecn_capable(&self) -> bool {
        true
    }

    #[inline]
    fn mark_ce(&mut self) {
        self.bits |= CE;
    }
}

/// What an event is about; its index says which port or flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum What {
    /// The frame has arrived whole at port `index`.
    Arrival,
    /// Port `index` has sent its frame.
    Sent,
    /// A queue pair of host port `index` may send; `frame.seq` is the generation of the wake-up.
    Wake,
    /// Flow `index` is the next of the list to be set up.
    List,
    /// Flow `index` starts.
    Start,
    /// DCQCN timers of flow `index`; for `Increase`, `frame.seq` is the generation.
    Alpha,
    Decrease,
    Increase,
    /// The queue histogram's sample.
    Histogram,
    /// QLEN_TS.
    QueueSeries,
    /// RATE_TS.
    RateSeries,
    /// LINK_DOWN.
    LinkDown,
}

const INDEX_BITS: u32 = 28;
/// Largest index of a port or flow in an event.
pub(crate) const MAX_INDEX: u32 = (1 << INDEX_BITS) - 1;

/// An event: what and index in one word, and a frame for those that need it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    code: u32,
    pub frame: Frame,
}

impl Event {
    #[inline]
    pub fn new(what: What, index: u32) -> Self {
        Self::with(what, index, Frame::default())
    }

    #[inline]
    pub fn with(what: What, index: u32, frame: Frame) -> Self {
        Event { code: (what as u32) << INDEX_BITS | index & MAX_INDEX, frame }
    }

    /// An event with a number, in the place of a frame's.
    #[inline]
    pub fn numbered(what: What, index: u32, number: u32) -> Self {
        Self::with(what, index, Frame { seq: number, ..Frame::default() })
    }

    #[inline]
    pub fn index(self) -> u32 {
        self.code & MAX_INDEX
    }

    #[inline]
    pub fn what(self) -> What {
        const ALL: [What; 12] = [
            What::Arrival,
            What::Sent,
            What::Wake,
            What::List,
            What::Start,
            What::Alpha,
            What::Decrease,
            What::Increase,
            What::Histogram,
            What::QueueSeries,
            What::RateSeries,
            What::LinkDown,
        ];
        // The code was made from one of these; the remainder only tells the compiler so.
        ALL[(self.code >> INDEX_BITS) as usize % ALL.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_do_not_disturb_each_other() {
        let mut frame = Frame::new(Kind::Nack, 7, 9, 60, 5).with_cnp(true);
        assert!(!frame.is_ce() && frame.is_cnp());
        frame.mark_ce();
        assert!(frame.is_ce() && frame.is_cnp());
        assert_eq!((frame.kind(), frame.priority()), (Kind::Nack, 5));
        assert_eq!(size_of::<Frame>(), 16);
        assert_eq!(size_of::<Event>(), 20);
        for what in [What::Arrival, What::Increase, What::LinkDown] {
            let event = Event::new(what, MAX_INDEX);
            assert_eq!((event.what(), event.index()), (what, MAX_INDEX));
        }
    }
}
