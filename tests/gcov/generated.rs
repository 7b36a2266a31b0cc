//! Generated programs against gcov.

use crate::common;
use crate::coverage::{Compiler, compare, executed};
use crate::generator::{self, FUEL};
use crate::meaning;
use crate::print;
use crate::shrink;
use crate::tree::Source;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Seeds of programs of a hundred nests each; `GENERATED=from..to` in the environment gives others.
const SEEDS: &str = "0..16";
/// Failures that are made small; of the others the place is told.
const REDUCED: usize = 4;

#[test]
fn generated_nests_execute_as_predicted() {
    let wrong: Vec<Failure> = seeds().into_par_iter().flat_map_iter(failures).collect();
    report(&wrong);
}

/// `rank` and `size` come from MPI, and all tasks' counts add up.
#[test]
fn generated_mpi_programs_execute_as_predicted() {
    if !common::has_mpi() {
        println!("no MPI is installed: generated MPI programs are not compared");
        return;
    }
    let seeds = seeds();
    let few = seeds.start..seeds.start + (seeds.end - seeds.start).div_ceil(8);
    let wrong: Vec<Failure> = few.flat_map(|seed| mpi_failures(1_000_000 + seed)).collect();
    report(&wrong);
}

pub fn seeds() -> std::ops::Range<u64> {
    let seeds = std::env::var("GENERATED").unwrap_or_else(|_| SEEDS.into());
    let (from, to) = seeds.split_once("..").expect("from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

/// A nest whose counts differ.
struct Failure {
    seed: u64,
    source: Source,
    compiler: Compiler,
    differences: Vec<String>,
}

fn failures(seed: u64) -> Vec<Failure> {
    let source = generator::source(seed);
    split(seed, &source, Compiler::Sequential)
}

fn mpi_failures(seed: u64) -> Vec<Failure> {
    let tasks = 2 + seed as usize % 3;
    let mut source = Source { mpi: true, ..generator::source(seed) };
    source.runs.retain(|run| (0..tasks as i64).all(|rank| is_defined_as(&source.functions, run, rank, tasks as i64)));
    split(seed, &source, Compiler::Mpi { tasks })
}

fn is_defined_as(functions: &[crate::tree::Function], run: &crate::tree::Run, rank: i64, size: i64) -> bool {
    let run = crate::tree::Run { rank, size, ..run.clone() };
    meaning::Machine::new(functions).run(&run, FUEL).is_ok()
}

/// Compares the whole program, then each of its nests that stands out by itself.
fn split(seed: u64, source: &Source, compiler: Compiler) -> Vec<Failure> {
    let failure = |source: Source| {
        let differences = differences(&source, compiler)?;
        (!differences.is_empty()).then_some(Failure { seed, source, compiler, differences })
    };
    let Some(whole) = failure(source.clone()) else { return Vec::new() };
    let text = print::text(source);
    let nests: BTreeSet<String> = whole.differences.iter().filter_map(|line| nest_of(&text, line)).collect();
    let single: Vec<Failure> = nests.iter().filter_map(|nest| failure(shrink::only(source, nest))).collect();
    if single.is_empty() { vec![whole] } else { single }
}

/// What is wrong; `None` where the program cannot be compiled.
fn differences(source: &Source, compiler: Compiler) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("generated.c");
    std::fs::write(&path, print::text(source)).expect("written");
    let executed = executed(&path, &compiler, &[]).ok()?;
    Some(compare(&common::job(&path, compiler.tasks(), &[]), &executed))
}

/// The function that the line of a difference stands in.
fn nest_of(text: &str, difference: &str) -> Option<String> {
    let digits: String = difference.trim_start_matches("line ").chars().take_while(char::is_ascii_digit).collect();
    let lines: Vec<&str> = text.lines().take(digits.parse().ok()?).collect();
    let header = lines.iter().rev().find(|line| line.starts_with("static void nest"))?;
    Some(header.trim_start_matches("static void ").split('(').next()?.to_owned())
}

fn report(failures: &[Failure]) {
    let reduced: Vec<String> = failures.iter().take(REDUCED).map(Failure::reduced).collect();
    let others: Vec<String> = failures.iter().skip(REDUCED).map(Failure::place).collect();
    let count = failures.len();
    assert!(failures.is_empty(), "{count} nests differ\n{}\n{}", reduced.join("\n"), others.join("\n"));
}

impl Failure {
    fn place(&self) -> String {
        let nest = self.source.runs.first().map_or("", |run| &run.nest);
        format!("seed {}, {nest}: {}", self.seed, self.differences[0])
    }

    fn is_defined(&self, source: &Source) -> bool {
        let Compiler::Mpi { tasks } = self.compiler else { return meaning::is_defined(source, FUEL) };
        let all = |run| (0..tasks as i64).all(|rank| is_defined_as(&source.functions, run, rank, tasks as i64));
        source.runs.iter().all(all)
    }

    /// The smallest program that still differs.
    fn reduced(&self) -> String {
        let wanted = kind(&self.differences[0]);
        let still = |source: &Source| {
            self.is_defined(source)
                && differences(source, self.compiler).is_some_and(|found| found.iter().any(|line| kind(line) == wanted))
        };
        let smallest = shrink::shrink(self.source.clone(), &still);
        let found = differences(&smallest, self.compiler).unwrap_or_default();
        let text = print::text(&smallest);
        format!("{}\n  {}\n{}", self.place(), found.join("\n  "), indented(&text))
    }
}

/// A difference without its numbers.
fn kind(difference: &str) -> String {
    difference.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The functions of a program, with the numbers of their lines.
pub fn indented(text: &str) -> String {
    let functions = text.lines().enumerate().skip_while(|(_, line)| !line.ends_with("sink;")).skip(1);
    functions.map(numbered).collect::<Vec<_>>().join("\n")
}

fn numbered((index, line): (usize, &str)) -> String {
    format!("{:4} {line}", index + 1)
}
