//! Writing pcapng (draft-ietf-opsawg-pcapng): one section, nanosecond timestamps.

use std::io::{self, Write};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const ETHERNET: u16 = 1;

/// Writes Ethernet frames with times in nanoseconds.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    out: W,
    interfaces: u32,
}

impl<W: Write> PcapngWriter<W> {
    /// Begins a file.
    pub fn new(mut out: W) -> io::Result<Self> {
        let mut body = Vec::new();
        body.extend_from_slice(&0x1a2b_3c4du32.to_le_bytes());
        body.extend_from_slice(&1u16.to_le_bytes());
        body.extend_from_slice(&0u16.to_le_bytes());
        body.extend_from_slice(&u64::MAX.to_le_bytes());
        option(&mut body, 4, b"weir");
        option(&mut body, 0, b"");
        block(&mut out, SECTION, &body)?;
        Ok(Self { out, interfaces: 0 })
    }

    /// Adds an interface; gives its number.
    pub fn interface(&mut self, name: &str) -> io::Result<u32> {
        let mut body = Vec::new();
        body.extend_from_slice(&ETHERNET.to_le_bytes());
        body.extend_from_slice(&0u16.to_le_bytes());
        body.extend_from_slice(&0u32.to_le_bytes());
        option(&mut body, 2, name.as_bytes());
        option(&mut body, 9, &[9]); // if_tsresol: 10^-9 s
        option(&mut body, 0, b"");
        block(&mut self.out, INTERFACE, &body)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Adds a frame of an interface.
    pub fn frame(&mut self, interface: u32, at_ns: u64, bytes: &[u8]) -> io::Result<()> {
        let mut body = Vec::with_capacity(20 + bytes.len() + 3);
        body.extend_from_slice(&interface.to_le_bytes());
        body.extend_from_slice(&((at_ns >> 32) as u32).to_le_bytes());
        body.extend_from_slice(&(at_ns as u32).to_le_bytes());
        body.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        body.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        body.extend_from_slice(bytes);
        block(&mut self.out, ENHANCED_PACKET, &body)
    }

    /// Ends the file and gives back what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend_from_slice(&code.to_le_bytes());
    body.extend_from_slice(&(value.len() as u16).to_le_bytes());
    body.extend_from_slice(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

fn block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let pad = body.len().next_multiple_of(4) - body.len();
    let len = (12 + body.len() + pad) as u32;
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(body)?;
    out.write_all(&[0; 3][..pad])?;
    out.write_all(&len.to_le_bytes())
}
