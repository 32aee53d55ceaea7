//! The space of Kmin, Kmax and Pmax, and the points in it worth a first look.

use crate::candidate::{Candidate, ControlChoice};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use weir_fabric::{EcnRule, EcnThresholds as Thresholds};
use weir_units::{Bytes, Rate};

/// Bounds of the search, at the reference speed; sizes are searched by their logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// The speed that the sizes are meant for; other links scale in proportion.
    pub at: Rate,
    /// Kmin, smallest and largest.
    pub kmin: (Bytes, Bytes),
    /// Kmax as a multiple of Kmin, smallest and largest.
    pub kmax_over_kmin: (f64, f64),
    /// Pmax, smallest and largest.
    pub pmax: (f64, f64),
    /// Kmin may not exceed this: above it PFC could pause before ECN has marked.
    pub kmin_limit: Option<Bytes>,
}

impl Space {
    /// The bounds that published tuners use (Paraleon: Kmin 40 to 1600 KB, Kmax 480 to 6400 KB, Pmax 0.1 to 0.4),
    /// widened downwards to the DCQCN paper's values, in proportion to the speed of the hosts' links.
    pub fn published(at: Rate) -> Self {
        let scale = |kb: u64| Bytes::new(kb * 1000 * at.as_bps() / 100_000_000_000);
        Self {
            at,
            kmin: (scale(12), scale(1600)),
            kmax_over_kmin: (1.0, 40.0),
            pmax: (0.01, 1.0),
            kmin_limit: None,
        }
    }

    /// The point at `unit`, three coordinates in 0..1.
    pub fn point(&self, unit: [f64; 3]) -> Thresholds {
        let log = |(low, high): (f64, f64), u: f64| low * (high / low).powf(u.clamp(0.0, 1.0));
        let bytes = |b: Bytes| b.get() as f64;
        let top = self.kmin_limit.map_or(self.kmin.1, |limit| limit.min(self.kmin.1)).max(self.kmin.0);
        let kmin = log((bytes(self.kmin.0), bytes(top)), unit[0]);
        let kmax = kmin * log(self.kmax_over_kmin, unit[1]);
        let kb = |bytes: f64| Bytes::from_kb((bytes / 1000.0).round().max(1.0) as u64);
        Thresholds {
            kmin: kb(kmin),
            kmax: kb(kmax),
            pmax: (log(self.pmax, unit[2]) * 1000.0).round() / 1000.0,
        }
    }

    /// A candidate for a point.
    pub fn candidate(&self, name: String, unit: [f64; 3], control: ControlChoice) -> Candidate {
        Candidate {
            name,
            source: "search".into(),
            ecn: EcnRule::Proportional { at: self.at, thresholds: self.point(unit) },
            control,
        }
    }
}

/// `n` points that fill the unit cube evenly: the Kronecker sequence of the plastic constant's three-dimensional
/// sibling, shifted by the seed.
pub fn space_filling(n: usize, seed: u64) -> Vec<[f64; 3]> {
    // The root of x^4 = x + 1; its negative powers are the most evenly spread steps in three dimensions.
    const G: f64 = 1.220_744_084_605_759_5;
    let step = [1.0 / G, 1.0 / (G * G), 1.0 / (G * G * G)];
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let shift: [f64; 3] = std::array::from_fn(|_| rng.random::<f64>());
    (1..=n).map(|i| std::array::from_fn(|d| (shift[d] + step[d] * i as f64).fract())).collect()
}

/// `n` points around `centre`, within `radius` of it in every coordinate, kept in the cube.
pub fn around(centre: [f64; 3], radius: f64, n: usize, seed: u64) -> Vec<[f64; 3]> {
    space_filling(n, seed)
        .into_iter()
        .map(|unit| std::array::from_fn(|d| (centre[d] + (2.0 * unit[d] - 1.0) * radius).clamp(0.0, 1.0)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_fills_the_cube_evenly() {
        let points = space_filling(64, 7);
        for dimension in 0..3 {
            for eighth in 0..8 {
                let inside = points.iter().filter(|p| (p[dimension] * 8.0) as usize == eighth).count();
                assert!((4..=12).contains(&inside), "dimension {dimension}, eighth {eighth}: {inside} of 64");
            }
        }
        assert_eq!(points, space_filling(64, 7));
        assert_ne!(points, space_filling(64, 8));
    }

    #[test]
    fn points_are_ordered_and_keep_the_limit() {
        let mut space = Space::published(Rate::from_gbps(100));
        space.kmin_limit = Some(Bytes::from_kb(200));
        for unit in space_filling(200, 1) {
            let t = space.point(unit);
            assert!(t.kmin <= t.kmax && t.kmin <= Bytes::from_kb(200), "{t:?}");
            assert!((0.01..=1.0).contains(&t.pmax));
        }
    }

    #[test]
    fn neighbours_stay_near_and_inside() {
        for unit in around([0.05, 0.5, 0.95], 0.1, 50, 3) {
            assert!(unit[0] <= 0.15 && (0.4..=0.6).contains(&unit[1]) && unit[2] >= 0.85 && unit[2] <= 1.0);
        }
    }
}
