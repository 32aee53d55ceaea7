//! Names of ports and priorities.

use std::fmt;

/// How many priorities there are (IEEE 802.1Q).
pub const PRIORITIES: usize = 8;

/// A port of a switch, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u16);

impl Port {
    /// The most ports that a switch can have.
    pub const MAX_PORTS: usize = 1024;

    /// As an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A priority (802.1p code point and PFC class), 0 to 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u8);

impl Priority {
    /// Every priority, lowest first.
    pub const ALL: [Priority; PRIORITIES] = [
        Priority(0),
        Priority(1),
        Priority(2),
        Priority(3),
        Priority(4),
        Priority(5),
        Priority(6),
        Priority(7),
    ];

    /// From its number; `None` above 7.
    #[inline]
    pub const fn new(number: u8) -> Option<Self> {
        if number < PRIORITIES as u8 { Some(Self(number)) } else { None }
    }

    /// From the low three bits of `number`, as the PCP field of a VLAN tag holds it.
    #[inline]
    pub const fn from_pcp(number: u8) -> Self {
        Self(number & 7)
    }

    /// As a number, 0 to 7.
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// As an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The bit of this priority in a PFC class-enable vector.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self.0
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
