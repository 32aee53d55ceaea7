//! Pauses sent and received by one switch: thresholds, hysteresis, quanta, repetition, response, links.

#![allow(clippy::unwrap_used, reason = "what tests share fails as tests do")]

mod common;

use common::{C100, P0, P3, P4, Pkt, alpha, at, no_draw, port, switch};
use weir_switch::{
    Admit, ClassConfig, ConfigError, DropReason, Event, PauseStyle, PfcFrame, PfcParams, PortConfig,
    Scheduling, Switch, SwitchConfig, Threshold, WatchdogAction, WatchdogParams, pause,
};
use weir_units::{Rate, Span, Time};

fn config() -> SwitchConfig {
    let class = ClassConfig {
        ingress: Threshold::Static(10_000),
        xon_offset_bytes: 3_000,
        ..ClassConfig::lossless(P3, alpha(0))
    };
    let ports = [PortConfig { headroom_bytes: 30_000, ..PortConfig::new(C100) }; 3];
    let classes = [class, ClassConfig { priority: P4, ..class }, ClassConfig::lossy(P0, alpha(0))];
    switch(1_000_000, &classes, &ports)
}

fn fill(switch: &mut Switch<Pkt>, now: Time, frames: u32) {
    for id in 0..frames {
        assert_eq!(switch.admit(now, port(0), port(2), P3, Pkt::new(id, 1000)), Admit::Queued);
    }
}

#[test]
fn the_pause_is_at_the_threshold_and_the_resume_below_it_by_the_offset() {
    let mut switch = Switch::new(&config()).unwrap();
    fill(&mut switch, at(0), 9);
    assert_eq!(switch.poll_pfc(), None);
    fill(&mut switch, at(1), 1);
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::pause(P3, u16::MAX))), "10,000 B");
    assert_eq!(switch.headroom_used(), 0, "the frame that crosses is not in headroom");
    fill(&mut switch, at(2), 5);
    assert_eq!((switch.poll_pfc(), switch.headroom_used()), (None, 5_000), "one pause is enough");
    // Out go 5 frames from headroom and 3 from the shared buffer: 7,000 + 3,000 = 10,000.
    for k in 1..=7 {
        switch.dequeue(at(3), port(2), &mut no_draw).unwrap();
        assert_eq!(switch.poll_pfc(), None, "frame {k}");
    }
    switch.dequeue(at(5), port(2), &mut no_draw).unwrap();
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::resume(P3))));
    // Between the two nothing is said.
    fill(&mut switch, at(6), 2);
    assert_eq!(switch.poll_pfc(), None);
    let counters = switch.counters(at(9), port(0), P3).unwrap();
    assert_eq!((counters.pfc_pauses_sent, counters.pfc_resumes_sent), (1, 1));
    assert_eq!(counters.tx_pause_duration, Span::from_ns(4), "from 1 to 5 ns");
    assert_eq!(counters.xoff_room_watermark_bytes, 5_000);
    assert_eq!(counters.group_shared_watermark_bytes, 10_000);
    assert_eq!(counters.group_watermark_bytes, 15_000);
    switch.clear_watermarks();
    let counters = switch.counters(at(9), port(0), P3).unwrap();
    assert_eq!((counters.group_watermark_bytes, counters.xoff_room_watermark_bytes), (9_000, 0));
}

