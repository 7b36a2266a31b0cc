//! What-if changes: each answer is compared with the prediction of a program or a system that was changed by hand.

mod common;

use chronos::activity::TaskId;
use chronos::base::ids::Id as _;
use chronos::frontend::{self as source, SourceOptions};
use chronos::interpreter::Inputs;
use chronos::machine::Machine;
use chronos::machine::network::Network;
use chronos::machine::platform::Platform;
use chronos::machine::scale::Factor;
use chronos::predict::replays::{Kept, unchanged};
use chronos::predict::{self as predict, Evaluated, Job, ModelOptions, Target};
use chronos::replay::{FasterMessages, WhichMessages};
use chronos::report::whatif::model::ChangeRow;
use chronos::slicing::Assumptions;
use chronos::whatif::scope::{Rescaled, Scope, left};
use chronos::whatif::{Combination, NetworkOptions, Study, causes, rank, tolerance};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn job(file: &Path, tasks: usize, defines: &[&str]) -> Job {
    let defines = defines.iter().map(|&define| define.to_owned()).collect();
    let options = SourceOptions { files: vec![file.to_owned()], defines, ..SourceOptions::default() };
    let (program, files, diagnostics) = source::program(&options);
    let text = chronos::report::diagnostics::render(&diagnostics, &files, false);
    Job {
        program: Arc::new(program.unwrap_or_else(|| panic!("{text}"))),
        tasks,
        spawned: 0,
        arguments: Vec::new(),
        inputs: Inputs::default(),
        assumptions: Assumptions { budget: 10_000_000, ..Assumptions::default() },
        other_programs: Default::default(),
        tasks_per_node: 1,
        correctness: false,
        object_code: chronos::predict::object_code::ObjectCodes::default(),
    }
}

struct System {
    machine: Machine,
    network: Network,
    options: ModelOptions,
}

impl System {
    fn new(machine: &str, network: &str) -> Self {
        let (machine, network) = (Machine::load(machine).expect("shipped"), Network::load(network).expect("shipped"));
        Self { machine, network, options: ModelOptions::default() }
    }

    fn target(&self) -> Target<'_> {
        let Self { machine, network, options } = self;
        Target { machine, platform: None, network, options, calibration: None, timeline: false }
    }

    fn total(&self, job: &Job) -> f64 {
        predict::predict(job, self.target()).prediction.total_s.expect("complete")
    }

    fn evaluated(&self, job: &Job) -> Evaluated {
        let outcome = predict::predict(job, self.target());
        outcome.activity.or(outcome.once).expect("complete")
    }

    /// The answers to changes of a job.
    fn rows<const N: usize>(&self, job: &Job, changes: [&str; N]) -> [ChangeRow; N] {
        let evaluated = self.evaluated(job);
        let study = Study::new(job, self.target(), &evaluated).expect("a base");
        changes.map(|change| {
            let change = Combination::parse(change).expect("a change");
            study.row(&change, &NetworkOptions::default()).unwrap_or_else(|errors| panic!("{errors:?}"))
        })
    }

    fn totals<const N: usize>(&self, job: &Job, changes: [&str; N]) -> [f64; N] {
        self.rows(job, changes).map(|row| row.total_s.expect("it ends"))
    }
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{what}: {found} instead of {expected}");
}

const SPA: &str = "testdata/whatif/spa.c";

/// Figures 9 and 10 of Eom and Hollingsworth: 30.7 s as written; 25.4 and 23.1 s where the client executes a function of the
/// server, 25.4 and 16.1 s where it takes no time.
#[test]
fn the_synthetic_application_of_the_paper() {
    let system = System::new("pentium2-350", "shared-memory");
    let spa = |define: &str| job(Path::new(SPA), 4, &["ROUNDS=100", define]);
    let changes = ["move=servBusy1:0->1", "move=servBusy2:0->2,3", "zero=servBusy1", "zero=servBusy2"];
    let found = system.totals(&spa("MOVE1=0"), changes);
    for (found, (paper, define)) in
        found.into_iter().zip([(25.4, "MOVE1=1"), (23.1, "MOVE2=1"), (25.4, "ZERO1=1"), (16.1, "ZERO2=1")])
    {
        near(found, paper, 0.01, define);
        near(found, system.total(&spa(define)), 1e-6, define);
    }
    near(system.total(&spa("MOVE1=0")), 30.7, 0.01, "as written");
}

/// The paper's own algorithm knows no time of messages, and gives what the paper predicts: 25.3 and 23.0 s.
#[test]
fn figure_8_stands_beside_a_moved_function() {
    let system = System::new("pentium2-350", "shared-memory");
    let rows = system.rows(&job(Path::new(SPA), 4, &["ROUNDS=100"]), ["move=servBusy1:0->1", "move=servBusy2:0->2,3"]);
    for (row, expected) in rows.into_iter().zip([25.4, 23.1]) {
        near(row.figure_8_s.expect("an estimate"), expected, 0.01, &row.change);
    }
}

