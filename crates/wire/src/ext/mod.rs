//! Extension headers after the BTH (IBTA volume 1, 9.3), one a file, and which opcode has which.

mod aeth;
mod atomic_ack_eth;
mod atomic_eth;
mod deth;
mod ieth;
mod imm_dt;
mod layout;
mod rdeth;
mod reth;
mod syndrome;
mod xrceth;

pub use aeth::Aeth;
pub use atomic_ack_eth::AtomicAckEth;
pub use atomic_eth::AtomicEth;
pub use deth::Deth;
pub use ieth::Ieth;
pub use imm_dt::ImmDt;
pub use layout::Headers;
pub use rdeth::Rdeth;
pub use reth::Reth;
pub use syndrome::{NakCode, Syndrome, credits};
pub use xrceth::Xrceth;

use crate::error::{Reader, WireError};
use std::fmt;

/// The extension headers of a packet. A packet that is to be read again has those that its opcode's
/// [`headers`](crate::Opcode::headers) say, no more and no less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Reliable datagram.
    pub rdeth: Option<Rdeth>,
    /// Datagram.
    pub deth: Option<Deth>,
    /// XRC.
    pub xrceth: Option<Xrceth>,
    /// RDMA.
    pub reth: Option<Reth>,
    /// Atomic request.
    pub atomic: Option<AtomicEth>,
    /// Acknowledgement.
    pub aeth: Option<Aeth>,
    /// Atomic acknowledgement.
    pub atomic_ack: Option<AtomicAckEth>,
    /// Immediate data.
    pub imm: Option<ImmDt>,
    /// Key to invalidate.
    pub ieth: Option<Ieth>,
}

macro_rules! each {
    ($($flag:ident $field:ident $header:ident,)*) => {
        impl Extensions {
            /// Reads the headers at the start of `bytes`.
            pub fn parse(bytes: &[u8], headers: Headers) -> Result<Self, WireError> {
                Self::read(&mut Reader::new(bytes), headers)
            }

            pub(crate) fn read(r: &mut Reader<'_>, headers: Headers) -> Result<Self, WireError> {
                let mut ext = Self::default();
                $(if headers.contains(Headers::$flag) {
                    ext.$field = Some($header::read(r)?);
                })*
                Ok(ext)
            }

            /// Which headers are there.
            pub const fn headers(&self) -> Headers {
                let mut headers = Headers::empty();
                $(if self.$field.is_some() {
                    headers = headers.union(Headers::$flag);
                })*
                headers
            }

            /// Appends the headers that are there, in the order of the standard.
            pub fn emit(&self, out: &mut Vec<u8>) {
                $(if let Some(header) = &self.$field {
                    header.emit(out);
                })*
            }
        }

        impl fmt::Display for Extensions {
            /// The headers that are there, comma-separated; nothing if there are none.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut before = "";
                $(if let Some(header) = &self.$field {
                    write!(f, "{before}{header}")?;
                    before = ", ";
                })*
                let _ = before;
                Ok(())
            }
        }

        $(impl From<$header> for Extensions {
            fn from(header: $header) -> Self {
                Self { $field: Some(header), ..Self::default() }
            }
        })*
    };
}

each! {
    RDETH rdeth Rdeth,
    DETH deth Deth,
    XRCETH xrceth Xrceth,
    RETH reth Reth,
    ATOMIC_ETH atomic AtomicEth,
    AETH aeth Aeth,
    ATOMIC_ACK_ETH atomic_ack AtomicAckEth,
    IMM_DT imm ImmDt,
    IETH ieth Ieth,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Opcode;

    #[test]
    fn write_with_immediate() {
        let ext = Extensions { imm: Some(ImmDt(7)), ..Reth { va: 1, rkey: 2, len: 3 }.into() };
        assert_eq!(Some(ext.headers()), Opcode::RC_WRITE_ONLY_IMM.headers());
        let mut bytes = Vec::new();
        ext.emit(&mut bytes);
        assert_eq!(bytes, [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 7]);
        assert_eq!(Extensions::parse(&bytes, ext.headers()), Ok(ext));
        let text = "RETH va 0x0000000000000001 rkey 0x00000002 length 3, ImmDt 0x00000007";
        assert_eq!(ext.to_string(), text);
    }

    #[test]
    fn bytes_of_headers_are_what_is_emitted() {
        for &opcode in Opcode::ALL {
            let headers = opcode.headers().unwrap();
            let ext = Extensions::parse(&[0; 64], headers).unwrap();
            let mut out = Vec::new();
            ext.emit(&mut out);
            assert_eq!(out.len(), headers.bytes(), "{opcode}");
            assert_eq!(ext.headers(), headers, "{opcode}");
            if let Some(short) = out.len().checked_sub(1) {
                assert!(Extensions::parse(&out[..short], headers).is_err(), "{opcode}");
            }
        }
    }
}