#[test]
fn a_full_pool_pauses_whoever_sends_even_below_a_static_threshold() {
    let class = ClassConfig { ingress: Threshold::Static(1_000_000), ..ClassConfig::lossless(P3, alpha(0)) };
    let ports = [PortConfig { headroom_bytes: 30_000, ..PortConfig::new(C100) }; 3];
    let mut switch = Switch::new(&switch(3 * 31_048 + 10_000, &[class], &ports)).unwrap();
    fill(&mut switch, at(0), 10);
    assert_eq!(switch.poll_pfc(), None, "full to the last byte");
    fill(&mut switch, at(0), 1);
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::pause(P3, u16::MAX))));
    switch.admit(at(0), port(1), port(2), P3, Pkt::new(11, 1000));
    assert_eq!(switch.poll_pfc(), Some((port(1), PfcFrame::pause(P3, u16::MAX))));
    assert_eq!(
        (switch.shared_used(), switch.headroom_used()),
        (12_000, 0),
        "each in its own set-aside frame"
    );
    switch.admit(at(0), port(1), port(2), P3, Pkt::new(12, 1000));
    assert_eq!(switch.headroom_used(), 1_000);
    switch.dequeue(at(1), port(2), &mut no_draw).unwrap();
    assert_eq!(switch.poll_pfc(), None, "still beyond");
    switch.dequeue(at(1), port(2), &mut no_draw).unwrap();
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::resume(P3))));
}

#[test]
fn a_standing_pause_is_repeated_before_it_expires() {
    let mut config = config();
    config.pfc = PfcParams { quanta: 1000, refresh: 0.75, ..PfcParams::default() };
    let mut switch = Switch::new(&config).unwrap();
    fill(&mut switch, at(100), 10);
    assert!(switch.poll_pfc().is_some());
    let each = pause::quanta_span(1000, C100) * 3 / 4;
    assert_eq!(switch.next_deadline(), Some(at(100) + each));
    for k in 1..=5 {
        let due = switch.next_deadline().unwrap();
        assert_eq!(due, at(100) + each * k);
        switch.handle_deadline(due - Span::from_ps(1));
        assert_eq!(switch.poll_pfc(), None, "too early");
        switch.handle_deadline(due);
        assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::pause(P3, 1000))));
        assert_eq!(switch.poll_pfc(), None);
    }
    while switch.dequeue(at(9999), port(2), &mut no_draw).is_some() {}
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::resume(P3))));
    let late = Time::from_ms(1);
    switch.handle_deadline(late);
    assert_eq!((switch.poll_pfc(), switch.next_deadline()), (None, None));
    assert_eq!(switch.counters(late, port(0), P3).unwrap().pfc_pauses_sent, 6);
}

#[test]
fn pauses_due_together_go_in_one_frame() {
    let mut switch = Switch::new(&config()).unwrap();
    fill(&mut switch, at(0), 10);
    for id in 0..10 {
        switch.admit(at(0), port(0), port(2), P4, Pkt::new(id, 1000));
    }
    assert!(switch.poll_pfc().is_some() && switch.poll_pfc().is_some());
    switch.handle_deadline(switch.next_deadline().unwrap());
    let (to, frame) = switch.poll_pfc().unwrap();
    assert_eq!((to, frame.enable), (port(0), P3.bit() | P4.bit()));
    assert_eq!(switch.poll_pfc(), None);
}

#[test]
fn t10_a_received_pause_lasts_for_its_quanta() {
    // 65535 quanta: 838.9 us at 40 Gb/s, 335.5 at 100, 83.9 at 400.
    for (gbps, us) in [(40, 838.9), (100, 335.5), (400, 83.9)] {
        let mut config = config();
        config.ports = vec![PortConfig { rate: Rate::from_gbps(gbps), ..config.ports[0] }; 3];
        let mut switch = Switch::new(&config).unwrap();
        fill(&mut switch, at(0), 3);
        switch.admit(at(0), port(0), port(2), P4, Pkt::new(0, 999));
        let start = Time::from_us(3);
        switch.handle_pfc(start, port(2), &PfcFrame::pause(P3, u16::MAX));
        assert!(switch.paused(start, port(2), P3) && !switch.paused(start, port(2), P4));
        assert_eq!(switch.dequeue(start, port(2), &mut no_draw).unwrap().priority, P4);
        assert_eq!(switch.dequeue(start, port(2), &mut no_draw), None);
        let end = switch.next_deadline().unwrap();
        assert!(((end - start).as_us_f64() - us).abs() < 0.06, "{gbps} Gb/s: {}", end - start);
        assert_eq!(switch.dequeue(end - Span::from_ps(1), port(2), &mut no_draw), None);
        switch.handle_deadline(end);
        assert_eq!(switch.poll_ready(), Some(port(2)));
        assert!(switch.dequeue(end, port(2), &mut no_draw).is_some());
        let counters = switch.counters(end + Span::from_ms(1), port(2), P3).unwrap();
        assert_eq!((counters.rx_pause_duration, counters.pfc_pauses_received), (end - start, 1));
    }
}

