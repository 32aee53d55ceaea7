//! The AETH syndrome (IBTA volume 1, 9.7.5.2).

use std::fmt;

/// What an acknowledgement says. Every byte has a meaning here, and every meaning its byte: reserved ones are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syndrome {
    /// 000: all packets up to this PSN have arrived.
    Ack {
        /// Credit count code, 5 bits; 31: no end-to-end credits in use. [`credits`] decodes it.
        credits: u8,
    },
    /// 001: no receive work request was ready; try again after the timer.
    RnrNak {
        /// Timer code, 5 bits (IBTA table 45).
        timer: u8,
    },
    /// 011: this PSN was refused.
    Nak {
        /// Why.
        code: NakCode,
    },
    /// 010 or with the reserved top bit set: the byte.
    Reserved(u8),
}

/// Why a request was refused: the low five bits of a NAK's syndrome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NakCode {
    /// 0: a PSN is missing before this one.
    PsnSequenceError,
    /// 1: a request that this queue pair does not take.
    InvalidRequest,
    /// 2: key, bounds or rights of memory.
    RemoteAccessError,
    /// 3: the responder could not complete it.
    RemoteOperationalError,
    /// 4: RD only.
    InvalidRdRequest,
    /// 5 to 31.
    Reserved(u8),
}

impl NakCode {
    /// From the low five bits.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 31 {
            0 => NakCode::PsnSequenceError,
            1 => NakCode::InvalidRequest,
            2 => NakCode::RemoteAccessError,
            3 => NakCode::RemoteOperationalError,
            4 => NakCode::InvalidRdRequest,
            other => NakCode::Reserved(other),
        }
    }

    /// As five bits.
    pub const fn bits(self) -> u8 {
        match self {
            NakCode::PsnSequenceError => 0,
            NakCode::InvalidRequest => 1,
            NakCode::RemoteAccessError => 2,
            NakCode::RemoteOperationalError => 3,
            NakCode::InvalidRdRequest => 4,
            NakCode::Reserved(bits) => bits & 31,
        }
    }
}

impl Syndrome {
    /// Acknowledgement without end-to-end credits, as RoCE devices send it.
    pub const ACK: Syndrome = Syndrome::Ack { credits: 31 };

    /// From the syndrome byte.
    #[inline]
    pub const fn from_byte(byte: u8) -> Self {
        match byte >> 5 {
            0 => Syndrome::Ack { credits: byte & 31 },
            1 => Syndrome::RnrNak { timer: byte & 31 },
            3 => Syndrome::Nak { code: NakCode::from_bits(byte) },
            _ => Syndrome::Reserved(byte),
        }
    }

    /// As the syndrome byte.
    #[inline]
    pub const fn byte(self) -> u8 {
        match self {
            Syndrome::Ack { credits } => credits & 31,
            Syndrome::RnrNak { timer } => 0x20 | timer & 31,
            Syndrome::Nak { code } => 0x60 | code.bits(),
            Syndrome::Reserved(byte) => byte,
        }
    }

    /// Whether it is an acknowledgement (not a NAK of any kind).
    #[inline]
    pub const fn is_ack(self) -> bool {
        matches!(self, Syndrome::Ack { .. })
    }
}

impl Default for Syndrome {
    fn default() -> Self {
        Self::ACK
    }
}

/// Receive work requests that a credit code announces (IBTA table 46, end-to-end flow control credit encoding);
/// `None` for 31: no credits in use.
///
/// Codes go 0, 1, 2, 3, 4, 6, 8, 12, …: two a power of two.
pub const fn credits(code: u8) -> Option<u32> {
    match code & 31 {
        31 => None,
        small @ 0..=1 => Some(small as u32),
        even if even.is_multiple_of(2) => Some(1 << (even / 2)),
        odd => Some(3 << (odd / 2 - 1)),
    }
}

impl fmt::Display for NakCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            NakCode::PsnSequenceError => "PSN sequence error",
            NakCode::InvalidRequest => "invalid request",
            NakCode::RemoteAccessError => "remote access error",
            NakCode::RemoteOperationalError => "remote operational error",
            NakCode::InvalidRdRequest => "invalid RD request",
            NakCode::Reserved(code) => return write!(f, "reserved code {code}"),
        })
    }
}

impl fmt::Display for Syndrome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Syndrome::Ack { credits: 31 } => f.write_str("ACK"),
            Syndrome::Ack { credits } => write!(f, "ACK credits {credits}"),
            Syndrome::RnrNak { timer } => write!(f, "RNR NAK timer {timer}"),
            Syndrome::Nak { code } => write!(f, "NAK {code}"),
            Syndrome::Reserved(byte) => write!(f, "reserved syndrome 0x{byte:02x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_kept() {
        for byte in 0..=u8::MAX {
            assert_eq!(Syndrome::from_byte(byte).byte(), byte);
        }
    }

    #[test]
    fn meanings() {
        assert_eq!(Syndrome::from_byte(0x1f), Syndrome::ACK);
        // The kernel's NAK on a lost packet.
        assert_eq!(Syndrome::from_byte(0x60), Syndrome::Nak { code: NakCode::PsnSequenceError });
        assert_eq!(Syndrome::from_byte(0x63).to_string(), "NAK remote operational error");
        assert_eq!(Syndrome::from_byte(0x2c).to_string(), "RNR NAK timer 12");
        assert_eq!(Syndrome::from_byte(0x40), Syndrome::Reserved(0x40));
        assert_eq!(Syndrome::from_byte(0x9f), Syndrome::Reserved(0x9f), "the top bit is reserved");
    }

    #[test]
    fn credit_codes() {
        let first: Vec<_> = (0..9).map(|code| credits(code).unwrap()).collect();
        assert_eq!(first, [0, 1, 2, 3, 4, 6, 8, 12, 16]);
        assert_eq!((credits(29), credits(30), credits(31)), (Some(24576), Some(32768), None));
    }
}
