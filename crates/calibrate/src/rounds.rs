//! Builds the programs and runs them in interleaved rounds, until their results are certain or time is up.

use super::build::{Built, Run, Workshop};
use super::emitted::Emitted;
use super::host::{self, Host};
use super::machine::levels::shared_prefix;
use super::options::{Measured, Options, Progress};
use super::output::{self, Measurements, median};
use super::plan;
use chronos_base::diag::Diagnostic;
use chronos_machine::MemoryLevel;
use std::time::Instant;

/// A result whose faster rounds differ by less is certain.
const CERTAIN: f64 = 0.005;
/// Rounds of copies that run together.
const SHARED_ROUNDS: usize = 3;
/// Rounds of what threads cost: one that other load disturbs counts for nothing.
const THREAD_ROUNDS: usize = 7;

/// Builds, runs, collects.
///
/// # Errors
/// A program cannot be built or run, or prints something unexpected.
pub fn measure(options: &Options, progress: &mut dyn FnMut(Progress)) -> Result<Measured, Diagnostic> {
    let workshop = Workshop::open(&options.compiler)?;
    let macros = workshop.macros()?;
    let emitted = Emitted::by(&workshop)?;
    let host = host::inspect(options.compiler.first().map_or("", |command| command));
    let programs = plan::programs(&macros, &host.levels, options.effort);
    let steps = programs.len() * (1 + options.effort.rounds().1) + SHARED_ROUNDS + THREAD_ROUNDS;
    let results = Measurements::default();
    let mut session =
        Session { options, results, levels: host.levels.clone(), cycle_ns: None, progress, done: 0, steps };
    let mut built = Vec::new();
    for program in &programs {
        session.report(format!("building {}", program.name));
        built.push(workshop.build(&program.name, program.source, &program.flags)?);
    }
    let rounds = session.rounds(&built)?;
    session.at_typical_clock();
    if let Some(memory) = built.iter().find(|program| program.name == "memory") {
        session.together(memory, &host)?;
    }
    session.threads(&workshop);
    Ok(Measured { host, macros, emitted, results: session.results, rounds })
}

struct Session<'a> {
    options: &'a Options,
    results: Measurements,
    levels: Vec<MemoryLevel>,
    /// The clock that results are brought to: the first that was seen.
    cycle_ns: Option<f64>,
    progress: &'a mut dyn FnMut(Progress),
    done: usize,
    steps: usize,
}

impl Session<'_> {
    fn report(&mut self, what: String) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (self.progress)(Progress { done: number(self.done), total: number(self.steps), what });
        self.done += 1;
    }

    /// All programs in turn, so that a disturbance hits one round of many results, not all rounds of a few.
    /// Returns how many rounds there were.
    fn rounds(&mut self, programs: &[Built]) -> Result<usize, Diagnostic> {
        let (all, most) = self.options.effort.rounds();
        let begin = Instant::now();
        for round in 1..=most {
            for program in programs {
                self.report(format!("measuring {}, round {round}", program.name));
                let names = if round <= all { Vec::new() } else { self.uncertain(&program.name) };
                if round > all && names.is_empty() {
                    continue;
                }
                self.run(program, names)?;
                if round > 1 && begin.elapsed() > self.options.effort.limit() {
                    return Ok(round);
                }
            }
            if round >= all && self.results.uncertain(CERTAIN).is_empty() {
                return Ok(round);
            }
        }
        Ok(most)
    }

    /// Results of a program that further rounds are to settle, without the program's name.
    fn uncertain(&self, program: &str) -> Vec<String> {
        let all = self.results.uncertain(CERTAIN).into_iter();
        all.filter_map(|(name, _)| Some(name.strip_prefix(program)?.strip_prefix('.')?.to_owned())).collect()
    }

    fn run(&mut self, program: &Built, names: Vec<String>) -> Result<(), Diagnostic> {
        let processor = host::allowed_processors().last().copied().unwrap_or(0);
        let run = Run { processor, milliseconds: self.options.effort.milliseconds(), steady: false, names };
        let mut found = output::parse(&program.name, &program.run(&run)?)?;
        self.cycle_ns = self.cycle_ns.or_else(|| found.cycles_ns().first().copied());
        let levels = &self.levels;
        if let Some(cycle_ns) = self.cycle_ns {
            found.at_clock(cycle_ns, |name| follows_clock(name, levels));
        }
        self.results.merge(found);
        Ok(())
    }

    /// Brings all results to the median of the clocks that were seen.
    fn at_typical_clock(&mut self) {
        let (typical, levels) = (median(self.results.cycles_ns()), &self.levels);
        if let Some(cycle_ns) = self.cycle_ns.filter(|cycle_ns| *cycle_ns > 0.0 && typical > 0.0) {
            self.results.change_clock(typical / cycle_ns, |name| follows_clock(name, levels));
        }
    }

    /// What tasks see of the memory that they share: 2, 4, 8, ... copies, up to one per processor.
    fn together(&mut self, memory: &Built, host: &Host) -> Result<(), Diagnostic> {
        let Some(outermost) = host.levels.len().checked_sub(1) else { return Ok(()) };
        let regions = outermost.saturating_sub(1)..=outermost;
        let names: Vec<String> =
            regions.flat_map(|region| ["read", "write", "strided"].map(|kind| format!("{kind}.{region}"))).collect();
        let processors = host::allowed_processors();
        for tasks in copies(processors.len()) {
            for _ in 0..SHARED_ROUNDS {
                self.report(format!("measuring memory with {tasks} tasks"));
                let milliseconds = self.options.effort.milliseconds();
                let run =
                    |processor: &u32| Run { processor: *processor, milliseconds, steady: true, names: names.clone() };
                let runs: Vec<Run> = processors[..tasks].iter().map(run).collect();
                let prefix = shared_prefix(u32::try_from(tasks).unwrap_or(u32::MAX));
                for printed in memory.run_together(&runs)? {
                    self.results.merge(output::parse(&prefix, &printed)?);
                }
            }
        }
        Ok(())
    }
}

