//! pcapng (draft-ietf-opsawg-pcapng): sections, interfaces, packets; other blocks are passed over.

use super::error::{CaptureError, Expected};
use super::input::{Input, MOST_BYTES, Order};
use super::link::LinkType;
use super::reader::{Captured, Interface};
use crate::header::field;
use std::io::Read;

/// Type of a section header block, the same in both byte orders.
pub const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
pub const INTERFACE: u32 = 1;
/// The packet block that the enhanced one replaced.
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
pub const ENHANCED_PACKET: u32 = 6;
pub const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Type and both lengths of a block.
const AROUND_BYTES: u64 = 12;

/// What a unit of an interface's timestamps is (option `if_tsresol`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// 10^-n seconds.
    Decimal(u8),
    /// 2^-n seconds.
    Binary(u8),
}

impl Default for Resolution {
    fn default() -> Self {
        Resolution::Decimal(6)
    }
}

impl Resolution {
    fn from_byte(byte: u8) -> Self {
        if byte & 0x80 != 0 { Resolution::Binary(byte & 0x7f) } else { Resolution::Decimal(byte) }
    }

    /// Whole nanoseconds.
    fn ns(self, units: u64) -> u128 {
        let units = u128::from(units);
        match self {
            Resolution::Decimal(n @ 0..=9) => units * 10u128.pow(9 - u32::from(n)),
            Resolution::Decimal(n) => 10u128.checked_pow(u32::from(n) - 9).map_or(0, |unit| units / unit),
            Resolution::Binary(n) => (units * 1_000_000_000) >> n.min(127),
        }
    }
}

/// A pcapng file: the section that is being read.
#[derive(Debug)]
pub struct Ng {
    order: Order,
    /// Where the section's interfaces begin among those of the file.
    first_interface: usize,
    body: Vec<u8>,
}

impl Ng {
    /// After the type of the first section header.
    pub fn begin(input: &mut Input<impl Read>) -> Result<Self, CaptureError> {
        let mut ng = Self { order: Order::Little, first_interface: 0, body: Vec::new() };
        ng.section(input)?;
        Ok(ng)
    }

    /// A section header after its type.
    fn section(&mut self, input: &mut Input<impl Read>) -> Result<(), CaptureError> {
        let offset = input.at();
        let head = input.array::<8>("a section header")?;
        let magic = field::<4, 8>(&head, 4);
        self.order = if u32::from_le_bytes(magic) == BYTE_ORDER {
            Order::Little
        } else if u32::from_be_bytes(magic) == BYTE_ORDER {
            Order::Big
        } else {
            let (field, found) = ("byte-order magic", u64::from(u32::from_le_bytes(magic)));
            let expected = Expected::Exactly(u64::from(BYTE_ORDER));
            return Err(CaptureError::Value { offset: offset + 4, field, found, expected });
        };
        let len = self.length(offset, field(&head, 0), 28)?;
        // The magic has been read.
        self.body(input, len - AROUND_BYTES - 4, "a section header")?;
        self.trailer(input, len)?;
        let major = self.body.first_chunk().map_or(0, |bytes| self.order.u16(*bytes));
        if major != 1 {
            let (field, found) = ("pcapng major version", u64::from(major));
            return Err(CaptureError::Value {
                offset: offset + 8,
                field,
                found,
                expected: Expected::Exactly(1),
            });
        }
        Ok(())
    }

