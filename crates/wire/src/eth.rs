//! Ethernet II with 802.1Q tags, and the overhead that a frame has on the line.

use crate::error::{Reader, WireError};

/// Preamble and start of frame delimiter, bytes (IEEE 802.3, 3.1.1).
pub const PREAMBLE_BYTES: u32 = 8;
/// Frame check sequence, bytes.
pub const FCS_BYTES: u32 = 4;
/// Smallest gap between frames, bytes.
pub const GAP_BYTES: u32 = 12;
/// What a frame costs on the line besides its bytes up to the FCS: preamble, FCS and gap.
pub const LINE_OVERHEAD_BYTES: u32 = PREAMBLE_BYTES + FCS_BYTES + GAP_BYTES;

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

/// An 802.1Q tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tag {
    /// EtherType that announced the tag.
    pub tpid: u16,
    /// Priority code point, 3 bits.
    pub pcp: u8,
    /// Drop eligible.
    pub dei: bool,
    /// VLAN, 12 bits.
    pub vid: u16,
}

/// An Ethernet header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ethernet {
    /// Destination address.
    pub dst: [u8; 6],
    /// Source address.
    pub src: [u8; 6],
    /// Tags, outermost first.
    pub tags: Vec<Tag>,
    /// EtherType of what follows.
    pub ethertype: u16,
}

impl Ethernet {
    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        let dst = r.array("Ethernet destination")?;
        let src = r.array("Ethernet source")?;
        let mut ethertype = r.u16("EtherType")?;
        let mut tags = Vec::new();
        while matches!(ethertype, VLAN | SERVICE_VLAN) {
            let tci = r.u16("802.1Q tag")?;
            let (pcp, dei, vid) = ((tci >> 13) as u8, tci & 0x1000 != 0, tci & 0xfff);
            tags.push(Tag { tpid: ethertype, pcp, dei, vid });
            ethertype = r.u16("EtherType")?;
        }
        Ok(Self { dst, src, tags, ethertype })
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.dst);
        out.extend_from_slice(&self.src);
        for tag in &self.tags {
            out.extend_from_slice(&tag.tpid.to_be_bytes());
            let tci = u16::from(tag.pcp) << 13 | u16::from(tag.dei) << 12 | tag.vid & 0xfff;
            out.extend_from_slice(&tci.to_be_bytes());
        }
        out.extend_from_slice(&self.ethertype.to_be_bytes());
    }
}
