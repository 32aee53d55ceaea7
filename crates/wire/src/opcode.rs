//! Operation codes of the base transport header (IBTA volume 1, 9.2.1, table of opcodes; CNP in annex A17).

use std::fmt;

mod names;

/// The BTH opcode: transport service in the top three bits, operation in the low five. Unknown values are kept.
///
/// A constant for each code that the standard names, as `Opcode::RC_SEND_FIRST`; [`Opcode::ALL`] lists them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opcode(pub u8);

/// The transport service of an opcode: the top three bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Service {
    /// Reliable connection, 000.
    Rc,
    /// Unreliable connection, 001.
    Uc,
    /// Reliable datagram, 010. Named and parsed; no device of today speaks it.
    Rd,
    /// Unreliable datagram, 011.
    Ud,
    /// Congestion notification, 100.
    Cnp,
    /// Extended reliable connection, 101.
    Xrc,
    /// Reserved (110) or of a manufacturer (111): the three bits.
    Other(u8),
}

impl Service {
    /// The three bits.
    pub const fn bits(self) -> u8 {
        match self {
            Service::Rc => 0,
            Service::Uc => 1,
            Service::Rd => 2,
            Service::Ud => 3,
            Service::Cnp => 4,
            Service::Xrc => 5,
            Service::Other(bits) => bits & 7,
        }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Service::Rc => "RC",
            Service::Uc => "UC",
            Service::Rd => "RD",
            Service::Ud => "UD",
            Service::Cnp => "CNP",
            Service::Xrc => "XRC",
            Service::Other(bits) => return write!(f, "service {bits}"),
        })
    }
}

/// Operations: the low five bits, the same numbers for every transport service that has them.
#[allow(missing_docs, reason = "the names are those of the standard's table")]
pub mod op {
    pub const SEND_FIRST: u8 = 0;
    pub const SEND_MIDDLE: u8 = 1;
    pub const SEND_LAST: u8 = 2;
    pub const SEND_LAST_IMM: u8 = 3;
    pub const SEND_ONLY: u8 = 4;
    pub const SEND_ONLY_IMM: u8 = 5;
    pub const WRITE_FIRST: u8 = 6;
    pub const WRITE_MIDDLE: u8 = 7;
    pub const WRITE_LAST: u8 = 8;
    pub const WRITE_LAST_IMM: u8 = 9;
    pub const WRITE_ONLY: u8 = 10;
    pub const WRITE_ONLY_IMM: u8 = 11;
    pub const READ_REQUEST: u8 = 12;
    pub const READ_RESPONSE_FIRST: u8 = 13;
    pub const READ_RESPONSE_MIDDLE: u8 = 14;
    pub const READ_RESPONSE_LAST: u8 = 15;
    pub const READ_RESPONSE_ONLY: u8 = 16;
    pub const ACKNOWLEDGE: u8 = 17;
    pub const ATOMIC_ACKNOWLEDGE: u8 = 18;
    pub const COMPARE_SWAP: u8 = 19;
    pub const FETCH_ADD: u8 = 20;
    pub const RESYNC: u8 = 21;
    pub const SEND_LAST_INVALIDATE: u8 = 22;
    pub const SEND_ONLY_INVALIDATE: u8 = 23;
}

