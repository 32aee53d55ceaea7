//! Buffer accounting: reserve, shared buffer and headroom per ingress port and priority (a priority group).
//!
//! A frame is charged to its priority group's reserve first, then to the shared buffer, and to headroom once the
//! group has reached its threshold. What leaves is taken from headroom first, then from the shared buffer.

use crate::PRIORITIES;
use crate::config::{ClassConfig, ClassKind, ConfigError, MmuParams, SwitchConfig};
use crate::threshold::Terms;
use weir_units::{Span, Time};

/// Classes and pool of a switch, from its description.
pub(crate) struct Layout {
    /// The classes by rising priority; the index is the class's slot.
    pub classes: Vec<ClassConfig>,
    /// The slot of each priority, or [`Layout::NO_SLOT`].
    pub slots: [u8; PRIORITIES],
    /// The shared buffer, empty.
    pub pool: Pool,
}

impl Layout {
    pub const NO_SLOT: u8 = u8::MAX;

    pub fn of(config: &SwitchConfig) -> Result<Self, ConfigError> {
        let mut classes = config.classes.clone();
        classes.sort_by_key(|class| class.priority);
        let mut slots = [Self::NO_SLOT; PRIORITIES];
        for (class, slot) in classes.iter().zip(0u8..) {
            slots[class.priority.index()] = slot;
        }
        let buffer = u32::try_from(config.buffer_bytes)
            .map_err(|_| ConfigError::BufferTooLarge { found: config.buffer_bytes })?;
        let ports = config.ports.len() as u64;
        let lossless = classes.iter().filter(|c| is_lossless(c, config)).count() as u64;
        let port_headroom: u64 = config.ports.iter().map(|p| u64::from(p.headroom_bytes)).sum();
        let pool = match config.mmu {
            MmuParams::Standard { max_frame_bytes } => {
                let accounted = classes.iter().filter(|c| c.kind != ClassKind::Control);
                let reserve = accounted.map(|c| u64::from(c.reserve_bytes)).sum::<u64>() * ports;
                let headroom = port_headroom * lossless;
                let skid = u64::from(max_frame_bytes) * ports * lossless;
                let shared = u64::from(buffer).checked_sub(headroom + reserve + skid).filter(|b| *b > 0);
                let Some(shared) = shared else {
                    return Err(ConfigError::Budget {
                        buffer_bytes: u64::from(buffer),
                        headroom_bytes: headroom,
                        reserve_bytes: reserve,
                        skid_bytes: skid,
                    });
                };
                // All are parts of the buffer, which fits 32 bits.
                Pool::new(shared as u32, skid as u32, false)
            }
            MmuParams::Hpcc => {
                let reserve = classes.iter().map(|c| u64::from(c.reserve_bytes)).max().unwrap_or(0) * ports;
                let shared = buffer.wrapping_sub(port_headroom as u32).wrapping_sub(reserve as u32);
                Pool::new(shared, 0, true)
            }
        };
        Ok(Self { classes, slots, pool })
    }
}

/// Whether PFC protects the class in this switch.
pub(crate) fn is_lossless(class: &ClassConfig, config: &SwitchConfig) -> bool {
    class.kind == ClassKind::Lossless && config.pfc.enabled
}

/// The shared buffer and the sum of headroom in use.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    /// What thresholds divide.
    shared_limit: u32,
    /// Room beyond it for the frames that cross a threshold.
    skid: u32,
    shared_used: u32,
    headroom_used: u32,
    peak_shared: u32,
    peak_headroom: u32,
    hpcc: bool,
}

impl Pool {
    fn new(shared_limit: u32, skid: u32, hpcc: bool) -> Self {
        Self { shared_limit, skid, shared_used: 0, headroom_used: 0, peak_shared: 0, peak_headroom: 0, hpcc }
    }

    /// What thresholds are a share of.
    #[inline]
    pub fn free(&self) -> u32 {
        match self.hpcc {
            true => self.shared_limit.wrapping_sub(self.shared_used),
            false => self.shared_limit.saturating_sub(self.shared_used),
        }
    }

    pub fn shared_limit(&self) -> u32 {
        self.shared_limit
    }

    pub fn shared_used(&self) -> u32 {
        self.shared_used
    }

    pub fn headroom_used(&self) -> u32 {
        self.headroom_used
    }

    pub fn peak_shared(&self) -> u32 {
        self.peak_shared
    }

    pub fn peak_headroom(&self) -> u32 {
        self.peak_headroom
    }

    /// Sets the watermarks to what is used now.
    pub fn clear_peaks(&mut self) {
        (self.peak_shared, self.peak_headroom) = (self.shared_used, self.headroom_used);
    }

    #[inline]
    fn take_shared(&mut self, bytes: u32) {
        self.shared_used = self.shared_used.wrapping_add(bytes);
        self.peak_shared = self.peak_shared.max(self.shared_used);
    }

    #[inline]
    fn take_headroom(&mut self, bytes: u32) {
        self.headroom_used += bytes;
        self.peak_headroom = self.peak_headroom.max(self.headroom_used);
    }
}