/// A generator of numbers for programs: xorshift (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Clients and a server, a ring, or stretches between barriers, in which some calls of `marked` stand. REMOVED: its body is empty;
/// HALVED: it has half of its statements.
fn generated(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.below(2);
    }
    let statement = "sink = sink * 1.0000001; ";
    let half = statement.repeat(1 + random.below(6) as usize);
    let mut text = format!(
        "#include <mpi.h>\nstatic volatile double sink;\n\
         static void marked(void) {{\n#ifndef REMOVED\n{half}\n#ifndef HALVED\n{half}\n#endif\n#endif\n}}\n\
         static void other(long n) {{ for (long i = 0; i < n; i++) sink = sink * 1.0000001; }}\n\
         static void some(long n) {{ for (long i = 0; i < n; i++) marked(); }}\n\
         int main(int argc, char **argv)\n{{\nint rank, size; double data[1024];\nMPI_Init(&argc, &argv);\n\
         MPI_Comm_rank(MPI_COMM_WORLD, &rank);\nMPI_Comm_size(MPI_COMM_WORLD, &size);\n"
    );
    for _ in 0..=random.below(3) {
        text += &phase(&mut random);
    }
    text + "MPI_Finalize();\nreturn 0;\n}\n"
}

fn phase(random: &mut Random) -> String {
    let (rounds, bytes) = (1 + random.below(6), 1 + random.below(1024));
    let mut work = || {
        let (n, factor) = (1000 + random.below(100_000), 1 + random.below(3));
        match random.below(3) {
            0 => format!("some({n});"),
            1 => format!("other({n} * (1 + rank % {factor}));"),
            _ => format!("some({n} * (rank % {factor})); other({n});"),
        }
    };
    let body = match (rounds + bytes) % 3 {
        0 => format!(
            "if (rank == 0) {{ for (int c = 1; c < size; c++) {{ MPI_Recv(data, {bytes}, MPI_DOUBLE, c, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); {} \
             MPI_Send(data, {bytes}, MPI_DOUBLE, c, 2, MPI_COMM_WORLD); }} }} else {{ {} MPI_Send(data, {bytes}, MPI_DOUBLE, 0, 1, \
             MPI_COMM_WORLD); {} MPI_Recv(data, {bytes}, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }}",
            work(),
            work(),
            work()
        ),
        1 => format!(
            "{} MPI_Sendrecv(data, {bytes}, MPI_DOUBLE, (rank + 1) % size, 3, data, {bytes}, MPI_DOUBLE, (rank + size - 1) % size, 3, \
             MPI_COMM_WORLD, MPI_STATUS_IGNORE); {}",
            work(),
            work()
        ),
        _ => format!("{} MPI_Barrier(MPI_COMM_WORLD); {}", work(), work()),
    };
    format!("for (int round = 0; round < {rounds}; round++) {{ {body} }}\n")
}

/// Seeds of generated programs.
const SEEDS: std::ops::Range<u64> = 0..200;

/// Where a check takes long, and what it checks does not depend on many shapes of programs.
const FEW_SEEDS: std::ops::Range<u64> = 0..50;

fn of_each_seed(check: impl Fn(&Path, usize, u64) + Sync) {
    of_seeds(SEEDS, check);
}

fn of_seeds(seeds: std::ops::Range<u64>, check: impl Fn(&Path, usize, u64) + Sync) {
    let folder = tempfile::tempdir().expect("a folder");
    seeds.into_par_iter().for_each(|seed| {
        let file = folder.path().join(format!("program{seed}.c"));
        std::fs::write(&file, generated(seed)).expect("written");
        check(&file, 2 + (seed % 4) as usize, seed);
    });
}

#[test]
fn a_function_without_time_is_a_function_without_body() {
    let system = System::new("pentium2-350", "ethernet-100");
    of_each_seed(|file, tasks, seed| {
        let [zero] = system.totals(&job(file, tasks, &[]), ["zero=marked"]);
        near(zero, system.total(&job(file, tasks, &["REMOVED"])), 1e-9, &format!("seed {seed}"));
    });
}

#[test]
fn a_function_twice_as_fast_has_half_of_its_statements() {
    let system = System::new("pentium2-350", "ethernet-100");
    of_each_seed(|file, tasks, seed| {
        let [twice, same] = system.totals(&job(file, tasks, &[]), ["speed=marked:2", "speed=marked:1"]);
        near(twice, system.total(&job(file, tasks, &["HALVED"])), 1e-9, &format!("seed {seed}"));
        assert_eq!(same, system.total(&job(file, tasks, &[])), "seed {seed}");
    });
}

#[test]
fn networks_and_placements_are_those_of_options_and_platform_files() {
    let (slow, fast) = (System::new("pentium2-350", "ethernet-100"), System::new("pentium2-350", "ethernet-1000"));
    of_each_seed(|file, tasks, seed| {
        let job = job(file, tasks, &[]);
        let placed: Vec<String> = (0..tasks).map(|task| (task * task % 3).to_string()).collect();
        let change = format!("place={}", placed.join(","));
        let [network, place] = slow.totals(&job, ["network=ethernet-1000", &change]);
        assert_eq!(network, fast.total(&job), "seed {seed}");
        let platform = format!(
            r#"{{"schema": "chronos-platform/1", "name": "p", "description": "Three nodes.", "placement": {{"explicit": [{}]}},
                "nodes": [{{"machine": "pentium2-350", "count": 3, "processors": 1}}]}}"#,
            placed.join(",")
        );
        let path = file.with_extension("json");
        std::fs::write(&path, platform).expect("written");
        let platform = Platform::load(&path.to_string_lossy()).unwrap_or_else(|errors| panic!("{errors:?}"));
        let target = Target { platform: Some(&platform), ..slow.target() };
        // Computing that follows computing is one job where it was recorded, and ends in whole picoseconds once.
        let predicted = predict::predict(&job, target).prediction.total_s.expect("complete");
        near(place, predicted, 1e-9, &format!("seed {seed}"));
    });
}

