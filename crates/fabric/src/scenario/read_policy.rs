//! `[[class]]`, `[qos]`, `[buffer]`, `[pfc]` and `[nic]`.

use super::names;
use super::table::{Context, Table};
use super::value::{Read, Value};
use crate::{
    Accounting, Buffer, Class, CnpMode, EcnRule, EcnThresholds, Headroom, MarkAt, Nic, PauseStyle, Pfc, Qos,
    Recovery, Scheduling, Watchdog, WatchdogAction, Window,
};
use std::ops::Range;
use weir_units::{Bytes, Rate, Span};

/// Reads `[qos]` and the classes; without classes, those of [`Qos::default`].
pub(super) fn qos(t: Option<Table<'_>>, classes: Vec<Table<'_>>) -> Qos {
    let mut qos = Qos::default();
    if let Some(first) = classes.first() {
        let (cx, spans) = (first.cx, classes.iter().map(Table::heading).collect::<Vec<_>>());
        qos.classes = classes.into_iter().map(class).collect();
        qos.default_class = 0;
        qos.cnp_class = qos.class_named("cnp").unwrap_or(0);
        check_classes(cx, &spans, &qos);
    }
    let Some(t) = t else { return qos };
    qos.ecn = t.or("ecn", qos.ecn);
    qos.mark_at = t.word_or("mark_at", MarkAt::default());
    for (key, index) in [("default_class", 0), ("cnp_class", 1), ("ack_class", 2)] {
        let Some(class) = t.get(key).and_then(|value| names::class(&value, &qos)) else { continue };
        match index {
            0 => qos.default_class = class,
            1 => qos.cnp_class = class,
            _ => qos.ack_class = Some(class),
        }
    }
    if !qos.ecn {
        t.idle("mark_at", "`qos.ecn` is false, so that nothing is marked");
    }
    t.finish();
    qos
}

/// Refuses classes that get into each other's way.
fn check_classes(cx: &Context<'_>, spans: &[Range<usize>], qos: &Qos) {
    if qos.classes.len() > 8 {
        let span = spans.get(8).cloned().unwrap_or_default();
        cx.error(
            span,
            "there are more than 8 classes",
            "priorities, of which each class has its own, are 0 to 7",
        );
    }
    for (i, class) in qos.classes.iter().enumerate() {
        for earlier in &qos.classes[..i] {
            let same_dscp = class.dscp.iter().find(|dscp| earlier.dscp.contains(dscp));
            let clash = if class.name == earlier.name {
                Some((format!("two classes are called `{}`", class.name), "give each its own name"))
            } else if class.priority == earlier.priority {
                Some((
                    format!(
                        "classes `{}` and `{}` both have priority {}",
                        earlier.name, class.name, class.priority
                    ),
                    "give each its own priority, 0 to 7",
                ))
            } else {
                same_dscp.map(|dscp| {
                    (
                        format!("DSCP {dscp} maps to both `{}` and `{}`", earlier.name, class.name),
                        "leave it in one of them",
                    )
                })
            };
            if let (Some((message, help)), Some(span)) = (clash, spans.get(i)) {
                cx.error(span.clone(), message, help);
            }
        }
    }
}

fn class(t: Table<'_>) -> Class {
    let name: String = t.need("name").unwrap_or_default();
    let priority = t.need_int("priority", 0..=7).unwrap_or(0) as u8;
    let dscp: Vec<u8> = match t.get("dscp") {
        Some(value) => {
            value.elements().iter().filter_map(|dscp| dscp.int(0..=63)).map(|dscp| dscp as u8).collect()
        }
        // The class selector of the priority (RFC 2474).
        None => vec![priority * 8],
    };
    if dscp.is_empty() {
        t.error(
            "dscp",
            format!("{} has an empty `dscp`", t.title()),
            "its packets need a code point, such as 26",
        );
    }
    let lossless = t.or("lossless", false);
    let ecn = t.get("ecn").map_or(EcnRule::Off, |value| ecn(&value));
    t.only_one(&["strict", "weight"]);
    let weight = t.int_or("weight", 1..=1_000_000, 1) as u32;
    let scheduling = if t.or("strict", false) { Scheduling::Strict } else { Scheduling::Weighted(weight) };
    t.finish();
    Class { name, priority, dscp, lossless, ecn, scheduling }
}

