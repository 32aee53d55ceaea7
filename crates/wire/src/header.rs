//! What every header of fixed length has.

/// Gives a header type, from its `from_bytes(&[u8; BYTES])` and `to_bytes() -> [u8; BYTES]`, a checked `parse` and an
/// `emit`. Both directions are total: no bit pattern of the right length is refused, none is lost.
macro_rules! fixed_header {
    ($header:ty, $bytes:literal, $name:literal) => {
        impl $header {
            #[doc = concat!("Length of the ", $name, " in bytes.")]
            pub const BYTES: usize = $bytes;

            /// Reads the header at the start of `bytes`; what follows is not looked at.
            pub fn parse(bytes: &[u8]) -> Result<Self, crate::WireError> {
                Self::read(&mut crate::error::Reader::new(bytes))
            }

            pub(crate) fn read(r: &mut crate::error::Reader<'_>) -> Result<Self, crate::WireError> {
                r.array::<$bytes>($name).map(|bytes| Self::from_bytes(&bytes))
            }

            /// Appends the header.
            pub fn emit(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_bytes());
            }
        }
    };
}
pub(crate) use fixed_header;

/// `N` bytes of a header from `at`, which is a constant within it.
pub(crate) const fn field<const N: usize, const H: usize>(bytes: &[u8; H], at: usize) -> [u8; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = bytes[at + i];
        i += 1;
    }
    out
}

pub(crate) const fn be16<const H: usize>(bytes: &[u8; H], at: usize) -> u16 {
    u16::from_be_bytes(field(bytes, at))
}

pub(crate) const fn be32<const H: usize>(bytes: &[u8; H], at: usize) -> u32 {
    u32::from_be_bytes(field(bytes, at))
}

pub(crate) const fn be64<const H: usize>(bytes: &[u8; H], at: usize) -> u64 {
    u64::from_be_bytes(field(bytes, at))
}

/// One array from several pieces, whose lengths sum to its own.
pub(crate) fn join<const H: usize>(pieces: &[&[u8]]) -> [u8; H] {
    let mut out = [0; H];
    let mut rest = &mut out[..];
    for piece in pieces {
        let n = piece.len().min(rest.len());
        let (here, after) = rest.split_at_mut(n);
        here.copy_from_slice(&piece[..n]);
        rest = after;
    }
    debug_assert!(rest.is_empty(), "pieces shorter than the header");
    out
}