/// Why a group refuses a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Headroom,
    Ingress,
    Egress,
    Full,
}

/// One priority group: what one ingress port holds in one priority. Two cache lines: what every frame touches comes
/// first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Group {
    /// Bytes in reserve and shared buffer.
    held: u32,
    /// Bytes in headroom.
    headroom: u32,
    reserve: u32,
    headroom_limit: u32,
    threshold: Terms,
    xon_offset: u32,
    peak_held: u32,
    peak_shared: u32,
    peak_headroom: u32,
    kind: ClassKind,
    /// Whether the peer has been asked to pause.
    xoff: bool,
    /// Frames taken in.
    pub packets: u64,
    pub octets: u64,

    /// When the pause must be repeated.
    pub refresh_at: Time,
    xoff_since: Time,
    xoff_total: Span,
    /// Frames from this port that were refused.
    pub dropped: u64,
    pub dropped_octets: u64,
    /// PFC frames sent to this group's peer that pause, and that resume.
    pub pauses_sent: u32,
    pub resumes_sent: u32,
    /// PFC frames received from the peer that pause, and that resume.
    pub pauses_received: u32,
    pub resumes_received: u32,
}

impl Group {
    pub fn new(class: &ClassConfig, port: &crate::PortConfig, lossless: bool) -> Self {
        let own = matches!(class.kind, ClassKind::Lossless).then_some(port.threshold).flatten();
        Self {
            held: 0,
            headroom: 0,
            reserve: class.reserve_bytes,
            headroom_limit: if lossless { port.headroom_bytes } else { 0 },
            threshold: own.unwrap_or(class.ingress).terms(),
            xon_offset: class.xon_offset_bytes,
            kind: match class.kind {
                ClassKind::Lossless if !lossless => ClassKind::Lossy,
                kind => kind,
            },
            xoff: false,
            peak_held: 0,
            peak_shared: 0,
            peak_headroom: 0,
            packets: 0,
            octets: 0,
            refresh_at: Time::MAX,
            xoff_since: Time::ZERO,
            xoff_total: Span::ZERO,
            dropped: 0,
            dropped_octets: 0,
            pauses_sent: 0,
            resumes_sent: 0,
            pauses_received: 0,
            resumes_received: 0,
        }
    }

    #[inline]
    pub fn kind(&self) -> ClassKind {
        self.kind
    }

    /// Bytes in the shared buffer.
    #[inline]
    pub fn shared(&self) -> u32 {
        self.held.saturating_sub(self.reserve)
    }

    #[inline]
    pub fn held(&self) -> u32 {
        self.held
    }

    #[inline]
    pub fn headroom(&self) -> u32 {
        self.headroom
    }

    pub fn headroom_limit(&self) -> u32 {
        self.headroom_limit
    }

    pub fn is_xoff(&self) -> bool {
        self.xoff
    }

    pub fn peak_held(&self) -> u32 {
        self.peak_held
    }

    pub fn peak_shared(&self) -> u32 {
        self.peak_shared
    }

    pub fn peak_headroom(&self) -> u32 {
        self.peak_headroom
    }

    /// Sets the watermarks to what is held now.
    pub fn clear_peaks(&mut self) {
        self.peak_held = self.held.wrapping_add(self.headroom);
        self.peak_shared = self.shared();
        self.peak_headroom = self.headroom;
    }

    /// The threshold as things are now.
    #[inline]
    pub fn threshold(&self, pool: &Pool) -> u64 {
        self.threshold.bytes(pool.free())
    }

    /// Takes a frame in, or refuses it. `queue_bytes` wait at its egress, whose threshold is `egress`.
    #[inline]
    pub fn admit(
        &mut self,
        pool: &mut Pool,
        size: u32,
        queue_bytes: u32,
        egress: Terms,
    ) -> Result<(), Refusal> {
        let end = self.held.wrapping_add(size);
        // A frame that begins in the reserve and ends beyond it draws only the rest on the shared buffer.
        let portion = end.saturating_sub(self.reserve).min(size);
        if pool.hpcc {
            self.admit_hpcc(pool, size, end, portion)
        } else {
            self.admit_standard(pool, size, end, portion, queue_bytes, egress)
        }
    }

    /// Whether a frame could come and go now with nothing changed by it: it is taken in without headroom, and no pause
    /// begins or ends. May be false where that is so, is never true where it is not.
    #[inline]
    pub fn passes(&self, pool: &Pool, size: u32, egress: Terms) -> bool {
        let portion = self.held.wrapping_add(size).saturating_sub(self.reserve).min(size);
        let free = pool.free();
        // When a pause is considered, the frame's part of the shared buffer is no longer free.
        let threshold = self.threshold.bytes(free.saturating_sub(portion));
        !self.xoff
            && self.headroom == 0
            && portion <= free
            && u64::from(self.shared()) + u64::from(size) < threshold
            && egress.bytes(free) > 0
    }

