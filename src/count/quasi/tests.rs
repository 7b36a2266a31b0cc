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
