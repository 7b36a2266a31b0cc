//! Message times of an idle network by size: a function that is fitted to times that somebody measured, as estimates from
//! recorded runs use it (`chronos network fit`).
//!
//! A line is what start-up time and bandwidth make; pieces of lines follow protocols that change with the size; the
//! polynomial through all points (Lagrange) is offered because papers use it, with a warning where it swings between the
//! points (Runge). This module must not know files nor the terminal.

use super::codes;
use chronos_base::diag::Diagnostic;
use chronos_machine::network::{Curve, Network, Point, Provenance, ProvenanceKind};
use std::collections::BTreeMap;

/// Points at which a polynomial becomes pieces of lines.
const PIECES: u64 = 256;
/// Sizes above which a polynomial is no sensible model, and its numbers lose all digits.
const MOST_SIZES: usize = 24;

/// What the function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line by least squares.
    Linear,
    /// Lines from each point to the next.
    Piecewise,
    /// The polynomial through all points.
    Lagrange,
}

/// A time that was measured, or is the median of several of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageTime {
    /// Size of the message.
    pub bytes: u64,
    /// One way, from the begin of the send to the end of the receive.
    pub ns: f64,
}

/// A fitted function.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedTimes {
    /// The function, as pieces of lines.
    pub curve: Curve,
    /// Each size with the measured time and that of the function.
    pub residuals: Vec<(MessageTime, f64)>,
    /// A longer message never takes less time.
    pub is_monotone: bool,
}

/// Reads lines `BYTES SECONDS`; what follows `#` is a comment.
///
/// # Errors
/// The number of the first line that is none of these.
pub fn parse(text: &str) -> Result<Vec<MessageTime>, usize> {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(at, line)| (at + 1, line.split('#').next().unwrap_or_default().trim()));
    lines.filter(|(_, line)| !line.is_empty()).map(|(at, line)| one(line).ok_or(at)).collect()
}

fn one(line: &str) -> Option<MessageTime> {
    let mut words = line.split_whitespace();
    let (bytes, seconds) = (words.next()?.parse().ok()?, words.next()?.parse::<f64>().ok()?);
    let fits = seconds.is_finite() && seconds >= 0.0 && words.next().is_none();
    fits.then_some(MessageTime { bytes, ns: seconds * 1e9 })
}

/// Fits a function of this form.
///
/// # Errors
/// Too few sizes, or too many for a polynomial.
pub fn fit(measured: &[MessageTime], form: Form) -> Result<FittedTimes, Box<Diagnostic>> {
    let medians = medians(measured);
    let most = if form == Form::Lagrange { MOST_SIZES } else { usize::MAX };
    if medians.len() < 2 || medians.len() > most {
        let sizes = if medians.len() == 1 { "size" } else { "sizes" };
        let message = format!("a function cannot be fitted to times of {} {sizes} of messages", medians.len());
        let help = format!("give times of at least two sizes, and for a polynomial at most {MOST_SIZES}");
        return Err(Box::new(Diagnostic::error(&codes::MESSAGE_TIMES, message).help(help)));
    }
    let points = match form {
        Form::Linear => line(&medians),
        Form::Piecewise => medians.iter().map(|time| (time.bytes, time.ns)).collect(),
        Form::Lagrange => polynomial(&medians),
    };
    let is_monotone = points.windows(2).all(|pair| pair[0].1 <= pair[1].1);
    let curve = Curve { points: points.iter().map(|&(bytes, ns)| Point { bytes, ns: ns.max(0.0) }).collect() };
    let residuals = medians.iter().map(|&time| (time, curve.at(time.bytes).as_nanoseconds())).collect();
    Ok(FittedTimes { curve, residuals, is_monotone })
}

/// One time for each size.
fn medians(measured: &[MessageTime]) -> Vec<MessageTime> {
    let mut by_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    measured.iter().for_each(|time| by_size.entry(time.bytes).or_default().push(time.ns));
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        f64::midpoint(times[(times.len() - 1) / 2], times[times.len() / 2])
    };
    by_size.into_iter().map(|(bytes, times)| MessageTime { bytes, ns: median(times) }).collect()
}