/// Two nodes with one processor each, which tasks share in turn.
fn shared_platform(file: &Path, tasks: usize) -> Platform {
    let placed: Vec<String> = (0..tasks).map(|task| (task % 2).to_string()).collect();
    let platform = format!(
        r#"{{"schema": "chronos-platform/1", "name": "p", "description": "Two nodes.", "placement": {{"explicit": [{}]}},
            "nodes": [{{"machine": "pentium2-350", "count": 2, "processors": 1}}]}}"#,
        placed.join(",")
    );
    let path = file.with_extension("shared.json");
    std::fs::write(&path, platform).expect("written");
    Platform::load(&path.to_string_lossy()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Tasks that share processors: what functions and calls take, and the time without a processor, is the time of the task.
#[test]
fn functions_and_ready_time_add_up_to_tasks() {
    let system = System::new("pentium2-350", "ethernet-100");
    let waiting = std::sync::atomic::AtomicUsize::new(0);
    of_seeds(FEW_SEEDS, |file, tasks, seed| {
        let platform = shared_platform(file, tasks);
        let target = Target { platform: Some(&platform), ..system.target() };
        let prediction = predict::predict(&job(file, tasks, &[]), target).prediction;
        for task in &prediction.tasks {
            let functions: f64 = prediction.functions.iter().map(|f| f.per_task.exclusive_s[task.rank]).sum();
            near(functions + task.ready_s, task.total_s, 1e-6, &format!("seed {seed}, task {}", task.rank));
            let parts = task.compute_s + task.send_s + task.recv_s + task.collective_s + task.idle_s + task.ready_s;
            near(parts, task.total_s, 1e-9, &format!("parts, seed {seed}, task {}", task.rank));
        }
        let waits = prediction.tasks.iter().any(|task| task.ready_s > 0.0);
        waiting.fetch_add(usize::from(waits), std::sync::atomic::Ordering::Relaxed);
    });
    assert!(waiting.into_inner() > 20, "few programs wait for a processor");
}

fn programs() -> Vec<PathBuf> {
    common::sources("testdata/programs")
}

/// What one percent of a function saves, and costs, in seconds for its whole time: the slopes of the total on both sides of the
/// program as it is. Where several paths are the longest, they differ.
fn slopes(study: &Study<'_>, scope: &Scope, step: f64) -> [f64; 2] {
    let total = |of_time: f64| {
        let changed = [Rescaled { scope: scope.clone(), left: of_time }];
        let total = study.base.total(&|task, entry, segments| left(&changed, task, entry, segments));
        total.expect("it ends").as_seconds()
    };
    [(study.total - total(1.0 - step)) / step, (total(1.0 + step) - study.total) / step]
}

/// Checks each function on the critical path of all programs; how many have one slope on both sides, and how many two.
fn path_times_are_slopes(system: &System) -> [usize; 2] {
    let of_program = |program: PathBuf| {
        let job = common::job(&program, 4, &[]);
        let evaluated = system.evaluated(&job);
        let study = Study::new(&job, system.target(), &evaluated).expect("a base");
        let segments = study.segments().into_owned();
        let ids: BTreeSet<_> = study.path.computing.keys().map(|key| segments.context(key.1).function).collect();
        let tasks = study.base.replay(&unchanged, &Kept::default()).result.tasks;
        let executed = tasks.iter().map(|task| task.segments.iter().map(|segment| segment.1).sum::<u64>()).max();
        let mut found = [0, 0];
        for id in ids {
            let scope = Scope::Functions { ids: [id].into(), alone: true };
            let seconds = rank::on_path(&study, &segments, &scope);
            let is_near = |slope: f64, step: f64| {
                // Each segment is rounded to a picosecond, before and after.
                let rounding = executed.unwrap_or(0) as f64 * 1e-12 / step;
                (slope - seconds).abs() <= 1e-6 * study.total + rounding
            };
            let what = format!("{}, {}", program.display(), job.program.functions[id].name);
            let both = slopes(&study, &scope, 0.01);
            if both.into_iter().all(|slope| (slope - seconds).abs() <= 1e-6 * study.total) {
                found[0] += 1;
                continue;
            }
            let both = slopes(&study, &scope, 1e-4);
            assert!(both.into_iter().any(|slope| is_near(slope, 1e-4)), "{what}: slopes {both:?}, path {seconds}");
            found[1] += 1;
        }
        found
    };
    programs().into_par_iter().map(of_program).reduce(|| [0, 0], |a, b| [a[0] + b[0], a[1] + b[1]])
}

/// One percent less of a function saves one percent of its time on the critical path: where messages wait for ports, for earlier
/// messages and for the grants of receives too.
#[test]
fn the_slope_at_the_begin_is_the_time_on_the_critical_path() {
    let found = path_times_are_slopes(&System::new("pentium2-350", "ethernet-100"));
    assert!(found[0] >= 25, "{found:?}");
}

/// The same where messages wait neither for ports nor for grants, and on another network with both.
#[test]
fn slopes_are_the_time_on_the_critical_path_on_other_networks() {
    let mut without = System::new("pentium2-350", "ethernet-100");
    for link in [&mut without.network.between_nodes, &mut without.network.within_node] {
        (link.ports, link.eager_limit_bytes) = (false, u64::MAX);
    }
    let mut small = System::new("pentium2-350", "ethernet-1000");
    small.network.between_nodes.eager_limit_bytes = 512;
    for system in [without, small] {
        let found = path_times_are_slopes(&system);
        assert!(found[0] >= 25, "{found:?}");
    }
}

/// Waits that come later never make a program slower.
#[test]
fn overlap_is_a_bound() {
    let system = System::new("pentium2-350", "ethernet-100");
    let check = |job: &Job, what: &str| {
        let evaluated = system.evaluated(job);
        if evaluated.activity().timing_dependent {
            return;
        }
        let study = Study::new(job, system.target(), &evaluated).expect("a base");
        let row = study.row(&Combination::parse("overlap").expect("a change"), &NetworkOptions::default());
        let total = row.expect("a row").total_s.expect("it ends");
        assert!(total <= study.total * (1.0 + 1e-12), "{what}: {total} instead of {}", study.total);
    };
    check(&job(Path::new(SPA), 4, &["ROUNDS=100"]), SPA);
    of_seeds(FEW_SEEDS, |file, tasks, seed| check(&job(file, tasks, &[]), &format!("seed {seed}")));
    programs().into_par_iter().for_each(|program| {
        check(&common::job(&program, 4, &[]), &program.display().to_string());
    });
}

/// Receives with computing behind them; OVERLAP: they are begun where they stood and completed behind it, by hand.
const OVERLAPPED: &str = "#include <mpi.h>\nstatic volatile double sink;\nstatic double in[4000], out[4000];\n\
    static void busy(int n) { for (int i = 0; i < n; i++) sink = sink * 1.0000001; }\n\
    int main(int argc, char **argv)\n{\nint rank, size;\nMPI_Request request;\nMPI_Init(&argc, &argv);\n\
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\nMPI_Comm_size(MPI_COMM_WORLD, &size);\n\
    int right = (rank + 1) % size, left = (rank + size - 1) % size;\n\
    for (int round = 0; round < 5; round++) {\n\
    busy(WORK * (rank + 1));\nMPI_Send(out, BYTES, MPI_BYTE, right, 1, MPI_COMM_WORLD);\n\
    if (OVERLAP) {\nMPI_Irecv(in, BYTES, MPI_BYTE, left, 1, MPI_COMM_WORLD, &request);\nbusy(2 * WORK);\n\
    MPI_Wait(&request, MPI_STATUS_IGNORE);\n} else {\n\
    MPI_Recv(in, BYTES, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\nbusy(2 * WORK);\n}\n\
    MPI_Barrier(MPI_COMM_WORLD);\n}\nMPI_Finalize();\nreturn 0;\n}\n";

/// What `overlap` says is what the program takes whose receives were moved by hand, where calls take no time by themselves.
#[test]
fn overlap_is_the_program_with_waits_behind_its_computing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("overlapped.c");
    std::fs::write(&file, OVERLAPPED).expect("written");
    let mut system = System::new("pentium2-350", "ethernet-100");
    system.network.call_ns = 0.0;
    for (bytes, work) in [("BYTES=8", "WORK=1000"), ("BYTES=30000", "WORK=3000"), ("BYTES=30000", "WORK=100000")] {
        let program = |overlap: &str| job(&file, 4, &[bytes, work, overlap]);
        let [found] = system.totals(&program("OVERLAP=0"), ["overlap"]);
        let (by_hand, before) = (system.total(&program("OVERLAP=1")), system.total(&program("OVERLAP=0")));
        // The branch that is taken by hand is another one, with some instructions more or less.
        near(found, by_hand, 1e-3, &format!("{bytes} {work}"));
        assert!(found < before, "{bytes} {work}: {found} of {before}");
    }
}

