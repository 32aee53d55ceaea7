//! Paths as runs of output ports in one array, so that a frame at a switch finds its way with one load.

/// A path: where in the arena its output ports lie, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) start: u32,
    pub(crate) hops: u8,
}

/// A frame whose next output port is decided at each switch.
pub(crate) const DYNAMIC: u32 = u32::MAX;

/// All paths in use. A path goes back when no frame follows it any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    ports: Vec<u16>,
    /// Unused runs, by length.
    free: Vec<Vec<u32>>,
}

impl Paths {
    /// Stores a path.
    pub(crate) fn add(&mut self, ports: &[u16]) -> Path {
        let hops = ports.len().min(usize::from(u8::MAX));
        if hops == 0 {
            return Path::default();
        }
        let start = match self.free.get_mut(hops).and_then(Vec::pop) {
            Some(start) => {
                self.ports[start as usize..start as usize + hops].copy_from_slice(&ports[..hops]);
                start
            }
            None => {
                self.ports.extend_from_slice(&ports[..hops]);
                (self.ports.len() - hops) as u32
            }
        };
        Path { start, hops: hops as u8 }
    }

    /// Gives a path back.
    pub(crate) fn release(&mut self, path: Path) {
        let hops = usize::from(path.hops);
        if hops == 0 {
            return;
        }
        if self.free.len() <= hops {
            self.free.resize_with(hops + 1, Vec::new);
        }
        self.free[hops].push(path.start);
    }

    /// The output port at a cursor.
    #[inline]
    pub(crate) fn port(&self, cursor: u32) -> u16 {
        self.ports[cursor as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_run_is_used_again() {
        let mut paths = Paths::default();
        let a = paths.add(&[1, 2, 3]);
        let b = paths.add(&[4]);
        assert_eq!((paths.port(a.start + 2), paths.port(b.start)), (3, 4));
        paths.release(a);
        let c = paths.add(&[7, 8, 9]);
        assert_eq!(c, a);
        assert_eq!(paths.port(c.start), 7);
        assert_eq!(paths.add(&[]), Path::default());
    }
}
