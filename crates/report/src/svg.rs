//! Writing SVG: escaped text, coordinates with a fixed number of digits.

use std::fmt::Write;

/// A picture in the making.
pub(crate) struct Svg {
    text: String,
}

/// How text stands to its point.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// Begins a picture; `title` and `description` are what a screen reader says of it.
    pub(crate) fn new(width: u32, height: u32, title: &str, description: &str) -> Self {
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
             <title>{}</title>\n<desc>{}</desc>\n",
            escaped(title),
            escaped(description)
        );
        text.push_str(STYLE);
        let _ = writeln!(text, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>");
        Self { text }
    }

    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = writeln!(
            self.text,
            "<path class=\"{class}\" d=\"M{} {}L{} {}\"/>",
            coordinate(from.0),
            coordinate(from.1),
            coordinate(to.0),
            coordinate(to.1)
        );
    }

    /// A line through points; empty where there are none.
    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let Some((first, rest)) = points.split_first() else { return };
        let _ =
            write!(self.text, "<path class=\"{class}\" d=\"M{} {}", coordinate(first.0), coordinate(first.1));
        for point in rest {
            let _ = write!(self.text, "L{} {}", coordinate(point.0), coordinate(point.1));
        }
        // A lone point shows as a dot: round ends of a line of no length.
        self.text.push_str(if rest.is_empty() { "h0\"/>\n" } else { "\"/>\n" });
    }

    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.text,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            coordinate(at.0),
            coordinate(at.1),
            escaped(text)
        );
    }

    /// Text that reads upwards.
    pub(crate) fn text_up(&mut self, class: &str, at: (f64, f64), text: &str) {
        let (x, y) = (coordinate(at.0), coordinate(at.1));
        let _ = writeln!(
            self.text,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\">{}</text>",
            escaped(text)
        );
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// Light and dark by the reader's settings. The colours of the lines are those of Okabe and Ito, which people with
/// any colour vision tell apart; dashes tell them apart in print.
const STYLE: &str = "<style>\n\
    text{font:12px system-ui,sans-serif;fill:#222}.title{font-size:15px;font-weight:600}.label{fill:#555}\n\
    .paper{fill:#fff}.grid{stroke:#ddd;fill:none}.frame{stroke:#888;fill:none}\n\
    .s{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\n\
    .s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#009e73}.s3{stroke:#cc79a7}.s4{stroke:#e69f00}.s5{stroke:#56b4e9}\n\
    .d1{stroke-dasharray:7 4}.d2{stroke-dasharray:2 4}\n\
    @media(prefers-color-scheme:dark){text{fill:#ddd}.label{fill:#aaa}.paper{fill:#1b1b1b}.grid{stroke:#383838}}\n\
    </style>\n";

/// Two digits behind the point are finer than any screen; no minus before zero.
pub(crate) fn coordinate(value: f64) -> String {
    let text = format!("{:.2}", if value.is_finite() { value.clamp(-1e6, 1e6) } else { 0.0 });
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text that XML takes for nothing else; control characters, which XML 1.0 forbids, are dropped.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_finite() {
        assert_eq!(coordinate(1.0), "1");
        assert_eq!(coordinate(-0.001), "0");
        assert_eq!(coordinate(12.345), "12.35");
        assert_eq!(coordinate(f64::NAN), "0");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b & \"c\"\u{1}"), "a&lt;b &amp; &quot;c&quot;");
    }
}