/// The links of a topology that the path goes over are ranked: a narrow one in the middle that two pairs share is worth
/// widening, the port of a node that one message at a time goes through is not.
#[test]
fn links_of_a_topology_are_ranked_by_what_width_saves() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("across.c");
    let text = "#include <mpi.h>\nstatic char data[1000000];\n\
        int main(int argc, char **argv)\n{\nint rank;\nMPI_Init(&argc, &argv);\nMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        for (int i = 0; i < 3; i++) {\n\
        if (rank < 2) MPI_Send(data, 1000000, MPI_BYTE, rank + 2, 0, MPI_COMM_WORLD);\n\
        else MPI_Recv(data, 1000000, MPI_BYTE, rank - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n}\n\
        MPI_Finalize();\nreturn 0;\n}\n";
    std::fs::write(&file, text).expect("written");
    let platform = |width: f64| {
        let path = folder.path().join(format!("graph{width}.json"));
        let text = format!(
            r#"{{"schema": "chronos-platform/1", "name": "p", "description": "Two switches.", "network": "ethernet-1000",
                "nodes": [{{"machine": "pentium2-350", "count": 4, "processors": 1}}],
                "topology": {{"shape": {{"graph": {{"switches": 2, "links": [{{"between": [0, 4], "width": 1}}, {{"between": [1, 4], "width": 1}},
                {{"between": [2, 5], "width": 1}}, {{"between": [3, 5], "width": 1}}, {{"between": [4, 5], "width": {width}}}]}}}}}}}}"#
        );
        std::fs::write(&path, text).expect("written");
        Platform::load(&path.to_string_lossy()).unwrap_or_else(|errors| panic!("{errors:?}"))
    };
    let system = System::new("pentium2-350", "ethernet-1000");
    let (narrow, twice) = (platform(0.5), platform(1.0));
    let job = job(&file, 4, &[]);
    let over = |platform: &Platform| {
        let target = Target { platform: Some(platform), ..system.target() };
        predict::predict(&job, target).prediction.total_s.expect("complete")
    };
    let target = Target { platform: Some(&narrow), ..system.target() };
    let outcome = predict::predict(&job, target);
    let evaluated = outcome.activity.or(outcome.once).expect("complete");
    let study = Study::new(&job, target, &evaluated).expect("a base");
    let ranked = rank::rank(&study, 10);
    let saved = |name: &str, percent: u32| {
        let row = ranked.iter().find(|row| row.kind == "topology_link" && row.name == name).expect("on the path");
        row.y.as_ref().expect("replayed")[&percent]
    };
    // Half of the time on a link is twice its width: the same graph with a wider link, whose way back carries nothing of size.
    near(saved("channel 8", 50), 1.0 - over(&twice) / study.total, 1e-3, "the link up");
    assert!(saved("channel 8", 100) > 0.4, "{}", saved("channel 8", 100));
    let others = ranked.iter().filter(|row| row.kind == "topology_link" && row.name != "channel 8");
    assert!(others.filter_map(|row| row.y.as_ref()).all(|y| y[&100] < 1e-3));
    // Messages between two tasks are faster by themselves as well.
    assert!(ranked.iter().filter(|row| row.kind == "link").all(|row| row.y.is_some()));
}

