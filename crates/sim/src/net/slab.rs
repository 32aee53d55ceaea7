//! Values of one size in one array, by number.

/// A slab: the slots of values that have gone are used again, latest first, so that the working set stays small.
#[derive(Clone, Debug)]
pub(crate) struct Slab<T> {
    slots: Vec<T>,
    free: Vec<u32>,
    peak: usize,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), peak: 0 }
    }
}

impl<T> Slab<T> {
    /// Stores a value; its number.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = value;
                slot
            }
            None => {
                self.slots.push(value);
                self.peak = self.slots.len();
                (self.slots.len() - 1) as u32
            }
        }
    }

    /// Gives a slot back; what is in it stays until the slot is used again.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        self.free.push(slot);
        debug_assert!(self.free.len() <= self.slots.len(), "a slot was given back twice");
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> &T {
        &self.slots[slot as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut T {
        &mut self.slots[slot as usize]
    }

    /// Slots in use.
    pub(crate) fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Most slots ever in use at once.
    pub(crate) fn peak(&self) -> usize {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again() {
        let mut slab = Slab::default();
        let (a, b) = (slab.insert('a'), slab.insert('b'));
        slab.remove(a);
        assert_eq!(slab.live(), 1);
        assert_eq!(slab.insert('c'), a);
        assert_eq!((*slab.get(a), *slab.get(b), slab.live(), slab.peak()), ('c', 'b', 2, 2));
        *slab.get_mut(b) = 'd';
        assert_eq!(*slab.get(b), 'd');
    }
}
