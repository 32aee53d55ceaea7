//! Prints the scenario of a seed: `cargo run --example draw SEED`.
fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(0);
    print!("{}", weir_sim::seeded::draw(seed));
}
