//! A constant and a name for each opcode that the standard defines.

use super::Opcode;

macro_rules! opcodes {
    ($($name:ident = $value:literal,)*) => {
        impl Opcode {
            $(
                #[doc = concat!("`", stringify!($value), "`.")]
                pub const $name: Opcode = Opcode($value);
            )*

            /// Every code that the standard names, in rising order.
            pub const ALL: &'static [Opcode] = &[$(Opcode($value)),*];

            /// The name that the standard gives it, as of the constant; `None` for an unknown code.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($value => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

opcodes! {
    RC_SEND_FIRST = 0x00,
    RC_SEND_MIDDLE = 0x01,
    RC_SEND_LAST = 0x02,
    RC_SEND_LAST_IMM = 0x03,
    RC_SEND_ONLY = 0x04,
    RC_SEND_ONLY_IMM = 0x05,
    RC_WRITE_FIRST = 0x06,
    RC_WRITE_MIDDLE = 0x07,
    RC_WRITE_LAST = 0x08,
    RC_WRITE_LAST_IMM = 0x09,
    RC_WRITE_ONLY = 0x0a,
    RC_WRITE_ONLY_IMM = 0x0b,
    RC_READ_REQUEST = 0x0c,
    RC_READ_RESPONSE_FIRST = 0x0d,
    RC_READ_RESPONSE_MIDDLE = 0x0e,
    RC_READ_RESPONSE_LAST = 0x0f,
    RC_READ_RESPONSE_ONLY = 0x10,
    RC_ACKNOWLEDGE = 0x11,
    RC_ATOMIC_ACKNOWLEDGE = 0x12,
    RC_COMPARE_SWAP = 0x13,
    RC_FETCH_ADD = 0x14,
    RC_SEND_LAST_INVALIDATE = 0x16,
    RC_SEND_ONLY_INVALIDATE = 0x17,
    UC_SEND_FIRST = 0x20,
    UC_SEND_MIDDLE = 0x21,
    UC_SEND_LAST = 0x22,
    UC_SEND_LAST_IMM = 0x23,
    UC_SEND_ONLY = 0x24,
    UC_SEND_ONLY_IMM = 0x25,
    UC_WRITE_FIRST = 0x26,
    UC_WRITE_MIDDLE = 0x27,
    UC_WRITE_LAST = 0x28,
    UC_WRITE_LAST_IMM = 0x29,
    UC_WRITE_ONLY = 0x2a,
    UC_WRITE_ONLY_IMM = 0x2b,
    RD_SEND_FIRST = 0x40,
    RD_SEND_MIDDLE = 0x41,
    RD_SEND_LAST = 0x42,
    RD_SEND_LAST_IMM = 0x43,
    RD_SEND_ONLY = 0x44,
    RD_SEND_ONLY_IMM = 0x45,
    RD_WRITE_FIRST = 0x46,
    RD_WRITE_MIDDLE = 0x47,
    RD_WRITE_LAST = 0x48,
    RD_WRITE_LAST_IMM = 0x49,
    RD_WRITE_ONLY = 0x4a,
    RD_WRITE_ONLY_IMM = 0x4b,
    RD_READ_REQUEST = 0x4c,
    RD_READ_RESPONSE_FIRST = 0x4d,
    RD_READ_RESPONSE_MIDDLE = 0x4e,
    RD_READ_RESPONSE_LAST = 0x4f,
    RD_READ_RESPONSE_ONLY = 0x50,
    RD_ACKNOWLEDGE = 0x51,
    RD_ATOMIC_ACKNOWLEDGE = 0x52,
    RD_COMPARE_SWAP = 0x53,
    RD_FETCH_ADD = 0x54,
    RD_RESYNC = 0x55,
    UD_SEND_ONLY = 0x64,
    UD_SEND_ONLY_IMM = 0x65,
    CNP = 0x81,
    XRC_SEND_FIRST = 0xa0,
    XRC_SEND_MIDDLE = 0xa1,
    XRC_SEND_LAST = 0xa2,
    XRC_SEND_LAST_IMM = 0xa3,
    XRC_SEND_ONLY = 0xa4,
    XRC_SEND_ONLY_IMM = 0xa5,
    XRC_WRITE_FIRST = 0xa6,
    XRC_WRITE_MIDDLE = 0xa7,
    XRC_WRITE_LAST = 0xa8,
    XRC_WRITE_LAST_IMM = 0xa9,
    XRC_WRITE_ONLY = 0xaa,
    XRC_WRITE_ONLY_IMM = 0xab,
    XRC_READ_REQUEST = 0xac,
    XRC_READ_RESPONSE_FIRST = 0xad,
    XRC_READ_RESPONSE_MIDDLE = 0xae,
    XRC_READ_RESPONSE_LAST = 0xaf,
    XRC_READ_RESPONSE_ONLY = 0xb0,
    XRC_ACKNOWLEDGE = 0xb1,
    XRC_ATOMIC_ACKNOWLEDGE = 0xb2,
    XRC_COMPARE_SWAP = 0xb3,
    XRC_FETCH_ADD = 0xb4,
    XRC_SEND_LAST_INVALIDATE = 0xb6,
    XRC_SEND_ONLY_INVALIDATE = 0xb7,
}
