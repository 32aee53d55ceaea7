//! Losses: sequence NAKs, timeouts, copies (9.7.5, 9.9.2).

use super::*;
use weir_units::Time;

const NAK: Syndrome = Syndrome::Nak { code: NakCode::PsnSequenceError };

/// 9.7.5: a packet ahead of the expected one is dropped and answered by one NAK that carries the expected PSN; no other
/// until it comes. The requester goes back to it.
#[test]
fn one_sequence_nak_and_everything_again_from_there() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, write(rkey, 0), 0, 8 * 1024);
    pair.run(LIMIT, &mut losing(0, &[2]));
    let naks: Vec<_> = answers(&pair).into_iter().filter(|(syndrome, ..)| *syndrome == NAK).collect();
    assert_eq!(naks, [(NAK, 2, 0)]);
    let again: Vec<(u8, i32)> = sent(&pair, 0).into_iter().skip(8).collect();
    assert_eq!(again, [(7, 2), (7, 3), (7, 4), (7, 5), (7, 6), (8, 7)]);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    let counters = (*pair.qps[0].counters(), *pair.qps[1].counters());
    assert_eq!((counters.0.packet_seq_err, counters.0.local_ack_timeout_err), (1, 0));
    assert_eq!(counters.1.out_of_sequence, 5);
}

/// A lost NAK, a lost acknowledgement, a lost tail: the timer (9.9.2). The timer runs from the last progress.
#[test]
fn what_no_nak_tells_the_timer_finds() {
    for (from, lost) in [(0, vec![7]), (1, vec![1]), (1, vec![0, 1])] {
        let (mut pair, rkey) = pair();
        send(&mut pair, 1, write(rkey, 0), 0, 8 * 1024);
        pair.run(LIMIT, &mut losing(from, &lost));
        assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)], "lost of side {from}: {lost:?}");
        assert_eq!(pair.qps[0].counters().local_ack_timeout_err, 1, "lost of side {from}: {lost:?}");
    }
}

/// The responder answers a second copy of a SEND or WRITE with an acknowledgement of everything executed, and executes it
/// only once (9.7.5).
#[test]
fn copies_of_sends_are_acknowledged_and_not_executed() {
    let (mut pair, _) = pair();
    receive(&mut pair, 10, 0, 64);
    receive(&mut pair, 11, 64, 64);
    send(&mut pair, 1, SEND, 0, 64);
    pair.run(LIMIT, &mut losing(1, &[0]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(statuses(&mut pair, 1), [(10, Status::Success)], "one message, one receive request");
    assert_eq!(answers(&pair), [(Syndrome::ACK, 0, 1), (Syndrome::ACK, 0, 1)]);
    assert_eq!(pair.qps[1].counters().duplicate_request, 1);
}

/// 9.9.2: retry_cnt timeouts are followed by one more try each; then the request ends with "transport retry counter
/// exceeded", and the others are flushed.
#[test]
fn retries_run_out() {
    for retries in [0, 1, 7] {
        let (mut pair, rkey) = pair_of(QpConfig { retry_count: retries, ..config() });
        send(&mut pair, 1, write(rkey, 0), 0, 8);
        send(&mut pair, 2, write(rkey, 0), 0, 8);
        pair.run(LIMIT, &mut |_, _| Vec::new());
        assert_eq!(statuses(&mut pair, 0), [(1, Status::RetryExceeded), (2, Status::Flushed)]);
        assert_eq!(pair.qps[0].state(), QpState::Error);
        assert_eq!(pair.log.len(), 2 * (usize::from(retries) + 1));
        let timeouts = u64::from(retries) + 1;
        let spent = pair.now.saturating_since(Time::ZERO);
        assert!(spent >= Span::from_us(67) * timeouts, "{spent} for {timeouts} timeouts");
        assert!(spent < Span::from_us(68) * timeouts, "{spent} for {timeouts} timeouts");
    }
}

/// Progress gives all retries back (9.9.2): each packet may be lost as often.
#[test]
fn progress_gives_retries_back() {
    let (mut pair, rkey) = pair_of(QpConfig { retry_count: 2, ack_every: 1, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 6 * 1024);
    let mut tries = std::collections::BTreeMap::new();
    pair.run(LIMIT, &mut |side, packet| {
        let tries = tries.entry((side, packet.psn.get())).or_insert(0);
        *tries += 1;
        if side == 0 && *tries <= 2 { Vec::new() } else { vec![Span::from_us(1)] }
    });
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
}

/// An acknowledgement that comes late, after going back, saves what has not been sent again (9.7.5).
#[test]
fn a_late_acknowledgement_ends_the_repetition() {
    let (mut pair, rkey) = pair_of(QpConfig { ack_every: 64, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 40 * 1024);
    let mut acks = 0;
    pair.run(LIMIT, &mut |side, _| {
        acks += side;
        // The only acknowledgement arrives after the timer has fired, and some packets have been repeated.
        if side == 1 && acks == 1 { vec![Span::from_us(66)] } else { vec![Span::from_us(1)] }
    });
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    let repeated = pair.qps[0].counters().retransmitted_packets;
    assert!(repeated > 0 && repeated < 40, "{repeated}");
}

/// Go-back-0 (not the standard's): the whole message again, and the responder begins it anew.
#[test]
fn going_back_to_zero_repeats_the_message() {
    let (mut pair, rkey) = pair_of(QpConfig { recovery: Recovery::GoBack0, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 8 * 1024);
    pair.run(LIMIT, &mut losing(0, &[5]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    let firsts = sent(&pair, 0).iter().filter(|(code, _)| *code == 6).count();
    assert_eq!(firsts, 2);
    assert_eq!(pair.qps[1].counters().delivered_bytes, 8 * 1024, "what was thrown away does not count");
}

/// The user's timer may fire early: nothing happens, and the deadline has moved (the grammar of the state machines).
#[test]
fn a_deadline_that_moved_costs_nothing() {
    let (mut pair, rkey) = pair_of(QpConfig { ack_every: 1, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 40 * 1024);
    pair.send(&mut |_, _| vec![Span::from_us(1)]);
    let first = pair.qps[0].next_deadline().expect("a packet is out");
    while pair.now < Time::from_us(3) {
        pair.step(&mut |_, _| vec![Span::from_us(1)]);
        let packets = pair.log.len();
        pair.qps[0].handle_deadline(pair.now, &mut pair.envs[0]);
        assert_eq!(pair.log.len(), packets);
    }
    assert!(pair.qps[0].next_deadline().expect("still") > first);
    assert_eq!(pair.qps[0].counters().local_ack_timeout_err, 0);
}
