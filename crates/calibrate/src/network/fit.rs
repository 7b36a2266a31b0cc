//! From measured points to the curves of a link: overheads, latency, gap, time on the wire, rendezvous, two-way
//! traffic.
//!
//! A one-way time is `send overhead + latency + time on the wire + receive overhead`, above the eager limit with a
//! request and a grant. Overheads are measured; the time on the wire is at most what a message of a stream adds; the
//! latency is the rest, which holds whatever else depends on the size (frames that a switch stores).

use chronos_machine::network::{Curve, FactorPoint, Factors, Link, Point, Sample, Uncertainty};

/// Points of one quantity at one kind of distance, by size.
pub struct Points(Vec<(u64, f64)>);

impl Points {
    /// The last of several measurements of a size counts.
    pub fn of(samples: &[Sample], quantity: &str, value: impl Fn(&Sample) -> f64) -> Self {
        let found = samples.iter().filter(|sample| sample.quantity == quantity);
        let sorted: std::collections::BTreeMap<u64, f64> = found.map(|sample| (sample.bytes, value(sample))).collect();
        Self(sorted.into_iter().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, f64)> {
        self.0.iter().copied()
    }

    fn reaches(&self, bytes: u64) -> bool {
        self.0.last().is_some_and(|&(last, _)| bytes <= last)
    }

    /// Linear between points; the first below the first, the last above the last one; 0 of nothing.
    fn at(&self, bytes: u64) -> f64 {
        let above = self.0.partition_point(|&(size, _)| size <= bytes);
        match (above.checked_sub(1).map(|left| self.0[left]), self.0.get(above)) {
            (Some((a, from)), Some(&(b, to))) => from + (to - from) * (bytes - a) as f64 / (b - a) as f64,
            (Some((_, only)), None) | (None, Some(&(_, only))) => only,
            (None, None) => 0.0,
        }
    }

    /// As `at`; beyond the last point as steep as between the last two.
    fn beyond(&self, bytes: u64) -> f64 {
        match self.0[..] {
            [.., (a, from), (b, to)] if bytes > b => from + (to - from) * (bytes - a) as f64 / (b - a) as f64,
            _ => self.at(bytes),
        }
    }
}

/// The parts of a one-way time, in ns.
struct Parts {
    bytes: u64,
    send: f64,
    receive: f64,
    latency: f64,
    wire: f64,
}

/// A link of what was measured at this distance (`socket`, `node`, `network`); `None` where nothing was.
pub fn link(samples: &[Sample], distance: &str) -> Option<Link> {
    let points = |quantity: &str| Points::of(samples, &format!("{distance}.{quantity}"), |sample| sample.median_ns);
    let one_way = points("one-way");
    if one_way.is_empty() {
        return None;
    }
    let limit = samples.iter().find(|sample| sample.quantity == format!("{distance}.eager-limit"));
    let eager = limit.map_or(u64::MAX, |limit| limit.bytes);
    let measured = Measured {
        send: points("send-overhead"),
        receive: points("recv-overhead"),
        gap: points("gap"),
        one_way,
        eager,
    };
    let control = measured.control();
    let mut parts: Vec<Parts> =
        measured.one_way.0.iter().map(|&(bytes, time)| measured.split(bytes, time, control)).collect();
    straighten(&mut parts);
    let ports = distance == "network";
    let mean = Points::of(samples, &format!("{distance}.two-way"), |sample| sample.mean_ns);
    let curve = |value: fn(&Parts) -> f64| curve(parts.iter().map(|part| (part.bytes, value(part))));
    Some(Link {
        send_overhead_ns: curve(|part| part.send),
        recv_overhead_ns: curve(|part| part.receive),
        latency_ns: curve(|part| part.latency),
        gap_ns: self::curve(measured.gap.0.iter().map(|&(bytes, gap)| (bytes, if ports { gap } else { 0.0 }))),
        transfer_ns: curve(|part| part.wire),
        eager_limit_bytes: eager,
        request_ns: control,
        grant_ns: control,
        store_and_forward_bytes: None,
        ports,
        shared_medium: false,
        two_way: if ports { two_way(&mean, &measured.one_way, &parts) } else { Factors::default() },
        uncertainty: Some(uncertainty(samples, distance)),
    })
}

/// What the replay is off by with figures measured on the very network and recorded computing times, as a factor in nine of
/// ten cases: 3.4 % in the mean over thirteen programs (docs/accuracy.md), which is 7 % at the 90th percentile of a normal
/// distribution.
const OF_THE_MODEL: f64 = 0.07;
/// Quantile of the normal distribution for nine of ten cases.
const NINE_OF_TEN: f64 = 1.645;

/// The error of the model, and on top of it what the timings of this distance were uncertain by in the worst of ten.
fn uncertainty(samples: &[Sample], distance: &str) -> Uncertainty {
    let mut errors: Vec<f64> =
        samples.iter().filter(|sample| sample.quantity.starts_with(distance)).map(|sample| sample.error).collect();
    errors.sort_by(f64::total_cmp);
    let of_timings = errors.get(errors.len() * 9 / 10).copied().unwrap_or(0.0);
    let factor = 1.0 + OF_THE_MODEL.hypot(NINE_OF_TEN * of_timings);
    let factor = (factor * 1000.0).round() / 1000.0;
    Uncertainty { fixed: factor, rate: factor }
}

/// What messages within a node change by where a host moves the processors of a virtual machine: between two tasks of the same
/// Zen 4 (two virtual processors) a message of 8 bytes took 146 or 366 ns and 64 KiB took 12 or 36 us, each state for minutes,
/// several times on one day, and 512 KiB 61 or 226 us; a Zen 5 changed as much within seconds. No guest sees which state it is in.
pub const PLACED: Uncertainty = Uncertainty { fixed: 2.5, rate: 3.7 };

/// A link within a node, as uncertain as the places of virtual processors make it.
pub fn placed(mut link: Link, is_virtual: bool) -> Link {
    if let Some(uncertainty) = link.uncertainty.as_mut().filter(|_| is_virtual) {
        uncertainty.fixed = uncertainty.fixed.max(PLACED.fixed);
        uncertainty.rate = uncertainty.rate.max(PLACED.rate);
    }
    link
}

struct Measured {
    send: Points,
    receive: Points,
    gap: Points,
    one_way: Points,
    eager: u64,
}

impl Measured {
    /// Overheads that a one-way time may have; of what it takes, no more than two fifths each.
    fn overheads(&self, bytes: u64, time: f64) -> (f64, f64) {
        const MOST: f64 = 0.4;
        let known = if bytes <= self.eager { bytes } else { 0 };
        (self.send.at(bytes).min(MOST * time), self.receive.at(known).min(MOST * time))
    }

