//! `weir sim hpcc`.

use crate::args::{Format, SimHpcc};
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{files, screen};
use serde::Serialize;
use std::time::Instant;
use weir_report::number;
use weir_sim::hpcc::{self, HpccError, Options, Progress, Summary};

/// The summary, for programs.
#[derive(Serialize)]
struct Report<'a> {
    flows: u64,
    flows_completed: u64,
    flows_running: u64,
    end_ns: u64,
    packet_hops: u64,
    events: u64,
    marks: u64,
    pauses: u64,
    resumes: u64,
    acks: u64,
    nacks: u64,
    cnp_acks: u64,
    drops: u64,
    lost: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_s: Option<f64>,
    notices: &'a [String],
    warnings: &'a [String],
}

/// Run an ns-3 HPCC configuration.
pub fn run(args: &SimHpcc) -> Result<Exit, Failure> {
    let options = Options {
        repeat_last: args.repeat_last,
        ecmp_seed_offset: args.ecmp_seed_offset,
        ..Options::default()
    };
    let begun = Instant::now();
    let bar = Bar::new("simulated");
    let told = hpcc::run(&args.config, &options, &mut |p: Progress| {
        let text = format!("{} of {} flows, {:.3} ms", p.flows_completed, p.flows, p.now_ns as f64 / 1e6);
        bar.set(p.now_ns, p.stop_ns, &text);
    });
    bar.clear();
    let summary = told.map_err(failure)?;
    let wall_s = begun.elapsed().as_secs_f64();
    for warning in &summary.warnings {
        screen::say(format_args!("warning: {warning}"));
    }
    for notice in &summary.notices {
        screen::say(format_args!("note: {notice}"));
    }
    match args.format {
        Format::Human => files::print(&human(&summary, wall_s))?,
        Format::Json => files::print(&files::json(&report(&summary, Some(wall_s).filter(|_| args.timing)))?)?,
    }
    Ok(Exit::Fine)
}

fn human(s: &Summary, wall_s: f64) -> String {
    let n = number::count;
    format!(
        "{} of {} flows completed by {} of simulated time\n\
         {} packet-hops, {} ECN marks, {} pauses, {} drops, {} frames lost by links\n\
         {} of run time, {} M packet-hops/s\n",
        n(s.flows_completed),
        n(s.flows),
        number::span(s.now_ns.saturating_mul(1000)),
        n(s.packet_hops()),
        n(s.marks),
        n(s.pauses),
        n(s.drops),
        n(s.lost),
        number::seconds(wall_s),
        number::figure(s.packet_hops() as f64 / wall_s.max(1e-9) / 1e6),
    )
}

fn report(s: &Summary, wall_s: Option<f64>) -> Report<'_> {
    Report {
        flows: s.flows,
        flows_completed: s.flows_completed,
        flows_running: s.flows_running,
        end_ns: s.now_ns,
        packet_hops: s.packet_hops(),
        events: s.events,
        marks: s.marks,
        pauses: s.pauses,
        resumes: s.resumes,
        acks: s.acks,
        nacks: s.nacks,
        cnp_acks: s.cnp_acks,
        drops: s.drops,
        lost: s.lost,
        wall_s,
        notices: &s.notices,
        warnings: &s.warnings,
    }
}

fn failure(error: HpccError) -> Failure {
    if matches!(error, HpccError::Write { .. }) {
        Failure::System(format!("error: {error}"))
    } else {
        Failure::Input(format!("error: {error}"))
    }
}