/// `{ kmin, kmax, pmax }` for all speeds, with `at` in proportion to speed, or an array of them with `rate`.
fn ecn(value: &Value<'_>) -> EcnRule {
    if !value.is_array() {
        let Some(t) = value.as_table() else { return EcnRule::Off };
        let at: Option<Rate> = t.opt("at");
        if at == Some(Rate::ZERO) {
            t.error(
                "at",
                format!("`{}` is zero", t.path_of("at")),
                "write the speed that kmin and kmax are meant for",
            );
        }
        let thresholds = thresholds(&t);
        t.finish();
        return match (thresholds, at) {
            (Some(thresholds), Some(at)) => EcnRule::Proportional { at, thresholds },
            (Some(thresholds), None) => EcnRule::Fixed(thresholds),
            (None, _) => EcnRule::Off,
        };
    }
    let mut rows: Vec<(Rate, EcnThresholds)> = Vec::new();
    for element in value.elements() {
        let Some(t) = element.as_table() else { continue };
        let rate: Option<Rate> = t.need("rate");
        let thresholds = thresholds(&t);
        if let (Some(rate), Some(thresholds)) = (rate, thresholds) {
            if rows.iter().any(|(other, _)| *other == rate) {
                t.error("rate", format!("{rate} is given twice"), "give each speed one row");
            }
            rows.push((rate, thresholds));
        }
        t.finish();
    }
    EcnRule::Table(rows)
}

fn thresholds(t: &Table<'_>) -> Option<EcnThresholds> {
    let (kmin, kmax) = (t.need::<Bytes>("kmin"), t.need::<Bytes>("kmax"));
    let pmax = match t.get("pmax") {
        Some(value) => value.number_in("a probability from 0 to 1", |p| (0.0..=1.0).contains(&p)),
        None => {
            t.missing("pmax", "0.2");
            None
        }
    };
    let thresholds = EcnThresholds { kmin: kmin?, kmax: kmax?, pmax: pmax? };
    if thresholds.kmin > thresholds.kmax {
        t.error(
            "kmin",
            format!("`kmin` is {}, and must not be above `kmax`, {}", thresholds.kmin, thresholds.kmax),
            "for marking at one depth give both the same value",
        );
    }
    Some(thresholds)
}

/// Either a word or a size.
fn size_or<T>(value: &Value<'_>, words: &[(&str, T)], size: impl FnOnce(Bytes) -> T) -> Option<T>
where
    T: Copy,
{
    if value.is_string() {
        let text = value.string()?;
        if let Some((_, found)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*found);
        }
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            super::value::unknown_word(value, &text, "a size or one of these words", &known);
            return None;
        }
    }
    Bytes::read(value).map(size)
}

pub(super) fn buffer(t: Option<Table<'_>>) -> Buffer {
    let mut b = Buffer::default();
    let Some(t) = t else { return b };
    let positive = "a number above 0, or a fraction such as \"1/8\"";
    b.total = t.or("total", b.total);
    b.accounting = t.word_or("accounting", Accounting::default());
    t.only_one(&["threshold", "alpha"]);
    b.threshold = t.opt("threshold");
    b.alpha = t.number_or("alpha", positive, |alpha| alpha > 0.0 && alpha <= 1024.0, b.alpha);
    b.alpha_at = t.opt::<Rate>("alpha_at");
    b.lossy_alpha =
        t.number_or("lossy_alpha", positive, |alpha| alpha > 0.0 && alpha <= 1024.0, b.lossy_alpha);
    b.reserve = t.or("reserve", b.reserve);
    let words = [("auto", Headroom::Auto), ("hpcc", Headroom::Hpcc)];
    if let Some(value) = t.get("headroom") {
        b.headroom = size_or(&value, &words, Headroom::Bytes).unwrap_or_default();
    }
    if b.threshold.is_some() {
        t.idle("alpha_at", "`buffer.threshold` is static");
    }
    if b.alpha_at == Some(Rate::ZERO) {
        t.error(
            "alpha_at",
            "`buffer.alpha_at` is zero",
            "write the speed of the ports that `alpha` is meant for",
        );
    }
    for (key, bytes) in
        [("total", b.total), ("reserve", b.reserve), ("threshold", b.threshold.unwrap_or_default())]
    {
        if bytes.get() > u64::from(u32::MAX) {
            t.error(key, format!("`buffer.{key}` is {bytes}, and a switch has less than 4 GiB"), "");
        }
    }
    t.finish();
    b
}

