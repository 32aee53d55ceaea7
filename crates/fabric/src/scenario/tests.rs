//! What is said about scenarios that are wrong: place, cause, remedy.

use super::*;
use crate::{NodeId, Pattern, Sizes};

/// A scenario that is right, for tests to break.
const GOOD: &str = r#"
[topology]
kind = "star"
hosts = 4
rate = "100 Gb/s"

[[workload]]
kind = "pairs"
from = "h0"
to = "h1"
bytes = "1 MB"
"#;

fn files(name: &str) -> Result<String, String> {
    match name {
        "sizes.txt" => Ok("0 0\n1000 50\n3000 100\n".into()),
        "cut.txt" => Ok("0 0\n1000 50\n".into()),
        "flows.csv" => Ok("src,dst,bytes,start\nh0,h1,1000,1 us\n".into()),
        "bad.csv" => Ok("src,dst,bytes\nh0,h1,1000\nh0,h7,1000\n".into()),
        _ => Err("no such file".into()),
    }
}

fn parse(text: &str) -> Result<Scenario, Vec<ScenarioError>> {
    Scenario::from_toml(text, "x.toml", &mut files)
}

fn good(text: &str) -> Scenario {
    parse(text).unwrap_or_else(|errors| panic!("{}\n{errors:#?}", text))
}

/// The only error of a text.
fn error(text: &str) -> ScenarioError {
    let mut errors = parse(text).expect_err(text);
    assert_eq!(errors.len(), 1, "{text}\n{errors:#?}");
    errors.remove(0)
}

/// `GOOD` with one line replaced; a line that is not there is added to the end of the topology.
fn with(line: &str, replacement: &str) -> String {
    assert!(GOOD.contains(line), "{line}");
    GOOD.replacen(line, replacement, 1)
}

fn section(text: &str) -> String {
    format!("{GOOD}\n{text}\n")
}