#[test]
fn a_pause_expires_even_if_nobody_calls_at_its_deadline() {
    let mut switch = Switch::new(&config()).unwrap();
    fill(&mut switch, at(0), 3);
    switch.handle_pfc(at(0), port(2), &PfcFrame::pause(P3, 10));
    assert_eq!(switch.dequeue(at(51), port(2), &mut no_draw), None);
    assert!(switch.dequeue(at(52), port(2), &mut no_draw).is_some(), "10 × 5.12 ns have passed");
}

#[test]
fn what_may_start_within_the_response_time_starts() {
    let mut config = config();
    config.pfc.response_delay = Span::from_us(1);
    let mut switch = Switch::new(&config).unwrap();
    fill(&mut switch, at(0), 3);
    switch.handle_pfc(at(0), port(2), &PfcFrame::pause(P3, u16::MAX));
    assert!(switch.dequeue(at(999), port(2), &mut no_draw).is_some());
    assert!(switch.dequeue(at(1000), port(2), &mut no_draw).is_none());
    switch.handle_pfc(at(2000), port(2), &PfcFrame::resume(P3));
    assert_eq!(switch.poll_ready(), Some(port(2)));
    assert!(switch.dequeue(at(2000), port(2), &mut no_draw).is_some());
    assert_eq!(switch.counters(at(9000), port(2), P3).unwrap().rx_pause_duration, Span::from_us(1));
}

#[test]
fn lossy_classes_ignore_pfc_and_obey_link_pauses() {
    let mut switch = Switch::new(&config()).unwrap();
    for id in 0..4 {
        switch.admit(at(0), port(0), port(2), P0, Pkt::new(id, 1000));
    }
    switch.handle_pfc(at(0), port(2), &PfcFrame::pause(P0, u16::MAX));
    assert!(!switch.paused(at(0), port(2), P0));
    assert!(switch.dequeue(at(1), port(2), &mut no_draw).is_some());
    assert_eq!(switch.counters(at(1), port(2), P0).unwrap().pfc_pauses_received, 1);
    switch.handle_pause(at(2), port(2), 100);
    assert!(switch.paused(at(2), port(2), P0));
    assert!(switch.dequeue(at(3), port(2), &mut no_draw).is_none());
    switch.handle_pause(at(4), port(2), 0);
    assert_eq!(switch.poll_ready(), Some(port(2)));
    assert!(switch.dequeue(at(4), port(2), &mut no_draw).is_some());
    // The next one runs out.
    switch.handle_pause(at(5), port(2), 100);
    let end = at(5) + pause::quanta_span(100, C100);
    let early = switch.next_deadline().unwrap();
    assert!(early < end, "that of the pause that was lifted");
    switch.handle_deadline(early);
    assert_eq!((switch.poll_ready(), switch.next_deadline()), (None, Some(end)));
    switch.handle_deadline(end);
    assert_eq!(switch.poll_ready(), Some(port(2)));
    assert!(switch.dequeue(end, port(2), &mut no_draw).is_some());
}

