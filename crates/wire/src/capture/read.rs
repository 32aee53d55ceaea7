//! Reading pcap (microseconds and nanoseconds, both byte orders) and pcapng (draft-ietf-opsawg-pcapng).

use std::io::{ErrorKind, Read};

/// A packet of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Time since 1970 in nanoseconds; 0 where the file has none.
    pub at_ns: u64,
    /// Link type (1: Ethernet, 101: raw IP, 113 and 276: Linux cooked).
    pub link_type: u16,
    /// Length on the wire.
    pub wire_len: u32,
    /// The bytes that were kept.
    pub bytes: Vec<u8>,
}

impl Captured {
    /// The packet as an Ethernet frame: one that has another link layer gets addresses of zero. `None` for a link type
    /// that cannot carry IP as far as known here.
    pub fn ethernet(&self) -> Option<Vec<u8>> {
        let (skip, ethertype) = match self.link_type {
            1 => return Some(self.bytes.clone()),
            101 | 228 | 229 => {
                (0, if self.bytes.first().is_some_and(|b| b >> 4 == 6) { 0x86dd } else { 0x0800 })
            }
            113 => (16, u16::from_be_bytes(self.bytes.get(14..16)?.try_into().ok()?)),
            276 => (20, u16::from_be_bytes(self.bytes.get(0..2)?.try_into().ok()?)),
            _ => return None,
        };
        let mut frame = vec![0; 12];
        frame.extend_from_slice(&ethertype.to_be_bytes());
        frame.extend_from_slice(self.bytes.get(skip..)?);
        Some(frame)
    }
}

/// Why a capture cannot be read (further).
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file system says no.
    #[error("reading failed: {0}")]
    Io(#[from] std::io::Error),
    /// Not a capture.
    #[error(
        "not a capture: the file starts with {found:02x?}; pcap starts with d4c3b2a1 or 4d3cb2a1 in either byte order, pcapng with 0a0d0d0a"
    )]
    Magic {
        /// The first bytes.
        found: [u8; 4],
    },
    /// Nothing in the file.
    #[error("not a capture: the file is empty or shorter than 4 bytes")]
    Empty,
    /// The file ends inside a packet or block.
    #[error(
        "the file ends at byte {offset} inside {what}, {needed} bytes are missing; was the capture cut off?"
    )]
    Truncated {
        /// Where the part begins.
        offset: u64,
        /// What was read.
        what: &'static str,
        /// Bytes missing.
        needed: usize,
    },
    /// A length that cannot be.
    #[error("{what} at byte {offset} is {found}, expected {expected}")]
    Value {
        /// Where.
        offset: u64,
        /// What was read.
        what: &'static str,
        /// What is there.
        found: u64,
        /// What could be.
        expected: &'static str,
    },
}

/// No packet and no block is larger: a longer one is damage, and not worth the memory.
const MOST_BYTES: u32 = 16 << 20;

#[derive(Clone, Copy, Debug)]
struct Interface {
    link_type: u16,
    /// Units a second.
    resolution: u64,
}

#[derive(Debug)]
enum Format {
    Pcap { big: bool, ns_per_unit: u64, link_type: u16 },
    Pcapng { big: bool, interfaces: Vec<Interface> },
}

/// Reads a capture packet by packet.
#[derive(Debug)]
pub struct CaptureReader<R> {
    input: R,
    at: u64,
    format: Format,
}

impl<R: Read> CaptureReader<R> {
    /// Begins with the file's header.
    pub fn new(mut input: R) -> Result<Self, CaptureError> {
        let mut magic = [0; 4];
        if read_full(&mut input, &mut magic)? < 4 {
            return Err(CaptureError::Empty);
        }
        let (big, ns_per_unit) = match magic {
            [0xd4, 0xc3, 0xb2, 0xa1] => (false, 1000),
            [0xa1, 0xb2, 0xc3, 0xd4] => (true, 1000),
            [0x4d, 0x3c, 0xb2, 0xa1] => (false, 1),
            [0xa1, 0xb2, 0x3c, 0x4d] => (true, 1),
            [0x0a, 0x0d, 0x0d, 0x0a] => {
                let format = Format::Pcapng { big: false, interfaces: Vec::new() };
                let mut reader = Self { input, at: 4, format };
                reader.section()?;
                return Ok(reader);
            }
            found => return Err(CaptureError::Magic { found }),
        };
        let mut reader = Self { input, at: 4, format: Format::Pcap { big, ns_per_unit, link_type: 0 } };
        let header = reader.exact(20, "the pcap header")?;
        let link_type = number(&header[16..20], big) as u16;
        reader.format = Format::Pcap { big, ns_per_unit, link_type };
        Ok(reader)
    }