#[test]
fn errors_say_where_what_and_what_instead() {
    // Text, the text at the place, a part of the message, a part of the help.
    let cases: &[(String, &str, &str, &str)] = &[
        // Misspelt keys and words.
        (with("rate =", "raet ="), "raet", "`raet` is not a key of [topology]", "did you mean `rate`"),
        (with("rate = \"100 Gb/s\"\n", ""), "[topology]", "[topology] has no `rate`", "rate = \"100 Gb/s\""),
        (section("[nic]\nmtuu = \"1024 B\""), "mtuu", "`mtuu` is not a key of [nic]", "did you mean `mtu`"),
        (section("[nicc]\nmtu = \"1024 B\""), "nicc", "`nicc` is not a key of the top level", "did you mean `nic`"),
        (with("\"star\"", "\"satr\""), "\"satr\"", "is \"satr\", which is not a kind of topology", "did you mean \"star\""),
        (with("\"pairs\"", "\"pair\""), "\"pair\"", "not a kind of workload", "did you mean \"pairs\""),
        (with("\"h1\"", "\"h11\""), "\"h11\"", "which is not a host", "did you mean \"h1\""),
        (section("[control]\nalgorithm = \"dcqnc\""), "\"dcqnc\"", "not a congestion control algorithm", "did you mean \"dcqcn\""),
        (section("[pfc]\nstyle = \"onoff\""), "\"onoff\"", "not a pause style", "did you mean \"on-off\""),
        // Units.
        (with("\"100 Gb/s\"", "100"), "100", "`topology.rate` is 100 without a unit", "write rate = \"100 Gb/s\""),
        (with("\"1 MB\"", "1000"), "1000", "without a unit", "write bytes = \"1000 KB\""),
        (with("\"100 Gb/s\"", "\"100 GB/s\""), "\"100 GB/s\"", "has the unit `GB/s`, which is none of a rate", "did you mean `Gb/s`"),
        (section("[nic]\ncnp_interval = \"4 KB\""), "\"4 KB\"", "has the unit `KB`, which is none of a time", "units are ps, ns, us"),
        (section("[nic]\ncnp_interval = \"soon\""), "\"soon\"", "which is not a time", "write for example cnp_interval = \"10 us\""),
        (section("[nic]\nmtu = \"-5 B\""), "\"-5 B\"", "out of range", ""),
        (with("hosts = 4", "hosts = 4\ncable = 5"), "5", "`topology.cable` has no unit", "cable = \"20 m\""),
        (with("hosts = 4", "hosts = 4\ncable = \"5 s\""), "\"5 s\"", "not a length", "cable = \"20 m\""),
        // Wrong types and ranges.
        (with("hosts = 4", "hosts = \"4\""), "\"4\"", "`topology.hosts` is a string, and must be a whole number", "hosts = 1"),
        (with("hosts = 4", "hosts = 4.5"), "4.5", "must be a whole number", ""),
        (with("hosts = 4", "hosts = -4"), "-4", "is -4, and must be a whole number from 1", ""),
        (with("hosts = 4", "hosts = 99999999999999999999"), "99999999999999999999", "must be a whole number", ""),
        (section("[pfc]\nenabled = \"yes\""), "\"yes\"", "must be true or false", "enabled = true"),
        (section("[nic]\nretry_count = 8"), "8", "from 0 to 7", ""),
        (section("[nic]\nmtu = \"40 B\""), "\"40 B\"", "from 64 B to 9216 B", "\"1024 B\""),
        (section("[buffer]\nalpha = 0"), "0", "above 0", ""),
        (section("[run]\nseeds = []"), "[]", "is empty", "seeds = [1, 2, 3]"),
        (section("[[nic]]\nmtu = \"1024 B\""), "[[nic]]", "`nic` is an array, and must be a table", ""),
        (section("[fault]\nkind = \"loss\""), "[fault]", "`fault` is not a list", "[[fault]]"),
        // Impossible topologies.
        (with("hosts = 4", "hosts = 1"), "1", "must be at least 2", ""),
        (with("\"100 Gb/s\"", "\"0 Gb/s\""), "\"0 Gb/s\"", "10 to 1600 Gb/s", "rate = \"100 Gb/s\""),
        (with("\"100 Gb/s\"", "\"3200 Gb/s\""), "\"3200 Gb/s\"", "10 to 1600 Gb/s", ""),
        (with("hosts = 4", "hosts = 4\ndelay = \"1 us\"\ncable = \"1 m\""), "\"1 m\"", "both `delay` and `cable`", "remove one"),
        ("[topology]\nkind = \"fat-tree\"\nk = 5\nrate = \"100 Gb/s\"\n".into(), "5", "must be even", "k = 4 or k = 6"),
        ("[topology]\nkind = \"fat-tree\"\nk = 4\npods = 2\nrate = \"100 Gb/s\"\n".into(), "2", "`topology.pods` follows from `k`", "remove"),
        (
            "[topology]\nkind = \"fat-tree\"\npods = 2\ntors_per_pod = 2\naggs_per_pod = 3\ncores = 4\nhosts_per_tor = 1\nrate = \"100 Gb/s\"\n".into(),
            "4",
            "`cores` is 4, and must be a multiple of `aggs_per_pod`",
            "",
        ),
        (
            "[topology]\nkind = \"dragonfly\"\ngroups = 9\nrouters_per_group = 2\nhosts_per_router = 1\nglobal_ports = 1\nrate = \"100 Gb/s\"\n".into(),
            "9",
            "`groups` is 9, and must be at most 3",
            "",
        ),
        ("[topology]\nkind = \"leaf-spine\"\nleaves = 1000000\nspines = 1000000\nhosts_per_leaf = 1\nrate = \"100 Gb/s\"\n".into(), "[topology]", "more than the 1048576", ""),
        // Control.
        (section("[control]\npreset = \"patched\""), "\"patched\"", "not a preset of \"dcqcn\"", "it can be: paper, firmware"),
        (section("[control]\nr_ai = \"5 Mb/s\"\nrpg_ai_rate = \"5 Mb/s\""), "\"5 Mb/s\"", "both `r_ai` and `rpg_ai_rate`", "remove one"),
        (section("[control]\nalpha_interval = \"0 us\""), "\"0 us\"", "is zero", "\"55 us\""),
        (section("[control]\ng = 2"), "2", "from 0 to 1", ""),
        // Workloads.
        (with("to = \"h1\"", "to = \"h0\""), "\"h0\"", "`h0` would send to itself", ""),
        (with("to = \"h1\"", "to = [\"h1\", \"h2\", \"h3\"]\nstart = 5"), "5", "without a unit", "start = \"5 us\""),
        (with("from = \"h0\"\nto = \"h1\"", "from = [\"h0\", \"h1\"]\nto = [\"h1\", \"h2\", \"h3\"]"), "[\"h1\", \"h2\", \"h3\"]", "`from` has 2 hosts and `to` has 3", ""),
        (with("to = \"h1\"", "to = \"h3..h1\""), "\"h3..h1\"", "goes backwards", ""),
        (with("to = \"h1\"", "to = \"h1\"\nclass = \"gold\""), "\"gold\"", "not a class", "it can be: roce, cnp"),
        (section("[[workload]]\nkind = \"poisson\"\nsizes = \"web-serch\"\nload = 0.5\nduration = \"1 ms\""), "\"web-serch\"", "a distribution that is built in", "did you mean \"web-search\""),
        (section("[[workload]]\nkind = \"poisson\"\nsizes = \"web-search\"\nload = 50\nduration = \"1 ms\""), "50", "share of bandwidth", "for 50% write load = 0.5"),
        (section("[[workload]]\nkind = \"poisson\"\nsizes = \"none.txt\"\nload = 0.5\nduration = \"1 ms\""), "\"none.txt\"", "cannot read none.txt: no such file", "relative"),
        (section("[[workload]]\nkind = \"all-reduce\"\nhosts = [\"h0\", \"h1\", \"h2\"]\nbytes = \"1 MB\"\nalgorithm = \"halving-doubling\""), "[\"h0\", \"h1\", \"h2\"]", "power of two", "name 2 hosts"),
        (section("[[workload]]\nkind = \"all-reduce\"\nbytes = \"3 B\""), "\"3 B\"", "cannot be divided among 4", ""),
        (section("[[workload]]\nkind = \"moe\"\nexperts = 4\ntop_k = 5\ntokens = 1\ntoken_bytes = \"1 KB\""), "5", "5 different experts, and there are 4", ""),
        (section("[[workload]]\nkind = \"pipeline\"\nstages = 3\nbytes = \"1 KB\""), "3", "4 hosts cannot be cut into 3 stages", ""),
        (section("[[workload]]\nkind = \"pairs\"\nname = \"pairs\"\nfrom = \"h0\"\nto = \"h1\"\nbytes = \"1 KB\""), "[[workload]]", "two workloads are called `pairs`", ""),
        (section("[[workload]]\nkind = \"poisson\"\nsizes = \"64 B\"\nload = 1\nduration = \"100 s\""), "[[workload]]", "flows, and 16777216 are the most", "shorten"),
        // Faults and probes.
        (section("[[fault]]\nkind = \"loss\"\nlinks = \"h0--h1\"\nprobability = 0.1"), "\"h0--h1\"", "names no link", "h0--s0"),
        (section("[[fault]]\nkind = \"loss\"\nlinks = \"all\"\nprobability = 1.5"), "1.5", "a probability from 0 to 1", ""),
        (section("[[fault]]\nkind = \"loss\"\nlinks = \"s0:9\"\nprobability = 0.5"), "\"s0:9\"", "`s0` has no port 9", "0 to 3"),
        (section("[[fault]]\nkind = \"link-down\"\nlinks = \"all\"\nfrom = \"2 ms\"\nuntil = \"1 ms\""), "\"1 ms\"", "must be after `from`", ""),
        (section("[probes]\nqueue_series = \"1 us\"\nqueues = [\"h0\"]"), "\"h0\"", "is a host", ""),
        (section("[probes]\nqueue_series = \"1 us\"\nqueues = [\"s0:1/5\"]"), "\"s0:1/5\"", "names no queue", "(3, 6)"),
        // Classes and switches.
        (section("[[class]]\nname = \"a\"\npriority = 3\n[[class]]\nname = \"b\"\npriority = 3\ndscp = [1]"), "[[class]]", "both have priority 3", ""),
        (section("[[class]]\nname = \"a\"\npriority = 3\necn = { kmin = \"2 KB\", kmax = \"1 KB\", pmax = 0.5 }"), "\"2 KB\"", "must not be above `kmax`", ""),
        (section("[[class]]\nname = \"a\"\npriority = 3\necn = [{ rate = \"400 Gb/s\", kmin = \"2 KB\", kmax = \"3 KB\", pmax = 0.5 }]"), "[{ rate", "no thresholds for links of 100 Gb/s", "rate = \"100 Gb/s\""),
        (section("[buffer]\ntotal = \"64 KiB\""), "\"64 KiB\"", "cannot hold", "well above"),
    ];
    for (text, place, message, help) in cases {
        let error = error(text);
        let there = &text[error.span.clone()];
        assert!(there.starts_with(place), "{text}\nat `{there}`, not `{place}`: {error}");
        assert!(error.message.contains(message), "{text}\n{error}");
        assert!(error.help.contains(help), "{text}\n{error}");
        let before = &text[..error.span.start];
        assert_eq!(error.line as usize, before.matches('\n').count() + 1);
        assert_eq!(error.column as usize, before.chars().rev().take_while(|c| *c != '\n').count() + 1);
    }
}

