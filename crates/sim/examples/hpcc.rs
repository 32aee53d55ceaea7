//! Runs an ns-3 HPCC configuration and prints its summary: `cargo run --release --example hpcc -- CONFIG.txt`.

use std::path::PathBuf;
use weir_sim::hpcc::{Options, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let config = PathBuf::from(args.next().ok_or("usage: hpcc CONFIG.txt [ecmp seed offset]")?);
    let ecmp_seed_offset = args.next().map_or(Ok(0), |text| text.parse())?;
    let options = Options { ecmp_seed_offset, ..Options::default() };
    let started = std::time::Instant::now();
    let summary = run(&config, &options, &mut |_| ())?;
    println!("{summary:#?}\n{:.3} s", started.elapsed().as_secs_f64());
    Ok(())
}
