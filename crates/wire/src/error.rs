//! Why bytes are not the packet that was looked for, and the cursor that finds out.

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

/// A packet that cannot be sent as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Headers, payload and ICRC are more than a length field can say.
    #[error("{field} would be {bytes} bytes, at most {limit} fit; send less payload in one packet")]
    TooLong {
        /// The length field.
        field: &'static str,
        /// What it would have to say.
        bytes: usize,
        /// The most that it can say.
        limit: usize,
    },
}

/// A cursor over a packet's bytes; it never passes their end.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// At the start of the packet.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, at: 0 }
    }
    /// Over the next `n` bytes alone, which this one passes; offsets go on from here.
    pub fn part(&mut self, field: &'static str, n: usize) -> Result<Reader<'a>, WireError> {
        let at = self.at;
        Ok(Reader { rest: self.take(field, n)?, at })
    }
    /// Bytes passed, from the start of the packet.
    pub fn at(&self) -> usize {
        self.at
    }
    /// Bytes not passed.
    pub fn left(&self) -> usize {
        self.rest.len()
    }
    /// The bytes not passed.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
    pub fn take(&mut self, field: &'static str, n: usize) -> Result<&'a [u8], WireError> {
        match self.rest.split_at_checked(n) {
            Some((taken, rest)) => {
                self.rest = rest;
                self.at += n;
                Ok(taken)
            }
            None => Err(WireError::Short { field, offset: self.at, needed: n, left: self.left() }),
        }
    }
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], WireError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }
    pub fn u16(&mut self, field: &'static str) -> Result<u16, WireError> {
        self.array(field).map(u16::from_be_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_field_says_what_it_needed_and_where() {
        let mut r = Reader::new(&[1, 2, 3]);
        assert_eq!(r.u16("one"), Ok(0x0102));
        let error = r.u16("two").unwrap_err();
        assert_eq!(error, WireError::Short { field: "two", offset: 2, needed: 2, left: 1 });
        assert_eq!(error.to_string(), "two at byte 2 needs 2 bytes, 1 are left");
        assert_eq!(r.rest(), &[3], "a failed read passes nothing");
    }

    #[test]
    fn a_part_ends_where_it_ends_and_counts_from_the_packet() {
        let mut r = Reader::new(&[1, 2, 3, 4, 5]);
        let mut part = {
            r.take("first", 1).unwrap();
            r.part("part", 2).unwrap()
        };
        assert_eq!((part.at(), part.left(), r.at(), r.left()), (1, 2, 3, 2));
        assert!(part.take("more", 3).is_err());
    }
}