#[test]
fn an_explicit_topology_is_checked() {
    let explicit = |links: &str| {
        format!(
            "[topology]\nkind = \"explicit\"\nrate = \"100 Gb/s\"\nhosts = [\"a\", \"b\"]\nswitches = [\"s\", \"t\"]\nlinks = [{links}]\n"
        )
    };
    let scenario = good(&explicit(
        "[\"a\", \"s\"], { ends = [\"s\", \"t\"], count = 2, rate = \"400 Gb/s\" }, [\"t\", \"b\"]",
    ));
    assert_eq!(scenario.topology.links().len(), 4);
    for (links, message, help) in [
        ("[\"a\", \"s\"], [\"b\", \"t\"]", "no path joins `a` and `b`", "add a link"),
        ("[\"a\", \"s\"], [\"s\", \"t\"]", "host `b` has no link", "add [\"b\""),
        ("[\"a\", \"s\"], [\"s\", \"a\"], [\"b\", \"s\"]", "link s--a is given twice", "count = 2"),
        ("[\"a\", \"s\"], [\"b\", \"s\"], [\"s\", \"s\"]", "joins `s` to itself", ""),
        ("[\"a\", \"s\"], [\"b\", \"u\"]", "names `u`", "`hosts` or `switches`"),
        ("[\"a\", \"s\"], [\"b\"]", "a link has two ends", "write"),
        ("[\"a\", \"s\"], { ends = [\"b\", \"s\"], bit_error_rate = 1 }", "less than 1", ""),
    ] {
        let text = explicit(links);
        let error = error(&text);
        assert!(error.message.contains(message) && error.help.contains(help), "{text}\n{error}");
        assert_ne!(error.span, 0..0);
    }
    let text = explicit("[\"a\", \"s\"], [\"b\", \"s\"]").replace("\"t\"", "\"t--u\"");
    assert!(error(&text).message.contains("cannot be the name of a node"));
    let bare = explicit("[\"a\", \"s\"], [\"b\", \"s\"]").replace("rate = \"100 Gb/s\"\n", "");
    let errors = parse(&bare).unwrap_err();
    assert!(errors.iter().all(|error| error.message.contains("has no rate")), "{errors:#?}");
    assert_eq!(errors.len(), 2, "one for each link");
}