impl Opcode {
    /// An operation over a service.
    #[inline]
    pub const fn new(service: Service, operation: u8) -> Self {
        Self(service.bits() << 5 | operation & 0x1f)
    }
    /// An operation over RC.
    #[inline]
    pub const fn rc(operation: u8) -> Self {
        Self(operation & 0x1f)
    }
    /// An operation over UC.
    #[inline]
    pub const fn uc(operation: u8) -> Self {
        Self(0x20 | (operation & 0x1f))
    }
    /// An operation over UD.
    #[inline]
    pub const fn ud(operation: u8) -> Self {
        Self(0x60 | (operation & 0x1f))
    }
    /// An operation over XRC.
    #[inline]
    pub const fn xrc(operation: u8) -> Self {
        Self(0xa0 | (operation & 0x1f))
    }
    /// The transport service.
    #[inline]
    pub const fn service(self) -> Service {
        match self.0 >> 5 {
            0 => Service::Rc,
            1 => Service::Uc,
            2 => Service::Rd,
            3 => Service::Ud,
            4 => Service::Cnp,
            5 => Service::Xrc,
            other => Service::Other(other),
        }
    }
    /// The operation: the low five bits, one of [`op`].
    #[inline]
    pub const fn operation(self) -> u8 {
        self.0 & 0x1f
    }
    /// Whether the standard defines this code.
    #[inline]
    pub const fn is_known(self) -> bool {
        let o = self.operation();
        match self.service() {
            Service::Rc | Service::Xrc => o <= op::SEND_ONLY_INVALIDATE && o != op::RESYNC,
            Service::Uc => o <= op::WRITE_ONLY_IMM,
            Service::Rd => o <= op::RESYNC,
            Service::Ud => o == op::SEND_ONLY || o == op::SEND_ONLY_IMM,
            Service::Cnp => o == 1,
            Service::Other(_) => false,
        }
    }
    /// Whether this is the congestion notification packet.
    #[inline]
    pub const fn is_cnp(self) -> bool {
        self.0 == Self::CNP.0
    }
    /// Part of a SEND.
    #[inline]
    pub const fn is_send(self) -> bool {
        let o = self.operation();
        self.is_known() && !self.is_cnp() && (o <= op::SEND_ONLY_IMM || self.has_invalidate())
    }
    /// Part of an RDMA WRITE.
    #[inline]
    pub const fn is_write(self) -> bool {
        let o = self.operation();
        self.is_known() && o >= op::WRITE_FIRST && o <= op::WRITE_ONLY_IMM
    }
    /// RDMA READ request.
    #[inline]
    pub const fn is_read_request(self) -> bool {
        self.is_known() && self.operation() == op::READ_REQUEST
    }
    /// Part of an RDMA READ response.
    #[inline]
    pub const fn is_read_response(self) -> bool {
        let o = self.operation();
        self.is_known() && o >= op::READ_RESPONSE_FIRST && o <= op::READ_RESPONSE_ONLY
    }
    /// Compare-and-swap or fetch-and-add request.
    #[inline]
    pub const fn is_atomic(self) -> bool {
        let o = self.operation();
        self.is_known() && (o == op::COMPARE_SWAP || o == op::FETCH_ADD)
    }
    /// From the responder: acknowledge, atomic acknowledge or read response.
    #[inline]
    pub const fn is_response(self) -> bool {
        let o = self.operation();
        self.is_known() && o >= op::READ_RESPONSE_FIRST && o <= op::ATOMIC_ACKNOWLEDGE
    }
    /// From the requester.
    #[inline]
    pub const fn is_request(self) -> bool {
        self.is_known() && !self.is_cnp() && !self.is_response()
    }
    /// First packet of a message of several.
    #[inline]
    pub const fn is_first(self) -> bool {
        let o = self.operation();
        self.is_known()
            && !self.is_cnp()
            && (o == op::SEND_FIRST || o == op::WRITE_FIRST || o == op::READ_RESPONSE_FIRST)
    }
    /// Neither first nor last packet of a message of several.
    #[inline]
    pub const fn is_middle(self) -> bool {
        let o = self.operation();
        self.is_known()
            && !self.is_cnp()
            && (o == op::SEND_MIDDLE || o == op::WRITE_MIDDLE || o == op::READ_RESPONSE_MIDDLE)
    }
    /// Last packet of a message of several.
    #[inline]
    pub const fn is_last(self) -> bool {
        self.is_known()
            && matches!(
                self.operation(),
                op::SEND_LAST
                    | op::SEND_LAST_IMM
                    | op::SEND_LAST_INVALIDATE
                    | op::WRITE_LAST
                    | op::WRITE_LAST_IMM
                    | op::READ_RESPONSE_LAST
            )
    }
    /// The one packet of its message (a read response of one packet and requests without payload among them).
    #[inline]
    pub const fn is_only(self) -> bool {
        self.is_known() && !self.is_cnp() && !self.is_first() && !self.is_middle() && !self.is_last()
    }
    /// Carries immediate data.
    #[inline]
    pub const fn has_imm(self) -> bool {
        self.is_known()
            && matches!(
                self.operation(),
                op::SEND_LAST_IMM | op::SEND_ONLY_IMM | op::WRITE_LAST_IMM | op::WRITE_ONLY_IMM
            )
    }
    /// Carries a key to invalidate.
    #[inline]
    pub const fn has_invalidate(self) -> bool {
        self.is_known() && matches!(self.operation(), op::SEND_LAST_INVALIDATE | op::SEND_ONLY_INVALIDATE)
    }
    /// Carries payload (perhaps of zero bytes); a CNP's reserved bytes are not payload.
    #[inline]
    pub const fn has_payload(self) -> bool {
        self.is_send() || self.is_write() || self.is_read_response()
    }
}

