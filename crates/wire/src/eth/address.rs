//! Ethernet addresses.

use std::fmt;

/// A 48-bit Ethernet address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddr(pub [u8; 6]);

impl MacAddr {
    /// Every station.
    pub const BROADCAST: MacAddr = MacAddr([0xff; 6]);
    /// Where pause and PFC frames go: a group address that no bridge forwards (IEEE 802.3, 31B.1; IEEE 802.1Q, 36.1.3.2).
    pub const MAC_CONTROL: MacAddr = MacAddr([0x01, 0x80, 0xc2, 0x00, 0x00, 0x01]);

    /// A locally administered unicast address with `n` in its low 32 bits, for networks that exist in software.
    pub const fn local(n: u32) -> Self {
        let [a, b, c, d] = n.to_be_bytes();
        MacAddr([0x02, 0, a, b, c, d])
    }

    /// Whether it names a group of stations.
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 != 0
    }
}

impl From<[u8; 6]> for MacAddr {
    fn from(bytes: [u8; 6]) -> Self {
        MacAddr(bytes)
    }
}

impl fmt::Display for MacAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_kinds() {
        assert_eq!(MacAddr::local(0x0102_0304).to_string(), "02:00:01:02:03:04");
        assert!(!MacAddr::local(u32::MAX).is_group());
        assert!(MacAddr::MAC_CONTROL.is_group() && MacAddr::BROADCAST.is_group());
    }
}