/// Two stretches between barriers, in which tasks call a function (rank + 1) times and (size - rank) times; EVEN: the mean.
const UNEVEN: &str = "#include <mpi.h>\nstatic volatile double sink;\n\
    static void first(void) { for (int i = 0; i < 30000; i++) sink = sink * 1.0000001; }\n\
    static void second(void) { for (int i = 0; i < 50000; i++) sink = sink * 1.0000001; }\n\
    int main(int argc, char **argv)\n{\nint rank, size;\nMPI_Init(&argc, &argv);\n\
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\nMPI_Comm_size(MPI_COMM_WORLD, &size);\n\
    int firsts = rank + 1, seconds = size - rank;\n\
    if (EVEN) firsts = seconds = (size + 1) / 2;\n\
    for (int round = 0; round < 3; round++) {\n\
    for (int i = 0; i < firsts; i++)\nfirst();\nMPI_Barrier(MPI_COMM_WORLD);\n\
    for (int i = 0; i < seconds; i++)\nsecond();\nMPI_Barrier(MPI_COMM_WORLD);\n}\n\
    MPI_Finalize();\nreturn 0;\n}\n";

/// Balanced computing is that of the program whose tasks were given the same work by hand. Messages take no time: which of them
/// comes to a port first depends on picoseconds.
#[test]
fn balance_is_an_even_spread_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("uneven.c");
    std::fs::write(&file, UNEVEN).expect("written");
    let system = System::new("pentium2-350", "linear:a=0,b=0");
    for tasks in [3, 5, 7] {
        let uneven = job(&file, tasks, &["EVEN=0"]);
        let even = system.total(&job(&file, tasks, &["EVEN=1"]));
        let [all, first, both] = system.totals(&uneven, ["balance", "balance=first", "balance=first + balance=second"]);
        near(all, even, 1e-5, "all");
        near(both, even, 1e-4, "both functions");
        // Of `first` alone, the last stretch still takes what the task with the most of it needs.
        assert!(first > even && first < system.total(&uneven), "{first}");
    }
}