#[test]
fn routes_are_checked() {
    let text = |route: &str| format!("{GOOD}\n[[route]]\n{route}\n");
    for (route, message) in [
        ("to = \"h0\"\nvia = \"h0\"", "has no `at`"),
        ("at = \"s0\"\nvia = \"h0\"", "has no `to`"),
        ("at = \"s0\"\nto = \"h0\"", "has no `via`"),
        ("at = \"s0\"\nto = \"h0\"\nvia = \"s1\"", "not a host or switch"),
        ("at = \"h0\"\nto = \"h1\"\nvia = \"h1\"", "no link joins `h0` and `h1`"),
    ] {
        let error = error(&text(route));
        assert!(error.message.contains(message), "{route}: {error}");
    }
}

#[test]
fn all_errors_come_at_once_in_order() {
    let text = "[topology]\nkind = \"star\"\nhosts = 0\nrate = 5\n\n[nic]\nmtu = 5\nspeed = 1\n";
    let errors = parse(text).unwrap_err();
    let lines: Vec<u32> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [3, 4, 7, 8]);
}

#[test]
fn a_text_that_is_no_toml_or_cut_short_says_so() {
    let cut = error("[topology]\nkind = \"sta");
    assert!(cut.message.starts_with("not valid TOML") && cut.help.contains("cut short"), "{cut}");
    assert_eq!(cut.line, 2);
    let wrong = error("[topology]\nkind \"star\"\nhosts = 4\n");
    assert!(wrong.line == 2 && !wrong.help.contains("cut short"), "{wrong}");
    assert!(error("").message.contains("has no `topology`"));
    let half = error("[topology]\nkind = \"star\"\n[topology]\n");
    assert!(half.message.contains("duplicate"), "{half}");
}