impl fmt::Display for Opcode {
    /// The standard's name, or the byte in hexadecimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => f.pad(&format!("0x{:02x}", self.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_named_codes_are_known() {
        for byte in 0..=u8::MAX {
            let opcode = Opcode(byte);
            assert_eq!(opcode.is_known(), opcode.name().is_some(), "{byte:#x}");
            assert_eq!(Opcode::new(opcode.service(), opcode.operation()), opcode);
        }
        // RC and XRC have 23 operations each, UC 12, UD 2, RD 22, and there is the CNP.
        assert_eq!(Opcode::ALL.len(), 2 * 23 + 12 + 2 + 22 + 1);
    }

    #[test]
    fn codes_of_the_table() {
        // Those that packets of two Linux kernels carry, and the CNP of a ConnectX-4 Lx.
        assert_eq!(Opcode::RC_ACKNOWLEDGE, Opcode(17));
        assert_eq!(Opcode::UC_WRITE_LAST, Opcode(0x28));
        assert_eq!(Opcode::UD_SEND_ONLY, Opcode(100));
        assert_eq!(Opcode::CNP, Opcode(0x81));
        assert_eq!(Opcode::XRC_SEND_ONLY_INVALIDATE, Opcode(0xb7));
        assert_eq!(Opcode::RD_RESYNC, Opcode(0x55));
        assert_eq!(Opcode::RC_SEND_ONLY.to_string(), "RC_SEND_ONLY");
        assert_eq!(Opcode(0xff).to_string(), "0xff");
    }

    #[test]
    fn every_known_code_has_one_place_in_its_message_and_one_direction() {
        for &opcode in Opcode::ALL {
            let places = [opcode.is_first(), opcode.is_middle(), opcode.is_last(), opcode.is_only()];
            let expected = usize::from(!opcode.is_cnp());
            assert_eq!(places.iter().filter(|place| **place).count(), expected, "{opcode}");
            let sides = usize::from(opcode.is_request()) + usize::from(opcode.is_response());
            assert_eq!(sides, expected, "{opcode}");
            let name = opcode.name().unwrap();
            assert_eq!(opcode.has_imm(), name.ends_with("_IMM"), "{opcode}");
            assert_eq!(opcode.has_invalidate(), name.ends_with("_INVALIDATE"), "{opcode}");
            assert_eq!(opcode.is_first(), name.ends_with("_FIRST"), "{opcode}");
            assert_eq!(opcode.is_middle(), name.ends_with("_MIDDLE"), "{opcode}");
            assert_eq!(opcode.is_last(), name.contains("_LAST"), "{opcode}");
            assert_eq!(opcode.is_send(), name.contains("_SEND_"), "{opcode}");
            assert_eq!(opcode.is_write(), name.contains("_WRITE_"), "{opcode}");
            assert_eq!(opcode.is_read_response(), name.contains("READ_RESPONSE"), "{opcode}");
        }
    }
}
