//! Extension headers after the BTH (IBTA volume 1, 9.3), and which opcode has which (table 38).

use crate::error::{Reader, WireError};
use crate::opcode::{Service, op};
use crate::{Opcode, Qpn};

/// RDMA extended transport header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reth {
    /// Remote address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Length of the whole message in bytes.
    pub len: u32,
}

/// Acknowledge extended transport header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aeth {
    /// Syndrome byte; [`Syndrome::of`] reads it.
    pub syndrome: u8,
    /// Message sequence number, 24 bits.
    pub msn: u32,
}

/// What a syndrome says (table 45).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syndrome {
    /// Acknowledgement; credit count, 31 for none in use.
    Ack(u8),
    /// Receiver not ready; timer code.
    RnrNak(u8),
    /// Negative acknowledgement; 0 sequence, 1 invalid request, 2 remote access, 3 remote operational error, 4 invalid
    /// RD request.
    Nak(u8),
    /// Reserved.
    Reserved(u8),
}

impl Syndrome {
    /// Meaning of a syndrome byte.
    pub const fn of(byte: u8) -> Self {
        match (byte >> 5 & 3, byte & 31) {
            (0, credits) if byte < 0x80 => Syndrome::Ack(credits),
            (1, timer) if byte < 0x80 => Syndrome::RnrNak(timer),
            (3, code) if byte < 0x80 => Syndrome::Nak(code),
            _ => Syndrome::Reserved(byte),
        }
    }
}

/// Atomic extended transport header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtomicEth {
    /// Remote address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Value to swap in or to add.
    pub swap_or_add: u64,
    /// Value to compare with.
    pub compare: u64,
}

/// Datagram extended transport header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deth {
    /// Queue key.
    pub qkey: u32,
    /// Reserved byte.
    pub reserved: u8,
    /// Source queue pair.
    pub src: Qpn,
}

/// The extension headers of a packet, those that its opcode has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// DETH.
    pub deth: Option<Deth>,
    /// XRC extended transport header: reserved byte and number of the shared receive queue.
    pub xrceth: Option<u32>,
    /// RETH.
    pub reth: Option<Reth>,
    /// AtomicETH.
    pub atomic: Option<AtomicEth>,
    /// AETH.
    pub aeth: Option<Aeth>,
    /// AtomicAckETH: the value before.
    pub atomic_ack: Option<u64>,
    /// Immediate data.
    pub imm: Option<u32>,
    /// IETH: key to invalidate.
    pub ieth: Option<u32>,
}

/// Which extension headers an opcode has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "one flag a header")]
pub struct Layout {
    pub deth: bool,
    pub xrceth: bool,
    pub reth: bool,
    pub atomic: bool,
    pub aeth: bool,
    pub atomic_ack: bool,
    pub imm: bool,
    pub ieth: bool,
    pub payload: bool,
}

impl Layout {
    /// The layout of an opcode; `None` for one that RC, UC, UD and XRC do not define.
    pub const fn of(opcode: Opcode) -> Option<Self> {
        let o = opcode.operation();
        let (send, write) = (o <= op::SEND_ONLY_IMM, o >= op::WRITE_FIRST && o <= op::WRITE_ONLY_IMM);
        let known = match opcode.service() {
            Service::Rc | Service::Xrc => o <= op::SEND_ONLY_INVALIDATE && o != 21,
            Service::Uc => o <= op::WRITE_ONLY_IMM,
            Service::Ud => o == op::SEND_ONLY || o == op::SEND_ONLY_IMM,
            _ => false,
        };
        if !known {
            return None;
        }
        let response = o >= op::READ_RESPONSE_FIRST && o <= op::ATOMIC_ACKNOWLEDGE;
        let invalidate = o == op::SEND_LAST_INVALIDATE || o == op::SEND_ONLY_INVALIDATE;
        Some(Self {
            deth: matches!(opcode.service(), Service::Ud),
            xrceth: matches!(opcode.service(), Service::Xrc) && !response,
            reth: o == op::WRITE_FIRST
                || o == op::WRITE_ONLY
                || o == op::WRITE_ONLY_IMM
                || o == op::READ_REQUEST,
            atomic: o == op::COMPARE_SWAP || o == op::FETCH_ADD,
            aeth: response && o != op::READ_RESPONSE_MIDDLE,
            atomic_ack: o == op::ATOMIC_ACKNOWLEDGE,
            imm: o == op::SEND_LAST_IMM
                || o == op::SEND_ONLY_IMM
                || o == op::WRITE_LAST_IMM
                || o == op::WRITE_ONLY_IMM,
            ieth: invalidate,
            payload: send
                || write
                || invalidate
                || (o >= op::READ_RESPONSE_FIRST && o <= op::READ_RESPONSE_ONLY),
        })
    }
}

