//! What a switch is made of, and what is wrong with a description of one.

use crate::mmu::Layout;
use crate::{Alpha, PRIORITIES, PauseStyle, Port, Priority, RedParams, Threshold, WatchdogParams};
use weir_units::{Rate, Span};

/// A switch.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchConfig {
    /// All of the packet buffer, at most 4 GiB less one byte.
    pub buffer_bytes: u64,
    /// How the buffer is accounted.
    pub mmu: MmuParams,
    /// The traffic classes, one a priority. Frames of other priorities are dropped.
    pub classes: Vec<ClassConfig>,
    /// The ports; the first is [`Port`] 0.
    pub ports: Vec<PortConfig>,
    /// Pauses.
    pub pfc: PfcParams,
    /// The PFC watchdog, if there is one.
    pub watchdog: Option<WatchdogParams>,
    /// Which depth decides about an ECN mark.
    pub mark_at: MarkAt,
    /// How a port chooses among its queues.
    pub scheduler: Scheduler,
}

/// How the buffer is accounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MmuParams {
    /// Weir's own. The buffer is the sum of every port's and class's reserve, the headroom of every port and lossless
    /// class, one frame for each of the latter (the frame whose end crosses the threshold), and the shared part.
    Standard {
        /// Longest frame of a lossless class.
        max_frame_bytes: u32,
    },
    /// That of the ns-3 HPCC simulator: 32-bit arithmetic that wraps, headroom and reserve counted once a port
    /// whatever the number of classes, admission by the threshold that the frame would end at. A budget that does not
    /// fit the buffer is not refused, it wraps.
    Hpcc,
}

impl MmuParams {
    /// Bytes that the ns-3 HPCC simulator reserves for each port and class.
    pub const HPCC_RESERVE_BYTES: u32 = 4096;
    /// How far below the threshold the ns-3 HPCC simulator resumes.
    pub const HPCC_XON_OFFSET_BYTES: u32 = 3072;
}

/// What a class promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// PFC protects it: pause instead of loss.
    Lossless,
    /// It loses frames when its queue is full.
    Lossy,
    /// It takes no part in buffer accounting and is never lost, paused or marked (queue 0 of the ns-3 HPCC simulator).
    Control,
}

/// A traffic class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassConfig {
    /// Its priority, and its place in PFC frames.
    pub priority: Priority,
    /// What it promises.
    pub kind: ClassKind,
    /// Limit on the shared buffer that the frames of one ingress port may hold: above it a lossless class pauses the
    /// peer, a lossy one drops. SONiC: `dynamic_th` or `static_th` of the ingress profile.
    pub ingress: Threshold,
    /// Limit on the frames that wait at one egress port: at it, the class drops. For a lossless class nothing but
    /// [`Threshold::UNLIMITED`] keeps it lossless. SONiC: `dynamic_th` or `static_th` of the egress profile.
    pub egress: Threshold,
    /// Guaranteed to the frames of each ingress port before they draw on the shared buffer, bytes. SONiC: `size` of a
    /// lossy profile.
    pub reserve_bytes: u32,
    /// The peer may resume when occupancy is this far below the threshold. SONiC: `xon_offset`.
    pub xon_offset_bytes: u32,
    /// Its share of a port.
    pub scheduling: Scheduling,
}

impl ClassConfig {
    /// A lossless class with a dynamic threshold of `alpha`, no reserve, and an equal share of ports.
    pub fn lossless(priority: Priority, alpha: Alpha) -> Self {
        Self {
            priority,
            kind: ClassKind::Lossless,
            ingress: Threshold::Dynamic(alpha),
            egress: Threshold::UNLIMITED,
            reserve_bytes: 0,
            xon_offset_bytes: 0,
            scheduling: Scheduling::Weighted(1),
        }
    }

    /// A lossy class: its egress queues have a dynamic threshold of `alpha`, its ingress none.
    pub fn lossy(priority: Priority, alpha: Alpha) -> Self {
        Self {
            kind: ClassKind::Lossy,
            ingress: Threshold::UNLIMITED,
            egress: Threshold::Dynamic(alpha),
            ..Self::lossless(priority, alpha)
        }
    }

