//! Receiver not ready (9.7.5).

use super::*;
use weir_units::Time;

const RNR: Syndrome = Syndrome::RnrNak { timer: 5 };

/// A SEND without a receive request gets an RNR NAK with the responder's timer code; the requester waits at least that long
/// (table 45: code 5 is 0.06 ms) and sends it again.
#[test]
fn the_requester_waits_as_it_is_told_and_sends_the_message_again() {
    let (mut pair, _) = pair_of(QpConfig { min_rnr_timer: 5, ..config() });
    send(&mut pair, 1, SEND, 0, 3000);
    let mut fate = |_: usize, _: &Packet<Vec<u8>>| vec![Span::from_us(1)];
    while pair.now < Time::from_us(20) {
        pair.step(&mut fate);
    }
    receive(&mut pair, 10, 0, 4096);
    pair.run(LIMIT, &mut fate);
    assert_eq!(answers(&pair)[0], (RNR, 0, 0));
    let firsts: Vec<Time> = pair.log.iter().filter(|l| l.2.opcode.0 == 0).map(|l| l.0).collect();
    assert_eq!(firsts.len(), 2);
    // The NAK came back after 2 us and the packet's own time.
    let waited = firsts[1].saturating_since(firsts[0]);
    assert!(waited >= Span::from_us(62) && waited < Span::from_us(63), "{waited}");
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(statuses(&mut pair, 1), [(10, Status::Success)]);
}

/// A WRITE with immediate data needs its receive request at its last packet only.
#[test]
fn a_write_with_immediate_data_waits_at_its_end() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, SendOp::Write { remote: 0, rkey, imm: Some(7) }, 0, 3000);
    let mut fate = |_: usize, _: &Packet<Vec<u8>>| vec![Span::from_us(1)];
    while pair.now < Time::from_us(8) {
        pair.step(&mut fate);
    }
    receive(&mut pair, 10, 0, 0);
    pair.run(LIMIT, &mut fate);
    assert!(answers(&pair).contains(&(Syndrome::RnrNak { timer: 1 }, 2, 0)), "{:?}", answers(&pair));
    let lasts = sent(&pair, 0).iter().filter(|(code, _)| *code == 9).count();
    assert_eq!((lasts, sent(&pair, 0).len()), (2, 4), "the last packet alone is sent again");
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
}

/// 9.7.5: rnr_retry RNR NAKs in a row are obeyed, then the request ends; 7 means for ever.
#[test]
fn rnr_retries_run_out_unless_seven() {
    for (retries, tries) in [(0, 1), (3, 4)] {
        let (mut pair, _) = pair_of(QpConfig { rnr_retry: retries, ..config() });
        send(&mut pair, 1, SEND, 0, 8);
        send(&mut pair, 2, SEND, 0, 8);
        pair.run(LIMIT, &mut |_, _| vec![Span::from_us(1)]);
        assert_eq!(statuses(&mut pair, 0), [(1, Status::RnrRetryExceeded), (2, Status::Flushed)]);
        let firsts = sent(&pair, 0).iter().filter(|(_, psn)| *psn == 0).count();
        assert_eq!(firsts, tries);
    }
    let (mut pair, _) = pair_of(QpConfig { rnr_retry: 7, ..config() });
    send(&mut pair, 1, SEND, 0, 8);
    while pair.now < Time::from_ms(5) {
        pair.step(&mut |_, _| vec![Span::from_us(1)]);
    }
    assert!(pair.qps[0].counters().rnr_nak > 100);
    assert_eq!(pair.qps[0].state(), QpState::Rts);
}

/// A lost RNR NAK is found by the timer.
#[test]
fn a_lost_rnr_nak() {
    let (mut pair, _) = pair();
    send(&mut pair, 1, SEND, 0, 8);
    let mut fate = losing(1, &[0]);
    while pair.now < Time::from_us(30) {
        pair.step(&mut fate);
    }
    receive(&mut pair, 10, 0, 64);
    pair.run(LIMIT, &mut fate);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(pair.qps[0].counters().local_ack_timeout_err, 1);
}

/// While the requester waits it sends nothing, and packets behind the refused one are dropped without a second NAK.
#[test]
fn nothing_is_sent_while_waiting() {
    let (mut pair, rkey) = pair_of(QpConfig { min_rnr_timer: 5, ..config() });
    send(&mut pair, 1, SEND, 0, 8);
    send(&mut pair, 2, write(rkey, 0), 0, 8000);
    let mut fate = |_: usize, _: &Packet<Vec<u8>>| vec![Span::from_us(1)];
    while pair.now < Time::from_us(50) {
        pair.step(&mut fate);
    }
    assert_eq!(answers(&pair), [(RNR, 0, 0)]);
    let late = pair.log.iter().filter(|(at, side, _)| *side == 0 && *at > Time::from_us(3)).count();
    assert_eq!(late, 0);
}
