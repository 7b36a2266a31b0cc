//! Line charts as inline SVG: no script, no network, colours by style sheet so that light and dark both work.

use std::fmt::Write as _;

/// A point of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// Interval of `y`, drawn as a band.
    pub interval: Option<[f64; 2]>,
    /// What a pointer over it shows.
    pub tip: String,
}

/// One line; colour and mark tell programs apart, dashes machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub name: String,
    pub colour: usize,
    pub(crate) dash: usize,
    pub points: Vec<Point>,
}

/// What is drawn.
pub(crate) struct Chart<'a> {
    /// Unique on the page; ids of title and description are made from it.
    pub id: String,
    /// What the plot shows.
    pub title: String,
    /// For those who cannot see it.
    pub description: String,
    /// What the horizontal axis is.
    pub(crate) x_name: String,
    /// What the vertical axis is.
    pub(crate) y_name: String,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
    /// The line `y = x`: what no overhead would give.
    pub ideal: bool,
    /// A value of the y axis as text.
    pub(crate) y_text: &'a dyn Fn(f64) -> String,
}

/// So many colours and marks; further lines begin anew with other dashes.
pub(crate) const COLOURS: usize = 8;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Room for labels: left, right, top, bottom.
const MARGIN: [f64; 4] = [94.0, 16.0, 14.0, 46.0];
const DASHES: [&str; 4] = ["", "7 4", "2 3", "10 3 2 3"];

/// An axis: linear, or logarithmic where values span much.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Where `low` and `high` are drawn.
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64> + Clone, spread: f64, from: f64, to: f64) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        let log = low > 0.0 && high / low > spread;
        let (low, high) = if low < high { (low, high) } else { (low - 0.5, low + 0.5) };
        Self { low, high, log, from, to }
    }

    fn at(self, value: f64) -> f64 {
        let part = match self.log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + part * (self.to - self.from)
    }

    /// Round values on it.
    fn ticks(self) -> Vec<f64> {
        if self.log {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let few = self.high / self.low > 300.0;
            let steps: &[f64] = if few { &[1.0] } else { &[1.0, 2.0, 5.0] };
            let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
            return all.filter(|&tick| tick >= self.low * 0.999 && tick <= self.high * 1.001).collect();
        }
        let rough = (self.high - self.low) / 5.0;
        let unit = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * unit).find(|&step| step >= rough).unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        (first..first + 12).map(|i| i as f64 * step).take_while(|&tick| tick <= self.high * 1.000_001).collect()
    }
}

/// The chart as an `<svg>` element.
pub fn render(chart: &Chart<'_>) -> String {
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return String::new();
    }
    let (left, bottom) = (MARGIN[0], HEIGHT - MARGIN[3]);
    let x = Axis::new(points().map(|p| p.x), 6.0, left + 12.0, WIDTH - MARGIN[1] - 12.0);
    let bounds = points().flat_map(|p| p.interval.into_iter().flatten().chain([p.y]));
    let mut y = Axis::new(bounds.collect::<Vec<_>>().into_iter(), 12.0, bottom, MARGIN[2]);
    if y.log {
        (y.low, y.high) = (y.low / 1.15, y.high * 1.15);
    } else {
        (y.low, y.high) = (0.0, y.high * 1.05);
    }
    let mut svg = begin(chart);
    axes(chart, x, y, &mut svg);
    if chart.ideal {
        ideal(x, y, &mut svg);
    }
    chart.lines.iter().for_each(|line| band(line, x, y, &mut svg));
    chart.lines.iter().for_each(|line| draw(line, x, y, &mut svg));
    svg + "</svg>\n"
}

fn begin(chart: &Chart<'_>) -> String {
    let id = &chart.id;
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n",
        escaped(&chart.title),
        escaped(&chart.description)
    )
}

