//! The send queue: fences, inline data, draining, local operations in order.

use super::*;
use weir_transport::keys::{WindowBind, WindowKind};

/// 10.8.3: a fenced request begins when all reads and atomics before it have completed.
#[test]
fn a_fence_waits_for_reads() {
    for fence in [false, true] {
        let (mut pair, rkey) = pair();
        send(&mut pair, 1, read(rkey, 0), 20_000, 64);
        post(&mut pair, SendWr { fence, ..SendWr::new(2, write(rkey, 1000), 20_000, 64) });
        pair.run_clean();
        let at: Vec<_> = pair.log.iter().filter(|l| l.1 == 0).map(|l| l.0).collect();
        let waited = at[1].saturating_since(at[0]) >= Span::from_us(2);
        assert_eq!(waited, fence);
        if fence {
            let wanted = pair.bytes(1, 0, 64).to_vec();
            assert_eq!(pair.bytes(1, 1000, 64), wanted, "what was read is what was written");
        }
    }
}

/// 10.8.3: the memory of inline data may change once the request is posted, and its key is not looked at.
#[test]
fn inline_data_is_taken_at_once() {
    let (mut pair, rkey) = pair_of(QpConfig { mtu: 256, ..config() });
    let wanted = pair.bytes(0, 0, 700).to_vec();
    let local = Sge { addr: 0, len: 700, lkey: 0xbad };
    post(&mut pair, SendWr { inline: true, local: local.into(), ..SendWr::new(1, write(rkey, 0), 0, 0) });
    pair.bytes(0, 0, 700).fill(0xee);
    pair.run(LIMIT, &mut losing(0, &[1]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(pair.bytes(1, 0, 700), wanted, "also when it is repeated");
    let wr = SendWr { inline: true, ..SendWr::new(2, write(rkey, 0), 0, 1025) };
    let refused = pair.qps[0].post_send(wr, &mut pair.envs[0]);
    assert_eq!(refused, Err(PostError::TooMuchInline { bytes: 1025, most: 1024 }));
}

/// 10.3.1: in SQD the messages that have begun are finished, none is begun; then there is an event; RTS goes on.
#[test]
fn draining() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, write(rkey, 0), 0, 8 * 1024);
    send(&mut pair, 2, write(rkey, 0), 0, 8);
    pair.send(&mut |_, _| vec![Span::from_us(1)]);
    assert_eq!(sent(&pair, 0).len(), 1);
    pair.qps[0].modify(pair.now, QpState::Sqd, &Modify::default(), &mut pair.envs[0]).unwrap();
    assert!(pair.envs[0].events.is_empty());
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(pair.envs[0].events, [Event::SendQueueDrained(pair.qps[0].config().qpn)]);
    send(&mut pair, 3, write(rkey, 0), 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), []);
    pair.qps[0].modify(pair.now, QpState::Rts, &Modify::default(), &mut pair.envs[0]).unwrap();
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(2, Status::Success), (3, Status::Success)]);
}

/// Draining while packets are repeated: what has begun is finished all the same.
#[test]
fn draining_with_losses() {
    let (mut pair, rkey) = pair();
    (1..4).for_each(|id| send(&mut pair, id, write(rkey, 0), 0, 2048));
    let mut fate = losing(0, &[0, 1, 2]);
    while pair.log.len() < 4 {
        pair.step(&mut fate);
    }
    pair.qps[0].modify(pair.now, QpState::Sqd, &Modify::default(), &mut pair.envs[0]).unwrap();
    pair.run(LIMIT, &mut fate);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success), (2, Status::Success)]);
    assert_eq!(pair.envs[0].events.len(), 1);
}

/// Local operations complete in the queue's order, and are not carried out again when packets are.
#[test]
fn local_operations_keep_their_place() {
    let (mut pair, rkey) = pair();
    let env = &mut pair.envs[0];
    let region = env.keys.register(0, 4096, Access::WINDOW_BIND | Access::REMOTE_READ);
    let window = env.keys.create_window(WindowKind::Two, Pd(0)) | 1;
    let bind = WindowBind { window, region, va: 0, len: 64, access: Access::REMOTE_READ };
    send(&mut pair, 1, write(rkey, 0), 0, 3000);
    send(&mut pair, 2, SendOp::Bind(bind), 0, 0);
    send(&mut pair, 3, write(rkey, 0), 0, 3000);
    send(&mut pair, 4, SendOp::LocalInvalidate { key: window }, 0, 0);
    send(&mut pair, 5, write(rkey, 0), 0, 8);
    pair.run(LIMIT, &mut losing(0, &[0, 4]));
    let all = [1, 2, 3, 4, 5].map(|id| (id, Status::Success));
    assert_eq!(statuses(&mut pair, 0), all);
    assert!(pair.qps[0].counters().retransmitted_packets > 0);
}

/// Operations that a service does not have (9.4).
#[test]
fn operations_and_services() {
    let datagram = SendOp::Datagram { dest: weir_wire::Qpn::new(1), qkey: 1, imm: None };
    let cases = [
        (Service::Rc, datagram),
        (Service::Uc, read(1, 0)),
        (Service::Uc, SendOp::FetchAdd { remote: 0, rkey: 1, add: 1 }),
        (Service::Uc, SendOp::SendInvalidate { rkey: 1 }),
        (Service::Ud, SEND),
        (Service::Ud, write(1, 0)),
    ];
    for (service, op) in cases {
        let (mut pair, _) = pair_of(QpConfig { service, ..config() });
        let refused = pair.qps[0].post_send(SendWr::new(1, op, 0, 8), &mut pair.envs[0]);
        assert_eq!(refused, Err(PostError::Unsupported { service }), "{op:?}");
    }
    let (mut pair, rkey) = pair();
    let long = SendWr::new(1, write(rkey, 0), 0, u32::MAX);
    let refused = pair.qps[0].post_send(long, &mut pair.envs[0]);
    assert_eq!(refused, Err(PostError::TooLong { bytes: u32::MAX.into(), most: 1 << 31 }));
}
