//! Completion queues and shared receive queues (10.2.9, 10.8.5, 11.4.2).

use super::*;

/// 10.2.9: requests of a shared receive queue go to whichever queue pair needs one; the limit event comes once, when
/// fewer are left than armed.
#[test]
fn a_shared_receive_queue_and_its_limit() {
    let mut configs = connected(&config());
    configs[1].srq = Some(SrqId(0));
    let mut pair = Pair::new(configs, 1 << 16);
    let srq = pair.envs[1].create_srq(4);
    for id in 0..4 {
        pair.envs[1].srqs[0].post(RecvWr::new(id, 1000 * id, 1000)).unwrap();
    }
    assert_eq!(pair.envs[1].srqs[0].post(RecvWr::new(9, 0, 8)), Err(PostError::Full { depth: 4 }));
    pair.envs[1].srqs[0].arm_limit(2);
    let refused = pair.qps[1].post_recv(RecvWr::new(9, 0, 8), &mut pair.envs[1]);
    assert_eq!(refused, Err(PostError::Shared));
    for id in 0..4 {
        send(&mut pair, id, SEND, 0, 100);
    }
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 1), [0, 1, 2, 3].map(|id| (id, Status::Success)));
    assert_eq!(pair.envs[1].events, [Event::SrqLimit(srq)]);
    assert_eq!(pair.envs[1].srqs[0].limit(), 0, "the limit is armed once");
}

/// 10.3.1, 11.6.3: a queue pair in error takes no more from its shared receive queue, and says so; what waits there is
/// not flushed.
#[test]
fn the_last_request_of_a_shared_queue() {
    let mut configs = connected(&config());
    configs[1].srq = Some(SrqId(0));
    let mut pair = Pair::new(configs, 4096);
    pair.envs[1].create_srq(4);
    pair.envs[1].srqs[0].post(RecvWr::new(1, 0, 64)).unwrap();
    let qpn = pair.qps[1].config().qpn;
    pair.qps[1].modify(pair.now, QpState::Error, &Modify::default(), &mut pair.envs[1]).unwrap();
    assert_eq!(pair.envs[1].events, [Event::LastWqeReached(qpn)]);
    assert_eq!((statuses(&mut pair, 1), pair.envs[1].srqs[0].len()), (vec![], 1));
}

/// 11.6.3: a completion queue that overflows says so once, keeps what it has, and its queue pairs go to error.
#[test]
fn a_completion_queue_that_overflows() {
    let mut configs = connected(&config());
    configs[0].send_cq = CqId(1);
    let mut pair = Pair::new(configs, 1 << 16);
    let cq = pair.envs[0].create_cq(2);
    let rkey = pair.envs[1].keys.register(0, 1 << 16, Access::REMOTE);
    for id in 0..4 {
        send(&mut pair, id, write(rkey, 0), 0, 8);
    }
    pair.run_clean();
    let qpn = pair.qps[0].config().qpn;
    assert_eq!(pair.qps[0].state(), QpState::Error);
    assert_eq!(pair.envs[0].events, [Event::CqOverflow(cq), Event::Fatal(qpn)]);
    let ids: Vec<u64> =
        std::iter::from_fn(|| pair.envs[0].poll(cq)).map(|completion| completion.id).collect();
    assert_eq!(ids, [0, 1]);
    assert!(pair.envs[0].cqs[1].overflowed());
}

/// 11.4.2: notification of the next completion, or of the next solicited one or error; once, until armed again.
#[test]
fn notifications_and_solicited_events() {
    let (mut pair, _) = pair();
    (0..6).for_each(|id| receive(&mut pair, id, 0, 64));
    let notified = |pair: &mut Pair| std::mem::take(&mut pair.envs[1].events).len();
    let plain = SendWr::new(1, SEND, 0, 8);
    let solicited = SendWr { solicited: true, ..plain.clone() };
    pair.envs[1].cqs[0].arm(Notify::Solicited);
    for (wr, expected) in [(&plain, 0), (&solicited, 1), (&solicited, 0)] {
        post(&mut pair, wr.clone());
        pair.run_clean();
        assert_eq!(notified(&mut pair), expected);
    }
    pair.envs[1].cqs[0].arm(Notify::Next);
    pair.envs[1].cqs[0].arm(Notify::Solicited);
    post(&mut pair, plain);
    pair.run_clean();
    assert_eq!(notified(&mut pair), 1, "the wider request holds");
    pair.envs[1].cqs[0].arm(Notify::Solicited);
    pair.qps[1].modify(pair.now, QpState::Error, &Modify::default(), &mut pair.envs[1]).unwrap();
    assert_eq!(notified(&mut pair), 1, "a completion in error");
}

/// The solicited event bit is on the packet that ends the message alone, and only where a receive request completes.
#[test]
fn the_solicited_bit() {
    let (mut pair, rkey) = pair();
    receive(&mut pair, 1, 0, 4096);
    post(&mut pair, SendWr { solicited: true, ..SendWr::new(1, SEND, 0, 3000) });
    post(&mut pair, SendWr { solicited: true, ..SendWr::new(2, write(rkey, 0), 0, 3000) });
    pair.run_clean();
    let bits: Vec<bool> = pair
        .log
        .iter()
        .filter(|l| l.1 == 0)
        .map(|(_, _, packet)| packet.flags.contains(Flags::SOLICITED))
        .collect();
    assert_eq!(bits, [false, false, true, false, false, false]);
    assert!(pair.completions(1)[0].solicited);
}

/// Depths (11.4.1).
#[test]
fn full_queues() {
    let (mut pair, rkey) = pair_of(QpConfig { sq_depth: 2, rq_depth: 1, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 8);
    send(&mut pair, 2, write(rkey, 0), 0, 8);
    let wr = SendWr::new(3, write(rkey, 0), 0, 8);
    assert_eq!(pair.qps[0].post_send(wr.clone(), &mut pair.envs[0]), Err(PostError::Full { depth: 2 }));
    receive(&mut pair, 1, 0, 8);
    let full = pair.qps[1].post_recv(RecvWr::new(2, 0, 8), &mut pair.envs[1]);
    assert_eq!(full, Err(PostError::Full { depth: 1 }));
    pair.run_clean();
    post(&mut pair, wr);
}