#[test]
fn a_link_that_goes_down_gives_room_back_and_one_that_comes_up_is_paused_again() {
    let mut switch = Switch::new(&config()).unwrap();
    fill(&mut switch, at(0), 12);
    assert!(switch.poll_pfc().is_some());
    // The sender's link flaps: its pause is said again.
    switch.handle_link_down(at(1), port(0));
    switch.handle_link_up(at(2), port(0));
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::pause(P3, u16::MAX))));
    assert_eq!(switch.poll_ready(), Some(port(0)));
    // The receiver's link goes down, paused as it is.
    switch.handle_pfc(at(3), port(2), &PfcFrame::pause(P3, u16::MAX));
    switch.handle_link_down(at(4), port(2));
    assert_eq!((switch.shared_used(), switch.headroom_used(), switch.port_bytes(port(2))), (0, 0, 0));
    let lost: Vec<u32> = std::iter::from_fn(|| switch.poll_discarded())
        .map(|lost| {
            assert_eq!((lost.in_port, lost.out_port, lost.reason), (port(0), port(2), DropReason::Flushed));
            lost.frame.id
        })
        .collect();
    assert_eq!(lost, (0..12).collect::<Vec<u32>>());
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::resume(P3))));
    assert!(!switch.paused(at(5), port(2), P3), "the peer's pauses are forgotten");
    assert_eq!(switch.counters(at(5), port(2), P3).unwrap().queue_dropped_packets, 12);
}

fn watched(action: WatchdogAction, style: PauseStyle) -> Switch<Pkt> {
    let watchdog = WatchdogParams { detection: Span::from_ms(200), restoration: Span::from_ms(400), action };
    let mut config = SwitchConfig { watchdog: Some(watchdog), ..config() };
    config.pfc.style = style;
    Switch::new(&config).unwrap()
}

/// Calls at every deadline until `end`, with a pause from the peer every 100 us until `storm_end`.
fn run(switch: &mut Switch<Pkt>, from: Time, storm_end: Time, end: Time) -> Vec<Event> {
    let mut events = Vec::new();
    let mut pause_at = from;
    loop {
        let next = switch.next_deadline().unwrap_or(Time::MAX);
        if pause_at <= storm_end && pause_at <= next {
            switch.handle_pfc(pause_at, port(2), &PfcFrame::pause(P3, u16::MAX));
            pause_at += Span::from_us(100);
        } else if next <= end {
            switch.handle_deadline(next);
        } else {
            return events;
        }
        while let Some(event) = switch.poll_event() {
            events.push(event);
        }
        while switch.poll_pfc().is_some() {}
    }
}

#[test]
fn the_watchdog_finds_a_storm_after_its_detection_time_and_drops_until_it_is_over() {
    let mut switch = watched(WatchdogAction::Drop, PauseStyle::Quanta);
    fill(&mut switch, at(0), 12);
    // The storm begins at 5 ms; a frame still leaves at 4 ms.
    switch.dequeue(Time::from_ms(4), port(2), &mut no_draw).unwrap();
    let start = Time::from_ms(5);
    let found = start + Span::from_ms(200);
    let events = run(&mut switch, start, Time::from_ms(300), found - Span::from_ps(1));
    assert_eq!(events, []);
    let events = run(&mut switch, found - Span::from_us(1), Time::from_ms(300), Time::from_ms(300));
    let storm = Event::StormDetected { at: found, port: port(2), priority: P3, queued_bytes: 11_000 };
    assert_eq!(events, [storm]);
    let lost = std::iter::from_fn(|| switch.poll_discarded()).filter(|d| d.reason == DropReason::StormEgress);
    assert_eq!(lost.count(), 11);
    assert_eq!((switch.shared_used(), switch.headroom_used()), (0, 0));
    assert!(!switch.pausing(port(0), P3), "the storm does not spread");

    let now = Time::from_ms(300);
    let refused = |switch: &mut Switch<Pkt>, from, to, priority| match switch.admit(
        now,
        port(from),
        port(to),
        priority,
        Pkt::new(0, 1000),
    ) {
        Admit::Dropped { reason, .. } => Some(reason),
        Admit::Queued => None,
    };
    assert_eq!(refused(&mut switch, 0, 2, P3), Some(DropReason::StormEgress));
    assert_eq!(refused(&mut switch, 2, 1, P3), Some(DropReason::StormIngress));
    assert_eq!(refused(&mut switch, 0, 1, P3), None, "other ports go on");
    assert_eq!(refused(&mut switch, 0, 2, P4), None, "and other priorities");
    let state = *switch.watchdog(port(2), P3).unwrap();
    assert!(state.stormed);
    assert_eq!((state.detected, state.tx_dropped_packets, state.rx_dropped_packets), (1, 12, 1));
    assert_eq!(switch.lossless_drops(), 0, "a watchdog's drop is no want of headroom");

    // The last pause came at or before 300 ms and runs out 335.5 us later; 400 ms of silence make it well.
    let events = run(&mut switch, Time::MAX, Time::ZERO, Time::from_s(1));
    let [Event::StormRestored { at, port: well, priority }] = events[..] else { panic!("{events:?}") };
    assert_eq!((well, priority), (port(2), P3));
    let last = at - Span::from_ms(400) - pause::quanta_span(u16::MAX, C100);
    assert!(last <= now && now - last < Span::from_us(101), "{last}");
    assert_eq!(refused(&mut switch, 0, 2, P3), None);
    assert_eq!(switch.watchdog(port(2), P3).unwrap().restored, 1);
}

