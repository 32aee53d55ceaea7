//! The command line: arguments, output, progress; no logic.

fn main() {
    println!("weir {}", env!("CARGO_PKG_VERSION"));
}