/// Whatever prefix of a file is left: no panic, and an error or a smaller scenario.
#[test]
fn every_prefix_of_a_scenario_is_answered() {
    let text = include_str!("../../../../scenarios/fat320-websearch.toml");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        if let Err(errors) = parse(&text[..end]) {
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|error| error.span.end <= end && error.line >= 1 && error.column >= 1));
        }
    }
}

#[test]
fn an_error_in_a_file_names_that_file() {
    let poisson = |file: &str| {
        section(&format!(
            "[[workload]]\nkind = \"poisson\"\nsizes = \"{file}\"\nload = 0.5\nduration = \"1 ms\""
        ))
    };
    let scenario = good(&poisson("sizes.txt"));
    let Pattern::Poisson { sizes: Sizes::Cdf(cdf), .. } = &scenario.workloads[1].pattern else { panic!() };
    assert_eq!((cdf.name.as_str(), cdf.mean()), ("sizes.txt", 1250.0));
    let cut = error(&poisson("cut.txt"));
    assert_eq!((cut.origin.as_str(), cut.line), ("cut.txt", 2));
    assert!(cut.message.contains("must be 100") && cut.help.contains("x.toml"), "{cut}");
    let csv = |file: &str| section(&format!("[[workload]]\nkind = \"csv\"\nfile = \"{file}\""));
    assert_eq!(good(&csv("flows.csv")).flows(1).flows.len(), 2);
    let bad = error(&csv("bad.csv"));
    assert_eq!((bad.origin.as_str(), bad.line), ("bad.csv", 3));
    assert!(bad.message.contains("h7"), "{bad}");
}

