//! Atomic operations (9.4.5, 9.7.5).

use super::*;

fn value(pair: &mut Pair, side: usize, va: u64) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(pair.bytes(side, va, 8));
    u64::from_ne_bytes(bytes)
}

fn set(pair: &mut Pair, side: usize, va: u64, value: u64) {
    pair.bytes(side, va, 8).copy_from_slice(&value.to_ne_bytes());
}

#[test]
fn compare_and_swap_swaps_only_what_is_equal() {
    let (mut pair, rkey) = pair();
    set(&mut pair, 1, 64, 5);
    let cas = |compare, swap| SendOp::CompareSwap { remote: 64, rkey, compare, swap };
    send(&mut pair, 1, cas(4, 9), 0, 8);
    send(&mut pair, 2, cas(5, 9), 8, 8);
    send(&mut pair, 3, cas(5, 7), 16, 8);
    pair.run_clean();
    assert_eq!([0, 8, 16].map(|va| value(&mut pair, 0, va)), [5, 5, 9], "the value before each");
    assert_eq!(value(&mut pair, 1, 64), 9);
}

#[test]
fn fetch_and_add_wraps() {
    let (mut pair, rkey) = pair();
    set(&mut pair, 1, 64, u64::MAX);
    send(&mut pair, 1, SendOp::FetchAdd { remote: 64, rkey, add: 3 }, 0, 8);
    pair.run_clean();
    assert_eq!((value(&mut pair, 0, 0), value(&mut pair, 1, 64)), (u64::MAX, 2));
}

/// 9.7.5: an atomic whose answer is lost is not executed again: the stored result is.
#[test]
fn a_lost_answer_is_sent_again_from_the_store() {
    let (mut pair, rkey) = pair();
    set(&mut pair, 1, 64, 100);
    send(&mut pair, 1, SendOp::FetchAdd { remote: 64, rkey, add: 1 }, 0, 8);
    send(&mut pair, 2, SendOp::FetchAdd { remote: 64, rkey, add: 10 }, 8, 8);
    pair.run(LIMIT, &mut losing(1, &[0, 1, 2]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success), (2, Status::Success)]);
    assert_eq!((value(&mut pair, 0, 0), value(&mut pair, 0, 8)), (100, 101));
    assert_eq!(value(&mut pair, 1, 64), 111);
    assert!(pair.qps[1].counters().duplicate_request > 0);
}

/// 9.4.5: the address is a multiple of eight.
#[test]
fn a_crooked_address_is_an_invalid_request() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, SendOp::FetchAdd { remote: 65, rkey, add: 1 }, 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::RemoteInvalidRequest)]);
}

/// Atomics need their own right (10.6.3).
#[test]
fn the_right_to_write_is_not_the_right_to_add() {
    let (mut pair, _) = pair();
    let rkey = pair.envs[1].keys.register(0, 4096, Access::REMOTE_READ | Access::REMOTE_WRITE);
    send(&mut pair, 1, SendOp::FetchAdd { remote: 64, rkey, add: 1 }, 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::RemoteAccess)]);
}

#[test]
fn an_atomic_is_of_eight_bytes() {
    let (mut pair, rkey) = pair();
    let wr = SendWr::new(1, SendOp::FetchAdd { remote: 64, rkey, add: 1 }, 0, 4);
    let refused = pair.qps[0].post_send(wr, &mut pair.envs[0]);
    assert_eq!(refused, Err(PostError::AtomicLength { bytes: 4 }));
}