    /// A strict class outside the buffer's accounting.
    pub fn control(priority: Priority) -> Self {
        Self {
            priority,
            kind: ClassKind::Control,
            ingress: Threshold::UNLIMITED,
            egress: Threshold::UNLIMITED,
            reserve_bytes: 0,
            xon_offset_bytes: 0,
            scheduling: Scheduling::Strict,
        }
    }

    /// A lossless class of the ns-3 HPCC simulator; its threshold is that of the ports ([`PortConfig::hpcc`]).
    pub fn hpcc(priority: Priority) -> Self {
        Self {
            priority,
            kind: ClassKind::Lossless,
            ingress: Threshold::Static(0),
            egress: Threshold::UNLIMITED,
            reserve_bytes: MmuParams::HPCC_RESERVE_BYTES,
            xon_offset_bytes: MmuParams::HPCC_XON_OFFSET_BYTES,
            scheduling: Scheduling::Weighted(1),
        }
    }
}

/// How a class shares a port with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// Before all that is not strict; among strict classes the higher priority goes first.
    Strict,
    /// Shares what strict classes leave, by weight in bytes (deficit weighted round robin); at least 1.
    Weighted(u32),
}

/// How a port chooses among its queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// As [`ClassConfig::scheduling`] says.
    #[default]
    Classes,
    /// Packet by packet as in the ns-3 HPCC simulator: priority 0 first and never paused, then the others in turn,
    /// beginning after the one served last.
    PacketRoundRobin,
}

/// Which depth of a queue decides about an ECN mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkAt {
    /// What a frame leaves behind when it leaves.
    #[default]
    Dequeue,
    /// What a frame finds when it arrives. (The draw is still made when it leaves.)
    Enqueue,
}

/// A port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortConfig {
    /// The line's rate.
    pub rate: Rate,
    /// Headroom of each lossless class, bytes. SONiC: `xoff` of a lossless profile.
    pub headroom_bytes: u32,
    /// Ingress threshold of the lossless classes at this port, instead of the class's own.
    pub threshold: Option<Threshold>,
    /// ECN marking of each priority's queue.
    pub ecn: [Option<RedParams>; PRIORITIES],
}

impl PortConfig {
    /// A port without headroom or ECN.
    pub fn new(rate: Rate) -> Self {
        Self { rate, headroom_bytes: 0, threshold: None, ecn: [None; PRIORITIES] }
    }

    /// A port of the ns-3 HPCC simulator: headroom of three times what the line carries in `delay`, and a threshold of
    /// the free buffer shifted right by `shift`.
    pub fn hpcc(rate: Rate, delay: Span, shift: u8) -> Self {
        let threshold = Alpha::power_of_two(-i32::from(shift)).map(Threshold::Dynamic);
        Self {
            headroom_bytes: u32::try_from(crate::headroom::hpcc_bytes(rate, delay)).unwrap_or(u32::MAX),
            threshold: Some(threshold.unwrap_or(Threshold::Static(0))),
            ..Self::new(rate)
        }
    }

    /// The same port with the queue of `priority` marked by `red`.
    pub fn with_ecn(mut self, priority: Priority, red: RedParams) -> Self {
        self.ecn[priority.index()] = Some(red);
        self
    }
}

/// Priority flow control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PfcParams {
    /// Off: lossless classes are lossy ones that drop at their ingress threshold, and received PFC frames are ignored.
    pub enabled: bool,
    /// How long a pause holds, sent and received.
    pub style: PauseStyle,
    /// Pause time that the switch asks for, in quanta of 512 bit times.
    pub quanta: u16,
    /// A pause is repeated when this share of its time has passed, 0 to 1 (exclusive).
    pub refresh: f64,
    /// Time between the arrival of a pause and the last start of a frame that it stops
    /// ([`pause::response_limit`](crate::pause::response_limit) is what the standard allows).
    pub response_delay: Span,
}

impl Default for PfcParams {
    /// Standard pauses of the longest time, repeated at half of it, obeyed at once.
    fn default() -> Self {
        Self {
            enabled: true,
            style: PauseStyle::Quanta,
            quanta: u16::MAX,
            refresh: 0.5,
            response_delay: Span::ZERO,
        }
    }
}

impl PfcParams {
    /// A pause that holds until a resume, obeyed at once: the ns-3 HPCC simulator.
    pub fn on_off() -> Self {
        Self { style: PauseStyle::OnOff, ..Self::default() }
    }
}