/// Keys that change nothing in their combination, and what is said about them.
#[test]
fn keys_without_effect_are_reported() {
    for (text, keys) in [
        (
            "[control]\nalgorithm = \"none\"\npreset = \"paper\"\nr_ai = \"5 Mb/s\"",
            vec!["control.preset", "control.r_ai"],
        ),
        (
            "[control]\nenabled = false\nalgorithm = \"dcqcn\"\ng = 0.5",
            vec!["control.algorithm", "control.g"],
        ),
        ("[control]\nalgorithm = \"timely\"\nrpg_ai_rate = \"5 Mb/s\"", vec!["control.rpg_ai_rate"]),
        ("[control]\nalgorithm = \"dcqcn\"\nt_low = \"5 us\"", vec!["control.t_low"]),
        ("[control]\npreset = \"paper\"\ndecrease_interval = \"5 us\"", vec!["control.decrease_interval"]),
        ("[control]\nalgorithm = \"dctcp\"\nmin_rate = \"5 Mb/s\"", vec!["control.min_rate"]),
        (
            "[pfc]\nenabled = false\nquanta = 100\n[buffer]\nheadroom = \"auto\"",
            vec!["buffer.headroom", "pfc.quanta"],
        ),
        ("[pfc]\nstyle = \"on-off\"\nrefresh = 0.25", vec!["pfc.refresh"]),
        ("[nic]\ncnp_interval = \"4 us\"\n[control]\nalgorithm = \"none\"", vec!["nic.cnp_interval"]),
        ("[qos]\necn = false\nmark_at = \"enqueue\"\n[control]\nenabled = false", vec!["qos.mark_at"]),
        ("[buffer]\nthreshold = \"100 KB\"\nalpha_at = \"100 Gb/s\"", vec!["buffer.alpha_at"]),
        (
            "[[class]]\nname = \"a\"\npriority = 3\n[pfc]\nquanta = 9\n[buffer]\nalpha = 1\n[control]\nenabled = false",
            vec!["buffer.alpha", "pfc.quanta"],
        ),
        (
            "[[class]]\nname = \"a\"\npriority = 3\nlossless = true\n[buffer]\nlossy_alpha = 1\n[control]\nenabled = false",
            vec!["buffer.lossy_alpha"],
        ),
        (
            "[[class]]\nname = \"a\"\npriority = 3\n[[class]]\nname = \"b\"\npriority = 4\n[control]\nenabled = false",
            vec!["class.b"],
        ),
        (
            "[[class]]\nname = \"a\"\npriority = 3\necn = { kmin = \"1 KB\", kmax = \"2 KB\", pmax = 1 }\n[control]\nalgorithm = \"swift\"",
            vec!["class[0].ecn"],
        ),
        ("[probes]\nqueues = [\"s0\"]", vec!["probes.queues"]),
        (
            "[run]\nstop = \"1 ms\"\n[[fault]]\nkind = \"link-down\"\nlinks = \"all\"\nfrom = \"2 ms\"",
            vec!["fault[0].kind"],
        ),
        ("[[workload]]\nkind = \"all-reduce\"\nbytes = \"1 MB\"\nchunks = 4", vec!["workload[1].chunks"]),
        (
            "[[workload]]\nkind = \"incast\"\nreceivers = \"h0\"\nbytes = \"1 MB\"\nduration = \"1 ms\"",
            vec!["workload[1].duration"],
        ),
        (
            "[[workload]]\nkind = \"all-gather\"\nbytes = \"1 MB\"\nrepeat = { count = 1, gap = \"1 us\" }",
            vec!["workload[1].repeat.gap"],
        ),
    ] {
        let scenario = good(&section(text));
        let mut found: Vec<&str> = scenario
            .notices
            .iter()
            .filter(|notice| notice.kind == NoticeKind::NoEffect)
            .map(|notice| notice.key.as_str())
            .collect();
        found.sort_unstable();
        assert_eq!(found, keys, "{text}\n{:#?}", scenario.notices);
        assert!(scenario.notices.iter().all(|notice| notice.line > 0));
    }
    assert_eq!(good(GOOD).notices, []);
}