impl Extensions {
    pub(crate) fn read(r: &mut Reader<'_>, layout: Layout) -> Result<Self, WireError> {
        let mut ext = Self::default();
        if layout.deth {
            let qkey = r.u32("DETH Q_Key")?;
            let src = r.u32("DETH source QP")?;
            ext.deth = Some(Deth { qkey, reserved: (src >> 24) as u8, src: Qpn::new(src) });
        }
        if layout.xrceth {
            ext.xrceth = Some(r.u32("XRCETH")?);
        }
        if layout.reth {
            ext.reth = Some(Reth {
                va: r.u64("RETH address")?,
                rkey: r.u32("RETH key")?,
                len: r.u32("RETH length")?,
            });
        }
        if layout.atomic {
            ext.atomic = Some(AtomicEth {
                va: r.u64("AtomicETH address")?,
                rkey: r.u32("AtomicETH key")?,
                swap_or_add: r.u64("AtomicETH swap or add")?,
                compare: r.u64("AtomicETH compare")?,
            });
        }
        if layout.aeth {
            let word = r.u32("AETH")?;
            ext.aeth = Some(Aeth { syndrome: (word >> 24) as u8, msn: word & 0xff_ffff });
        }
        if layout.atomic_ack {
            ext.atomic_ack = Some(r.u64("AtomicAckETH")?);
        }
        if layout.imm {
            ext.imm = Some(r.u32("immediate data")?);
        }
        if layout.ieth {
            ext.ieth = Some(r.u32("IETH")?);
        }
        Ok(ext)
    }

    /// Appends the headers that are there, in the order of the standard.
    pub fn emit(&self, out: &mut Vec<u8>) {
        if let Some(deth) = &self.deth {
            out.extend_from_slice(&deth.qkey.to_be_bytes());
            out.extend_from_slice(&(u32::from(deth.reserved) << 24 | deth.src.get()).to_be_bytes());
        }
        if let Some(xrceth) = self.xrceth {
            out.extend_from_slice(&xrceth.to_be_bytes());
        }
        if let Some(reth) = &self.reth {
            out.extend_from_slice(&reth.va.to_be_bytes());
            out.extend_from_slice(&reth.rkey.to_be_bytes());
            out.extend_from_slice(&reth.len.to_be_bytes());
        }
        if let Some(atomic) = &self.atomic {
            out.extend_from_slice(&atomic.va.to_be_bytes());
            out.extend_from_slice(&atomic.rkey.to_be_bytes());
            out.extend_from_slice(&atomic.swap_or_add.to_be_bytes());
            out.extend_from_slice(&atomic.compare.to_be_bytes());
        }
        if let Some(aeth) = &self.aeth {
            out.extend_from_slice(&(u32::from(aeth.syndrome) << 24 | aeth.msn & 0xff_ffff).to_be_bytes());
        }
        if let Some(value) = self.atomic_ack {
            out.extend_from_slice(&value.to_be_bytes());
        }
        for word in [self.imm, self.ieth].into_iter().flatten() {
            out.extend_from_slice(&word.to_be_bytes());
        }
    }
}
