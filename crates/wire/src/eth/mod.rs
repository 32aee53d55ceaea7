//! Ethernet II with 802.1Q tags, and what a frame costs on the line.

mod address;
pub mod line;
mod tag;

pub use address::MacAddr;
pub use line::{FCS_BYTES, GAP_BYTES, LINE_OVERHEAD_BYTES, MIN_FRAME_BYTES, PREAMBLE_BYTES};
pub use tag::Tag;

use crate::error::{Reader, WireError};
use std::fmt;

/// EtherType of IPv4.
pub const IPV4: u16 = 0x0800;
/// EtherType of IPv6.
pub const IPV6: u16 = 0x86dd;
/// EtherType of an 802.1Q tag.
pub const VLAN: u16 = 0x8100;
/// EtherType of an 802.1ad service tag.
pub const SERVICE_VLAN: u16 = 0x88a8;
/// EtherType of MAC control: pause and PFC.
pub const MAC_CONTROL: u16 = 0x8808;

/// An Ethernet header: 14 bytes, and 4 for each tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ethernet {
    /// Destination address.
    pub dst: MacAddr,
    /// Source address.
    pub src: MacAddr,
    /// Tags, outermost first.
    pub tags: Vec<Tag>,
    /// EtherType of what follows the tags, or a length below 1536 (IEEE 802.3 length encoding).
    pub ethertype: u16,
}

impl Ethernet {
    /// Length of a header without tags in bytes.
    pub const BYTES: usize = 14;

    /// Reads the header at the start of `bytes`.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        Self::read(&mut Reader::new(bytes))
    }

    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        let dst = MacAddr(r.array("Ethernet destination")?);
        let src = MacAddr(r.array("Ethernet source")?);
        let (tags, ethertype) = Tag::read_all(r, "EtherType")?;
        Ok(Self { dst, src, tags, ethertype })
    }

    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        Self::BYTES + Tag::BYTES * self.tags.len()
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.dst.0);
        out.extend_from_slice(&self.src.0);
        for tag in &self.tags {
            tag.emit(out);
        }
        out.extend_from_slice(&self.ethertype.to_be_bytes());
    }

    /// Priority of the outermost tag, 0 without one (IEEE 802.1Q, 6.9.3: untagged frames have the default priority).
    pub fn priority(&self) -> u8 {
        self.tags.first().map_or(0, |tag| tag.pcp)
    }
}

impl fmt::Display for Ethernet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ethernet {} > {}", self.src, self.dst)?;
        for tag in &self.tags {
            write!(f, " {tag}")?;
        }
        write!(f, " type 0x{:04x}", self.ethertype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First frame of the capture of two Linux kernels, up to the IPv4 header.
    const KERNEL: [u8; 14] = [0x52, 0x54, 0, 0, 0, 2, 0x52, 0x54, 0, 0, 0, 1, 8, 0];

    #[test]
    fn a_kernels_header() {
        let header = Ethernet::parse(&KERNEL).unwrap();
        assert_eq!(header.to_string(), "Ethernet 52:54:00:00:00:01 > 52:54:00:00:00:02 type 0x0800");
        assert_eq!((header.bytes(), header.priority()), (14, 0));
        let mut out = Vec::new();
        header.emit(&mut out);
        assert_eq!(out, KERNEL);
    }

    #[test]
    fn stacked_tags_are_kept_in_order() {
        let mut bytes = KERNEL[..12].to_vec();
        bytes.extend([0x88, 0xa8, 0x20, 0x05, 0x81, 0x00, 0x7f, 0xff, 0x86, 0xdd]);
        let header = Ethernet::parse(&bytes).unwrap();
        assert_eq!(header.tags[0], Tag { tpid: SERVICE_VLAN, pcp: 1, dei: false, vid: 5 });
        assert_eq!(header.tags[1], Tag { tpid: VLAN, pcp: 3, dei: true, vid: 0xfff });
        assert_eq!((header.ethertype, header.bytes(), header.priority()), (IPV6, 22, 1));
        let mut out = Vec::new();
        header.emit(&mut out);
        assert_eq!(out, bytes);
    }

    #[test]
    fn a_tag_cut_off_is_an_error() {
        let mut bytes = KERNEL[..12].to_vec();
        bytes.extend([0x81, 0x00, 0x20]);
        let error = Ethernet::parse(&bytes).unwrap_err();
        assert_eq!(error, WireError::Short { field: "802.1Q tag", offset: 14, needed: 2, left: 1 });
    }
}