#[test]
fn a_queue_that_still_sends_is_in_no_storm() {
    let mut switch = watched(WatchdogAction::Drop, PauseStyle::Quanta);
    fill(&mut switch, at(0), 12);
    let mut now = Time::from_ms(1);
    for _ in 0..10 {
        // Paused for 100 ms, then free for an instant in which one frame leaves.
        let end = now + Span::from_ms(100);
        assert_eq!(run(&mut switch, now, end, end), []);
        switch.handle_pfc(end, port(2), &PfcFrame::resume(P3));
        switch.dequeue(end, port(2), &mut no_draw).unwrap();
        now = end;
    }
    assert_eq!(switch.watchdog(port(2), P3).unwrap().detected, 0);
}

#[test]
fn forwarding_ignores_the_pause_and_alerting_changes_nothing() {
    for action in [WatchdogAction::Forward, WatchdogAction::Alert] {
        let mut switch = watched(action, PauseStyle::OnOff);
        fill(&mut switch, at(0), 12);
        switch.handle_pfc(at(0), port(2), &PfcFrame::pause(P3, u16::MAX));
        assert_eq!(switch.next_deadline(), Some(Time::from_ms(200)));
        let now = Time::from_ms(200);
        switch.handle_deadline(now);
        assert!(matches!(switch.poll_event(), Some(Event::StormDetected { queued_bytes: 12_000, .. })));
        let forwards = action == WatchdogAction::Forward;
        assert_eq!(switch.poll_ready(), forwards.then_some(port(2)));
        assert_eq!(switch.paused(now, port(2), P3), !forwards);
        assert_eq!(switch.dequeue(now, port(2), &mut no_draw).is_some(), forwards);
        assert_eq!(switch.watchdog(port(2), P3).unwrap().tx_packets, u64::from(forwards));
        assert_eq!(switch.admit(now, port(2), port(1), P3, Pkt::new(0, 99)), Admit::Queued);
        // No resume, no end; then 400 ms after it.
        switch.handle_deadline(Time::from_s(5));
        assert_eq!(switch.poll_event(), None);
        switch.handle_pfc(Time::from_s(6), port(2), &PfcFrame::resume(P3));
        let well = Time::from_s(6) + Span::from_ms(400);
        assert_eq!(switch.next_deadline(), Some(well));
        switch.handle_deadline(well);
        assert_eq!(switch.poll_event(), Some(Event::StormRestored { at: well, port: port(2), priority: P3 }));
        assert!(!switch.paused(well, port(2), P3));
    }
}

