//! What a terminal gets that a file does not.

use super::{SMALL, Weir};
use std::process::Command;

/// Runs a shell line on a pseudo-terminal of this width; what the terminal shows.
fn on_terminal(weir: &Weir, width: u32, line: &str) -> String {
    let line = line.replace("WEIR", env!("CARGO_BIN_EXE_weir"));
    let out = Command::new("script")
        .args(["--quiet", "--command", &format!("stty rows 50 cols {width}; {line}"), "/dev/null"])
        .current_dir(weir.folder.path())
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("script is needed: apt-get install -y bsdutils");
    String::from_utf8(out.stdout).unwrap().replace("\r\n", "\n")
}

fn without_colour(text: &str) -> String {
    let mut bare = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            c if !inside => bare.push(c),
            _ => {}
        }
    }
    bare
}

#[test]
fn colour_on_a_terminal_unless_it_is_not_wanted() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL).file("bad.toml", "[topology]\nkind = \"star\"\nhosts = 2\nrate = 100\n");
    for line in ["WEIR sim run a.toml", "WEIR sim check bad.toml", "WEIR sim check missing.toml"] {
        let shown = on_terminal(&weir, 100, line);
        assert!(shown.contains('\u{1b}'), "{line}: no colour in\n{shown}");
        for setting in ["NO_COLOR=1", "TERM=dumb"] {
            let shown = on_terminal(&weir, 100, &format!("{setting} {line}"));
            assert!(!shown.contains('\u{1b}'), "{setting} {line}: colour in\n{shown}");
        }
    }
    assert!(
        on_terminal(&weir, 100, "NO_COLOR= WEIR sim run a.toml").contains('\u{1b}'),
        "an empty NO_COLOR is none"
    );
}

#[test]
fn results_fit_the_terminal() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    for (width, line) in [
        (60, "WEIR sim run builtin:incast"),
        (80, "WEIR sim run builtin:incast"),
        (80, "WEIR sim run builtin:victim"),
        (80, "WEIR sim run builtin:deadlock-ring"),
        (80, "WEIR sim check builtin:incast"),
        (80, "WEIR sim scenarios"),
        (80, "WEIR sim explain"),
        (200, "WEIR sim run builtin:incast"),
    ] {
        let shown = without_colour(&on_terminal(&weir, width, &format!("{line} 2>/dev/null")));
        let longest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width as usize && longest > 40, "{line} at {width}: {longest}\n{shown}");
    }
}
