//! Counting against barvinok: the same sets at the same points. barvinok runs in a process of its own
//! (tests/oracle/barvinok.py); without Python and the package islpy-barvinok nothing is compared.

mod domains;
#[path = "../gcov/random.rs"]
mod random;

use chronos::math::quasi::{Limits, QuasiError, count_isl_text};
use domains::Case;
use num_bigint::BigInt;
use rayon::prelude::*;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

/// Seeds of sets; `POLYHEDRA=from..to` in the environment gives others.
const SEEDS: &str = "0..500";
/// Of 100 sets, how many may be refused within the default limits.
const REFUSED_PER_CENT: usize = 1;

#[test]
fn random_sets_count_as_barvinok_counts() {
    let Some(python) = python() else {
        println!("no Python with islpy-barvinok is here (set ORACLE_PYTHON): nothing is compared");
        return;
    };
    let cases: Vec<Case> = seeds().map(domains::case).collect();
    let expected = barvinok(&python, &cases);
    let verdicts: Vec<Verdict> =
        cases.par_iter().zip(&expected).map(|(case, expected)| judge(case, expected)).collect();
    let of = |kind: fn(&Verdict) -> Option<&String>| verdicts.iter().filter_map(kind).cloned().collect::<Vec<_>>();
    let wrong = of(|verdict| if let Verdict::Wrong(text) = verdict { Some(text) } else { None });
    let refused = of(|verdict| if let Verdict::Refused(text) = verdict { Some(text) } else { None });
    println!("{} sets, {} refused, {} without answer of barvinok", cases.len(), refused.len(), unknown(&verdicts));
    assert!(wrong.is_empty(), "{} sets differ:\n{}", wrong.len(), wrong.join("\n"));
    let most = cases.len() * REFUSED_PER_CENT / 100 + 1;
    assert!(refused.len() <= most, "{} sets are refused:\n{}", refused.len(), refused.join("\n"));
    assert!(unknown(&verdicts) * 20 <= cases.len(), "the oracle answers too rarely");
}

#[derive(Debug)]
enum Verdict {
    Equal,
    Refused(String),
    Wrong(String),
    /// barvinok gave up.
    Unknown,
}

fn unknown(verdicts: &[Verdict]) -> usize {
    verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Unknown)).count()
}

fn judge(case: &Case, expected: &str) -> Verdict {
    if expected == "?" {
        return Verdict::Unknown;
    }
    let counted = match count_isl_text(&case.text, &Limits::default()) {
        Ok(counted) => counted,
        Err(error @ (QuasiError::Steps(_) | QuasiError::IslOperations(_))) => {
            return Verdict::Refused(format!("{}: {error}", case.text));
        }
        Err(error) => return Verdict::Wrong(format!("{}: {error}, not {expected}", case.text)),
    };
    for (point, expected) in case.points.iter().zip(expected.split(' ')) {
        let actual = counted.evaluate(&|symbol| BigInt::from(point[symbol.0 as usize]));
        if actual.to_string() != expected {
            return Verdict::Wrong(format!("{} at {point:?}: {actual}, not {expected}", case.text));
        }
    }
    Verdict::Equal
}

fn seeds() -> std::ops::Range<u64> {
    let seeds = std::env::var("POLYHEDRA").unwrap_or_else(|_| SEEDS.into());
    let (from, to) = seeds.split_once("..").expect("from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

fn script() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle/barvinok.py")
}

/// A Python that has the oracle: `ORACLE_PYTHON`, or `python3`.
fn python() -> Option<String> {
    let python = std::env::var("ORACLE_PYTHON").unwrap_or_else(|_| "python3".into());
    let probe = Command::new(&python).args([script(), "--probe"]).output().ok()?;
    probe.status.success().then_some(python)
}

/// What barvinok says to each case, in order.
fn barvinok(python: &str, cases: &[Case]) -> Vec<String> {
    let mut child = Command::new(python)
        .arg(script())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the oracle starts");
    let (mut input, mut output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
    let questions: String = cases.iter().map(question).collect();
    let writer = std::thread::spawn(move || input.write_all(questions.as_bytes()));
    let mut answers = String::new();
    output.read_to_string(&mut answers).expect("the oracle answers");
    writer.join().expect("no panic").expect("the oracle reads");
    assert!(child.wait().expect("it ends").success());
    let answers: Vec<String> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), cases.len());
    answers
}

fn question(case: &Case) -> String {
    let point = |point: &Vec<i64>| point.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let points: Vec<String> = case.points.iter().map(point).collect();
    format!("{}\t{}\n", case.text, points.join(" "))
}