/// Least squares; a start-up time is not negative.
fn line(times: &[MessageTime]) -> Vec<(u64, f64)> {
    let count = times.len() as f64;
    let mean = |of: &dyn Fn(&MessageTime) -> f64| times.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|time| time.bytes as f64), mean(&|time| time.ns));
    let (xx, xy) =
        (mean(&|time| (time.bytes as f64 - x).powi(2)), mean(&|time| (time.bytes as f64 - x) * (time.ns - y)));
    let through_zero = mean(&|time| time.bytes as f64 * time.ns) / mean(&|time| (time.bytes as f64).powi(2));
    let at_zero = y - x * xy / xx;
    let (at_zero, slope) = if at_zero < 0.0 { (0.0, through_zero) } else { (at_zero, xy / xx) };
    let last = times.last().map_or(1, |time| time.bytes.max(1));
    vec![(0, at_zero), (last, at_zero + slope * last as f64)]
}

/// Of the polynomial through all points, many points.
fn polynomial(times: &[MessageTime]) -> Vec<(u64, f64)> {
    let (first, last) = (times[0].bytes, times[times.len() - 1].bytes);
    let step = |number: u64| first + ((last - first) as f64 * number as f64 / PIECES as f64) as u64;
    let mut sizes: Vec<u64> = (0..=PIECES).map(step).chain(times.iter().map(|time| time.bytes)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(|bytes| (bytes, interpolated(times, bytes))).collect()
}

/// Lagrange's formula; sizes are taken relative to the largest, so that products stay in range.
fn interpolated(times: &[MessageTime], bytes: u64) -> f64 {
    let largest = times[times.len() - 1].bytes as f64;
    let (x, at) = (bytes as f64 / largest, |time: &MessageTime| time.bytes as f64 / largest);
    let basis = |own: &MessageTime| {
        let others = times.iter().filter(|other| other.bytes != own.bytes);
        others.map(|other| (x - at(other)) / (at(own) - at(other))).product::<f64>()
    };
    times.iter().map(|time| time.ns * basis(time)).sum()
}

/// The warning for a function by which some longer messages take less time.
pub fn not_monotone(form: Form) -> Diagnostic {
    let message = match form {
        Form::Lagrange => "the polynomial swings: by it some longer messages take less time than shorter ones (Runge)",
        Form::Linear | Form::Piecewise => "by the measured times some longer messages take less time than shorter ones",
    };
    let help = match form {
        Form::Lagrange => "take --form piecewise or --form linear, or measure more messages of each size",
        Form::Piecewise => "measure more messages of each size, or take --form linear",
        Form::Linear => "measure more messages of each size, on a network that does nothing else",
    };
    Diagnostic::warning(&codes::MESSAGE_TIMES, message).help(help)
}

/// By how much a fitted time may be off before it is said that the form does not suit.
const MOST_OFF: f64 = 0.5;

/// The warning for a function that is far from the times that it was fitted to.
pub fn unsuited(fitted: &FittedTimes) -> Option<Diagnostic> {
    let off = |(time, ns): &(MessageTime, f64)| if time.ns > 0.0 { (ns / time.ns - 1.0).abs() } else { 0.0 };
    let worst =
        fitted.residuals.iter().max_by(|a, b| off(a).total_cmp(&off(b))).filter(|worst| off(worst) > MOST_OFF)?;
    let message = format!(
        "the function is off by {:.0} % for messages of {} bytes: times of messages do not have this form",
        100.0 * off(worst),
        worst.0.bytes
    );
    Some(
        Diagnostic::warning(&codes::MESSAGE_TIMES, message)
            .help("take --form piecewise, or leave out sizes that the program does not send"),
    )
}

/// Whether a function of this form goes through all points, so that differences do not test it.
pub fn goes_through_all(fitted: &FittedTimes, form: Form) -> bool {
    form != Form::Linear || fitted.residuals.len() == 2
}

/// A network whose messages between nodes take these times, like another one in everything else. No size waits for its
/// receive: the times have that in them.
pub fn network(like: &Network, fitted: &FittedTimes, name: &str, from: &str) -> Network {
    let mut network = like.clone();
    name.clone_into(&mut network.name);
    network.description = format!("Like {}, with message times between nodes that were fitted to {from}.", like.name);
    network.provenance = Provenance {
        kind: ProvenanceKind::Measured,
        text: format!("chronos network fit {from}; all else is that of {}", like.name),
        sources: Vec::new(),
    };
    let link = &mut network.between_nodes;
    let start = fitted.curve.at(0).as_nanoseconds();
    // Overheads keep their part of the time of an empty message as far as there is room for it.
    let part = |curve: &Curve| curve.at(0).as_nanoseconds().min(start / 4.0);
    let (send, receive) = (part(&link.send_overhead_ns), part(&link.recv_overhead_ns));
    link.send_overhead_ns = Curve::constant(send);
    link.recv_overhead_ns = Curve::constant(receive);
    link.latency_ns = Curve::constant(start - send - receive);
    link.gap_ns = Curve::constant(0.0);
    let wire = |point: &Point| Point { bytes: point.bytes, ns: (point.ns - start).max(0.0) };
    link.transfer_ns = Curve { points: fitted.curve.points.iter().map(wire).collect() };
    (link.eager_limit_bytes, link.store_and_forward_bytes, link.uncertainty) = (1 << 62, None, None);
    network
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(points: &[(u64, f64)]) -> Vec<MessageTime> {
        points.iter().map(|&(bytes, ns)| MessageTime { bytes, ns }).collect()
    }

    #[test]
    fn a_line_is_found_again_by_every_form() {
        let exact = times(&[(0, 50.0), (1000, 150.0), (4000, 450.0), (10_000, 1050.0)]);
        for form in [Form::Linear, Form::Piecewise, Form::Lagrange] {
            let fitted = fit(&exact, form).expect("fitted");
            assert!(fitted.is_monotone, "{form:?}");
            assert!(fitted.residuals.iter().all(|(time, ns)| (time.ns - ns).abs() < 0.01), "{form:?} {fitted:?}");
        }
    }

    #[test]
    fn the_median_of_a_size_counts_and_start_up_is_not_negative() {
        let fitted = fit(&times(&[(10, 1.0), (10, 9.0), (10, 2.0), (1000, 400.0)]), Form::Piecewise).expect("fitted");
        assert_eq!(fitted.residuals[0].1, 2.0);
        let steep = fit(&times(&[(1000, 10.0), (2000, 1000.0)]), Form::Linear).expect("fitted");
        assert_eq!(steep.curve.at(0).as_nanoseconds(), 0.0);
    }

    #[test]
    fn a_polynomial_that_swings_is_told() {
        let step: Vec<(u64, f64)> = (0..11).map(|n| (n * 100, if n < 5 { 10.0 } else { 1000.0 })).collect();
        assert!(!fit(&times(&step), Form::Lagrange).expect("fitted").is_monotone);
        assert!(fit(&times(&step), Form::Piecewise).expect("fitted").is_monotone);
    }

    #[test]
    fn a_network_takes_the_fitted_times() {
        let fitted = fit(&times(&[(0, 50_000.0), (1_000_000, 9_050_000.0)]), Form::Linear).expect("fitted");
        let like = Network::load("ethernet-100").expect("shipped");
        let made = network(&like, &fitted, "mine", "pings");
        let link = &made.between_nodes;
        let one_way = |bytes| {
            let parts = [&link.send_overhead_ns, &link.latency_ns, &link.transfer_ns, &link.recv_overhead_ns];
            parts.iter().map(|curve| curve.at(bytes).as_nanoseconds()).sum::<f64>()
        };
        assert!((one_way(0) - 50_000.0).abs() < 0.01 && (one_way(500_000) - 4_550_000.0).abs() < 1.0);
    }

    #[test]
    fn lines_that_are_no_times_are_named() {
        assert_eq!(parse("# bytes seconds\n8 1e-6\n\n16 2e-6 # quick\n").map(|times| times.len()), Ok(2));
        assert_eq!(parse("8 1e-6\n16 -1\n"), Err(2));
        assert_eq!(parse("8\n"), Err(1));
    }
}