/// A switch that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// No port, or too many.
    #[error("a switch has 1 to {} ports, not {found}", Port::MAX_PORTS)]
    Ports {
        /// How many.
        found: usize,
    },
    /// No class.
    #[error("a switch needs at least one traffic class")]
    NoClass,
    /// Two classes of one priority.
    #[error("two classes have priority {priority}; give each its own")]
    DuplicatePriority {
        /// The priority.
        priority: Priority,
    },
    /// A weight of nothing.
    #[error("the class of priority {priority} has weight 0 and would never send; weights begin at 1")]
    ZeroWeight {
        /// The class's priority.
        priority: Priority,
    },
    /// More buffer than 32 bits count.
    #[error("a buffer of {found} B is more than {} B", u32::MAX)]
    BufferTooLarge {
        /// How much.
        found: u64,
    },
    /// The parts are more than the whole.
    #[error(
        "the buffer of {buffer_bytes} B cannot hold headroom of {headroom_bytes} B + reserve of {reserve_bytes} B + \
         {skid_bytes} B for one frame a lossless port and class = {} B; give the switch more buffer, or less headroom \
         (shorter cables, fewer lossless classes)",
        headroom_bytes + reserve_bytes + skid_bytes
    )]
    Budget {
        /// All of it.
        buffer_bytes: u64,
        /// Sum of headroom.
        headroom_bytes: u64,
        /// Sum of reserve.
        reserve_bytes: u64,
        /// Sum of one frame for each port and lossless class.
        skid_bytes: u64,
    },
    /// A pause without time, or never repeated in time.
    #[error("{what}")]
    Pfc {
        /// What is wrong.
        what: &'static str,
    },
    /// A marking curve that falls.
    #[error("port {port} priority {priority}: ECN needs kmin <= kmax and pmax from 0 to 1, not kmin {} B, kmax {} B, \
             pmax {}", red.kmin_bytes, red.kmax_bytes, red.pmax)]
    Ecn {
        /// The port.
        port: Port,
        /// The priority.
        priority: Priority,
        /// The parameters.
        red: RedParams,
    },
    /// A port of no rate.
    #[error("port {port} has rate 0")]
    ZeroRate {
        /// The port.
        port: Port,
    },
    /// A watchdog without time.
    #[error("the watchdog's detection and restoration times must be above zero")]
    Watchdog,
}

impl SwitchConfig {
    /// Whether such a switch can be.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.ports.is_empty() || self.ports.len() > Port::MAX_PORTS {
            return Err(ConfigError::Ports { found: self.ports.len() });
        }
        if self.classes.is_empty() {
            return Err(ConfigError::NoClass);
        }
        let mut seen = 0u8;
        for class in &self.classes {
            if seen & class.priority.bit() != 0 {
                return Err(ConfigError::DuplicatePriority { priority: class.priority });
            }
            seen |= class.priority.bit();
            if class.scheduling == Scheduling::Weighted(0) {
                return Err(ConfigError::ZeroWeight { priority: class.priority });
            }
        }
        if self.pfc.style == PauseStyle::Quanta && self.pfc.enabled {
            if self.pfc.quanta == 0 {
                return Err(ConfigError::Pfc { what: "a pause of 0 quanta is a resume; use 1 to 65535" });
            }
            if !(self.pfc.refresh > 0.0 && self.pfc.refresh < 1.0) {
                return Err(ConfigError::Pfc {
                    what: "a pause must be repeated before it expires: refresh is above 0 and below 1",
                });
            }
        }
        if self.watchdog.is_some_and(|dog| dog.detection == Span::ZERO || dog.restoration == Span::ZERO) {
            return Err(ConfigError::Watchdog);
        }
        for (port, index) in self.ports.iter().zip(0u16..) {
            if port.rate == Rate::ZERO {
                return Err(ConfigError::ZeroRate { port: Port(index) });
            }
            for (red, priority) in port.ecn.iter().zip(Priority::ALL) {
                let Some(red) = *red else { continue };
                if red.kmin_bytes > red.kmax_bytes || !(0.0..=1.0).contains(&red.pmax) {
                    return Err(ConfigError::Ecn { port: Port(index), priority, red });
                }
            }
        }
        Layout::of(self).map(|_| ())
    }
}