    /// The next packet; `None` at the end of the file.
    pub fn next_packet(&mut self) -> Result<Option<Captured>, CaptureError> {
        match self.format {
            Format::Pcap { big, ns_per_unit, link_type } => self.pcap_packet(big, ns_per_unit, link_type),
            Format::Pcapng { .. } => loop {
                match self.block()? {
                    Block::Packet(packet) => return Ok(Some(packet)),
                    Block::Other => {}
                    Block::End => return Ok(None),
                }
            },
        }
    }

    fn pcap_packet(
        &mut self,
        big: bool,
        ns_per_unit: u64,
        link_type: u16,
    ) -> Result<Option<Captured>, CaptureError> {
        let offset = self.at;
        let Some(header) = self.exact_or_end(16, "a packet header")? else { return Ok(None) };
        let field = |i: usize| number(&header[i..i + 4], big) as u32;
        let (seconds, fraction, kept, wire_len) = (field(0), field(4), field(8), field(12));
        if kept > MOST_BYTES {
            let (what, found) = ("captured length", u64::from(kept));
            return Err(CaptureError::Value { offset: offset + 8, what, found, expected: "at most 16 MiB" });
        }
        let bytes = self.exact(kept as usize, "a packet")?;
        let at_ns = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * ns_per_unit;
        Ok(Some(Captured { at_ns, link_type, wire_len, bytes }))
    }

    /// The rest of a section header, after its type.
    fn section(&mut self) -> Result<(), CaptureError> {
        let offset = self.at;
        let head = self.exact(8, "a section header")?;
        let big = match head[4..8] {
            [0x4d, 0x3c, 0x2b, 0x1a] => false,
            [0x1a, 0x2b, 0x3c, 0x4d] => true,
            _ => {
                let found = number(&head[4..8], false);
                return Err(CaptureError::Value {
                    offset: offset + 4,
                    what: "byte-order magic",
                    found,
                    expected: "1a2b3c4d",
                });
            }
        };
        self.format = Format::Pcapng { big, interfaces: Vec::new() };
        let len = self.block_len(offset, number(&head[..4], big) as u32, 28)?;
        self.exact(len - 12, "a section header")?;
        Ok(())
    }

    fn block_len(&self, offset: u64, len: u32, least: u32) -> Result<usize, CaptureError> {
        if len < least || len % 4 != 0 || len > MOST_BYTES {
            let (what, found) = ("block length", u64::from(len));
            return Err(CaptureError::Value {
                offset,
                what,
                found,
                expected: "a multiple of 4 from 12 to 16 MiB",
            });
        }
        Ok(len as usize)
    }

