//! The 802.1Q tag (IEEE 802.1Q, 9.6).

use super::{SERVICE_VLAN, VLAN};
use crate::error::{Reader, WireError};
use std::fmt;

/// An 802.1Q tag, 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    /// EtherType that announces the tag: [`VLAN`] or [`SERVICE_VLAN`].
    pub tpid: u16,
    /// Priority code point, 3 bits: what PFC and the switch's queues go by.
    pub pcp: u8,
    /// Drop eligible.
    pub dei: bool,
    /// VLAN, 12 bits; 0 for a tag that carries the priority alone.
    pub vid: u16,
}

impl Tag {
    /// Length in bytes.
    pub const BYTES: usize = 4;

    /// An 802.1Q tag with a priority (low 3 bits) and a VLAN (low 12 bits).
    pub const fn new(pcp: u8, vid: u16) -> Self {
        Self { tpid: VLAN, pcp: pcp & 7, dei: false, vid: vid & 0xfff }
    }

    /// Reads an EtherType, and as long as it announces a tag, the tag and the next EtherType.
    pub(crate) fn read_all(r: &mut Reader<'_>, field: &'static str) -> Result<(Vec<Tag>, u16), WireError> {
        let mut tags = Vec::new();
        loop {
            let ethertype = r.u16(field)?;
            if !matches!(ethertype, VLAN | SERVICE_VLAN) {
                return Ok((tags, ethertype));
            }
            let tci = r.u16("802.1Q tag")?;
            let (pcp, dei, vid) = ((tci >> 13) as u8, tci & 0x1000 != 0, tci & 0xfff);
            tags.push(Tag { tpid: ethertype, pcp, dei, vid });
        }
    }

    /// Appends the tag: announcing EtherType and tag control information.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let tci = u16::from(self.pcp & 7) << 13 | u16::from(self.dei) << 12 | self.vid & 0xfff;
        out.extend_from_slice(&self.tpid.to_be_bytes());
        out.extend_from_slice(&tci.to_be_bytes());
    }
}

impl Default for Tag {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vlan {} priority {}", self.vid, self.pcp)?;
        if self.dei { f.write_str(" drop-eligible") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_too_wide_stay_in_their_bits() {
        let mut out = Vec::new();
        Tag { tpid: VLAN, pcp: 0xff, dei: false, vid: 0xf001 }.emit(&mut out);
        assert_eq!(out, [0x81, 0x00, 0xe0, 0x01]);
        assert_eq!(Tag::new(3, 100).to_string(), "vlan 100 priority 3");
    }
}
