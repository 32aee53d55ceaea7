//! Which extension headers an opcode has (IBTA volume 1, table of opcodes; annex A14 for XRC).

use super::{Aeth, AtomicAckEth, AtomicEth, Deth, Ieth, ImmDt, Rdeth, Reth, Xrceth};
use crate::Opcode;
use crate::opcode::{Service, op};

bitflags::bitflags! {
    /// Extension headers, in the order in which a packet has them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Headers: u16 {
        /// RDETH.
        const RDETH = 1;
        /// DETH.
        const DETH = 1 << 1;
        /// XRCETH.
        const XRCETH = 1 << 2;
        /// RETH.
        const RETH = 1 << 3;
        /// AtomicETH.
        const ATOMIC_ETH = 1 << 4;
        /// AETH.
        const AETH = 1 << 5;
        /// AtomicAckETH.
        const ATOMIC_ACK_ETH = 1 << 6;
        /// Immediate data.
        const IMM_DT = 1 << 7;
        /// IETH.
        const IETH = 1 << 8;
    }
}

impl Headers {
    /// Length of all of them in bytes.
    pub const fn bytes(self) -> usize {
        let table = [
            (Headers::RDETH, Rdeth::BYTES),
            (Headers::DETH, Deth::BYTES),
            (Headers::XRCETH, Xrceth::BYTES),
            (Headers::RETH, Reth::BYTES),
            (Headers::ATOMIC_ETH, AtomicEth::BYTES),
            (Headers::AETH, Aeth::BYTES),
            (Headers::ATOMIC_ACK_ETH, AtomicAckEth::BYTES),
            (Headers::IMM_DT, ImmDt::BYTES),
            (Headers::IETH, Ieth::BYTES),
        ];
        let (mut sum, mut i) = (0, 0);
        while i < table.len() {
            if self.contains(table[i].0) {
                sum += table[i].1;
            }
            i += 1;
        }
        sum
    }
}

impl Opcode {
    /// The extension headers that follow the BTH; `None` for a code that the standard does not define, after which
    /// everything is payload.
    pub const fn headers(self) -> Option<Headers> {
        if !self.is_known() {
            return None;
        }
        if self.is_cnp() {
            return Some(Headers::empty());
        }
        let o = self.operation();
        let mut headers = match (self.service(), self.is_request()) {
            // RD's context comes first on every packet; only requests say which queue pair they are from.
            (Service::Rd, true) => Headers::RDETH.union(Headers::DETH),
            (Service::Rd, false) => Headers::RDETH,
            (Service::Ud, _) => Headers::DETH,
            (Service::Xrc, true) => Headers::XRCETH,
            _ => Headers::empty(),
        };
        headers = headers.union(match o {
            op::WRITE_FIRST | op::WRITE_ONLY | op::READ_REQUEST => Headers::RETH,
            op::WRITE_ONLY_IMM => Headers::RETH.union(Headers::IMM_DT),
            op::SEND_LAST_IMM | op::SEND_ONLY_IMM | op::WRITE_LAST_IMM => Headers::IMM_DT,
            op::SEND_LAST_INVALIDATE | op::SEND_ONLY_INVALIDATE => Headers::IETH,
            op::COMPARE_SWAP | op::FETCH_ADD => Headers::ATOMIC_ETH,
            op::READ_RESPONSE_FIRST | op::READ_RESPONSE_LAST | op::READ_RESPONSE_ONLY | op::ACKNOWLEDGE => {
                Headers::AETH
            }
            op::ATOMIC_ACKNOWLEDGE => Headers::AETH.union(Headers::ATOMIC_ACK_ETH),
            _ => Headers::empty(),
        });
        Some(headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_the_table() {
        let bytes = |opcode: Opcode| opcode.headers().unwrap().bytes();
        assert_eq!(bytes(Opcode::RC_SEND_MIDDLE), 0);
        assert_eq!(bytes(Opcode::RC_WRITE_ONLY_IMM), 20);
        assert_eq!(bytes(Opcode::RC_COMPARE_SWAP), 28);
        assert_eq!(bytes(Opcode::RC_ATOMIC_ACKNOWLEDGE), 12);
        assert_eq!(bytes(Opcode::UD_SEND_ONLY_IMM), 12);
        assert_eq!(bytes(Opcode::XRC_SEND_ONLY), 4);
        assert_eq!(bytes(Opcode::XRC_ACKNOWLEDGE), 4, "an XRC response has no XRCETH");
        assert_eq!(bytes(Opcode::RD_READ_RESPONSE_MIDDLE), 4);
        assert_eq!(bytes(Opcode::RD_RESYNC), 12);
        assert_eq!(bytes(Opcode::CNP), 0);
        assert_eq!(Opcode(0x15).headers(), None);
        assert_eq!(Opcode(0x80).headers(), None);
    }

    #[test]
    fn immediate_and_invalidate_agree_with_the_names() {
        for &opcode in Opcode::ALL {
            let headers = opcode.headers().unwrap();
            assert_eq!(headers.contains(Headers::IMM_DT), opcode.has_imm(), "{opcode}");
            assert_eq!(headers.contains(Headers::IETH), opcode.has_invalidate(), "{opcode}");
            assert_eq!(headers.contains(Headers::ATOMIC_ETH), opcode.is_atomic(), "{opcode}");
        }
    }
}
