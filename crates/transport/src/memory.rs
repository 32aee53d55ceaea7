//! What a queue pair reads from and writes to.

/// What an atomic operation does to eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOp {
    /// Replace by `swap` if equal to `compare`.
    CompareSwap {
        /// Expected value.
        compare: u64,
        /// New value.
        swap: u64,
    },
    /// Add, modulo 2^64.
    FetchAdd {
        /// What is added.
        add: u64,
    },
}

impl AtomicOp {
    /// The value after, from the one before.
    pub const fn apply(self, before: u64) -> u64 {
        match self {
            AtomicOp::CompareSwap { compare, swap } if before == compare => swap,
            AtomicOp::CompareSwap { .. } => before,
            AtomicOp::FetchAdd { add } => before.wrapping_add(add),
        }
    }
}

/// Memory that registered regions lie in. Keys, bounds and rights have been checked before any call; an implementation
/// must all the same not panic on an address that it does not have.
pub trait Memory {
    /// What a packet carries.
    type Payload: Clone + Default;

    /// Add `len` bytes at `va` to the end of a payload.
    fn read(&mut self, va: u64, len: u32, into: &mut Self::Payload);

    /// Put `len` bytes of a payload, from byte `skip` on, at `va`: in rising order, so that a program that watches the last
    /// byte finds the others there.
    fn write(&mut self, va: u64, payload: &Self::Payload, skip: u32, len: u32);

    /// Put bytes at `va`.
    fn write_bytes(&mut self, va: u64, bytes: &[u8]);

    /// The bytes `from..from + len` of a payload, as one of their own (inline data of a later packet).
    fn slice(payload: &Self::Payload, from: u32, len: u32) -> Self::Payload;

    /// An atomic operation on the eight bytes at `va`, a number in the host's order; gives the value before.
    fn atomic(&mut self, va: u64, op: AtomicOp) -> u64;
}

/// No memory: payloads have a length and no bytes. What the simulator runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    type Payload = ();
    #[inline]
    fn read(&mut self, _va: u64, _len: u32, (): &mut ()) {}
    #[inline]
    fn write(&mut self, _va: u64, (): &(), _skip: u32, _len: u32) {}
    #[inline]
    fn write_bytes(&mut self, _va: u64, _bytes: &[u8]) {}
    #[inline]
    fn slice((): &(), _from: u32, _len: u32) {}
    #[inline]
    fn atomic(&mut self, _va: u64, _op: AtomicOp) -> u64 {
        0
    }
}

/// Bytes in a vector; the address is the index.
#[derive(Clone, Debug, Default)]
pub struct VecMemory(pub Vec<u8>);

impl VecMemory {
    fn range(&mut self, va: u64, len: usize) -> Option<&mut [u8]> {
        let from = usize::try_from(va).ok()?;
        self.0.get_mut(from..from.checked_add(len)?)
    }
}

impl Memory for VecMemory {
    type Payload = Vec<u8>;

    fn read(&mut self, va: u64, len: u32, into: &mut Vec<u8>) {
        match self.range(va, len as usize) {
            Some(bytes) => into.extend_from_slice(bytes),
            None => into.resize(into.len() + len as usize, 0),
        }
    }

    fn write(&mut self, va: u64, payload: &Vec<u8>, skip: u32, len: u32) {
        let (skip, len) = (skip as usize, len as usize);
        if let (Some(to), Some(bytes)) = (self.range(va, len), payload.get(skip..skip + len)) {
            to.copy_from_slice(bytes);
        }
    }

    fn write_bytes(&mut self, va: u64, bytes: &[u8]) {
        if let Some(to) = self.range(va, bytes.len()) {
            to.copy_from_slice(bytes);
        }
    }

    fn slice(payload: &Vec<u8>, from: u32, len: u32) -> Vec<u8> {
        let from = from as usize;
        payload.get(from..from + len as usize).map(<[u8]>::to_vec).unwrap_or_default()
    }

    fn atomic(&mut self, va: u64, op: AtomicOp) -> u64 {
        let Some(bytes) = self.range(va, 8) else { return 0 };
        let mut before = [0; 8];
        before.copy_from_slice(bytes);
        let before = u64::from_ne_bytes(before);
        bytes.copy_from_slice(&op.apply(before).to_ne_bytes());
        before
    }
}
