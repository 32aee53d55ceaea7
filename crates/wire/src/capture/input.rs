//! The bytes of a capture file, with the place in it.

use super::error::{CaptureError, Expected};
use std::io::{BufReader, Read, sink};

/// No packet and no block that has to be in memory is longer: a longer one is damage.
pub const MOST_BYTES: u64 = 16 << 20;

/// A file that is read once, front to back.
#[derive(Debug)]
pub struct Input<R> {
    read: BufReader<R>,
    at: u64,
}

impl<R: Read> Input<R> {
    pub fn new(read: R) -> Self {
        Self { read: BufReader::with_capacity(64 << 10, read), at: 0 }
    }

    /// Bytes read so far.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// As many of `N` bytes as there are.
    pub fn up_to<const N: usize>(&mut self) -> Result<([u8; N], usize), CaptureError> {
        let mut bytes = Vec::with_capacity(N);
        let got = (&mut self.read).take(N as u64).read_to_end(&mut bytes)?;
        self.at += got as u64;
        let mut array = [0; N];
        array[..got].copy_from_slice(&bytes);
        Ok((array, got))
    }

    /// `N` bytes.
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], CaptureError> {
        let offset = self.at;
        let (array, got) = self.up_to()?;
        if got < N { Err(truncated(offset, field, N as u64, got as u64)) } else { Ok(array) }
    }

    /// `N` bytes, or `None` where the file ends before the first of them.
    pub fn array_or_end<const N: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<Option<[u8; N]>, CaptureError> {
        let offset = self.at;
        match self.up_to()? {
            (_, 0) => Ok(None),
            (array, got) if got == N => Ok(Some(array)),
            (_, got) => Err(truncated(offset, field, N as u64, got as u64)),
        }
    }

    /// `n` bytes into `buffer`, which is emptied first. Takes no more memory than the file has bytes.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, n: u64, field: &'static str) -> Result<(), CaptureError> {
        let offset = self.at;
        if n > MOST_BYTES {
            return Err(CaptureError::Value {
                offset,
                field,
                found: n,
                expected: Expected::AtMost(MOST_BYTES),
            });
        }
        buffer.clear();
        let got = (&mut self.read).take(n).read_to_end(buffer)? as u64;
        self.at += got;
        if got < n { Err(truncated(offset, field, n, got)) } else { Ok(()) }
    }

    /// Passes `n` bytes.
    pub fn skip(&mut self, n: u64, field: &'static str) -> Result<(), CaptureError> {
        let offset = self.at;
        let got = std::io::copy(&mut (&mut self.read).take(n), &mut sink())?;
        self.at += got;
        if got < n { Err(truncated(offset, field, n, got)) } else { Ok(()) }
    }
}

fn truncated(offset: u64, field: &'static str, expected: u64, found: u64) -> CaptureError {
    CaptureError::Truncated { offset, field, expected, found }
}

/// Byte order of a file's numbers: that of the machine that wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    pub fn u16(self, bytes: [u8; 2]) -> u16 {
        if self == Order::Big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }
    pub fn u32(self, bytes: [u8; 4]) -> u32 {
        if self == Order::Big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }
    pub fn u64(self, bytes: [u8; 8]) -> u64 {
        if self == Order::Big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) }
    }
}