pub(super) fn pfc(t: Option<Table<'_>>) -> Pfc {
    let mut p = Pfc::default();
    let Some(t) = t else { return p };
    p.enabled = t.or("enabled", p.enabled);
    p.style = t.word_or("style", PauseStyle::default());
    p.quanta = t.int_or("quanta", 1..=65535, u64::from(p.quanta)) as u16;
    p.refresh = t.number_or("refresh", "between 0 and 1", |share| share > 0.0 && share < 1.0, p.refresh);
    p.xon_offset = t.or("xon_offset", p.xon_offset);
    p.response_delay = t.or("response_delay", p.response_delay);
    if let Some(w) = t.get("watchdog").and_then(|value| value.as_table()) {
        let usual = Watchdog::default();
        let dog = Watchdog {
            detect: w.or("detect", usual.detect),
            restore: w.or("restore", usual.restore),
            action: w.word_or("action", WatchdogAction::default()),
        };
        for (key, span) in [("detect", dog.detect), ("restore", dog.restore)] {
            if span == Span::ZERO {
                w.error(key, format!("`{}` is zero", w.path_of(key)), "write for example \"200 ms\"");
            }
        }
        w.finish();
        p.watchdog = Some(dog);
    }
    if !p.enabled {
        for key in ["style", "quanta", "refresh", "xon_offset", "response_delay", "watchdog"] {
            t.idle(key, "`pfc.enabled` is false");
        }
    } else if p.style == PauseStyle::OnOff {
        for key in ["quanta", "refresh"] {
            t.idle(key, "with `pfc.style` \"on-off\" a pause holds until a resume");
        }
    }
    t.finish();
    p
}

pub(super) fn nic(t: Option<Table<'_>>) -> Nic {
    let mut n = Nic::default();
    let Some(t) = t else { return n };
    n.mtu = t.or("mtu", n.mtu);
    if !(64..=9216).contains(&n.mtu.get()) {
        t.error(
            "mtu",
            format!("`nic.mtu` is {}, and must be from 64 B to 9216 B of payload", n.mtu),
            "InfiniBand's are \"256 B\", \"512 B\", \"1024 B\", \"2048 B\" and \"4096 B\"",
        );
    }
    n.ack_every = t.int_or("ack_every", 1..=1 << 20, u64::from(n.ack_every)) as u32;
    n.notification_delay = t.or("notification_delay", n.notification_delay);
    n.reaction_delay = t.or("reaction_delay", n.reaction_delay);
    n.pfc_response_delay = t.or("pfc_response_delay", n.pfc_response_delay);
    n.cnp_interval = t.or("cnp_interval", n.cnp_interval);
    n.cnp_mode = t.word_or("cnp_mode", CnpMode::default());
    n.cnp_style = t.word_or("cnp_style", n.cnp_style);
    n.retransmission_timeout = t.or("retransmission_timeout", n.retransmission_timeout);
    if n.retransmission_timeout == Span::ZERO {
        t.error(
            "retransmission_timeout",
            "`nic.retransmission_timeout` is zero",
            "write a time above the round trip, such as \"4 ms\"; without the timer a lost last packet would hang its flow",
        );
    }
    n.retry_count = t.int_or("retry_count", 0..=7, u64::from(n.retry_count)) as u8;
    n.recovery = t.word_or("recovery", Recovery::default());
    if let Some(value) = t.get("window") {
        let words = [("none", Window::None), ("bdp", Window::Bdp)];
        n.window = size_or(&value, &words, Window::Bytes).unwrap_or_default();
        if n.window == Window::Bytes(Bytes::ZERO) {
            value.error(
                "`nic.window` is zero, and nothing could be sent",
                "write \"none\", \"bdp\" or a size",
            );
        }
    }
    t.finish();
    n
}
