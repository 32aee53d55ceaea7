//! Why bytes are not the packet that was looked for.

/// A field that cannot be read, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The bytes end inside a field.
    #[error("{field} at byte {offset} needs {needed} bytes, {left} are left")]
    Short {
        /// What was read.
        field: &'static str,
        /// Where it begins, from the start of the packet.
        offset: usize,
        /// Bytes that it needs.
        needed: usize,
        /// Bytes that are there.
        left: usize,
    },
    /// A field has a value that it cannot have.
    #[error("{field} at byte {offset} is {found}, expected {expected}")]
    Value {
        /// What was read.
        field: &'static str,
        /// Where it is, from the start of the packet.
        offset: usize,
        /// What is there.
        found: u32,
        /// What could be.
        expected: &'static str,
    },
}

/// A cursor over a packet's bytes.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }
    pub fn at(&self) -> usize {
        self.at
    }
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
    pub fn take(&mut self, field: &'static str, n: usize) -> Result<&'a [u8], WireError> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else {
            return Err(WireError::Short { field, offset: self.at, needed: n, left: self.left() });
        };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], WireError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }
    pub fn u8(&mut self, field: &'static str) -> Result<u8, WireError> {
        Ok(self.array::<1>(field)?[0])
    }
    pub fn u16(&mut self, field: &'static str) -> Result<u16, WireError> {
        self.array(field).map(u16::from_be_bytes)
    }
    pub fn u32(&mut self, field: &'static str) -> Result<u32, WireError> {
        self.array(field).map(u32::from_be_bytes)
    }
    pub fn u64(&mut self, field: &'static str) -> Result<u64, WireError> {
        self.array(field).map(u64::from_be_bytes)
    }
}