/// Of few tasks, the placement found is the best of all that there are, predicted one by one; of more, a search comes near it.
#[test]
fn the_best_placement_is_the_best_of_all() {
    let system = System::new("pentium2-350", "ethernet-100");
    let folder = tempfile::tempdir().expect("a folder");
    let every = |job: &Job, nodes: u32| {
        let evaluated = system.evaluated(job);
        let study = Study::new(job, system.target(), &evaluated).expect("a base");
        let placements = nodes.pow(u32::try_from(job.tasks).expect("few")) / nodes;
        let total = |number: u32| {
            let node = |task: usize| number / nodes.pow(task as u32) % nodes;
            let node = |task: usize| if task + 1 < job.tasks { node(task) } else { 0 };
            let nodes: Vec<String> = (0..job.tasks).map(|task| node(task).to_string()).collect();
            let change = Combination::parse(&format!("place={}", nodes.join(","))).expect("a change");
            study.row(&change, &NetworkOptions::default()).expect("a row").total_s.expect("it ends")
        };
        (0..placements).into_par_iter().map(total).reduce(|| f64::INFINITY, f64::min)
    };
    for seed in 0..6 {
        let file = folder.path().join(format!("placed{seed}.c"));
        std::fs::write(&file, generated(seed)).expect("written");
        for (tasks, nodes) in [(4, 2), (4, 3), (5, 2)] {
            let job = job(&file, tasks, &[]);
            let [best] = system.totals(&job, [&*format!("place=best:{nodes}")]);
            // Nodes are alike, so that the last task may be on the first of them.
            assert_eq!(best, every(&job, nodes), "seed {seed}, {tasks} tasks on {nodes} nodes");
        }
    }
    let job = common::job(Path::new("testdata/programs/pi_send.c"), 12, &[]);
    let [row] = system.rows(&job, ["place=best:2"]);
    let (found, best) = (row.total_s.expect("it ends"), every(&job, 2));
    assert!(row.notes[0].contains("the best found of"), "{:?}", row.notes);
    assert!(found >= best && found <= 1.02 * best, "{found} where {best} is the best");
}

#[test]
fn efficiencies_multiply() {
    let system = System::new("pentium2-350", "ethernet-100");
    programs().into_par_iter().for_each(|program| {
        for tasks in [2, 4, 16] {
            let job = common::job(&program, tasks, &[]);
            let found = predict::efficiency::efficiency(&job, system.target(), &system.evaluated(&job)).expect("known");
            let product = found.load_balance * found.serialisation * found.transfer;
            assert!((product - found.parallel).abs() <= 1e-12, "{} -n {tasks}: {found:?}", program.display());
            let shares = [found.load_balance, found.serialisation, found.transfer];
            assert!(
                shares.iter().all(|share| (0.0..=1.0 + 1e-9).contains(share)),
                "{} -n {tasks}: {found:?}",
                program.display()
            );
        }
    });
}

/// Measured by hand with the network `linear:a=0,b=0`.
#[test]
fn efficiencies_of_jacobi() {
    let system = System::new("pentium2-350", "ethernet-100");
    for (tasks, parallel) in [(4, 0.794), (16, 0.485)] {
        let job = common::job(Path::new("testdata/programs/jacobi.c"), tasks, &[]);
        let found = predict::efficiency::efficiency(&job, system.target(), &system.evaluated(&job)).expect("known");
        near(found.parallel, parallel, 2e-3, "parallel");
        near(found.transfer, if tasks == 4 { 0.794 } else { found.transfer }, 2e-3, "transfer");
    }
}

/// The interval of a difference is that of what changes: without a change it is nothing, and a function of one task that takes
/// no time saves what its own time may be.
#[test]
fn intervals_of_differences_are_those_of_what_changes() {
    let system = System::new("epyc-zen5-gcc12-O2", "ethernet-100");
    let job = common::job(Path::new("testdata/programs/jacobi.c"), 1, &[]);
    let [same, zero, half] = system.rows(&job, ["speed=relax:1", "zero=relax", "speed=relax:2"]);
    assert_eq!((same.saved_s, same.saved_interval_s), (Some(0.0), Some([0.0, 0.0])));
    let [low, high] = zero.saved_interval_s.expect("the machine has residuals");
    let prediction = predict::predict(&job, system.target()).prediction;
    let relax = prediction.functions.iter().find(|function| function.name == "relax").expect("executed");
    let [least, most] = relax.interval_s.expect("the machine has residuals");
    near(low, least, 0.02, "the least that relax takes");
    near(high, most, 0.02, "the most that relax takes");
    let half_width = half.saved_interval_s.map(|[low, high]| high - low).expect("known");
    near(half_width, 0.5 * (high - low), 1e-6, "half of relax");
    let [balanced] = system.rows(&job, ["balance"]);
    assert_eq!(balanced.saved_interval_s, None);
}

/// The network whose messages between nodes take half of their time.
fn halved(network: &Network) -> Network {
    let mut network = network.clone();
    let link = &mut network.between_nodes;
    for curve in [
        &mut link.send_overhead_ns,
        &mut link.recv_overhead_ns,
        &mut link.latency_ns,
        &mut link.gap_ns,
        &mut link.transfer_ns,
    ] {
        curve.points.iter_mut().for_each(|point| point.ns /= 2.0);
    }
    link.request_ns /= 2.0;
    link.grant_ns /= 2.0;
    network
}

