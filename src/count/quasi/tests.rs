use super::*;
use num_bigint::BigInt;

fn nests() -> Vec<Vec<&'static str>> {
    let text = include_str!("../../../testdata/counting/nests.tsv");
    text.lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

fn check_points(row: &[&str]) -> Vec<String> {
    let result = match count_isl_text(row[1], &Limits::default()) {
        Ok(result) => result,
        Err(error) => return vec![format!("{}: {error}", row[0])],
    };
    let mut wrong = Vec::new();
    for point in &row[3..] {
        let (parameters, expected) = point.split_once('=').expect("a point has an equals sign");
        let values: Vec<BigInt> = parameters.split(',').map(|n| n.parse().expect("a number")).collect();
        let actual = result.evaluate(&|symbol| values[symbol.0 as usize].clone());
        if actual.to_string() != expected {
            wrong.push(format!("{} at {parameters}: {actual}, not {expected}", row[0]));
        }
    }
    wrong
}

#[test]
fn counts_every_nest_at_every_point() {
    let wrong: Vec<String> = nests().iter().flat_map(|row| check_points(row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn show(text: &str) -> String {
    let names: Vec<String> =
        text.split(['[', ']']).nth(1).unwrap_or_default().split(',').map(|name| name.trim().to_owned()).collect();
    let result = count_isl_text(text, &Limits::default()).expect("within the limits");
    result.display(&|symbol| names[symbol.0 as usize].clone())
}

#[test]
#[ignore = "prints"]
fn print_all() {
    for row in nests() {
        let text = show(row[1]);
        println!("{:30} {}", row[0], if text.len() > 600 { format!("... {} bytes", text.len()) } else { text });
    }
}