    /// The next packet into `packet`; false at the end of the file.
    pub fn packet(
        &mut self,
        input: &mut Input<impl Read>,
        interfaces: &mut Vec<Interface>,
        packet: &mut Captured,
    ) -> Result<bool, CaptureError> {
        loop {
            let offset = input.at();
            let Some(kind) = input.array_or_end::<4>("a block")? else { return Ok(false) };
            if kind == SECTION {
                self.section(input)?;
                self.first_interface = interfaces.len();
                continue;
            }
            let len = input.array::<4>("a block length")?;
            let len = self.length(offset + 4, len, AROUND_BYTES)?;
            let inner = len - AROUND_BYTES;
            let kind = self.order.u32(kind);
            let field = match kind {
                INTERFACE => "an interface block",
                ENHANCED_PACKET | OLD_PACKET | SIMPLE_PACKET => "a packet block",
                _ => {
                    input.skip(inner, "a block")?;
                    self.trailer(input, len)?;
                    continue;
                }
            };
            self.body(input, inner, field)?;
            self.trailer(input, len)?;
            let block = Block { body: &self.body, order: self.order, offset: offset + 8 };
            let described = &interfaces[self.first_interface.min(interfaces.len())..];
            match kind {
                INTERFACE => {
                    let interface = block.interface()?;
                    interfaces.push(interface);
                    continue;
                }
                SIMPLE_PACKET => block.simple(described, packet)?,
                ENHANCED_PACKET => {
                    let id = block.word(0)?;
                    block.enhanced(id, described, packet)?;
                }
                // Its interface has 16 bits, then comes a count of drops; the rest is as in the enhanced one.
                _ => {
                    let id = u32::from(block.half(0)?);
                    block.enhanced(id, described, packet)?;
                }
            }
            packet.interface += self.first_interface;
            return Ok(true);
        }
    }

    fn length(&self, offset: u64, bytes: [u8; 4], least: u64) -> Result<u64, CaptureError> {
        let (field, len) = ("block length", u64::from(self.order.u32(bytes)));
        if len < least {
            return Err(CaptureError::Value {
                offset,
                field,
                found: len,
                expected: Expected::AtLeast(least),
            });
        }
        if !len.is_multiple_of(4) {
            let expected = Expected::Text("a multiple of 4");
            return Err(CaptureError::Value { offset, field, found: len, expected });
        }
        Ok(len)
    }

    fn body(
        &mut self,
        input: &mut Input<impl Read>,
        n: u64,
        field: &'static str,
    ) -> Result<(), CaptureError> {
        debug_assert!(n < u64::from(u32::MAX));
        if n > MOST_BYTES {
            let (offset, expected) = (input.at(), Expected::AtMost(MOST_BYTES));
            return Err(CaptureError::Value { offset, field, found: n, expected });
        }
        input.fill(&mut self.body, n, field)
    }

    /// The length again, at the end of a block.
    fn trailer(&self, input: &mut Input<impl Read>, len: u64) -> Result<(), CaptureError> {
        let offset = input.at();
        let found = u64::from(self.order.u32(input.array("a block length")?));
        if found != len {
            let (field, expected) = ("block length at the block's end", Expected::Exactly(len));
            return Err(CaptureError::Value { offset, field, found, expected });
        }
        Ok(())
    }
}

/// What is between the two lengths of a block.
struct Block<'a> {
    body: &'a [u8],
    order: Order,
    /// Of the body.
    offset: u64,
}