#[test]
fn risks_are_reported() {
    let risk = |text: &str, part: &str| {
        let scenario = good(text);
        let found = scenario.notices.iter().any(|n| n.kind == NoticeKind::Risk && n.message.contains(part));
        assert!(found, "{part}: {:#?}", scenario.notices);
    };
    let ring = include_str!("../../../../scenarios/deadlock-ring.toml");
    risk(ring, "cyclic buffer dependency");
    risk(include_str!("../../../../scenarios/dragonfly.toml"), "cyclic buffer dependency");
    let without_pauses = format!("{ring}\n[pfc]\nenabled = false\n");
    assert!(good(&without_pauses).notices.iter().all(|notice| notice.kind != NoticeKind::Risk));
    let back = ring.replace(
        "at = \"s1\"\nto = [\"h2\", \"h3\", \"h0\"]\nvia = \"s2\"",
        "at = \"s1\"\nto = [\"h2\", \"h3\"]\nvia = \"s0\"",
    );
    risk(&back, "frames for `h2` can go round in a loop");
    risk(&section("[[class]]\nname = \"a\"\npriority = 3\nlossless = true"), "never hears of congestion");
    risk(&section("[buffer]\nheadroom = \"0 B\""), "loses what arrives");
}

#[test]
fn both_vocabularies_of_dcqcn_say_the_same() {
    let paper = good(&section(
        "[control]\npreset = \"firmware\"\ng = 0.0048828125\ninitial_alpha = 0.9990234375\nmin_dec_fac = 0.5\nr_ai = \"5 Mb/s\"\nincrease_interval = \"300 us\"\nbyte_counter = \"none\"",
    ));
    let mlx5 = good(&section(
        "[control]\npreset = \"firmware\"\ndce_tcp_g = 1019\ninitial_alpha_value = 1023\nrpg_min_dec_fac = 50\nrpg_ai_rate = \"5 Mb/s\"\nrpg_time_reset = \"300 us\"\nrpg_byte_reset = \"none\"",
    ));
    assert_eq!(paper.control, mlx5.control);
}

/// The comparison with ns-3 stands on these values.
#[test]
fn the_reference_fabric_has_the_references_parameters() {
    use weir_congestion::{ControlParams, DcqcnParams};
    use weir_units::{Rate, Span};
    let scenario = good(include_str!("../../../../scenarios/fat320-websearch.toml"));
    assert_eq!(scenario.topology_spec, TopologySpec::fat320());
    let ControlParams::Dcqcn(params) = scenario.control_params(Rate::from_gbps(100)) else { panic!() };
    let mut expected = DcqcnParams::hpcc_paper_timers(Rate::from_gbps(100));
    expected.min_rate = Rate::from_mbps(100);
    assert_eq!(params, expected);
    assert_eq!((params.alpha_interval, params.increase_interval), (Span::from_us(50), Span::from_us(55)));
    // Headroom 37,500 B at 100 Gb/s and 150,000 B at 400 Gb/s, alpha 1/8 and 1/2.
    let tor = scenario.topology.find("tor0").unwrap();
    let config = scenario.switch_config(tor);
    let (host, up) = (&config.ports[0], &config.ports[16]);
    assert_eq!((host.headroom_bytes, up.headroom_bytes), (37_500, 150_000));
    let alpha = |n| weir_switch::Alpha::power_of_two(n).map(weir_switch::Threshold::Dynamic);
    assert_eq!((host.threshold, up.threshold), (alpha(-3), alpha(-1)));
    let red = up.ecn[3].unwrap();
    assert_eq!((red.kmin_bytes, red.kmax_bytes, red.pmax), (1_600_000, 6_400_000, 0.2));
    // 320 × 100 Gb/s × 50% × 2 ms / 1,711,250 B = 2,337 messages, give or take four roots.
    let flows = scenario.flows(1).flows.len() as f64;
    assert!((flows - 2337.5).abs() < 4.0 * 2337.5f64.sqrt(), "{flows}");
}

/// Texts with values replaced, keys renamed and lines lost or doubled: an answer always, and never a panic.
mod mutated {
    use super::*;
    use proptest::prelude::*;

    const SCENARIOS: [&str; 6] = [
        include_str!("../../../../scenarios/deadlock-ring.toml"),
        include_str!("../../../../scenarios/moe.toml"),
        include_str!("../../../../scenarios/storage.toml"),
        include_str!("../../../../scenarios/lossy.toml"),
        include_str!("../../../../scenarios/rail.toml"),
        include_str!("../../../../scenarios/leaf-spine-websearch.toml"),
    ];

