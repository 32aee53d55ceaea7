//! The fluid model against published curves and tables (`fixtures/theory`), and against worked numbers.

use weir_congestion::fluid::{FlowState, Fluid, Linearisation, cnp};
use weir_congestion::np::CnpStyle;
use weir_congestion::{DcqcnParams, RedParams};
use weir_units::{Rate, Span};

const KB: f64 = 1.0; // A packet of 1000 bytes is the unit.

fn table(name: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../fixtures/theory/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn fluid(gbps: u64, r_ai_mbps: u64, red: (u64, u64, f64), change: impl FnOnce(&mut DcqcnParams)) -> Fluid {
    let mut params = DcqcnParams { r_ai: Rate::from_mbps(r_ai_mbps), ..DcqcnParams::paper() };
    change(&mut params);
    let red = RedParams { kmin_bytes: red.0 * 1000, kmax_bytes: red.1 * 1000, pmax: red.2 };
    Fluid::new(&params, &red, Span::from_us(50), Rate::from_gbps(gbps), 1000)
}

const PAPER_RED: (u64, u64, f64) = (5, 200, 0.01);

/// The parameter sets that the tables name.
fn set(name: &str) -> Fluid {
    let same = |_: &mut DcqcnParams| {};
    match name {
        "paper40G" | "default" => Fluid::paper_40g(),
        "rai10" => fluid(40, 10, PAPER_RED, same),
        "rai10_kmax1000" => fluid(40, 10, (5, 1000, 0.01), same),
        "kmax1000" => fluid(40, 40, (5, 1000, 0.01), same),
        "g1_16" => fluid(40, 40, PAPER_RED, |params| params.g = 1.0 / 16.0),
        "c100_RED100_400" => fluid(100, 40, (100, 400, 0.2), same),
        "c100_hpccRED" => fluid(100, 40, (400, 1600, 0.2), same),
        "c400_RED1600_6400" => fluid(400, 40, (1600, 6400, 0.2), same),
        "red100_400_10pct" => fluid(40, 40, (100, 400, 0.1), same),
        "qcn_strawman" => fluid(40, 5, PAPER_RED, |params| {
            params.byte_counter = Some(150_000);
            params.increase_interval = Span::from_us(1500);
        }),
        other => panic!("set {other}"),
    }
}

fn near(found: f64, wanted: f64, relative: f64, what: &str) {
    assert!((found - wanted).abs() <= relative * wanted.abs(), "{what}: found {found}, wanted {wanted}");
}

/// Every row of the table, to its last digit.
#[test]
fn fixed_points_are_those_of_the_table() {
    let rows = table("fixed_point");
    assert_eq!(rows.len(), 144);
    for row in rows {
        let what = format!("{} N={}", row[0], row[1]);
        let (flows, numbers) = (row[1].parse().unwrap(), |i: usize| row[i].parse::<f64>().unwrap());
        let fluid = set(&row[0]);
        let point = fluid.fixed_point(flows).unwrap();
        near(point.p, numbers(2), 1e-6, &format!("p, {what}"));
        near(fluid.approximate_p(flows), numbers(3), 1e-6, &format!("approximate p, {what}"));
        assert!((point.queue / KB - numbers(4)).abs() <= 6e-4, "queue, {what}: {}", point.queue);
        assert!((point.alpha - numbers(5)).abs() <= 6e-6, "alpha, {what}: {}", point.alpha);
        assert!((point.target / point.rate - numbers(6)).abs() <= 6e-7, "Rt/Rc, {what}");
        assert_eq!(point.is_on_ramp, row[7] == "1", "{what}");
    }
}

/// At 40 Gb/s with the paper's marking, 15 flows and more have no equilibrium.
#[test]
fn no_equilibrium_from_fifteen_flows_on() {
    let fluid = Fluid::paper_40g();
    for flows in 2..=64 {
        assert_eq!(fluid.fixed_point(flows).unwrap().is_on_ramp, flows < 15, "{flows} flows");
    }
    assert_eq!(fluid.fixed_point(0), None);
    // The formula overestimates by 19 % at 2 flows, 30 % at 10, 58 % at 64.
    for (flows, excess) in [(2, 0.19), (10, 0.30), (64, 0.58)] {
        let ratio = fluid.approximate_p(flows) / fluid.fixed_point(flows).unwrap().p;
        assert!((ratio - 1.0 - excess).abs() < 0.006, "{flows} flows: {ratio}");
    }
    // The QCN strawman of the paper's authors: .040, .099 and .146 %.
    for (flows, percent) in [(2, 0.040), (10, 0.099), (20, 0.146)] {
        let p = set("qcn_strawman").fixed_point(flows).unwrap().p * 100.0;
        assert!((p - percent).abs() < 6e-4, "{flows} flows: {p} %");
    }
}

/// T20: every margin of the published curves, to 0.1 degrees.
#[test]
fn phase_margins_are_those_of_the_published_curves() {
    let rows = table("phase_margin");
    assert_eq!(rows.len(), 315);
    for row in rows {
        let delay = row[1].parse::<f64>().unwrap() * 1e-6;
        let wanted: f64 = row[3].parse().unwrap();
        let found =
            set(&row[0]).phase_margin(row[2].parse().unwrap(), delay, Linearisation::Published).unwrap();
        assert!((found - wanted).abs() <= 0.1, "{row:?}: {found}");
    }
}

/// T20: worked margins at 40 and 100 Gb/s; not monotonic in N, least near 8 to 10 flows.
#[test]
fn phase_margins_by_number_of_flows() {
    let margin = |fluid: &Fluid, flows, us: f64| {
        fluid.phase_margin(flows, us * 1e-6, Linearisation::Published).unwrap()
    };
    let paper = Fluid::paper_40g();
    let worst =
        (2..=100).step_by(2).min_by(|a, b| margin(&paper, *a, 0.0).total_cmp(&margin(&paper, *b, 0.0)));
    assert!((8..=10).contains(&worst.unwrap()), "{worst:?}");
    for flows in (2..=100).step_by(2) {
        assert!(margin(&set("rai10_kmax1000"), flows, 100.0) >= 15.0, "{flows} flows");
        assert!(margin(&fluid(100, 40, PAPER_RED, |_| {}), flows, 50.0) < 0.0, "100 Gb/s, {flows} flows");
    }
    for (flows, wanted) in [(2, -16.7), (40, -16.1)] {
        let found = margin(&fluid(100, 40, PAPER_RED, |_| {}), flows, 50.0);
        assert!((found - wanted).abs() <= 0.1, "100 Gb/s, {flows} flows: {found}");
    }
    // Ten flows cross zero near 21 us.
    assert!(margin(&paper, 10, 20.0) > 0.0 && margin(&paper, 10, 22.0) < 0.0);
}

/// T21: every bound of the table.
#[test]
fn convergence_bounds_are_those_of_the_table() {
    let rows = table("convergence_bound");
    assert_eq!(rows.len(), 40);
    for row in rows {
        let numbers = |i: usize| row[i].parse::<f64>().unwrap();
        let bound = set(&row[0]).convergence_bound(row[1].parse().unwrap()).unwrap();
        let what = format!("{} N={}", row[0], row[1]);
        near(bound.seconds, numbers(2), 1e-4, &what);
        assert!((bound.alpha - numbers(3)).abs() <= 6e-6, "alpha, {what}: {}", bound.alpha);
        assert!((bound.periods - numbers(4)).abs() <= 6e-4, "periods, {what}: {}", bound.periods);
    }
}

/// T22: the bound's value in five of its cases, MB.
#[test]
fn line_rate_start_peaks() {
    let paper = Fluid::paper_40g();
    let hpcc = fluid(100, 40, (400, 1600, 0.2), |_| {});
    for (fluid, flows, us, mb) in [
        (&paper, 8, 4.0, 1.43),
        (&paper, 16, 4.0, 3.67),
        (&paper, 64, 4.0, 23.4),
        (&paper, 10, 85.0, 5.61),
        (&hpcc, 32, 8.0, 22.8),
    ] {
        let found = fluid.line_rate_start_peak(flows, us * 1e-6) / 1e6;
        near(found, mb, 0.005, &format!("{flows} flows, {us} us"));
    }
    assert_eq!(paper.line_rate_start_peak(1, 1e-6), 0.0);
}

/// T4 and T5: bounds and rates of CNPs.
#[test]
fn cnp_rates() {
    let interval = Span::from_us(50);
    assert_eq!(cnp::most_within(Span::from_ms(1000), interval), 20_000);
    assert_eq!(cnp::most_within(Span::from_us(51), interval), 2);
    near(cnp::most_rate(interval).as_bps() as f64, 15.7e6, 0.002, "CNPs on the wire");
    near(cnp::rate(CnpStyle::WindowEnd, 0.000704, 2.5e6, interval), 1686.0, 1e-3, "N=2");
    near(cnp::rate(CnpStyle::WindowEnd, 0.001802, 1.25e6, interval), 2132.0, 1e-3, "N=4");
    near(
        cnp::rate(CnpStyle::Immediate, 0.000704, 2.5e6, interval),
        1.0 / (50e-6 + 1.0 / 1760.0),
        1e-9,
        "at once",
    );
}

struct Seen {
    mean: f64,
    deviation: f64,
    least: f64,
    most: f64,
}

/// The queue, KB, from `from` to `to` seconds.
fn queue(fluid: &Fluid, flows: u32, delay: f64, from: f64, to: f64) -> Seen {
    let mut run = fluid.trajectory(&[(flows, fluid.at_line_rate())], delay, 1e-6);
    run.run(from, |_| {});
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
    let (mut least, mut most) = (f64::INFINITY, 0f64);
    run.run(to - from, |now| {
        let queue = now.queue();
        (sum, squares, count) = (sum + queue, squares + queue * queue, count + 1.0);
        (least, most) = (least.min(queue), most.max(queue));
    });
    let mean = sum / count;
    Seen { mean, deviation: (squares / count - mean * mean).max(0.0).sqrt(), least, most }
}

/// Time domain, with marking of the paper's slope that does not end at 200 KB (5 to 2000 KB, 10 %).
#[test]
fn stable_at_4_us() {
    let fluid = fluid(40, 40, (5, 2000, 0.1), |_| {});
    for (flows, wanted, until) in [(2, 20.5, 0.25), (10, 125.3, 0.25), (64, 1183.0, 0.15)] {
        let seen = queue(&fluid, flows, 4e-6, until, until + 0.05);
        near(seen.mean, wanted, 0.005, &format!("{flows} flows"));
        assert!(seen.deviation < 0.5, "{flows} flows: sd {}", seen.deviation);
    }
}

/// The papers' claim: at 85 us two flows and 64 flows are stable, ten are not.
#[test]
fn limit_cycle_at_85_us_with_ten_flows() {
    let fluid = fluid(40, 40, (5, 2000, 0.1), |_| {});
    let two = queue(&fluid, 2, 85e-6, 0.5, 0.6);
    assert!(two.deviation < 1.0, "two flows: sd {}", two.deviation);
    let many = queue(&fluid, 64, 85e-6, 0.2, 0.25);
    assert!(many.deviation < 1.0, "64 flows: sd {}", many.deviation);
    let ten = queue(&fluid, 10, 85e-6, 0.3, 0.5);
    near(ten.deviation, 101.0, 0.05, "ten flows, sd");
    near(ten.most, 276.0, 0.05, "ten flows, most");
    assert_eq!(ten.least, 0.0, "the queue runs empty");
    // The paper's own marking, which ends at 200 KB (T20).
    let clipped = queue(&Fluid::paper_40g(), 10, 85e-6, 0.3, 0.5);
    assert!(clipped.deviation / clipped.mean >= 0.9, "sd by mean: {}", clipped.deviation / clipped.mean);
}

/// T21: two flows from 40 and 5 Gb/s come within a tenth of their share well before the bound.
#[test]
fn unequal_flows_converge_within_the_bound() {
    for (name, most, bound) in [("paper40G", 0.080, 0.0969), ("rai10", 0.142, 0.358)] {
        let fluid = set(name);
        let line = fluid.at_line_rate();
        let slow = FlowState { rate: line.rate / 8.0, target: line.rate / 8.0, ..line };
        let mut run = fluid.trajectory(&[(1, line), (1, slow)], 4e-6, 1e-6);
        let mut last_far = 0.0;
        run.run(bound, |now| {
            let sample = now.sample();
            let apart = (sample.flows[0].rate - sample.flows[1].rate).abs();
            if apart >= 0.1 * fluid.capacity / 2.0 {
                last_far = sample.seconds;
            }
        });
        assert!(last_far <= most, "{name}: apart until {last_far} s");
        if name == "rai10" {
            near(last_far, 0.140, 0.02, "an independent integration gives 140 ms");
        }
    }
}

/// The exact linearisation says of the time domain what the time domain says.
#[test]
fn exact_margins_agree_with_time() {
    let fluid = fluid(40, 40, (5, 2000, 0.1), |_| {});
    for (flows, us, stable) in
        [(2, 4, true), (10, 4, true), (64, 4, true), (2, 85, true), (10, 85, false), (64, 85, true)]
    {
        let margin = fluid.phase_margin(flows, us as f64 * 1e-6, Linearisation::Exact).unwrap();
        assert_eq!(margin > 0.0, stable, "{flows} flows, {us} us: {margin}");
    }
}
