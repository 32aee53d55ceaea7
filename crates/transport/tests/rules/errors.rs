//! Errors: which NAK, which status, and what is flushed (9.7.5, 9.9.2, 9.9.3, 10.8.6).

use super::*;
use weir_wire::{Opcode, opcode::op};

/// The request that is refused ends with what the NAK says; those before it have succeeded, those after it are flushed,
/// each once; receive requests are flushed too. The responder is in error as well (9.9.3).
#[test]
fn everything_outstanding_completes_once() {
    let (mut pair, rkey) = pair();
    receive(&mut pair, 50, 0, 64);
    let wr = RecvWr::new(60, 0, 64);
    pair.qps[0].post_recv(wr, &mut pair.envs[0]).unwrap();
    send(&mut pair, 1, write(rkey, 0), 0, 3000);
    post(&mut pair, SendWr { signaled: false, ..SendWr::new(2, write(rkey, 0), 0, 8) });
    send(&mut pair, 3, write(rkey + 1, 0), 0, 8);
    post(&mut pair, SendWr { signaled: false, ..SendWr::new(4, write(rkey, 0), 0, 8) });
    send(&mut pair, 5, read(rkey, 0), 0, 8);
    pair.run_clean();
    assert_eq!(
        statuses(&mut pair, 0),
        [
            (1, Status::Success),
            (3, Status::RemoteAccess),
            (4, Status::Flushed),
            (5, Status::Flushed),
            (60, Status::Flushed)
        ],
        "an unsignalled request that succeeds says nothing, one that fails does"
    );
    assert_eq!(statuses(&mut pair, 1), [(50, Status::Flushed)]);
    assert_eq!([0, 1].map(|side| pair.qps[side].state()), [QpState::Error; 2]);
    assert!(pair.envs[1].events.contains(&Event::AccessError(pair.qps[1].config().qpn)));
}

/// 9.7.5: key, bounds and rights. Nothing is written.
#[test]
fn remote_access_errors() {
    type Case = (&'static str, fn(u32, u32) -> SendOp, u32);
    let cases: [Case; 6] = [
        ("no such key", |rkey, _| write(rkey ^ 0x100_0000, 0), 8),
        ("stale key", |rkey, _| write(rkey ^ 1, 0), 8),
        ("past the end", |rkey, _| write(rkey, (1 << 16) - 7), 8),
        ("before the begin", |rkey, _| write(rkey, u64::MAX - 3), 8),
        ("read only", |_, read_only| write(read_only, 0), 8),
        ("a read past the end", |rkey, _| read(rkey, 1 << 16), 1),
    ];
    for (name, op, len) in cases {
        let (mut pair, rkey) = pair();
        let read_only = pair.envs[1].keys.register(0, 4096, Access::REMOTE_READ);
        let before = pair.envs[1].memory.0.clone();
        send(&mut pair, 1, op(rkey, read_only), 0, len);
        pair.run_clean();
        assert_eq!(statuses(&mut pair, 0), [(1, Status::RemoteAccess)], "{name}");
        assert!(pair.envs[1].memory.0 == before, "{name}");
    }
}

/// 9.7.4: opcodes in an order that makes no message, lengths that do not fit, rights that the queue pair does not give.
#[test]
fn invalid_requests() {
    let full = vec![0u8; 1024];
    type Case<'a> = (&'static str, Vec<(u8, &'a [u8], u32)>);
    let cases: [Case<'_>; 9] = [
        ("a middle without a first", vec![(op::SEND_MIDDLE, &full, 0)]),
        ("a last without a first", vec![(op::WRITE_LAST, &full[..8], 0)]),
        ("a first within a message", vec![(op::WRITE_FIRST, &full, 3000), (op::WRITE_FIRST, &full, 3000)]),
        ("a SEND within a WRITE", vec![(op::WRITE_FIRST, &full, 3000), (op::SEND_LAST, &full[..8], 0)]),
        ("a first that is not full", vec![(op::WRITE_FIRST, &full[..1000], 3000)]),
        ("an empty last", vec![(op::WRITE_FIRST, &full, 1024), (op::WRITE_LAST, &[], 0)]),
        ("more than the RETH says", vec![(op::WRITE_ONLY, &full[..9], 8)]),
        ("less than the RETH says", vec![(op::WRITE_ONLY, &full[..7], 8)]),
        ("a reserved opcode", vec![(21, &[], 0)]),
    ];
    for (name, packets) in cases {
        let (mut pair, rkey) = pair();
        receive(&mut pair, 50, 0, 4096);
        let mut psn = pair.qps[1].config().rq_psn;
        for (operation, payload, len) in packets {
            let reth = matches!(operation, op::WRITE_FIRST | op::WRITE_ONLY);
            let packet = Packet {
                opcode: Opcode::rc(operation),
                psn,
                payload_bytes: payload.len() as u16,
                payload: payload.to_vec(),
                ext: if reth { Ext::Reth { va: 0, rkey, len } } else { Ext::None },
                ..Packet::default()
            };
            pair.qps[1].handle_packet(pair.now, &packet, RxMeta::default(), &mut pair.envs[1]);
            psn = psn.add(1);
        }
        let nak = pair.qps[1].poll_ack().expect(name);
        let syndrome = Syndrome::Nak { code: NakCode::InvalidRequest };
        assert!(matches!(nak.ext, Ext::Aeth { syndrome: found, .. } if found == syndrome), "{name}: {nak:?}");
        assert_eq!(nak.psn, psn.sub(1), "{name}");
        assert_eq!(pair.qps[1].state(), QpState::Error, "{name}");
    }
}

/// Rights that the queue pair itself does not give (10.2.4).
#[test]
fn a_queue_pair_that_takes_no_writes() {
    let mut configs = connected(&config());
    configs[1].access = Access::REMOTE_READ;
    let mut pair = Pair::new(configs, 4096);
    let rkey = pair.envs[1].keys.register(0, 4096, Access::REMOTE);
    send(&mut pair, 1, read(rkey, 0), 0, 8);
    send(&mut pair, 2, write(rkey, 0), 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success), (2, Status::RemoteInvalidRequest)]);
}