    const VALUES: [&str; 24] = [
        "0",
        "1",
        "3",
        "-1",
        "4096",
        "18446744073709551615",
        "1e300",
        "nan",
        "0.5",
        "true",
        "[]",
        "{}",
        "[[]]",
        "\"\"",
        "\"all\"",
        "\"h0\"",
        "\"h0..h3\"",
        "\"1 ps\"",
        "\"999999 s\"",
        "\"18000000 s\"",
        "\"1 B\"",
        "\"1 PiB\"",
        "\"10 Gb/s\"",
        "\"1600 Gb/s\"",
    ];

    #[derive(Clone, Debug)]
    enum Edit {
        Value(usize, usize),
        Rename(usize),
        Drop(usize),
        Double(usize),
        Byte(usize, u8),
    }

    fn edit() -> impl Strategy<Value = Edit> {
        prop_oneof![
            6 => (any::<usize>(), 0..VALUES.len()).prop_map(|(line, value)| Edit::Value(line, value)),
            1 => any::<usize>().prop_map(Edit::Rename),
            1 => any::<usize>().prop_map(Edit::Drop),
            1 => any::<usize>().prop_map(Edit::Double),
            1 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        ]
    }

    fn apply(text: &str, edit: &Edit) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let keyed: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].contains(" = ")).collect();
        match edit {
            Edit::Value(line, value) if !keyed.is_empty() => {
                let line = &mut lines[keyed[line % keyed.len()]];
                let (key, _) = line.split_once(" = ").unwrap_or_default();
                *line = format!("{key} = {}", VALUES[*value]);
            }
            Edit::Rename(line) if !keyed.is_empty() => lines[keyed[line % keyed.len()]].insert(0, 'x'),
            Edit::Drop(line) => {
                let at = line % lines.len();
                lines.remove(at);
            }
            Edit::Double(line) => {
                let at = line % lines.len();
                lines.insert(at, lines[at].clone());
            }
            Edit::Byte(at, byte) => {
                let mut bytes = text.as_bytes().to_vec();
                let at = at % bytes.len();
                bytes[at] = *byte;
                return String::from_utf8_lossy(&bytes).into_owned();
            }
            _ => {}
        }
        lines.join("\n")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn every_text_is_answered(
            which in 0..SCENARIOS.len(),
            edits in proptest::collection::vec(edit(), 1..4),
        ) {
            let mut text = SCENARIOS[which].to_owned();
            for edit in &edits {
                text = apply(&text, edit);
            }
            match parse(&text) {
                Err(errors) => {
                    prop_assert!(!errors.is_empty());
                    for error in errors {
                        prop_assert!(error.origin != "x.toml" || error.span.end <= text.len());
                        prop_assert!(!error.message.is_empty());
                    }
                }
                Ok(scenario) => {
                    let routes = scenario.routes(|_| true);
                    for node in scenario.topology.hosts()..scenario.topology.nodes().len() as u32 {
                        prop_assert!(scenario.switch_config(NodeId(node)).validate().is_ok());
                    }
                    let expected: f64 =
                        scenario.workloads.iter().map(|w| w.expected_flows(&scenario.topology)).sum();
                    if expected < 50_000.0 {
                        let set = scenario.flows(1);
                        prop_assert!(set.flows.len() as f64 <= 2.0 * expected + 1000.0);
                        for flow in set.flows.iter().step_by(101) {
                            let path = routes.path(&scenario.topology, flow.src, flow.dst, |_, _| 0);
                            let hops = crate::hops_of(&scenario.topology, &path.unwrap_or_default());
                            let _ = crate::ideal_time(&hops, flow.bytes, &crate::Framing::rocev2_write(1024));
                        }
                    }
                    let again = Scenario::from_toml(&scenario.to_toml(), "again", &mut files);
                    let mut again = again.unwrap_or_else(|errors| panic!("{}\n{errors:#?}", scenario.to_toml()));
                    again.notices = scenario.notices.clone();
                    prop_assert!(again == scenario, "{}", scenario.to_toml());
                }
            }
        }
    }
}
