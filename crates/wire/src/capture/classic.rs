//! pcap, the format of libpcap since 1998 (draft-ietf-opsawg-pcap).

use super::error::{CaptureError, Expected};
use super::input::{Input, Order};
use super::link::LinkType;
use super::reader::{Captured, Interface};
use crate::header::field;
use std::io::Read;

/// Most bytes of a packet where the file's own limit is smaller or none: what capture programs allow.
const MOST_CAPTURED: u32 = 262_144;

#[derive(Debug)]
pub struct Classic {
    order: Order,
    ns_per_unit: u64,
    link_type: LinkType,
    most: u32,
}

impl Classic {
    /// After the magic number.
    pub fn begin(
        input: &mut Input<impl Read>,
        order: Order,
        ns_per_unit: u64,
    ) -> Result<(Self, Interface), CaptureError> {
        let offset = input.at();
        let header = input.array::<20>("the pcap header")?;
        let major = order.u16(field(&header, 0));
        if major != 2 {
            let (field, found) = ("pcap major version", u64::from(major));
            return Err(CaptureError::Value { offset, field, found, expected: Expected::Exactly(2) });
        }
        let snap_len = order.u32(field(&header, 12));
        // The upper half says whether an FCS was captured; it then is in the trailer of each frame.
        let link_type = LinkType(order.u32(field(&header, 16)) as u16);
        let interface = Interface { link_type, snap_len, ..Interface::default() };
        let most = snap_len.max(MOST_CAPTURED);
        Ok((Self { order, ns_per_unit, link_type, most }, interface))
    }

    pub fn packet(
        &mut self,
        input: &mut Input<impl Read>,
        packet: &mut Captured,
    ) -> Result<bool, CaptureError> {
        let offset = input.at();
        let Some(header) = input.array_or_end::<16>("a packet header")? else { return Ok(false) };
        let word = |i: usize| self.order.u32(field(&header, i));
        let (seconds, fraction, kept, wire_len) = (word(0), word(4), word(8), word(12));
        if kept > self.most {
            let (field, found) = ("captured length", u64::from(kept));
            let expected = Expected::AtMost(u64::from(self.most));
            return Err(CaptureError::Value { offset: offset + 8, field, found, expected });
        }
        input.fill(&mut packet.bytes, u64::from(kept), "a packet")?;
        packet.at_ns = Some(u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.ns_per_unit);
        packet.interface = 0;
        packet.link_type = self.link_type;
        packet.wire_len = wire_len;
        Ok(true)
    }
}
