//! A queue pair at its two ends: what the sender and the receiver of a flow know.

/// The sender of a flow. Sequence numbers are bytes.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub size: u64,
    pub snd_nxt: u64,
    pub snd_una: u64,
    /// When pacing lets it send next.
    pub next_available: u64,
    pub rate_bps: u64,
    pub line_bps: u64,
    /// Window in bytes; 0 for none.
    pub window: u32,
    /// Whether the window shrinks with the rate.
    pub variable_window: bool,
    /// Base RTT that its congestion control assumes.
    pub base_rtt_ns: u64,
    /// Position in its NIC's walk; `u32::MAX` before the start.
    pub slot: u32,
    /// Its NIC.
    pub nic: u32,
    pub priority: u8,
    pub started: bool,
    /// Whether the last byte has been acknowledged once: the reference then forgets the queue pair.
    pub completed: bool,
    /// Length of the last packet sent.
    pub last_bytes: u16,
}

impl Sender {
    /// A flow of `size` bytes in class `priority` that leaves by `nic`, whose line has `line_bps`.
    pub fn new(size: u64, priority: u8, nic: u32, line_bps: u64) -> Self {
        Sender {
            size,
            snd_nxt: 0,
            snd_una: 0,
            next_available: 0,
            rate_bps: line_bps,
            line_bps,
            window: 0,
            variable_window: false,
            base_rtt_ns: 0,
            slot: u32::MAX,
            nic,
            priority,
            started: false,
            completed: false,
            last_bytes: 0,
        }
    }

    /// Bytes not yet sent.
    #[inline]
    pub fn bytes_left(&self) -> u64 {
        self.size.saturating_sub(self.snd_nxt)
    }

    /// When it may send next as far as pacing goes; never, if nothing is left.
    #[inline]
    pub fn available(&self) -> u64 {
        if self.bytes_left() == 0 { u64::MAX } else { self.next_available }
    }

    /// Whether everything has been acknowledged.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.snd_una >= self.size
    }

    /// Whether the window is full. (An acknowledgement from before a go-back may lie beyond the next byte to send;
    /// the reference's unsigned difference then is huge, and so is this one.)
    #[inline]
    pub fn is_window_bound(&self) -> bool {
        if self.window == 0 {
            return false;
        }
        let full = u64::from(self.window);
        let window = if self.variable_window {
            (full.wrapping_mul(self.rate_bps) / self.line_bps).max(1)
        } else {
            full
        };
        self.snd_nxt.wrapping_sub(self.snd_una) >= window
    }
}

/// The receiver of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Receiver {
    expected: u32,
    last_nack: u32,
    nack_after: u64,
}

/// What the receiver answers to a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Ack,
    Nack,
    Nothing,
}

/// How a receiver answers: the reference's L2 settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerRules {
    pub ack_interval: u32,
    pub chunk: u32,
    pub back_to_zero: bool,
}

/// Shortest time between two NACKs for the same byte; no key sets it.
const NACK_INTERVAL_NS: u64 = 500_000;

impl Receiver {
    /// A data packet of `payload` bytes from byte `seq` on has arrived.
    #[inline]
    pub fn handle(&mut self, now: u64, seq: u32, payload: u32, rules: &AnswerRules) -> Answer {
        let expected = self.expected;
        if seq == expected {
            self.expected = expected.wrapping_add(payload);
            // The reference sets its milestone anew for every packet, so it is passed for good after the first
            // interval of a flow.
            let due = self.expected >= rules.ack_interval
                || (rules.chunk != 0 && self.expected.is_multiple_of(rules.chunk));
            if due { Answer::Ack } else { Answer::Nothing }
        } else if seq > expected {
            if now < self.nack_after && self.last_nack == expected {
                return Answer::Nothing;
            }
            self.nack_after = now + NACK_INTERVAL_NS;
            self.last_nack = expected;
            if rules.back_to_zero && rules.chunk != 0 {
                self.expected = expected / rules.chunk * rules.chunk;
            }
            Answer::Nack
        } else {
            Answer::Nothing
        }
    }

    /// The byte it waits for.
    #[inline]
    pub fn expected(&self) -> u32 {
        self.expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_nack_for_a_gap_then_acks_again() {
        let rules = AnswerRules { ack_interval: 1, chunk: 4000, back_to_zero: false };
        let mut receiver = Receiver::default();
        assert_eq!(receiver.handle(0, 0, 1000, &rules), Answer::Ack);
        assert_eq!(receiver.handle(10, 2000, 1000, &rules), Answer::Nack);
        assert_eq!(receiver.handle(20, 3000, 1000, &rules), Answer::Nothing);
        assert_eq!(receiver.handle(500_010, 4000, 1000, &rules), Answer::Nack, "500 us later");
        assert_eq!(receiver.handle(500_020, 0, 1000, &rules), Answer::Nothing, "a duplicate");
        assert_eq!(receiver.handle(500_030, 1000, 1000, &rules), Answer::Ack);
        assert_eq!(receiver.expected(), 2000);
    }

    #[test]
    fn go_back_to_zero_drops_to_the_start_of_the_chunk() {
        let rules = AnswerRules { ack_interval: 1, chunk: 4000, back_to_zero: true };
        let mut receiver = Receiver::default();
        for seq in (0..6000).step_by(1000) {
            receiver.handle(0, seq, 1000, &rules);
        }
        assert_eq!(receiver.handle(0, 7000, 1000, &rules), Answer::Nack);
        assert_eq!(receiver.expected(), 4000);
    }

    #[test]
    fn the_window_follows_the_rate() {
        let mut sender = Sender::new(1 << 20, 3, 0, 100);
        sender.snd_nxt = 500;
        assert!(!sender.is_window_bound());
        sender.window = 1000;
        assert!(!sender.is_window_bound());
        sender.variable_window = true;
        sender.rate_bps = 50;
        assert!(sender.is_window_bound());
    }
}
