//! Same inputs, same seed: the same results, on any number of threads (check T25).

use super::setup::*;
use weir_fabric::{Fault, FaultKind, LinkId, Scenario};
use weir_sim::net::{RunOptions, run_many};
use weir_units::{Bytes, Time};

fn busy(name: &str) -> Scenario {
    let mut s = fat_tree();
    s.name = name.into();
    s.control = weir_fabric::ControlSpec::default();
    s.buffer.total = Bytes::from_kb(900);
    let links = (0..6).map(LinkId).collect();
    s.faults = vec![Fault {
        from: Time::ZERO,
        until: Time::MAX,
        kind: FaultKind::Reorder { links, probability: 0.01, delay: US },
    }];
    s.workloads = vec![to_one(0..12, 15, 300_000), to_one(4..9, 1, 100_000)];
    s.workloads[1].name = "other".into();
    s
}

#[test]
fn twice_is_the_same_and_another_seed_is_not() {
    let s = busy("twice");
    let [a, b] = [run_it(&s), run_it(&s)];
    assert_eq!(a.digest, b.digest);
    assert_eq!(a.to_json().len(), b.to_json().len());
    let other = run_with(&s, &RunOptions { seed: Some(99), ..RunOptions::default() });
    assert_ne!(a.digest, other.digest);
    assert_eq!(a.config_hash, other.config_hash, "the load here is not drawn");
}

#[test]
fn threads_change_nothing() {
    let scenarios = [busy("a"), busy("b"), busy("c")];
    let jobs: Vec<(&Scenario, RunOptions)> = scenarios
        .iter()
        .flat_map(|s| (1..4).map(move |seed| (s, RunOptions { seed: Some(seed), ..RunOptions::default() })))
        .collect();
    let digests = |threads: usize| -> Vec<String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run_many(&jobs)).into_iter().map(|results| results.unwrap().digest).collect()
    };
    let one = digests(1);
    assert_eq!(one, digests(2));
    assert_eq!(one.len(), 9);
    assert_ne!(one[0], one[1]);
}
