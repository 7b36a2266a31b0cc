//! Generated programs against gcov.

use crate::common;
use crate::coverage::{Compiler, compare, executed};
use crate::generator;

/// Seeds of programs of a hundred nests each; `GENERATED=from..to` in the environment gives others.
const SEEDS: &str = "0..20";

#[test]
fn generated_nests_execute_as_predicted() {
    let seeds = std::env::var("GENERATED").unwrap_or_else(|_| SEEDS.into());
    let (from, to) = seeds.split_once("..").expect("from..to");
    check(from.parse().expect("a number")..to.parse().expect("a number"));
}

fn check(seeds: std::ops::Range<u64>) {
    let wrong: Vec<String> = seeds.flat_map(differences).collect();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

fn differences(seed: u64) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("generated.c");
    let text = generator::program(seed);
    std::fs::write(&source, &text).expect("written");
    let job = common::job(&source, 1, &[]);
    let found = compare(&job, &executed(&source, &Compiler::Sequential, &[]));
    found.iter().map(|difference| format!("seed {seed}: {difference}{}", at(&text, difference))).collect()
}

/// The function that the line of a difference stands in, and the line.
fn at(text: &str, difference: &str) -> String {
    let digits: String = difference.trim_start_matches("line ").chars().take_while(char::is_ascii_digit).collect();
    let Ok(line) = digits.parse::<usize>() else { return String::new() };
    let lines: Vec<&str> = text.lines().take(line).collect();
    let function = lines.iter().rev().find(|line| line.starts_with("static ")).unwrap_or(&"");
    format!(" in {function}: {}", lines.last().map_or("", |line| line.trim()))
}
