//! Line charts.

use crate::scale::{Axis, Range};
use crate::svg::{Anchor, Svg};

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    steps: bool,
}

impl Series {
    /// Points joined by straight lines.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, steps: false }
    }

    /// Points that hold until the next one, as a distribution's do.
    pub fn steps(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, steps: true }
    }
}

/// A chart of lines over two axes, as SVG that needs no other file. Colours repeat after six lines, with other dashes.
#[derive(Clone, Debug)]
pub struct LineChart {
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    size: (u32, u32),
}

const LEFT: f64 = 72.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 24.0;
const BOTTOM: f64 = 52.0;
const LEGEND_LINE: f64 = 18.0;
/// Width of a character of the legend, about.
const CHARACTER: f64 = 6.8;

impl LineChart {
    /// An empty chart of 720 by 420 points.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, series: Vec::new(), size: (720, 420) }
    }

    /// Another size, at least 200 by 150.
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.size = (width.max(200), height.max(150));
        self
    }

    /// Adds a line.
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let (width, height) = (f64::from(self.size.0), f64::from(self.size.1));
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let description = format!("{} against {}: {}", self.y.label, self.x.label, names.join(", "));
        let mut svg = Svg::new(self.size.0, self.size.1, &self.title, &description);
        svg.text("title", (LEFT, 24.0), Anchor::Start, &self.title);
        let legend = self.legend(width - LEFT - RIGHT);
        let rows = legend.last().map_or(0, |(row, _)| row + 1);
        let top = TOP + rows as f64 * LEGEND_LINE;
        for (i, (row, x)) in legend.iter().enumerate() {
            let (x, y) = (LEFT + x, TOP + *row as f64 * LEGEND_LINE);
            svg.line(&class(i), (x, y), (x + 22.0, y));
            svg.text("", (x + 28.0, y + 4.0), Anchor::Start, &self.series[i].name);
        }
        let plot = Plot { left: LEFT, right: width - RIGHT, top, bottom: height - BOTTOM };
        let points = || self.series.iter().flat_map(|s| s.points.iter());
        let (x, y) = (self.x.range(points().map(|p| p.0)), self.y.range(points().map(|p| p.1)));
        self.grid(&mut svg, &plot, &x, &y);
        for (i, series) in self.series.iter().enumerate() {
            for piece in plot.pieces(series, &x, &y) {
                svg.polyline(&class(i), &piece);
            }
        }
        svg.finish()
    }

    /// Row and place of each name.
    fn legend(&self, width: f64) -> Vec<(usize, f64)> {
        let (mut row, mut x) = (0, 0.0);
        let mut places = Vec::new();
        for series in &self.series {
            let takes = 28.0 + series.name.chars().count() as f64 * CHARACTER + 18.0;
            if x > 0.0 && x + takes > width {
                (row, x) = (row + 1, 0.0);
            }
            places.push((row, x));
            x += takes;
        }
        places
    }

    fn grid(&self, svg: &mut Svg, plot: &Plot, x: &Range, y: &Range) {
        for tick in x.ticks() {
            let Some(at) = x.place(tick).map(|place| plot.x(place)) else { continue };
            svg.line("grid", (at, plot.top), (at, plot.bottom));
            svg.text("", (at, plot.bottom + 17.0), Anchor::Middle, &(self.x.format)(tick));
        }
        for tick in y.ticks() {
            let Some(at) = y.place(tick).map(|place| plot.y(place)) else { continue };
            svg.line("grid", (plot.left, at), (plot.right, at));
            svg.text("", (plot.left - 7.0, at + 4.0), Anchor::End, &(self.y.format)(tick));
        }
        svg.line("frame", (plot.left, plot.bottom), (plot.right, plot.bottom));
        svg.line("frame", (plot.left, plot.top), (plot.left, plot.bottom));
        let middle = (plot.left + plot.right) / 2.0;
        svg.text("label", (middle, plot.bottom + 38.0), Anchor::Middle, &self.x.label);
        svg.text_up("label", (16.0, (plot.top + plot.bottom) / 2.0), &self.y.label);
    }
}

fn class(series: usize) -> String {
    let dashes = match series / 6 % 3 {
        0 => "",
        1 => " d1",
        _ => " d2",
    };
    format!("s s{}{dashes}", series % 6)
}

/// The area of the lines.
struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Plot {
    fn x(&self, place: f64) -> f64 {
        self.left + place * (self.right - self.left)
    }
    fn y(&self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }

    /// A line on the paper, interrupted where a point has no place. What lies outside the axes is drawn on their edge.
    fn pieces(&self, series: &Series, x: &Range, y: &Range) -> Vec<Vec<(f64, f64)>> {
        let mut pieces = vec![Vec::new()];
        let mut before: Option<f64> = None;
        for (px, py) in &series.points {
            let (Some(fx), Some(fy)) = (x.place(*px), y.place(*py)) else {
                pieces.push(Vec::new());
                before = None;
                continue;
            };
            let point = (self.x(fx.clamp(0.0, 1.0)), self.y(fy.clamp(0.0, 1.0)));
            if let Some(piece) = pieces.last_mut() {
                if let Some(level) = before.filter(|_| series.steps) {
                    piece.push((point.0, level));
                }
                piece.push(point);
            }
            before = Some(point.1);
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::Scale;

    fn chart() -> LineChart {
        LineChart::new(
            "Slowdown <p99> & more",
            Axis::new("size, KB", Scale::Log),
            Axis::new("slowdown", Scale::Linear).from(0.0),
        )
        .series(Series::line("paper", vec![(1.0, 1.0), (10.0, 2.0), (1000.0, 5.0)]))
        .series(Series::steps("mlx5", vec![(1.0, 1.5), (1000.0, 2.5)]))
    }

    /// Tags in pairs, every attribute quoted: enough of XML to catch a broken picture.
    fn well_formed(svg: &str) {
        let mut open = Vec::new();
        for part in svg.split('<').skip(1) {
            let tag = part.split('>').next().unwrap();
            let name = tag.split([' ', '/']).find(|s| !s.is_empty()).unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "{tag}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn a_chart_is_well_formed_and_always_the_same() {
        let svg = chart().svg();
        well_formed(&svg);
        assert_eq!(svg, chart().svg());
        assert!(svg.contains("Slowdown &lt;p99&gt; &amp; more"));
        assert_eq!(svg.matches("class=\"s s0\"").count(), 2, "a line and its legend");
    }

    #[test]
    fn points_lie_where_the_axes_say() {
        let svg = chart().svg();
        let line = svg.lines().filter(|l| l.contains("class=\"s s0\"")).nth(1).unwrap();
        // 1 to 1000 over 72 to 696, so that 10 is a third of the way; 0 to 5 over 368 up to 58.
        assert!(line.contains("d=\"M72 306L280 244L696 58\""), "{line}");
        let steps = svg.lines().filter(|l| l.contains("class=\"s s1\"")).nth(1).unwrap();
        assert!(steps.contains("d=\"M72 275L696 275L696 213\""), "{steps}");
    }

    #[test]
    fn whatever_the_points_the_picture_is_whole() {
        let awkward = vec![(0.0, f64::NAN), (f64::INFINITY, 1.0), (-1.0, 2.0), (5.0, -3.0), (1e-300, 1e300)];
        for points in [vec![], vec![(5.0, 5.0)], awkward] {
            let svg = LineChart::new("", Axis::new("", Scale::Log), Axis::new("", Scale::Log))
                .size(1, 1)
                .series(Series::line("a\u{0}b", points))
                .svg();
            well_formed(&svg);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