    /// A frame that [`passes`](Self::passes) has come and gone: only watermarks tell.
    #[inline]
    pub fn note_passage(&mut self, pool: &mut Pool, size: u32) {
        let end = self.held.wrapping_add(size);
        let shared = end.saturating_sub(self.reserve);
        self.peak_held = self.peak_held.max(end);
        self.peak_shared = self.peak_shared.max(shared);
        pool.peak_shared = pool.peak_shared.max(pool.shared_used.wrapping_add(shared.min(size)));
    }

    #[inline]
    fn admit_hpcc(&mut self, pool: &mut Pool, size: u32, end: u32, portion: u32) -> Result<(), Refusal> {
        let threshold = self.threshold(pool);
        if u64::from(self.headroom) + u64::from(size) > u64::from(self.headroom_limit)
            && u64::from(self.shared()) + u64::from(size) > threshold
        {
            return Err(Refusal::Headroom);
        }
        if end > self.reserve && u64::from(end - self.reserve) > threshold {
            self.charge_headroom(pool, size);
        } else {
            self.charge(pool, end, portion);
        }
        Ok(())
    }

    #[inline]
    fn admit_standard(
        &mut self,
        pool: &mut Pool,
        size: u32,
        end: u32,
        portion: u32,
        queue_bytes: u32,
        egress: Terms,
    ) -> Result<(), Refusal> {
        let free = pool.free();
        if u64::from(queue_bytes) >= egress.bytes(free) {
            return Err(Refusal::Egress);
        }
        if portion == 0 {
            self.charge(pool, end, 0);
            return Ok(());
        }
        let below = u64::from(self.shared()) < self.threshold.bytes(free);
        let fits = portion <= free;
        if self.kind == ClassKind::Lossless {
            // The frame that crosses the threshold still goes to the shared buffer, into the room that is set aside
            // for one such frame a group, so that headroom is for what arrives after the pause was decided.
            let skids = !self.xoff
                && u64::from(pool.shared_used) + u64::from(portion)
                    <= u64::from(pool.shared_limit) + u64::from(pool.skid);
            if (below && fits) || skids {
                self.charge(pool, end, portion);
            } else if u64::from(self.headroom) + u64::from(size) <= u64::from(self.headroom_limit) {
                self.charge_headroom(pool, size);
            } else {
                return Err(Refusal::Headroom);
            }
        } else if !below {
            return Err(Refusal::Ingress);
        } else if !fits {
            return Err(Refusal::Full);
        } else {
            self.charge(pool, end, portion);
        }
        Ok(())
    }

    #[inline]
    fn charge(&mut self, pool: &mut Pool, end: u32, portion: u32) {
        self.held = end;
        self.peak_held = self.peak_held.max(end.wrapping_add(self.headroom));
        self.peak_shared = self.peak_shared.max(self.shared());
        pool.take_shared(portion);
    }

    #[inline]
    fn charge_headroom(&mut self, pool: &mut Pool, size: u32) {
        self.headroom += size;
        self.peak_headroom = self.peak_headroom.max(self.headroom);
        self.peak_held = self.peak_held.max(self.held.wrapping_add(self.headroom));
        pool.take_headroom(size);
    }

    /// Gives a frame's room back.
    #[inline]
    pub fn release(&mut self, pool: &mut Pool, size: u32) {
        let from_headroom = self.headroom.min(size);
        let rest = size - from_headroom;
        let from_shared = rest.min(self.shared());
        self.headroom -= from_headroom;
        self.held -= rest;
        pool.headroom_used -= from_headroom;
        pool.shared_used -= from_shared;
    }

    /// After an admission: whether the peer must be asked to pause. Notes that it was.
    #[inline]
    pub fn crosses_xoff(&mut self, pool: &Pool, now: Time) -> bool {
        if self.xoff || self.kind != ClassKind::Lossless {
            return false;
        }
        let shared = self.shared();
        let over = u64::from(shared) >= self.threshold(pool);
        let off = match pool.hpcc {
            true => self.headroom > 0 || over,
            // Within its reserve a group needs nobody's leave.
            false => self.headroom > 0 || (shared > 0 && (over || pool.shared_used > pool.shared_limit)),
        };
        if off {
            self.xoff = true;
            self.xoff_since = now;
        }
        off
    }

    /// After a release: whether the peer may resume. Notes that it may.
    #[inline]
    pub fn crosses_xon(&mut self, pool: &Pool, now: Time) -> bool {
        if !self.xoff || self.headroom > 0 {
            return false;
        }
        let shared = self.shared();
        let under = u64::from(shared) + u64::from(self.xon_offset) <= self.threshold(pool);
        let on = shared == 0 || (under && (pool.hpcc || pool.shared_used <= pool.shared_limit));
        if on {
            self.xoff = false;
            self.refresh_at = Time::MAX;
            self.xoff_total += now.saturating_since(self.xoff_since);
        }
        on
    }

    /// For how long the peer has been asked to pause, in all.
    pub fn xoff_time(&self, now: Time) -> Span {
        match self.xoff {
            true => self.xoff_total + now.saturating_since(self.xoff_since),
            false => self.xoff_total,
        }
    }
}
