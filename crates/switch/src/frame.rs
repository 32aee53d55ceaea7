//! What the switch needs to know about a frame.

/// A frame in a switch: a small value (16 to 32 bytes) that stands for the bytes on the line.
pub trait Frame {
    /// Its length, in bytes, as the buffer and the scheduler count it. It must not change while the switch holds the
    /// frame; at most 65,535.
    fn bytes(&self) -> u32;

    /// Whether its IP header allows a mark (ECT or CE, RFC 3168 section 5). Frames that do not are never marked, and
    /// cost no random draw.
    fn ecn_capable(&self) -> bool;

    /// Sets congestion experienced.
    fn mark_ce(&mut self);
}