    fn block(&mut self) -> Result<Block, CaptureError> {
        let offset = self.at;
        let Some(kind) = self.exact_or_end(4, "a block")? else { return Ok(Block::End) };
        if kind == [0x0a, 0x0d, 0x0d, 0x0a] {
            self.section()?;
            return Ok(Block::Other);
        }
        let Format::Pcapng { big, .. } = self.format else { return Ok(Block::End) };
        let kind = number(&kind, big) as u32;
        let len = self.exact(4, "a block length")?;
        let len = self.block_len(offset + 4, number(&len, big) as u32, 12)?;
        let body = self.exact(len - 8, "a block")?;
        let body = &body[..len - 12];
        let short =
            |what| CaptureError::Value { offset, what, found: len as u64, expected: "a longer block" };
        let Format::Pcapng { interfaces, .. } = &mut self.format else { return Ok(Block::End) };
        match kind {
            1 => {
                if body.len() < 8 {
                    return Err(short("interface block length"));
                }
                let resolution = resolution(&body[8..], big);
                interfaces.push(Interface { link_type: number(&body[..2], big) as u16, resolution });
                Ok(Block::Other)
            }
            6 => {
                if body.len() < 20 {
                    return Err(short("packet block length"));
                }
                let field = |i: usize| number(&body[i..i + 4], big);
                let index = field(0);
                let Some(interface) = interfaces.get(index as usize) else {
                    let (what, expected) = ("interface of a packet", "one that an interface block described");
                    return Err(CaptureError::Value { offset: offset + 8, what, found: index, expected });
                };
                let kept = field(12) as usize;
                let Some(bytes) = body.get(20..20 + kept) else {
                    let (what, found) = ("captured length", kept as u64);
                    return Err(CaptureError::Value {
                        offset: offset + 20,
                        what,
                        found,
                        expected: "at most the block",
                    });
                };
                let units = u128::from(field(4) << 32 | field(8));
                let at_ns = (units * 1_000_000_000 / u128::from(interface.resolution.max(1))) as u64;
                let (link_type, wire_len) = (interface.link_type, field(16) as u32);
                Ok(Block::Packet(Captured { at_ns, link_type, wire_len, bytes: bytes.to_vec() }))
            }
            3 => {
                let Some(interface) = interfaces.first() else {
                    let (what, expected) = ("simple packet block", "an interface block before it");
                    return Err(CaptureError::Value { offset, what, found: 3, expected });
                };
                if body.len() < 4 {
                    return Err(short("simple packet block length"));
                }
                let wire_len = number(&body[..4], big) as u32;
                let bytes = body[4..].iter().take(wire_len as usize).copied().collect();
                Ok(Block::Packet(Captured { at_ns: 0, link_type: interface.link_type, wire_len, bytes }))
            }
            _ => Ok(Block::Other),
        }
    }

    fn exact(&mut self, n: usize, what: &'static str) -> Result<Vec<u8>, CaptureError> {
        let offset = self.at;
        self.exact_or_end(n, what)?.ok_or(CaptureError::Truncated { offset, what, needed: n })
    }

    /// `n` bytes, or `None` where the file ends before the first of them.
    fn exact_or_end(&mut self, n: usize, what: &'static str) -> Result<Option<Vec<u8>>, CaptureError> {
        let mut bytes = vec![0; n];
        let got = read_full(&mut self.input, &mut bytes)?;
        let offset = self.at;
        self.at += got as u64;
        match got {
            got if got == n => Ok(Some(bytes)),
            0 => Ok(None),
            got => Err(CaptureError::Truncated { offset, what, needed: n - got }),
        }
    }
}

enum Block {
    Packet(Captured),
    Other,
    End,
}

/// Units a second from the options of an interface block: `if_tsresol`, 10^-6 s without it.
fn resolution(mut options: &[u8], big: bool) -> u64 {
    while options.len() >= 4 {
        let (code, len) = (number(&options[..2], big), number(&options[2..4], big) as usize);
        let Some(value) = options.get(4..4 + len) else { break };
        match (code, value) {
            (0, _) => break,
            (9, [exponent]) if exponent & 0x80 != 0 => {
                return 1u64.checked_shl(u32::from(exponent & 0x7f)).unwrap_or(1 << 63);
            }
            (9, [exponent]) => return 10u64.checked_pow(u32::from(*exponent)).unwrap_or(u64::MAX),
            _ => {}
        }
        options = options.get(4 + len.next_multiple_of(4)..).unwrap_or(&[]);
    }
    1_000_000
}

fn number(bytes: &[u8], big: bool) -> u64 {
    let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    if big { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) }
}

/// As many bytes as there are, up to the length of `into`.
fn read_full(input: &mut impl Read, into: &mut [u8]) -> Result<usize, CaptureError> {
    let mut got = 0;
    while got < into.len() {
        match input.read(&mut into[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(got)
}
