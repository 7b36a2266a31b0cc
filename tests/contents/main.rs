//! Random programs that mix summarised loops, which store known and unknown values, with all readers of what they stored:
//! copies, library functions, messages, collectives, windows, files. What is counted as exact is compared with a run.

#[path = "../common/mod.rs"]
mod common;
mod generator;

use chronos::activity::CountSource;
use chronos::instrument::bundled;
use chronos::machine::network::Network;
use chronos::predict::profile;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Seeds of programs; `CONTENTS=from..to` in the environment gives others.
const SEEDS: &str = "0..16";

fn seeds() -> std::ops::Range<u64> {
    let seeds = std::env::var("CONTENTS").unwrap_or_else(|_| SEEDS.into());
    let (from, to) = seeds.split_once("..").expect("from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

/// The bundled MPI, compiled.
struct Runtime {
    folder: TempDir,
    objects: Vec<PathBuf>,
}

impl Runtime {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(bundled::FOLDER)).expect("a folder");
        for (name, text) in bundled::files() {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let objects = bundled::compile(folder.path(), "cc").expect("it compiles");
        Self { folder, objects }
    }

    /// How often each observed line is executed, by task and number of the line.
    fn executed(&self, source: &Path, tasks: usize) -> BTreeMap<(usize, usize), u128> {
        let place = source.parent().expect("a folder");
        let mut command = Command::new("cc");
        command.args(["-O0", "-w", "-fno-strict-aliasing", "-I"]).arg(self.folder.path().join(bundled::FOLDER));
        command.arg(source).args(&self.objects).arg("-o").arg(place.join("program")).arg("-lm");
        assert!(command.status().expect("cc runs").success(), "{}", source.display());
        let mut run = Command::new(place.join("program"));
        let output = run.current_dir(place).env(bundled::TASKS, tasks.to_string()).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers = text.lines().map(|line| line.split(' ').map(|word| word.parse().expect("a number")).collect());
        numbers.map(|line: Vec<u128>| ((line[0] as usize, line[1] as usize), line[2])).collect()
    }
}

/// Numbers of observed lines by line.
fn observed(text: &str) -> BTreeMap<u32, usize> {
    let number = |line: &str| line.trim().strip_prefix("seen[")?.strip_suffix("]++;")?.parse().ok();
    (1..).zip(text.lines()).filter_map(|(at, line)| Some((at, number(line)?))).collect()
}

/// Lines that are counted as exact and are executed more or less often; how many are exact.
fn wrong(runtime: &Runtime, seed: u64, parallel: bool) -> (Vec<String>, usize) {
    let text = generator::program(seed, parallel);
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("program.c");
    std::fs::write(&source, &text).expect("written");
    let tasks = if parallel { 2 + seed as usize % 3 } else { 1 };
    let network = Network::load("ethernet-100").expect("it is shipped");
    let counted = profile::count(&common::job(&source, tasks, &[]), &network);
    let executed = runtime.executed(&source, tasks);
    let observed = observed(&text);
    let (mut wrong, mut exact) = (Vec::new(), 0);
    for line in &counted.lines {
        let Some(&number) = observed.get(&line.line) else { continue };
        for group in line.counts.iter().filter(|group| group.amount.count.source == CountSource::Static) {
            for &task in &group.tasks {
                exact += 1;
                let (said, run) = (group.amount.count.as_f64(), executed[&(task as usize, number)]);
                if said.is_some_and(|said| said != run as f64) {
                    wrong.push(format!(
                        "seed {seed} (parallel: {parallel}) line {} task {task}: {said:?}, {run}",
                        line.line
                    ));
                }
            }
        }
    }
    (wrong, exact)
}

#[test]
fn what_is_exact_is_what_readers_of_unknown_values_see() {
    let runtime = Runtime::new();
    let programs: Vec<(u64, bool)> = seeds().flat_map(|seed| [(seed, false), (seed, true)]).collect();
    let found: Vec<_> = programs.par_iter().map(|&(seed, parallel)| wrong(&runtime, seed, parallel)).collect();
    let exact: usize = found.iter().map(|(_, exact)| exact).sum();
    let wrong: Vec<&str> = found.iter().flat_map(|(wrong, _)| wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Programs of which nothing is known would prove nothing.
    assert!(exact > 4 * programs.len(), "{exact} exact lines in {} programs", programs.len());
}
