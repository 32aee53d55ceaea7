//! Each controller on one bottleneck against the equilibrium that its theory gives.

mod bottleneck;

use bottleneck::{Link, PACKET, Seen};
use weir_congestion::dcqcn::ClampTarget;
use weir_congestion::fluid::{Fluid, cnp};
use weir_congestion::np::CnpStyle;
use weir_congestion::swift::PathDelay;
use weir_congestion::{
    Control, ControlParams, DcqcnParams, DctcpParams, HpccParams, NpParams, RedParams, SwiftParams,
    TimelyParams,
};
use weir_units::{Rate, Span};

fn link(senders: usize, gbps: u64, control: ControlParams) -> Link {
    Link {
        senders,
        rate: Rate::from_gbps(gbps),
        forth: Span::from_us(1),
        back: Span::from_us(3),
        red: None,
        np: None,
        control,
        stagger: Span::from_us(1),
    }
}

fn near(found: f64, wanted: f64, relative: f64, what: &str) {
    assert!((found - wanted).abs() <= relative * wanted.abs(), "{what}: found {found}, wanted {wanted}");
}

fn paper_red() -> RedParams {
    RedParams { kmin_bytes: 5_000, kmax_bytes: 200_000, pmax: 0.01 }
}

fn dcqcn(senders: usize, style: CnpStyle) -> Seen {
    let np = NpParams { style, ..NpParams::paper() };
    let params = ControlParams::Dcqcn(DcqcnParams { r_hai: Rate::from_mbps(40), ..DcqcnParams::paper() });
    let link = Link { red: Some(paper_red()), np: Some(np), ..link(senders, 40, params) };
    link.run(Span::from_ms(200), Span::from_ms(300))
}

#[test]
fn print2() {
    for f in [5, 6] {
        for n in [2, 3, 4, 8] {
            for style in [CnpStyle::WindowEnd, CnpStyle::Immediate] {
                let np = NpParams { style, ..NpParams::paper() };
                let params = ControlParams::Dcqcn(DcqcnParams {
                    recovery_rounds: f,
                    r_hai: Rate::from_mbps(40),
                    ..DcqcnParams::paper()
                });
                let link = Link { red: Some(paper_red()), np: Some(np), ..link(n, 40, params) };
                let s = link.run(Span::from_ms(200), Span::from_ms(1000));
                let fl = Fluid::paper_40g().fixed_point(n as u32).unwrap();
                println!(
                    "F={f} {n} {style:?} q {:.0} vs {:.0} = {:.3} p {:.3} util {:.4}",
                    s.queue,
                    fl.queue * 1000.,
                    s.queue / fl.queue / 1000.,
                    s.marked / fl.p,
                    s.utilisation
                );
            }
        }
    }
    let _ = (PathDelay::AboveBase { queueing: Span::ZERO }, PACKET, ClampTarget::Always);
}