fn axes(chart: &Chart<'_>, x: Axis, y: Axis, svg: &mut String) {
    let (left, right, bottom) = (MARGIN[0], WIDTH - MARGIN[1], HEIGHT - MARGIN[3]);
    let _ = writeln!(svg, "<g class=\"axis\" aria-hidden=\"true\">");
    for tick in y.ticks() {
        let at = y.at(tick);
        let _ = writeln!(svg, "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>");
        let text = escaped(&(chart.y_text)(tick));
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>", left - 8.0, at + 4.0);
    }
    for (value, at) in x_labels(chart, x) {
        let _ = writeln!(svg, "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{bottom}\" y2=\"{}\"/>", bottom + 5.0);
        let below = bottom + 20.0;
        let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{}</text>", number(value));
    }
    let _ = writeln!(svg, "<line x1=\"{left}\" x2=\"{right}\" y1=\"{bottom}\" y2=\"{bottom}\"/>");
    let (middle, end) = (f64::midpoint(left, right), HEIGHT - 8.0);
    let _ = writeln!(svg, "<text x=\"{middle}\" y=\"{end}\" text-anchor=\"middle\">{}</text>", escaped(&chart.x_name));
    let half = f64::midpoint(MARGIN[2], bottom);
    let _ = writeln!(
        svg,
        "<text transform=\"translate(12 {half}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</g>",
        escaped(&chart.y_name)
    );
}

