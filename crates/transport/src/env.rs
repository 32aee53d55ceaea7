//! What queue pairs share: memory, keys, the completion queue.

use crate::memory::Memory;
use crate::work::Completion;
use std::collections::VecDeque;

/// Rights of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Remote writes allowed.
    pub remote_write: bool,
    /// Remote reads allowed.
    pub remote_read: bool,
}

/// Why a remote access is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// No region has this key.
    Unknown,
    /// Outside the region.
    Bounds,
    /// The right is missing.
    Right,
}

#[derive(Clone, Copy, Debug)]
struct Region {
    from: u64,
    len: u64,
    access: Access,
}

/// Registered memory regions by key.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    regions: Vec<Region>,
}

impl Keys {
    /// Register `len` bytes at `from`; gives the key.
    pub fn register(&mut self, from: u64, len: u64, access: Access) -> u32 {
        self.regions.push(Region { from, len, access });
        (self.regions.len() as u32) << 8
    }

    /// Whether `len` bytes at `va` may be written (or read) with this key.
    pub fn check(&self, rkey: u32, va: u64, len: u32, write: bool) -> Result<(), KeyError> {
        let index = (rkey >> 8).wrapping_sub(1) as usize;
        let region = self.regions.get(index).filter(|_| rkey & 0xff == 0).ok_or(KeyError::Unknown)?;
        if !(if write { region.access.remote_write } else { region.access.remote_read }) {
            return Err(KeyError::Right);
        }
        let offset = va.checked_sub(region.from).ok_or(KeyError::Bounds)?;
        match offset.checked_add(u64::from(len)) {
            Some(end) if end <= region.len => Ok(()),
            _ => Err(KeyError::Bounds),
        }
    }
}

/// What the queue pairs of one host share.
#[derive(Clone, Debug, Default)]
pub struct Env<M: Memory> {
    /// The memory.
    pub memory: M,
    /// Its regions.
    pub keys: Keys,
    /// Completions, oldest first.
    pub completions: VecDeque<Completion>,
}
