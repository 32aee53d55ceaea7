//! `weir sim hpcc`.

use crate::args::{Format, SimHpcc};
use crate::exit::{Exit, Failure};
use crate::files;
use crate::progress::Bar;
use serde::Serialize;
use std::time::Instant;
use weir_sim::hpcc::{self, HpccError, Options, Progress};

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
    wall_s: f64,
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
        eprintln!("warning: {warning}");
    }
    match args.format {
        Format::Human => {
            for notice in &summary.notices {
                eprintln!("note: {notice}");
            }
            files::print(&format!(
                "{} of {} flows completed by {:.6} s of simulated time\n\
                 {} packet-hops, {} ECN marks, {} pauses, {} drops, {} lost to links\n\
                 {wall_s:.2} s of run time, {:.2} M packet-hops/s\n",
                summary.flows_completed,
                summary.flows,
                summary.now_ns as f64 / 1e9,
                summary.packet_hops(),
                summary.marks,
                summary.pauses,
                summary.drops,
                summary.lost,
                summary.packet_hops() as f64 / wall_s.max(1e-9) / 1e6,
            ))?;
        }
        Format::Json => files::print(&files::json(&Report {
            flows: summary.flows,
            flows_completed: summary.flows_completed,
            flows_running: summary.flows_running,
            end_ns: summary.now_ns,
            packet_hops: summary.packet_hops(),
            events: summary.events,
            marks: summary.marks,
            pauses: summary.pauses,
            resumes: summary.resumes,
            acks: summary.acks,
            nacks: summary.nacks,
            cnp_acks: summary.cnp_acks,
            drops: summary.drops,
            lost: summary.lost,
            wall_s,
            notices: &summary.notices,
            warnings: &summary.warnings,
        })?)?,
    }
    Ok(Exit::Fine)
}

fn failure(error: HpccError) -> Failure {
    if matches!(error, HpccError::Write { .. }) {
        Failure::System(format!("error: {error}"))
    } else {
        Failure::Input(format!("error: {error}"))
    }
}