/// 9.7.4: a SEND longer than the receive buffer: local length error there, invalid request here.
#[test]
fn a_message_longer_than_its_buffer() {
    for len in [65, 3000] {
        let (mut pair, _) = pair();
        receive(&mut pair, 50, 0, 64);
        receive(&mut pair, 51, 0, 64);
        send(&mut pair, 1, SEND, 0, len);
        pair.run_clean();
        assert_eq!(statuses(&mut pair, 0), [(1, Status::RemoteInvalidRequest)]);
        assert_eq!(statuses(&mut pair, 1), [(50, Status::LocalLength), (51, Status::Flushed)]);
    }
}

/// 9.7.5: a fault of the receiver's own memory: local protection error there, remote operational error here.
#[test]
fn a_receive_buffer_that_is_not_the_receivers() {
    let (mut pair, _) = pair();
    let read_only = pair.envs[1].keys.register(0, 4096, Access::REMOTE_READ);
    let wr = RecvWr { id: 50, local: Sge { addr: 0, len: 64, lkey: read_only }.into() };
    pair.qps[1].post_recv(wr, &mut pair.envs[1]).unwrap();
    send(&mut pair, 1, SEND, 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::RemoteOperational)]);
    assert_eq!(statuses(&mut pair, 1), [(50, Status::LocalProtection)]);
}

/// A NAK that ends the connection and is lost: the responder is silent from then on, and retries run out.
#[test]
fn a_lost_fatal_nak() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, write(rkey ^ 1, 0), 0, 8);
    pair.run(LIMIT, &mut losing(1, &[0]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::RetryExceeded)]);
}

/// What was answered before the error is still sent: the read before the refused write succeeds.
#[test]
fn answers_before_the_error_are_sent() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, read(rkey, 0), 20_000, 20_000);
    send(&mut pair, 2, write(rkey ^ 1, 0), 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success), (2, Status::RemoteAccess)]);
}

/// A region that ends while a message is under way: what has not been written is refused.
#[test]
fn memory_that_goes_away() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, write(rkey, 0), 0, 60_000);
    let mut fate = |_: usize, _: &Packet<Vec<u8>>| vec![Span::from_us(1)];
    while pair.log.len() < 30 {
        pair.step(&mut fate);
    }
    pair.envs[1].keys.deregister(rkey).unwrap();
    pair.run(LIMIT, &mut fate);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::RemoteAccess)]);

    let (mut pair, rkey) = super::pair();
    send(&mut pair, 1, read(rkey, 0), 0, 60_000);
    let mut fate = |_: usize, _: &Packet<Vec<u8>>| vec![Span::from_us(1)];
    while pair.log.len() < 30 {
        pair.step(&mut fate);
    }
    pair.envs[1].keys.deregister(rkey).unwrap();
    pair.run(LIMIT, &mut fate);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::RemoteAccess)]);
}

/// Legal changes of state, as the Linux kernel's table has them (its `qp_state_table`).
#[test]
fn changes_of_state() {
    use QpState::*;
    let legal = [
        (Reset, vec![Reset, Init]),
        (Init, vec![Reset, Error, Init, Rtr]),
        (Rtr, vec![Reset, Error, Rts]),
        (Rts, vec![Reset, Error, Rts, Sqd]),
        (Sqd, vec![Reset, Error, Rts, Sqd]),
        (Sqe, vec![Reset, Error, Rts]),
        (Error, vec![Reset, Error]),
    ];
    for (from, to) in legal {
        for state in QpState::ALL {
            assert_eq!(from.may_become(state), to.contains(&state), "{from:?} to {state:?}");
        }
    }
}

/// Attributes belong to transitions (10.3.1), and a refused change changes nothing.
#[test]
fn attributes_and_their_transitions() {
    use weir_units::Time;
    let mut env = Env::new(VecMemory::default());
    let mut qp = Qp::<VecMemory>::new_reset(config(), Time::ZERO);
    let peer = Modify { peer: Some(weir_wire::Qpn::new(77)), mtu: Some(4096), ..Modify::default() };
    let refused = qp.modify(Time::ZERO, QpState::Init, &peer, &mut env);
    assert!(matches!(refused, Err(ModifyError::Attribute { attribute: "peer", .. })), "{refused:?}");
    assert_eq!(qp.state(), QpState::Reset);
    qp.modify(Time::ZERO, QpState::Init, &Modify::default(), &mut env).unwrap();
    let bad = Modify { mtu: Some(1500), ..peer };
    assert!(matches!(qp.modify(Time::ZERO, QpState::Rtr, &bad, &mut env), Err(ModifyError::Value { .. })));
    qp.modify(Time::ZERO, QpState::Rtr, &peer, &mut env).unwrap();
    assert_eq!((qp.config().peer.get(), qp.config().mtu), (77, 4096));
    let retries = Modify { retry_count: Some(8), ..Modify::default() };
    assert!(matches!(
        qp.modify(Time::ZERO, QpState::Rts, &retries, &mut env),
        Err(ModifyError::Value { .. })
    ));
}