    /// A message of the protocol takes what an empty message takes between the overheads, if there is that much.
    fn control(&self) -> f64 {
        let rest = |&(bytes, time): &(u64, f64)| {
            let (send, receive) = self.overheads(bytes, time);
            time - send - receive
        };
        let empty = self.one_way.0.first().map_or(0.0, rest);
        let long = self.one_way.0.iter().filter(|&&(bytes, _)| bytes > self.eager);
        let room = long.map(|point| (rest(point) - self.gap.beyond(point.0)) / 2.0);
        room.fold(empty, f64::min).max(0.0)
    }

    fn split(&self, bytes: u64, time: f64, control: f64) -> Parts {
        let (send, receive) = self.overheads(bytes, time);
        let protocol = if bytes > self.eager { 2.0 * control } else { 0.0 };
        let rest = (time - send - receive - protocol).max(0.0);
        // An empty message is not on the wire for longer than half of its way.
        let most = if bytes == 0 { rest / 2.0 } else { rest };
        let wire = self.gap.beyond(bytes).min(most);
        Parts { bytes, send, receive, latency: rest - wire, wire }
    }
}

/// The time on the wire does not fall, and beyond the last size it is the only part that rises.
fn straighten(parts: &mut [Parts]) {
    let mut least = 0.0;
    for part in parts.iter_mut() {
        let moved = (least - part.wire).clamp(0.0, part.latency);
        part.wire += moved;
        part.latency -= moved;
        least = part.wire;
    }
    if let [.., before, last] = parts {
        let moved = last.latency - before.latency;
        if last.wire + moved >= before.wire {
            (last.wire, last.latency) = (last.wire + moved, before.latency);
        }
        let overheads = [last.send - before.send, last.receive - before.receive];
        (last.send, last.receive) = (before.send, before.receive);
        last.wire += overheads.iter().sum::<f64>();
        last.wire = last.wire.max(before.wire);
    }
}

fn curve(points: impl Iterator<Item = (u64, f64)>) -> Curve {
    let rounded = |ns: f64| (ns.max(0.0) * 10.0).round() / 10.0;
    let points: Vec<Point> = points.map(|(bytes, ns)| Point { bytes, ns: rounded(ns) }).collect();
    if points.is_empty() { Curve::constant(0.0) } else { Curve { points } }
}

/// By how much longer messages are on the wire when another one goes the other way, where most of their time is spent
/// there: of shorter ones overheads decide. Means, because such exchanges have two modes.
fn two_way(mean: &Points, one_way: &Points, parts: &[Parts]) -> Factors {
    const NOTICED: f64 = 1.05;
    let mut factors = Vec::new();
    for part in parts {
        let alone = one_way.at(part.bytes);
        if !mean.reaches(part.bytes) || part.wire < 0.5 * alone {
            continue;
        }
        let surplus = (mean.at(part.bytes) - alone).max(0.0);
        let factor = (1000.0 * (1.0 + surplus / part.wire)).round() / 1000.0;
        factors.push(FactorPoint { bytes: part.bytes, factor });
    }
    if factors.iter().all(|point| point.factor < NOTICED) { Factors::default() } else { Factors { points: factors } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(points: &[(&str, u64, f64)]) -> Vec<Sample> {
        let sample = |&(quantity, bytes, ns): &(&str, u64, f64)| Sample {
            quantity: format!("network.{quantity}"),
            tasks: 2,
            bytes,
            median_ns: ns,
            minimum_ns: ns,
            mean_ns: ns,
            error: 0.0,
            repetitions: 8,
            ns: Vec::new(),
        };
        points.iter().map(sample).collect()
    }

    /// Overheads 10, latency 100, 1 ns per byte, request and grant 100 each above 1000 bytes.
    fn example() -> Vec<Sample> {
        samples(&[
            ("one-way", 0, 120.0),
            ("one-way", 1000, 1120.0),
            ("one-way", 1001, 1321.0),
            ("one-way", 4000, 4320.0),
            ("send-overhead", 0, 10.0),
            ("recv-overhead", 0, 10.0),
            ("gap", 0, 5.0),
            ("gap", 1000, 1000.0),
            ("gap", 4000, 4000.0),
            ("eager-limit", 1000, 0.0),
            ("two-way", 1000, 1120.0),
            ("two-way", 1001, 2322.0),
        ])
    }

    #[test]
    fn a_one_way_time_is_split_into_its_parts() {
        let link = link(&example(), "network").unwrap();
        let at = |curve: &Curve, bytes| curve.at(bytes).as_nanoseconds();
        assert_eq!((link.eager_limit_bytes, link.request_ns, link.grant_ns), (1000, 100.0, 100.0));
        for bytes in [0, 1000, 1001, 4000, 8000] {
            let protocol = if bytes > 1000 { 200.0 } else { 0.0 };
            let wire = at(&link.transfer_ns, bytes);
            let all = at(&link.send_overhead_ns, bytes) + at(&link.latency_ns, bytes) + wire + protocol + 10.0;
            assert!((all - (120.0 + bytes as f64 + protocol)).abs() < 1.0, "{bytes}: {all}");
            assert!(bytes == 0 || (wire - bytes as f64).abs() < 6.0, "{bytes}: {wire} on the wire");
        }
        assert!(link.ports);
    }

    #[test]
    fn two_way_traffic_slows_down_what_is_on_the_wire() {
        let factors = link(&example(), "network").unwrap().two_way;
        assert_eq!(factors.at(1000), 1.0);
        assert!((factors.at(4000) - 2.0).abs() < 0.3, "{factors:?}");
        let calm: Vec<Sample> = example().into_iter().filter(|s| s.quantity != "network.two-way").collect();
        assert!(link(&calm, "network").unwrap().two_way.is_empty());
    }

    #[test]
    fn nothing_measured_is_no_link() {
        assert!(link(&example(), "socket").is_none());
    }
}