/// The values that there are, as far as their labels do not touch.
fn x_labels(chart: &Chart<'_>, x: Axis) -> Vec<(f64, f64)> {
    let mut values: Vec<f64> = chart.lines.iter().flat_map(|line| line.points.iter().map(|p| p.x)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let mut labels: Vec<(f64, f64)> = Vec::new();
    for value in values {
        let at = x.at(value);
        let room = 10.0 + 7.0 * number(value).len() as f64;
        if labels.last().is_none_or(|&(_, last)| at - last >= room) {
            labels.push((value, at));
        }
    }
    labels
}

fn ideal(x: Axis, y: Axis, svg: &mut String) {
    let low = x.low.max(y.low);
    let high = x.high.min(y.high);
    if low < high {
        let steps = (0..=16).map(|i| low + (high - low) * f64::from(i) / 16.0);
        let path: Vec<String> = steps.map(|v| format!("{:.1},{:.1}", x.at(v), y.at(v))).collect();
        let _ =
            writeln!(svg, "<polyline class=\"ideal\" points=\"{}\"><title>ideal</title></polyline>", path.join(" "));
    }
}

fn band(line: &Line, x: Axis, y: Axis, svg: &mut String) {
    let bounds: Vec<(f64, [f64; 2])> = line.points.iter().filter_map(|p| Some((p.x, p.interval?))).collect();
    if bounds.len() < 2 || bounds.len() < line.points.len() {
        return;
    }
    let at = |v: f64, bound: f64| format!("{:.1},{:.1}", x.at(v), y.at(bound));
    let lower = bounds.iter().map(|&(v, [low, _])| at(v, low));
    let upper = bounds.iter().rev().map(|&(v, [_, high])| at(v, high));
    let outline = lower.chain(upper).collect::<Vec<_>>().join(" ");
    let _ = writeln!(svg, "<polygon class=\"band c{}\" points=\"{outline}\"/>", line.colour % COLOURS);
}

fn draw(line: &Line, x: Axis, y: Axis, svg: &mut String) {
    let colour = line.colour % COLOURS;
    let at: Vec<(f64, f64)> = line.points.iter().map(|p| (x.at(p.x), y.at(p.y))).collect();
    let path = at.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ");
    let dash = DASHES[line.dash % DASHES.len()];
    let _ = writeln!(svg, "<g class=\"line c{colour}\">");
    let _ = writeln!(svg, "<polyline points=\"{path}\" stroke-dasharray=\"{dash}\"/>");
    for (point, (x, y)) in line.points.iter().zip(at) {
        let tip = escaped(&point.tip);
        let _ = writeln!(svg, "<path d=\"{}\"><title>{tip}</title></path>", mark(line.colour, x, y));
    }
    svg.push_str("</g>\n");
}

/// Circle, square, triangle, diamond: lines differ without colour as well.
fn mark(kind: usize, x: f64, y: f64) -> String {
    let r = 4.5;
    match kind % 4 {
        0 => format!("M{:.1} {y:.1}a{r} {r} 0 1 0 9 0a{r} {r} 0 1 0 -9 0z", x - r),
        1 => format!("M{:.1} {:.1}h8v8h-8z", x - 4.0, y - 4.0),
        2 => format!("M{x:.1} {:.1}l5 9h-10z", y - 5.5),
        _ => format!("M{x:.1} {:.1}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", y - 5.5),
    }
}

/// A sample of the line, for the legend.
pub fn sample(line: &Line) -> String {
    let dash = DASHES[line.dash % DASHES.len()];
    format!(
        "<svg class=\"sample\" viewBox=\"0 0 34 14\" aria-hidden=\"true\"><g class=\"line c{}\">\
         <polyline points=\"0,7 34,7\" stroke-dasharray=\"{dash}\"/><path d=\"{}\"/></g></svg>",
        line.colour % COLOURS,
        mark(line.colour, 17.0, 7.0)
    )
}

fn number(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 { format!("{x:.0}") } else { format!("{x}") }
}

/// Text as HTML takes it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_ticks() {
        let axis = |values: [f64; 2], spread| Axis::new(values.into_iter(), spread, 0.0, 100.0);
        assert_eq!(axis([0.0, 10.0], 12.0).ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(axis([1.0, 64.0], 6.0).ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(axis([1.0, 100.0], 6.0).at(10.0).round(), 50.0);
        assert_eq!(axis([3.0, 3.0], 6.0).at(3.0), 50.0);
    }

    #[test]
    fn a_chart_has_its_points_and_words_for_those_who_cannot_see_it() {
        let point = |x: f64, y: f64| Point { x, y, interval: Some([y * 0.9, y * 1.1]), tip: format!("<{x}>") };
        let line = Line { name: "A".to_owned(), colour: 1, dash: 0, points: vec![point(1.0, 4.0), point(2.0, 2.0)] };
        let chart = Chart {
            id: "c".to_owned(),
            title: "Time".to_owned(),
            description: "A & B".to_owned(),
            x_name: "n".to_owned(),
            y_name: "s".to_owned(),
            lines: vec![line],
            ideal: false,
            y_text: &|y| y.to_string(),
        };
        let svg = render(&chart);
        assert_eq!(svg.matches("<path d=").count(), 2);
        assert_eq!(svg.matches("<polygon").count(), 1);
        assert!(svg.contains("<desc id=\"c-d\">A &amp; B</desc>") && svg.contains("<title>&lt;1&gt;</title>"));
        assert!(render(&Chart { lines: Vec::new(), ..chart }).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn every_point_lies_in_the_picture(values in proptest::collection::vec((1.0..1e6_f64, 1e-9..1e9_f64), 1..9)) {
            let points = values.iter().map(|&(x, y)| Point { x, y, interval: None, tip: String::new() }).collect();
            let lines = vec![Line { name: String::new(), colour: 0, dash: 0, points }];
            let (none, text): (String, &dyn Fn(f64) -> String) = (String::new(), &|y| y.to_string());
            let chart = Chart {
                id: none.clone(), title: none.clone(), description: none.clone(), x_name: none.clone(), y_name: none,
                lines, ideal: true, y_text: text,
            };
            let svg = render(&chart);
            let path = svg.split("<polyline points=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("");
            for number in path.split([' ', ',']) {
                let number: f64 = number.parse().expect("a number");
                proptest::prop_assert!((0.0..=WIDTH).contains(&number), "{}", path);
            }
        }
    }
}