impl Session<'_> {
    /// What two threads of OpenMP cost, where there are processors for them and the compiler knows OpenMP.
    fn threads(&mut self, workshop: &Workshop<'_>) {
        if host::allowed_processors().len() < 2 {
            return;
        }
        let Ok(program) = plan::threads(workshop) else { return };
        for round in 1..=THREAD_ROUNDS {
            self.report(format!("measuring threads, round {round}"));
            let milliseconds = self.options.effort.milliseconds();
            let run = Run { milliseconds, ..Run::default() };
            let printed = program.run_anywhere(&run).and_then(|printed| output::parse(&program.name, &printed));
            let Ok(found) = printed else { return };
            self.results.merge(found);
        }
    }
}

/// Whether a result takes a number of cycles: not what waits for memory that several processors share, whose clock is
/// another.
fn follows_clock(name: &str, levels: &[MemoryLevel]) -> bool {
    let Some(region) = name.strip_prefix("memory.") else { return true };
    let level = region.rsplit('.').next().and_then(|number| levels.get(number.parse::<usize>().ok()?));
    level.is_some_and(|level| level.size_bytes.is_some() && level.shared_by_cores.is_none_or(|cores| cores <= 1))
}

/// Powers of two and the number of processors itself, from 2 on.
fn copies(processors: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(2), |n: &usize| n.checked_mul(2)).take_while(|n| *n < processors);
    doubled.chain((processors >= 2).then_some(processors)).collect()
}

#[cfg(test)]
mod tests {
    use super::{copies, follows_clock};
    use chronos_base::units::Bytes;
    use chronos_machine::MemoryLevel;

    #[test]
    fn shared_levels_have_a_clock_of_their_own() {
        let level = |name: &str, size: Option<u64>, cores| MemoryLevel {
            shared_by_cores: Some(cores),
            ..MemoryLevel::untimed(name, size.map(Bytes), Bytes(64))
        };
        let levels = [level("L1", Some(1 << 15), 1), level("L3", Some(1 << 25), 8), level("memory", None, 8)];
        let names = ["memory.read.0", "memory.read.1", "memory.write.2", "memory.pages.2048", "chains.latency.fp_add"];
        assert_eq!(names.map(|name| follows_clock(name, &levels)), [true, false, false, false, true]);
    }

    #[test]
    fn copies_double_up_to_one_per_processor() {
        assert_eq!(copies(1), [0; 0]);
        assert_eq!(copies(2), [2]);
        assert_eq!(copies(12), [2, 4, 8, 12]);
    }
}
