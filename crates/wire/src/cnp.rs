//! The congestion notification packet (IBTA annex A17.9).

use crate::{Bth, Opcode, Psn, Qpn};

/// Reserved bytes, zero, that a CNP has in the place of payload.
pub const CNP_RESERVED_BYTES: usize = 16;
/// DSCP that CNPs have by wide custom, so that switches let them pass first.
pub const CNP_DSCP: u8 = 48;

/// The base transport header of a CNP to a flow's sender: opcode 0x81, BECN set, PSN 0.
///
/// It is followed by [`CNP_RESERVED_BYTES`] zero bytes and the ICRC; [`crate::Roce::cnp`] makes the packet.
pub const fn cnp(dest: Qpn) -> Bth {
    let mut bth = Bth::new(Opcode::CNP, dest, Psn::new(0));
    bth.becn = true;
    bth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_annex_says() {
        let bytes = [0x81, 0x40, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0, 0, 0, 0];
        assert_eq!(cnp(Qpn::new(0x118)).to_bytes(), bytes);
    }
}
