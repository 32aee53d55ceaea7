//! Writing pcapng (draft-ietf-opsawg-pcapng): one section, many interfaces, nanosecond timestamps, little endian.

use super::link::LinkType;
use super::ng::{BYTE_ORDER, ENHANCED_PACKET, INTERFACE, SECTION};
use std::io::{self, Write};

/// Which way a frame passed its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the interface.
    In,
    /// Out of the interface.
    Out,
}

/// Why a frame cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file system says no.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// A frame of an interface that was not added.
    #[error("a frame of interface {interface}, and {added} were added; add it with PcapngWriter::interface")]
    Interface {
        /// Its number.
        interface: u32,
        /// Interfaces added so far.
        added: u32,
    },
    /// More bytes than a block holds.
    #[error("a frame of {bytes} bytes does not fit into a block of pcapng")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        }
    }
}

/// Writes a pcapng file. The same calls give the same bytes.
///
/// The output is not buffered here: give a `BufWriter`.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    out: W,
    interfaces: u32,
    body: Vec<u8>,
}

impl<W: Write> PcapngWriter<W> {
    /// Begins a file.
    pub fn new(mut out: W) -> Result<Self, WriteError> {
        let mut body = Vec::new();
        body.extend_from_slice(&BYTE_ORDER.to_le_bytes());
        body.extend_from_slice(&1u16.to_le_bytes()); // version 1.0
        body.extend_from_slice(&0u16.to_le_bytes());
        body.extend_from_slice(&u64::MAX.to_le_bytes()); // section length unknown
        option(&mut body, 4, b"weir"); // shb_userappl
        end_of_options(&mut body);
        block(&mut out, u32::from_le_bytes(SECTION), &body)?;
        Ok(Self { out, interfaces: 0, body })
    }

    /// Adds an Ethernet interface; gives its number.
    pub fn interface(&mut self, name: &str) -> Result<u32, WriteError> {
        self.interface_of(LinkType::ETHERNET, name, None)
    }

    /// Adds an interface of any link type, with its rate in bits a second if that is known; gives its number.
    pub fn interface_of(
        &mut self,
        link_type: LinkType,
        name: &str,
        rate_bps: Option<u64>,
    ) -> Result<u32, WriteError> {
        let body = &mut self.body;
        body.clear();
        body.extend_from_slice(&link_type.0.to_le_bytes());
        body.extend_from_slice(&0u16.to_le_bytes());
        body.extend_from_slice(&0u32.to_le_bytes()); // no limit on length
        option(body, 2, name.as_bytes()); // if_name
        if let Some(rate_bps) = rate_bps {
            option(body, 8, &rate_bps.to_le_bytes()); // if_speed
        }
        option(body, 9, &[9]); // if_tsresol: 10^-9 s
        end_of_options(body);
        block(&mut self.out, INTERFACE, body)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Adds a frame of an interface, `at_ns` nanoseconds since 1970 (or since the start of a simulation).
    pub fn frame(&mut self, interface: u32, at_ns: u64, bytes: &[u8]) -> Result<(), WriteError> {
        self.frame_of(interface, at_ns, bytes, bytes.len(), None)
    }

    /// Adds a frame that had `wire_len` bytes and of which `bytes` are kept, and says which way it went.
    pub fn frame_of(
        &mut self,
        interface: u32,
        at_ns: u64,
        bytes: &[u8],
        wire_len: usize,
        direction: Option<Direction>,
    ) -> Result<(), WriteError> {
        if interface >= self.interfaces {
            return Err(WriteError::Interface { interface, added: self.interfaces });
        }
        let wire_len = wire_len.max(bytes.len());
        // Room for the block's own fields below 2^32.
        let fits = u32::try_from(wire_len).ok().filter(|len| *len < u32::MAX - 256);
        let Some(wire_len) = fits else { return Err(WriteError::TooLong { bytes: wire_len }) };
        let body = &mut self.body;
        body.clear();
        body.extend_from_slice(&interface.to_le_bytes());
        body.extend_from_slice(&((at_ns >> 32) as u32).to_le_bytes());
        body.extend_from_slice(&(at_ns as u32).to_le_bytes());
        body.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        body.extend_from_slice(&wire_len.to_le_bytes());
        body.extend_from_slice(bytes);
        body.resize(body.len().next_multiple_of(4), 0);
        if let Some(direction) = direction {
            let flags = if direction == Direction::In { 1u32 } else { 2 };
            option(body, 2, &flags.to_le_bytes()); // epb_flags
            end_of_options(body);
        }
        block(&mut self.out, ENHANCED_PACKET, body)?;
        Ok(())
    }

    /// Ends the file and gives back what it was written to.
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// An option; a value of more than 65535 bytes is cut.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    body.extend_from_slice(&code.to_le_bytes());
    body.extend_from_slice(&(value.len() as u16).to_le_bytes());
    body.extend_from_slice(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

fn end_of_options(body: &mut Vec<u8>) {
    body.extend_from_slice(&[0; 4]);
}

/// A block; `body` is a multiple of 4 bytes.
fn block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let len = (12 + body.len()) as u32;
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(body)?;
    out.write_all(&len.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::CaptureReader;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = PcapngWriter::new(Vec::new()).unwrap();
        let a = writer.interface("leaf1:p3").unwrap();
        let b = writer.interface_of(LinkType::RAW_IP, "raw", Some(100_000_000_000)).unwrap();
        writer.frame(a, 1_234_567_890_123_456_789, &[1, 2, 3]).unwrap();
        writer.frame_of(b, 5, &[9; 8], 100, Some(Direction::Out)).unwrap();
        let file = writer.finish().unwrap();
        let mut reader = CaptureReader::new(&file[..]).unwrap();
        let first = reader.next_packet().unwrap().unwrap();
        assert_eq!((first.at_ns, first.interface), (Some(1_234_567_890_123_456_789), 0));
        assert_eq!((first.bytes, first.link_type, first.wire_len), (vec![1, 2, 3], LinkType::ETHERNET, 3));
        let second = reader.next_packet().unwrap().unwrap();
        assert!(second.is_cut());
        assert_eq!((second.interface, second.link_type, second.wire_len), (1, LinkType::RAW_IP, 100));
        let names: Vec<_> = reader.interfaces().iter().map(|i| i.name.as_deref().unwrap()).collect();
        assert_eq!(names, ["leaf1:p3", "raw"]);
        assert_eq!(reader.next_packet().unwrap(), None);
    }

    #[test]
    fn frames_of_no_interface_are_refused() {
        let mut writer = PcapngWriter::new(Vec::new()).unwrap();
        let error = writer.frame(0, 0, &[]).unwrap_err();
        assert!(matches!(error, WriteError::Interface { interface: 0, added: 0 }), "{error}");
    }
}
