//! 200 seeds of fabric, faults and load: every promise kept, and the same bytes out on any number of threads.

use rayon::prelude::*;
use weir_sim::seeded::check;

#[test]
fn every_promise_is_kept() {
    let broken: Vec<String> = (0..200u64)
        .into_par_iter()
        .filter_map(|seed| check(seed).err())
        .map(|broken| broken.to_string())
        .collect();
    assert!(broken.is_empty(), "{} of 200 seeds:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn the_same_digest_twice_and_on_one_thread_or_two() {
    let run = |threads: usize| -> Vec<String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            (0..40u64)
                .into_par_iter()
                .map(|seed| check(seed).map_or_else(|b| b.to_string(), |r| r.digest))
                .collect()
        })
    };
    let one = run(1);
    assert_eq!(one, run(1));
    assert_eq!(one, run(2));
    let different: std::collections::BTreeSet<_> = one.iter().collect();
    assert_eq!(different.len(), one.len(), "digests of different seeds differ");
}