#[test]
fn a_switch_that_cannot_be_says_why() {
    let good = config();
    let error = |config: SwitchConfig| Switch::<Pkt>::new(&config).err();
    assert_eq!(error(good.clone()), None);
    assert_eq!(error(SwitchConfig { ports: vec![], ..good.clone() }), Some(ConfigError::Ports { found: 0 }));
    assert_eq!(
        error(SwitchConfig { ports: vec![good.ports[0]; 1025], ..good.clone() }),
        Some(ConfigError::Ports { found: 1025 })
    );
    assert_eq!(error(SwitchConfig { classes: vec![], ..good.clone() }), Some(ConfigError::NoClass));
    let twice = vec![good.classes[0], good.classes[0]];
    assert_eq!(
        error(SwitchConfig { classes: twice, ..good.clone() }),
        Some(ConfigError::DuplicatePriority { priority: P3 })
    );
    let idle = ClassConfig { scheduling: Scheduling::Weighted(0), ..good.classes[0] };
    assert_eq!(
        error(SwitchConfig { classes: vec![idle], ..good.clone() }),
        Some(ConfigError::ZeroWeight { priority: P3 })
    );
    assert_eq!(
        error(SwitchConfig { buffer_bytes: 1 << 32, ..good.clone() }),
        Some(ConfigError::BufferTooLarge { found: 1 << 32 })
    );
    // 2 lossless classes × 3 ports × (30000 + 1048).
    let tight = error(SwitchConfig { buffer_bytes: 186_288, ..good.clone() }).unwrap();
    assert_eq!(
        tight,
        ConfigError::Budget {
            buffer_bytes: 186_288,
            headroom_bytes: 180_000,
            reserve_bytes: 0,
            skid_bytes: 6_288
        }
    );
    assert!(tight.to_string().contains("= 186288 B"), "{tight}");
    assert_eq!(error(SwitchConfig { buffer_bytes: 186_289, ..good.clone() }), None);
    for refresh in [0.0, 1.0, f64::NAN] {
        let pfc = PfcParams { refresh, ..good.pfc };
        assert!(matches!(error(SwitchConfig { pfc, ..good.clone() }), Some(ConfigError::Pfc { .. })));
    }
    let pfc = PfcParams { quanta: 0, ..good.pfc };
    assert!(matches!(error(SwitchConfig { pfc, ..good.clone() }), Some(ConfigError::Pfc { .. })));
    let red = weir_congestion::RedParams { kmin_bytes: 2, kmax_bytes: 1, pmax: 0.5 };
    let ports = vec![good.ports[0], good.ports[0].with_ecn(P4, red)];
    assert_eq!(
        error(SwitchConfig { ports, ..good.clone() }),
        Some(ConfigError::Ecn { port: port(1), priority: P4, red })
    );
    let ports = vec![PortConfig::new(Rate::ZERO)];
    assert_eq!(error(SwitchConfig { ports, ..good }), Some(ConfigError::ZeroRate { port: port(0) }));
}

#[test]
fn frames_that_belong_nowhere_come_back() {
    let mut switch = Switch::new(&config()).unwrap();
    let mut reason =
        |from, to, priority, bytes| match switch.admit(at(0), port(from), port(to), priority, Huge(bytes)) {
            Admit::Dropped { reason, frame } => {
                assert_eq!(frame.0, bytes);
                Some(reason)
            }
            Admit::Queued => None,
        };
    assert_eq!(reason(0, 3, P3, 64), Some(DropReason::NoSuchPort));
    assert_eq!(reason(9, 1, P3, 64), Some(DropReason::NoSuchPort));
    assert_eq!(reason(0, 1, weir_switch::Priority::from_pcp(7), 64), Some(DropReason::NoSuchPriority));
    assert_eq!(reason(0, 1, P3, 65_536), Some(DropReason::TooLong));
    assert_eq!(reason(0, 1, P3, 64), None);
    assert!(switch.dequeue(at(0), port(9), &mut no_draw).is_none());
    switch.handle_pfc(at(0), port(9), &PfcFrame::pause(P3, 1));
    switch.handle_pause(at(0), port(9), 1);
    switch.handle_link_down(at(0), port(9));
    switch.handle_link_up(at(0), port(9));
    assert_eq!(switch.counters(at(0), port(9), P3), None);
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Huge(u32);

impl weir_switch::Frame for Huge {
    fn bytes(&self) -> u32 {
        self.0
    }
    fn ecn_capable(&self) -> bool {
        true
    }
    fn mark_ce(&mut self) {}
}