impl Block<'_> {
    fn bytes<const N: usize>(&self, at: usize) -> Result<[u8; N], CaptureError> {
        self.body.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(CaptureError::Value {
            offset: self.offset - 4,
            field: "block length",
            found: self.body.len() as u64 + AROUND_BYTES,
            expected: Expected::AtLeast((at + N) as u64 + AROUND_BYTES),
        })
    }
    fn half(&self, at: usize) -> Result<u16, CaptureError> {
        self.bytes(at).map(|bytes| self.order.u16(bytes))
    }
    fn word(&self, at: usize) -> Result<u32, CaptureError> {
        self.bytes(at).map(|bytes| self.order.u32(bytes))
    }

    fn interface(&self) -> Result<Interface, CaptureError> {
        let (link_type, snap_len) = (LinkType(self.half(0)?), self.word(4)?);
        let mut interface = Interface { link_type, snap_len, ..Interface::default() };
        let mut options = self.body.get(8..).unwrap_or(&[]);
        // Options that are cut off are no reason to lose the packets.
        while let Some((head, rest)) = options.split_first_chunk::<4>() {
            let (code, len) = (self.order.u16(field(head, 0)), usize::from(self.order.u16(field(head, 2))));
            let Some(value) = rest.get(..len) else { break };
            let text = || Some(String::from_utf8_lossy(value).into_owned());
            match (code, value) {
                (0, _) => break,
                (2, _) => interface.name = text(),
                (3, _) => interface.description = text(),
                (9, [byte]) => interface.resolution = Resolution::from_byte(*byte),
                (14, value) => {
                    if let Ok(bytes) = value.try_into() {
                        interface.offset_s = self.order.u64(bytes) as i64;
                    }
                }
                _ => {}
            }
            options = rest.get(len.next_multiple_of(4)..).unwrap_or(&[]);
        }
        Ok(interface)
    }

    fn enhanced(&self, id: u32, described: &[Interface], packet: &mut Captured) -> Result<(), CaptureError> {
        let interface = self.described(id as usize, described)?;
        let units = u64::from(self.word(4)?) << 32 | u64::from(self.word(8)?);
        let kept = self.word(12)?;
        packet.wire_len = self.word(16)?;
        packet.at_ns = Some(at_ns(interface, units));
        packet.interface = id as usize;
        packet.link_type = interface.link_type;
        self.data(20, 12, kept, packet)
    }

    fn simple(&self, described: &[Interface], packet: &mut Captured) -> Result<(), CaptureError> {
        let interface = self.described(0, described)?;
        packet.wire_len = self.word(0)?;
        let kept = match interface.snap_len {
            0 => packet.wire_len,
            most => packet.wire_len.min(most),
        };
        packet.at_ns = None;
        packet.interface = 0;
        packet.link_type = interface.link_type;
        self.data(4, 0, kept, packet)
    }

    fn described<'i>(&self, id: usize, described: &'i [Interface]) -> Result<&'i Interface, CaptureError> {
        described.get(id).ok_or(CaptureError::Value {
            offset: self.offset,
            field: "interface of a packet",
            found: id as u64,
            expected: Expected::Text("the number of an interface block before it"),
        })
    }

    /// The `kept` bytes from `at`, a length that the block has at `said`.
    fn data(&self, at: usize, said: u64, kept: u32, packet: &mut Captured) -> Result<(), CaptureError> {
        let rest = self.body.get(at..).unwrap_or(&[]);
        let Some(bytes) = rest.get(..kept as usize) else {
            return Err(CaptureError::Value {
                offset: self.offset + said,
                field: "captured length",
                found: u64::from(kept),
                expected: Expected::AtMost(rest.len() as u64),
            });
        };
        packet.bytes.clear();
        packet.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

fn at_ns(interface: &Interface, units: u64) -> u64 {
    let ns = interface.resolution.ns(units);
    let offset = i128::from(interface.offset_s) * 1_000_000_000;
    let sum = i128::try_from(ns).unwrap_or(i128::MAX).saturating_add(offset);
    u64::try_from(sum.max(0)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_time() {
        let ns = |byte, units| Resolution::from_byte(byte).ns(units);
        assert_eq!(ns(0, 2), 2_000_000_000);
        assert_eq!(ns(6, 1_500_000), 1_500_000_000);
        assert_eq!(ns(9, 7), 7);
        assert_eq!(ns(12, 7_999), 7, "picoseconds are cut to nanoseconds");
        assert_eq!(ns(0x80 | 10, 512), 500_000_000);
        assert_eq!(ns(127, u64::MAX), 0);
        assert_eq!(ns(0xff, u64::MAX), 0);
        let early = Interface { offset_s: -5, ..Interface::default() };
        assert_eq!(at_ns(&early, 6_000_000), 1_000_000_000);
        assert_eq!(at_ns(&early, 0), 0);
        let late = Interface { offset_s: i64::MAX, ..Interface::default() };
        assert_eq!(at_ns(&late, u64::MAX), u64::MAX);
    }
}
