//! From a seed to a scenario.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fmt::Write;

/// A scenario in TOML, small enough to run in a fraction of a second; the same for the same seed.
pub fn draw(seed: u64) -> String {
    let mut d = Draw { rng: Pcg64Mcg::seed_from_u64(seed ^ 0x5eed_0fab), out: String::new() };
    d.scenario(seed);
    d.out
}

struct Draw {
    rng: Pcg64Mcg,
    out: String,
}

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.random_range(0..n)
    }

    fn chance(&mut self, of_hundred: u64) -> bool {
        self.below(100) < of_hundred
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{text}");
    }

    fn scenario(&mut self, seed: u64) {
        self.line(format_args!("name = \"seed {seed}\"\n"));
        let hosts = self.topology();
        let lossless = self.chance(70);
        self.policy(lossless);
        self.control();
        self.load(hosts);
        self.faults();
        // Nothing takes this long unless it hangs: that is what the limit is for.
        self.line(format_args!("\n[run]\nseed = {seed}\nstop = \"20 s\""));
    }

    fn topology(&mut self) -> u64 {
        let rate = self.one(&[10, 25, 40, 100, 200, 400]);
        let delay = self.one(&["50 ns", "600 ns", "1 us", "5 us"]);
        self.line(format_args!("[topology]"));
        let hosts = match self.below(5) {
            0 => {
                let hosts = 2 + self.below(14);
                self.line(format_args!("kind = \"star\"\nhosts = {hosts}"));
                hosts
            }
            1 => {
                let (left, right) = (1 + self.below(5), 1 + self.below(5));
                self.line(format_args!("kind = \"dumbbell\"\nleft = {left}\nright = {right}"));
                left + right
            }
            2 | 3 => {
                let (leaves, spines, each) = (2 + self.below(3), 1 + self.below(3), 1 + self.below(4));
                self.line(format_args!(
                    "kind = \"leaf-spine\"\nleaves = {leaves}\nspines = {spines}\nhosts_per_leaf = {each}"
                ));
                leaves * each
            }
            _ => {
                self.line(format_args!("kind = \"fat-tree\"\nk = 4"));
                16
            }
        };
        self.line(format_args!("rate = \"{rate} Gb/s\"\ndelay = \"{delay}\""));
        hosts
    }

    fn policy(&mut self, lossless: bool) {
        let kmin = self.one(&[5, 40, 100, 400]);
        let kmax = kmin * self.one(&[1, 4, 40]);
        let pmax = self.one(&["0.01", "0.2", "1"]);
        self.line(format_args!(
            "\n[[class]]\nname = \"roce\"\npriority = 3\ndscp = [26]\nlossless = {lossless}\n\
             ecn = {{ at = \"100 Gb/s\", kmin = \"{kmin} KB\", kmax = \"{kmax} KB\", pmax = {pmax} }}\n\n\
             [[class]]\nname = \"cnp\"\npriority = 6\ndscp = [48]\nstrict = true"
        ));
        let total = self.one(&["8 MiB", "16 MiB", "32 MiB"]);
        let alpha = self.one(&["\"1/16\"", "\"1/8\"", "1", "4"]);
        self.line(format_args!("\n[buffer]\ntotal = \"{total}\"\nalpha = {alpha}"));
        if lossless {
            let style = self.one(&["quanta", "on-off"]);
            self.line(format_args!("\n[pfc]\nstyle = \"{style}\""));
        }
        let mtu = self.one(&[256, 1024, 4096]);
        let ack_every = self.one(&[1, 4, 16]);
        let recovery = self.one(&["go-back-n", "go-back-n", "selective-repeat"]);
        let timeout = self.one(&["100 us", "500 us"]);
        self.line(format_args!(
            "\n[nic]\nmtu = \"{mtu} B\"\nack_every = {ack_every}\nrecovery = \"{recovery}\"\n\
             retransmission_timeout = \"{timeout}\"\nretry_count = 7"
        ));
        if self.chance(30) {
            self.line(format_args!("window = \"bdp\""));
        }
    }

    fn control(&mut self) {
        match self.below(6) {
            0 => self.line(format_args!("\n[control]\nalgorithm = \"none\"")),
            1 => self.line(format_args!("\n[control]\nalgorithm = \"dcqcn\"\npreset = \"paper\"")),
            2 => self.line(format_args!("\n[control]\nalgorithm = \"dcqcn\"\npreset = \"firmware\"")),
            _ => self.line(format_args!("\n[control]\nalgorithm = \"dcqcn\"\npreset = \"hpcc-sim\"")),
        }
    }

    fn load(&mut self, hosts: u64) {
        let kb = self.one(&[1, 10, 100, 400]);
        let op = self.one(&["write", "write", "send", "read"]);
        match self.below(4) {
            0 => self.line(format_args!(
                "\n[[workload]]\nkind = \"incast\"\nreceivers = \"all\"\nop = \"{op}\"\nbytes = \"{kb} KB\""
            )),
            1 => self.line(format_args!(
                "\n[[workload]]\nkind = \"permutation\"\nop = \"{op}\"\nbytes = \"{} KB\"",
                kb * 4
            )),
            2 => self.line(format_args!(
                "\n[[workload]]\nkind = \"all-to-all\"\nop = \"{op}\"\nbytes = \"{} KB\"",
                (kb * 2).max(hosts)
            )),
            _ => self.line(format_args!(
                "\n[[workload]]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = \"{} KB\"",
                (kb * 4).max(hosts)
            )),
        }
        if self.chance(40) {
            let sizes = self.one(&["fb-hadoop", "ali-storage", "google-rpc"]);
            self.line(format_args!(
                "\n[[workload]]\nname = \"background\"\nkind = \"poisson\"\nsizes = \"{sizes}\"\nload = 0.2\n\
                 duration = \"50 us\""
            ));
        }
    }

    fn faults(&mut self) {
        for _ in 0..self.below(4) {
            let until = self.one(&["200 us", "1 ms", "3 ms"]);
            let share = self.one(&["0.001", "0.005", "0.02"]);
            let kind = match self.below(5) {
                0 => format!("kind = \"loss\"\nprobability = {share}"),
                1 => format!("kind = \"reorder\"\nprobability = {share}\ndelay = \"4 us\""),
                2 => format!("kind = \"duplicate\"\nprobability = {share}"),
                3 => format!("kind = \"corrupt\"\nprobability = {share}"),
                _ => "kind = \"flap\"\ndown = \"20 us\"\nup = \"150 us\"".to_owned(),
            };
            self.line(format_args!("\n[[fault]]\nlinks = \"all\"\nuntil = \"{until}\"\n{kind}"));
        }
    }
}
