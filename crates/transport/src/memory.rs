//! What a queue pair reads from and writes to.

/// Memory that registered regions lie in. Addresses have been checked before any call.
pub trait Memory {
    /// What a packet carries.
    type Payload: Clone + Default;
    /// `len` bytes at `va`.
    fn read(&mut self, va: u64, len: u32) -> Self::Payload;
    /// Put a payload at `va`.
    fn write(&mut self, va: u64, payload: &Self::Payload);
}

/// No memory: payloads have a length and no bytes. What the simulator runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    type Payload = ();
    #[inline]
    fn read(&mut self, _va: u64, _len: u32) {}
    #[inline]
    fn write(&mut self, _va: u64, (): &()) {}
}

/// Bytes in a vector; the address is the index.
#[derive(Clone, Debug, Default)]
pub struct VecMemory(pub Vec<u8>);

impl Memory for VecMemory {
    type Payload = Vec<u8>;
    fn read(&mut self, va: u64, len: u32) -> Vec<u8> {
        let from = va as usize;
        self.0.get(from..from + len as usize).map(<[u8]>::to_vec).unwrap_or_default()
    }
    fn write(&mut self, va: u64, payload: &Vec<u8>) {
        let from = va as usize;
        if let Some(to) = self.0.get_mut(from..from + payload.len()) {
            to.copy_from_slice(payload);
        }
    }
}