/// Calls whose messages follow one another save together what the network saves that is twice as fast; so do links between
/// tasks that take turns, but for the messages of the end.
#[test]
fn faster_calls_and_links_are_faster_networks() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("turns.c");
    let text = "#include <mpi.h>\nstatic volatile double sink;\nstatic double data[40000];\n\
        int main(int argc, char **argv)\n{\nint rank, size;\nMPI_Init(&argc, &argv);\n\
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);\nMPI_Comm_size(MPI_COMM_WORLD, &size);\n\
        for (int turn = 0; turn < 10; turn++) {\n\
        if (rank > 0 || turn > 0)\nMPI_Recv(data, N, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
        for (int i = 0; i < 1000 * (rank + 1); i++) sink = sink * 1.0000001;\n\
        if (rank < size - 1 || turn < 9)\nMPI_Send(data, N, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);\n}\n\
        MPI_Finalize();\nreturn 0;\n}\n";
    std::fs::write(&file, text).expect("written");
    let system = System::new("pentium2-350", "ethernet-100");
    let faster = System { network: halved(&system.network), ..System::new("pentium2-350", "ethernet-100") };
    for (size, tasks) in [("N=10", 3), ("N=1000", 2), ("N=40000", 3)] {
        let job = job(&file, tasks, &[size]);
        let evaluated = system.evaluated(&job);
        let study = Study::new(&job, system.target(), &evaluated).expect("a base");
        let total = |which| study.base.total_with(FasterMessages { which, left: 0.5 }).expect("it ends").as_seconds();
        let call = |name: &str| {
            let mut blocks = job.program.blocks.ids();
            let found = blocks.find(|&block| predict::mpi_name(&job.program, block) == name).expect("a call");
            total(WhichMessages::Call(found))
        };
        // The tasks meet at the end, behind all sends.
        let (of_call, end) = (call("MPI_Send"), study.total - call("MPI_Finalize"));
        near(of_call - end, faster.total(&job), 1e-9, size);
        let pairs = (0..tasks).map(|rank| (TaskId::new(rank), TaskId::new((rank + 1) % tasks)));
        let saved: f64 = pairs.map(|(from, to)| study.total - total(WhichMessages::Between(from, to))).sum();
        assert!((saved - (study.total - of_call)).abs() <= end * (1.0 + 1e-9), "{size}: {saved}");
        let text = format!("speed={}:15:2", file.display());
        let row = study.row(&Combination::parse(&text).expect("a change"), &NetworkOptions::default()).expect("a row");
        // What computes its arguments is twice as fast as well.
        near(row.total_s.expect("it ends"), of_call, 1e-3, &text);
        let ranked = rank::rank(&study, 10);
        let of_kind =
            |kind: &str| ranked.iter().filter(|row| row.kind == kind).map(|row| row.y.is_some()).collect::<Vec<_>>();
        assert!(of_kind("link").into_iter().all(|known| known), "{size}");
        assert!(of_kind("mpi_call").contains(&true), "{size}");
    }
}

/// All idle time is charged, in random programs, in those of testdata, and where arrival decides.
#[test]
fn causes_of_waiting_add_up_to_the_idle_time() {
    let system = System::new("pentium2-350", "ethernet-100");
    let check = |job: &Job, what: &str| {
        let evaluated = system.evaluated(job);
        let study = Study::new(job, system.target(), &evaluated).expect("a base");
        let idle: u64 =
            study.base.replay(&unchanged, &Kept::default()).result.tasks.iter().map(|task| task.idle.0).sum();
        let waiting = causes::causes(&study).0.expect("there is room");
        near(waiting.idle_s, idle as f64 / 1e12, 1e-12, what);
        let sum: f64 = waiting.causes.iter().map(|cause| cause.direct_s + cause.passed_on_s).sum();
        near(sum, waiting.idle_s, 1e-9, what);
        let of_tasks = waiting.causes.iter().flat_map(|cause| &cause.tasks);
        near(of_tasks.map(|task| task.direct_s + task.passed_on_s).sum(), waiting.idle_s, 1e-9, what);
        assert!(waiting.causes.iter().all(|cause| cause.direct_s >= 0.0 && cause.passed_on_s >= 0.0), "{what}");
    };
    of_seeds(FEW_SEEDS, |file, tasks, seed| check(&job(file, tasks, &[]), &format!("seed {seed}")));
    programs().into_par_iter().for_each(|program| {
        check(&common::job(&program, 4, &[]), &program.display().to_string());
    });
}

/// One task calls a function twice as often as the others: all waiting is due to that function on that task, where messages
/// take no time. Else the tasks leave a barrier one after the other.
#[test]
fn a_task_with_twice_the_work_causes_all_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("late.c");
    let text = "#include <mpi.h>\nstatic volatile double sink;\n\
        static void busy(void) { for (int i = 0; i < 100000; i++) sink = sink * 1.0000001; }\n\
        int main(int argc, char **argv)\n{\nint rank;\nMPI_Init(&argc, &argv);\n\
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);\nfor (int round = 0; round < 10; round++) {\n\
        for (int i = 0; i < 1 + (rank == 2); i++)\nbusy();\nMPI_Barrier(MPI_COMM_WORLD);\n}\nMPI_Finalize();\nreturn 0;\n}\n";
    std::fs::write(&file, text).expect("written");
    let system = System::new("pentium2-350", "linear:a=0,b=0");
    let job = job(&file, 4, &[]);
    let evaluated = system.evaluated(&job);
    let study = Study::new(&job, system.target(), &evaluated).expect("a base");
    let waiting = causes::causes(&study).0.expect("there is room");
    let cause = &waiting.causes[0];
    assert_eq!((cause.kind, cause.name.as_deref(), cause.line), ("function", Some("busy"), Some(11)));
    assert_eq!(cause.tasks.iter().map(|task| task.rank).collect::<Vec<_>>(), [2]);
    near(cause.direct_s, waiting.idle_s, 1e-4, "busy");
    near(waiting.causes.iter().map(|cause| cause.direct_s).sum(), waiting.idle_s, 1e-9, "direct");
}

