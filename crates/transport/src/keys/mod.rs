//! Memory regions and windows: keys, bounds, rights, protection domains (IBTA volume 1, 10.6).
//!
//! A key is the index of its entry in the upper 24 bits and a low byte that changes when the key is used anew. So a check is
//! one look into a vector, and a stale key is found out.

mod window;

pub use window::{WindowBind, WindowKind};

use bitflags::bitflags;
use weir_wire::Qpn;
use window::Window;

bitflags! {
    /// Rights of a region, a window or a queue pair.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Access: u8 {
        /// Local writes: receives, and answers to reads and atomics.
        const LOCAL_WRITE = 1;
        /// Remote writes. Needs local writes.
        const REMOTE_WRITE = 2;
        /// Remote reads.
        const REMOTE_READ = 4;
        /// Remote atomics. Needs local writes.
        const REMOTE_ATOMIC = 8;
        /// Windows may be bound to it.
        const WINDOW_BIND = 16;
        /// Addresses count from 0.
        const ZERO_BASED = 32;
        /// The three remote rights.
        const REMOTE = 2 | 4 | 8;
    }
}

/// Number of a protection domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pd(pub u32);

/// Why a key, an access or a change is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No valid region or window has this key.
    #[error("no valid region or window has key {key:#010x}")]
    Unknown {
        /// The key.
        key: u32,
    },
    /// It belongs to another protection domain, or, for a type 2 window, to another queue pair.
    #[error("key {key:#010x} is of another protection domain or queue pair")]
    Domain {
        /// The key.
        key: u32,
    },
    /// Outside the region or window.
    #[error("{len} bytes at {va:#x} are not inside key {key:#010x}")]
    Bounds {
        /// The key.
        key: u32,
        /// Address.
        va: u64,
        /// Bytes.
        len: u64,
    },
    /// A right is missing.
    #[error("key {key:#010x} lacks the right {missing:?}")]
    Right {
        /// The key.
        key: u32,
        /// What is missing.
        missing: Access,
    },
    /// Windows are bound to the region, or the type 2 window is bound already.
    #[error("key {key:#010x} is in use; unbind or invalidate first")]
    InUse {
        /// The key.
        key: u32,
    },
    /// What is asked for is not for this kind of entry.
    #[error("key {key:#010x} is of a kind that does not allow this")]
    Kind {
        /// The key.
        key: u32,
    },
}

/// What is registered: `len` bytes that programs and peers address from `va` on, and that lie at `addr` in the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registration {
    /// Protection domain.
    pub pd: Pd,
    /// Address that work requests and peers use (the I/O virtual address); 0 for a zero-based region.
    pub va: u64,
    /// Address in the memory.
    pub addr: u64,
    /// Bytes.
    pub len: u64,
    /// Rights. Local reads are always allowed.
    pub access: Access,
}

#[derive(Clone, Copy, Debug)]
struct Region {
    what: Registration,
    windows: u32,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Free,
    Region(Region),
    Window(Window),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    low: u8,
    entry: Entry,
}

/// Registered regions and windows by key.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    slots: Vec<Slot>,
    free: Vec<u32>,
    epoch: u32,
}

impl Keys {
    /// Registers `len` bytes at `from`, addressed as they lie, in protection domain 0. Gives the key, local and remote.
    pub fn register(&mut self, from: u64, len: u64, access: Access) -> u32 {
        let access = match access.intersects(Access::REMOTE_WRITE | Access::REMOTE_ATOMIC) {
            true => access | Access::LOCAL_WRITE,
            false => access,
        };
        let what = Registration { pd: Pd(0), va: from, addr: from, len, access };
        self.insert(Entry::Region(Region { what, windows: 0 }))
    }

    /// Registers a region. Gives the key, local and remote. Remote write and atomic rights need the local write right
    /// (IBTA volume 1, 10.6.3).
    pub fn register_region(&mut self, what: Registration) -> Result<u32, KeyError> {
        check_rights(0, what.access, what.access)?;
        Ok(self.insert(Entry::Region(Region { what, windows: 0 })))
    }

    /// Ends a registration. Not while windows are bound to it (IBTA volume 1, 11.2.8).
    pub fn deregister(&mut self, key: u32) -> Result<(), KeyError> {
        match self.slot(key)?.entry {
            Entry::Region(Region { windows: 0, .. }) => {
                self.remove(key);
                Ok(())
            }
            Entry::Region(_) => Err(KeyError::InUse { key }),
            _ => Err(KeyError::Kind { key }),
        }
    }

