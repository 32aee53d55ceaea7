//! Memory windows of type 1 and type 2 (IBTA volume 1, 10.6.7).

use super::{Access, Entry, KeyError, Keys, Pd, Registration, check_rights, inside};
use weir_wire::Qpn;

/// Type of a memory window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowKind {
    /// Bound and unbound by binds; for all queue pairs of its domain; each bind makes a new key.
    One,
    /// Bound once, made invalid by a local or remote invalidate; for the queue pair that bound it; the consumer chooses the
    /// key's low byte.
    Two,
}

/// What a window is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowBind {
    /// The window: for type 1 its key, for type 2 its key with the low byte that it is to have.
    pub window: u32,
    /// Key of the region.
    pub region: u32,
    /// First address, in terms of the region.
    pub va: u64,
    /// Bytes; 0 unbinds a type 1 window.
    pub len: u64,
    /// Remote rights; with [`Access::ZERO_BASED`] (type 2 only) peers address it from 0 on.
    pub access: Access,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub what: Registration,
    pub qpn: Qpn,
    region: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub kind: WindowKind,
    pub pd: Pd,
    pub bound: Option<Bound>,
}

impl Keys {
    /// A new window, not bound; gives its key.
    pub fn create_window(&mut self, kind: WindowKind, pd: Pd) -> u32 {
        self.insert(Entry::Window(Window { kind, pd, bound: None }))
    }

    /// Ends a window.
    pub fn destroy_window(&mut self, key: u32) -> Result<(), KeyError> {
        let Entry::Window(window) = self.slot(key)?.entry else { return Err(KeyError::Kind { key }) };
        self.release(window.bound);
        self.remove(key);
        Ok(())
    }

    /// The key that a type 1 window has after its next bind.
    pub fn next_key(key: u32) -> u32 {
        key & !0xff | u32::from((key as u8).wrapping_add(1))
    }

    /// Binds a window over queue pair `qpn` of domain `pd`; gives its new key.
    pub(crate) fn bind(&mut self, bind: &WindowBind, pd: Pd, qpn: Qpn) -> Result<u32, KeyError> {
        let WindowBind { window: key, region, va, len, access } = *bind;
        let index = (key >> 8).wrapping_sub(1) as usize;
        let slot = self.slots.get(index).copied().ok_or(KeyError::Unknown { key })?;
        let Entry::Window(window) = slot.entry else { return Err(KeyError::Kind { key }) };
        let (low, zero_based) = match window.kind {
            WindowKind::One if u32::from(slot.low) != key & 0xff => return Err(KeyError::Unknown { key }),
            WindowKind::One => (slot.low.wrapping_add(1), false),
            // A type 2 window must be invalid before it is bound anew (IBTA volume 1, 10.6.7).
            WindowKind::Two if window.bound.is_some() => return Err(KeyError::InUse { key }),
            WindowKind::Two => (key as u8, access.contains(Access::ZERO_BASED)),
        };
        if access.contains(Access::ZERO_BASED) && !zero_based {
            return Err(KeyError::Kind { key });
        }
        if window.pd != pd {
            return Err(KeyError::Domain { key });
        }
        let bound = match len {
            0 if window.kind == WindowKind::One => None,
            _ => {
                let Entry::Region(found) = &mut self.slot_mut(region)?.entry else {
                    return Err(KeyError::Kind { key: region });
                };
                if found.what.pd != pd {
                    return Err(KeyError::Domain { key: region });
                }
                let addr = inside(region, &found.what, va, len, Access::WINDOW_BIND)?;
                check_rights(region, access, found.what.access)?;
                found.windows += 1;
                let what = Registration { pd, va, addr, len, access };
                Some(Bound { what, qpn, region })
            }
        };
        self.release(window.bound);
        self.epoch = self.epoch.wrapping_add(1);
        let slot = &mut self.slots[index];
        slot.low = low;
        slot.entry = Entry::Window(Window { bound, ..window });
        Ok(key & !0xff | u32::from(low))
    }

    /// Makes the key of a bound type 2 window invalid, over queue pair `qpn` of domain `pd`.
    pub(crate) fn invalidate(&mut self, key: u32, pd: Pd, qpn: Qpn) -> Result<(), KeyError> {
        let Entry::Window(window) = self.slot(key)?.entry else { return Err(KeyError::Kind { key }) };
        let bound = match (window.kind, window.bound) {
            (WindowKind::Two, Some(bound)) => bound,
            (WindowKind::Two, None) => return Err(KeyError::Unknown { key }),
            (WindowKind::One, _) => return Err(KeyError::Kind { key }),
        };
        if window.pd != pd || bound.qpn != qpn {
            return Err(KeyError::Domain { key });
        }
        self.release(Some(bound));
        self.epoch = self.epoch.wrapping_add(1);
        self.slot_mut(key)?.entry = Entry::Window(Window { bound: None, ..window });
        Ok(())
    }

    fn release(&mut self, bound: Option<Bound>) {
        if let Some(Bound { region, .. }) = bound
            && let Ok(slot) = self.slot_mut(region)
            && let Entry::Region(region) = &mut slot.entry
        {
            region.windows -= 1;
        }
    }
}