/// Following a program again under no change gives its prediction, where the order of arrival decides what it does.
#[test]
fn programs_that_depend_on_arrival_are_followed_again() {
    let system = System::new("pentium2-350", "ethernet-100");
    let job = common::job(Path::new("testdata/programs/selfsched.c"), 4, &[]);
    let evaluated = system.evaluated(&job);
    assert!(evaluated.activity().timing_dependent);
    let study = Study::new(&job, system.target(), &evaluated).expect("a base");
    assert_eq!(study.total, system.total(&job));
    let tasks = study.base.replay(&unchanged, &Kept::default()).result.tasks;
    assert_eq!(tasks.len(), 4);
    assert!(study.path.computing.keys().any(|key| key.0 != TaskId(0)));
    let row = |change: &str| study.row(&Combination::parse(change).expect("a change"), &NetworkOptions::default());
    let network = row("network=ethernet-1000").expect("a row").total_s;
    assert_eq!(network, Some(System::new("pentium2-350", "ethernet-1000").total(&job)));
    let refused = row("overlap").expect_err("it needs one activity");
    assert_eq!(refused[0].code.id, "C1405");
}

/// With the matching of a run, a program that depends on arrival takes the time of that run, and changes of its structure can be
/// made. Each answer is that of a replay of what was executed then.
#[test]
fn recorded_matching_gives_the_run_and_lets_structure_change() {
    let system = System::new("pentium2-350", "ethernet-100");
    let job = common::job(Path::new("testdata/programs/selfsched.c"), 4, &[]);
    let evaluated = system.evaluated(&job);
    let pinned = predict::with_recorded_matching(&job, system.target(), &evaluated).expect("it ends");
    assert!(evaluated.activity().timing_dependent && !pinned.activity().timing_dependent);
    let study = Study::new(&job, system.target(), &pinned).expect("a base");
    near(study.total, system.total(&job), 1e-12, "the run");
    let row = |change: &str| study.row(&Combination::parse(change).expect("a change"), &NetworkOptions::default());
    let overlap = row("overlap").expect("there is one activity").total_s.expect("it ends");
    assert!(overlap <= study.total * (1.0 + 1e-12), "{overlap}");
    // Who computes what stays, so that a slower task makes the program slower than where it would get less to do.
    let again = Study::new(&job, system.target(), &evaluated).expect("a base");
    let slow = Combination::parse("node=1:0.25").expect("a change");
    let totals = [&study, &again].map(|study| study.row(&slow, &NetworkOptions::default()).expect("a row").total_s);
    assert!(totals[0] > totals[1], "{totals:?}");
}

/// No message of a program that a change is made to goes without a clear word.
#[test]
fn changes_of_what_is_not_there_are_refused() {
    let system = System::new("pentium2-350", "shared-memory");
    let job = job(Path::new(SPA), 4, &["ROUNDS=3"]);
    let evaluated = system.evaluated(&job);
    let study = Study::new(&job, system.target(), &evaluated).expect("a base");
    let refused = |change: &str| {
        let change = Combination::parse(change).expect("a change");
        let errors = study.row(&change, &NetworkOptions::default()).expect_err(&change.text);
        format!("{} {}", errors[0].message, errors[0].help.clone().unwrap_or_default())
    };
    for (change, said) in [
        ("zero=servBusy", "did you mean `servBusy1`?"),
        ("node=4:2", "ranks go from 0 to 3"),
        ("place=0,1", "places 2 tasks, and there are 4"),
        ("place=3/2", "write place=4/2"),
        ("speed=spa.c:1:2", "blocks begin on lines"),
        ("speed=sp.c:25:2", "the program's files are"),
        ("move=think:0->1", "task 0 never executes think"),
        ("move=servBusy1:0->2", "what it computes is sent to task 1"),
        ("move=servBusy1:0->1,bytes=-9", "takes 9 bytes from messages of 8 bytes"),
        ("network=ethernet-10000", "ethernet-1000"),
    ] {
        let text = refused(change);
        assert!(text.contains(said), "{change}: {text}");
    }
}

/// With a part worse by the factor that is told, the program takes as much longer as is told.
#[test]
fn a_tolerance_is_where_the_program_takes_that_much_longer() {
    let system = System::new("pentium2-350", "ethernet-100");
    let job = common::job(Path::new("testdata/programs/jacobi.c"), 4, &[]);
    let evaluated = system.evaluated(&job);
    let study = Study::new(&job, system.target(), &evaluated).expect("a base");
    let all = tolerance::tolerance(&study);
    assert_eq!(all.iter().map(|part| part.part).collect::<Vec<_>>(), tolerance::PARTS);
    for part in &all[..3] {
        for (percent, factor) in &part.factors {
            let worse = Factor { key: part.part.to_owned(), factor: 1.0 / factor.expect("a limit") };
            let network = system.network.scaled(&[worse]).expect("a part");
            let target = Target { network: &network, ..system.target() };
            let total = predict::predict(&job, target).prediction.total_s.expect("complete");
            near(total, study.total * (1.0 + f64::from(*percent) / 100.0), 1e-8, part.part);
        }
    }
    let shares: f64 = all.iter().map(|part| part.sensitivity).sum();
    near(shares, 1.0, 0.02, "every part of the total is due to one of them");
}