    /// Changes a registration and keeps its key. Not while windows are bound to it.
    pub fn reregister(&mut self, key: u32, what: Registration) -> Result<(), KeyError> {
        check_rights(key, what.access, what.access)?;
        self.epoch = self.epoch.wrapping_add(1);
        match &mut self.slot_mut(key)?.entry {
            Entry::Region(region) if region.windows == 0 => {
                region.what = what;
                Ok(())
            }
            Entry::Region(_) => Err(KeyError::InUse { key }),
            _ => Err(KeyError::Kind { key }),
        }
    }

    /// Whether a peer's `len` bytes at `va` may be accessed over queue pair `qpn` of domain `pd`; where they lie.
    #[inline]
    pub fn check_remote(
        &self,
        key: u32,
        va: u64,
        len: u64,
        right: Access,
        pd: Pd,
        qpn: Qpn,
    ) -> Result<u64, KeyError> {
        let (what, domain_ok) = match &self.slot(key)?.entry {
            Entry::Region(region) => (&region.what, region.what.pd == pd),
            Entry::Window(window) => {
                let bound = window.bound.as_ref().ok_or(KeyError::Unknown { key })?;
                // A type 2 window is for the queue pair that it was bound on (IBTA volume 1, 10.6.7).
                (&bound.what, window.pd == pd && (window.kind == WindowKind::One || bound.qpn == qpn))
            }
            Entry::Free => return Err(KeyError::Unknown { key }),
        };
        if !domain_ok {
            return Err(KeyError::Domain { key });
        }
        inside(key, what, va, len, right)
    }

    /// Whether `len` local bytes at `va` may be read, or written with `write`; where they lie.
    pub fn check_local(&self, key: u32, va: u64, len: u64, write: bool, pd: Pd) -> Result<u64, KeyError> {
        let Entry::Region(region) = &self.slot(key)?.entry else { return Err(KeyError::Kind { key }) };
        if region.what.pd != pd {
            return Err(KeyError::Domain { key });
        }
        let right = if write { Access::LOCAL_WRITE } else { Access::empty() };
        inside(key, &region.what, va, len, right)
    }

    /// Changes with every registration or window that ends or changes: what has been checked before must be checked again.
    #[inline]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    fn insert(&mut self, entry: Entry) -> u32 {
        match self.free.pop() {
            Some(index) => {
                let slot = &mut self.slots[index as usize];
                slot.entry = entry;
                (index + 1) << 8 | u32::from(slot.low)
            }
            None => {
                self.slots.push(Slot { low: 0, entry });
                (self.slots.len() as u32) << 8
            }
        }
    }

    fn remove(&mut self, key: u32) {
        self.epoch = self.epoch.wrapping_add(1);
        let index = (key >> 8).wrapping_sub(1);
        if let Some(slot) = self.slots.get_mut(index as usize) {
            *slot = Slot { low: slot.low.wrapping_add(1), entry: Entry::Free };
            self.free.push(index);
        }
    }

    #[inline]
    fn slot(&self, key: u32) -> Result<&Slot, KeyError> {
        let slot = self.slots.get((key >> 8).wrapping_sub(1) as usize);
        slot.filter(|slot| u32::from(slot.low) == key & 0xff).ok_or(KeyError::Unknown { key })
    }

    fn slot_mut(&mut self, key: u32) -> Result<&mut Slot, KeyError> {
        let slot = self.slots.get_mut((key >> 8).wrapping_sub(1) as usize);
        slot.filter(|slot| u32::from(slot.low) == key & 0xff).ok_or(KeyError::Unknown { key })
    }
}

/// Whether `wanted` may be given over memory that has the rights `has`.
fn check_rights(key: u32, wanted: Access, has: Access) -> Result<(), KeyError> {
    let writes = wanted.intersects(Access::REMOTE_WRITE | Access::REMOTE_ATOMIC);
    if writes && !has.contains(Access::LOCAL_WRITE) {
        return Err(KeyError::Right { key, missing: Access::LOCAL_WRITE });
    }
    Ok(())
}

#[inline]
fn inside(key: u32, what: &Registration, va: u64, len: u64, right: Access) -> Result<u64, KeyError> {
    if !what.access.contains(right) {
        return Err(KeyError::Right { key, missing: right });
    }
    let from = if what.access.contains(Access::ZERO_BASED) { 0 } else { what.va };
    let offset = va.checked_sub(from).ok_or(KeyError::Bounds { key, va, len })?;
    match offset.checked_add(len) {
        Some(end) if end <= what.len => Ok(what.addr.wrapping_add(offset)),
        _ => Err(KeyError::Bounds { key, va, len }),
    }
}

#[cfg(test)]
mod tests;
