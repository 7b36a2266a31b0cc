//! Networks described by the few parameters of a model instead of measured tables.
//!
//! `loggops:L=2500,o=1500,g=1000,G=6,O=0,S=65535` (ns and bytes: Hoefler, Schneider, Lumsdaine 2010);
//! `amakata:alpha=3,D=2,C=3e8,W=30e6,tc=300e-6,ts=0.7` (m, m/s, bit/s, s, and the start of a task in s where tasks are
//! spawned: Amakata, Shinano, Nakamori);
//! `linear:a=90e-6,b=8.5e-8` and `lagrange:8=95e-6,1024=280e-6,...` (s by bytes: Drozdowski 2001).
//! `chronos network show` prints what a description stands for as a file.

use super::{Curve, Factors, Link, LogGops, Network, Point, Provenance, ProvenanceKind, SCHEMA, check, codes};
use chronos_base::diag::Diagnostic;

/// Whether a name is a description.
pub(super) fn is_description(name: &str) -> bool {
    FORMS.iter().any(|form| kind_of(name) == Some(form.kind))
}

fn kind_of(name: &str) -> Option<&str> {
    name.split_once(':').map(|(kind, _)| kind)
}

/// A way to describe a network.
struct Form {
    kind: &'static str,
    /// Names of parameters with their values where they are not given.
    parameters: &'static [(&'static str, Option<f64>)],
    example: &'static str,
    build: fn(&[f64]) -> Network,
}

const FORMS: &[Form] = &[
    Form {
        kind: "loggops",
        parameters: &[("L", None), ("o", None), ("g", None), ("G", None), ("O", Some(0.0)), ("S", Some(65535.0))],
        example: "loggops:L=2500,o=1500,g=1000,G=6,O=0,S=65535",
        build: loggops,
    },
    Form {
        kind: "amakata",
        parameters: &[("alpha", None), ("D", None), ("C", None), ("W", None), ("tc", None), ("ts", Some(f64::NAN))],
        example: "amakata:alpha=3,D=2,C=3e8,W=30e6,tc=300e-6",
        build: amakata,
    },
    Form { kind: "linear", parameters: &[("a", None), ("b", None)], example: "linear:a=90e-6,b=8.5e-8", build: linear },
    Form {
        kind: "lagrange",
        parameters: &[],
        example: "lagrange:0=90e-6,1024=280e-6,8192=900e-6",
        build: |_| delays(Curve { points: Vec::new() }),
    },
];

/// The network that a description stands for.
///
/// # Errors
/// A parameter is missing, unknown, given twice, no number or out of range.
pub(super) fn parse(description: &str) -> Result<Network, Vec<Diagnostic>> {
    let (kind, text) = description.split_once(':').unwrap_or((description, ""));
    let Some(form) = FORMS.iter().find(|form| form.kind == kind) else {
        return Err(vec![wrong(description, "is of no known kind", FORMS[0].example)]);
    };
    let fault = |what: String| vec![wrong(description, &what, form.example)];
    let given = pairs(text).map_err(fault)?;
    let network = match form.kind {
        "lagrange" => delays(lagrange(&given).map_err(fault)?),
        _ => (form.build)(&values(form, &given).map_err(fault)?),
    };
    let network = Network { name: description.to_owned(), ..network };
    let faults = check::faults(description, &network);
    if faults.is_empty() { Ok(network) } else { Err(faults) }
}

fn wrong(description: &str, what: &str, example: &str) -> Diagnostic {
    Diagnostic::error(&codes::NETWORK_DESCRIPTION, format!("the network `{description}` {what}"))
        .help(format!("a network of this kind reads for instance `{example}`"))
}

/// `NAME=NUMBER,...`
fn pairs(text: &str) -> Result<Vec<(&str, f64)>, String> {
    let mut pairs = Vec::new();
    for part in text.split(',') {
        let number = |value: &str| value.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
        let pair = part.split_once('=').and_then(|(name, value)| Some((name.trim(), number(value.trim())?)));
        let pair = pair.ok_or_else(|| format!("has `{part}` where NAME=NUMBER belongs, the number not negative"))?;
        if pairs.iter().any(|(name, _)| *name == pair.0) {
            return Err(format!("gives `{}` twice", pair.0));
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

fn values(form: &Form, given: &[(&str, f64)]) -> Result<Vec<f64>, String> {
    let known = |name: &str| form.parameters.iter().any(|(known, _)| *known == name);
    if let Some((name, _)) = given.iter().find(|(name, _)| !known(name)) {
        return Err(format!("has no parameter `{name}`"));
    }
    let value = |&(name, default): &(&str, Option<f64>)| {
        let found = given.iter().find(|(given, _)| *given == name).map(|&(_, value)| value);
        found.or(default).ok_or_else(|| format!("lacks `{name}`"))
    };
    form.parameters.iter().map(value).collect()
}

fn loggops(values: &[f64]) -> Network {
    let model = LogGops {
        latency_ns: values[0],
        overhead_ns: values[1],
        gap_ns: values[2],
        gap_ns_per_byte: values[3],
        overhead_ns_per_byte: values[4],
        eager_limit_bytes: values[5] as u64,
    };
    Network { loggops: Some(model), ..network(model.link()) }
}

/// Messages are delayed by the distance that the signal travels (alpha times), their bits, and a constant; a spawned task
/// begins `ts` behind the message that asks for it, where that is given.
fn amakata(values: &[f64]) -> Network {
    let [alpha, distance, speed, rate, constant, start] = *values else { return delays(Curve::constant(0.0)) };
    let at_zero = alpha * distance / speed + constant;
    let spawn_ns = Some(start * 1e9).filter(|time| time.is_finite());
    Network { spawn_ns, ..delays(Curve::linear(at_zero * 1e9, 8.0 / rate * 1e9)) }
}

fn linear(values: &[f64]) -> Network {
    delays(Curve::linear(values[0] * 1e9, values[1] * 1e9))
}

/// A network of which the delay by size is all that is known: sends are not held up, messages do not disturb each other.
fn delays(delay: Curve) -> Network {
    let zero = || Curve::constant(0.0);
    network(Link {
        send_overhead_ns: zero(),
        recv_overhead_ns: zero(),
        latency_ns: delay,
        gap_ns: zero(),
        transfer_ns: zero(),
        eager_limit_bytes: u64::MAX,
        request_ns: 0.0,
        grant_ns: 0.0,
        store_and_forward_bytes: None,
        ports: false,
        shared_medium: false,
        two_way: Factors::default(),
        uncertainty: None,
    })
}

fn network(link: Link) -> Network {
    Network {
        schema: SCHEMA.to_owned(),
        name: String::new(),
        description: "A network described by the parameters of a model.".to_owned(),
        provenance: Provenance {
            kind: ProvenanceKind::Estimate,
            text: "parameters given by the user".to_owned(),
            sources: Vec::new(),
        },
        call_ns: 0.0,
        poll_ns: None,
        reduction_ns_per_byte: 0.0,
        within_socket: None,
        within_node: link.clone(),
        between_nodes: link,
        mpi_library: None,
        algorithms: Vec::new(),
        measured_collectives: Vec::new(),
        loggops: None,
        storage: None,
        spawn_ns: None,
        samples: Vec::new(),
        delays: None,
        unscaled: None,
    }
}

/// Points between two given ones at which the polynomial is evaluated.
const STEPS: u64 = 32;

/// The polynomial through all points, as a table; beyond the last point it goes on straight.
fn lagrange(given: &[(&str, f64)]) -> Result<Curve, String> {
    let mut points = Vec::new();
    for (bytes, seconds) in given {
        let bytes: u64 = bytes.parse().map_err(|_| format!("has `{bytes}` where a number of bytes belongs"))?;
        points.push(Point { bytes, ns: seconds * 1e9 });
    }
    points.sort_by_key(|point| point.bytes);
    if points.len() < 2 || points.windows(2).any(|pair| pair[0].bytes == pair[1].bytes) {
        return Err("needs at least two points of different sizes".to_owned());
    }
    let between = |pair: &[Point]| {
        let (from, to) = (pair[0].bytes, pair[1].bytes);
        let step = ((to - from) / STEPS).max(1);
        (0..STEPS).map(move |index| from + index * step).take_while(move |&bytes| bytes < to)
    };
    let last = points[points.len() - 1];
    let sizes: Vec<u64> = points.windows(2).flat_map(between).chain([last.bytes]).collect();
    let table: Vec<Point> = sizes.iter().map(|&bytes| Point { bytes, ns: polynomial(&points, bytes) }).collect();
    match table.iter().find(|point| point.ns < 0.0) {
        Some(point) => Err(format!("is negative at {} bytes: fewer points make the polynomial calmer", point.bytes)),
        None => Ok(Curve { points: table }),
    }
}

fn polynomial(points: &[Point], bytes: u64) -> f64 {
    let x = |point: &Point| point.bytes as f64;
    let term = |(index, point): (usize, &Point)| {
        let others = points.iter().enumerate().filter(|(other, _)| *other != index);
        point.ns * others.map(|(_, other)| (bytes as f64 - x(other)) / (x(point) - x(other))).product::<f64>()
    };
    points.iter().enumerate().map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_base::units::Picoseconds;

    fn fault(text: &str) -> String {
        Network::load(text).unwrap_err()[0].message.clone()
    }

    #[test]
    fn five_parameters_give_the_time_of_a_message() {
        let network = Network::load("amakata:alpha=3,D=2,C=3e8,W=30e6,tc=300e-6").unwrap();
        // 3 * 2 / 3e8 s + 8000 bit / 30 Mbit/s + 300 us
        let expected = 3.0 * 2.0 / 3e8 + 8000.0 / 30e6 + 300e-6;
        assert_eq!(network.between_nodes.latency_ns.at(1000), Picoseconds::from_seconds(expected));
    }

    #[test]
    fn a_polynomial_goes_through_its_points() {
        let network = Network::load("lagrange:0=1e-6,100=2e-6,200=5e-6").unwrap();
        let at = |bytes| network.between_nodes.latency_ns.at(bytes).0;
        // 1 + x^2/10^4 us of x bytes
        assert_eq!((at(0), at(100), at(200)), (1_000_000, 2_000_000, 5_000_000));
        assert_eq!(at(148), 3_190_400);
    }

    #[test]
    fn loggops_has_a_link_of_its_own() {
        let network = Network::load("loggops:L=100,o=10,g=20,G=2").unwrap();
        assert_eq!(network.loggops.map(|model| model.eager_limit_bytes), Some(65535));
        assert_eq!(network.between_nodes.recv_overhead_ns.at(11), Picoseconds(30_000));
    }

    #[test]
    fn faults_name_the_parameter() {
        insta::assert_snapshot!(fault("loggops:L=1,o=2,g=3"), @"the network `loggops:L=1,o=2,g=3` lacks `G`");
        insta::assert_snapshot!(fault("linear:a=1,b=2,c=3"), @"the network `linear:a=1,b=2,c=3` has no parameter `c`");
        insta::assert_snapshot!(fault("linear:a=-1,b=2"),
            @"the network `linear:a=-1,b=2` has `a=-1` where NAME=NUMBER belongs, the number not negative");
        insta::assert_snapshot!(fault("lagrange:0=1,100=0,200=0"), @"the network `lagrange:0=1,100=0,200=0` is negative at 103 bytes: fewer points make the polynomial calmer");
        assert!(fault("amakata:alpha=3,D=2,C=0,W=30e6,tc=0").contains("expected a finite number"));
    }
}
