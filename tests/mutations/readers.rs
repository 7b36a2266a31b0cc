//! Every reader, in this process.

use crate::HANG;
use crate::mutate::{Random, mutated};
use crate::number;
use chronos::frontend::Database;
use chronos::machine::Machine;
use chronos::machine::network::Network;
use chronos::machine::platform::{Platform, PlatformFile};
use chronos::predict::assumptions::AssumptionFile;
use chronos::predict::library_costs::LibraryCosts;
use chronos::record::Record;
use chronos::record::calls::CallProgram;
use chronos::record::folder::{INFO, RecordInfo};
use chronos::record::steps::{Reading, activity};
use chronos::record::task::TaskRecord;
use chronos::tool_formats::{goal, ti};
use chronos::trace::map::TraceMap;
use chronos::trace::task::TaskTrace;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::channel;

/// The files of a folder whose names end so.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let fitting = paths.iter().filter(|path| path.to_string_lossy().ends_with(ending));
    let texts: Vec<String> = fitting.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(!texts.is_empty(), "no seeds");
    texts
}

/// Reads mutations of the seeds one after the other; the panics and hangs among them.
fn faults(seeds: &[String], read: impl Fn(&str) + Send + 'static) -> Vec<String> {
    let mut random = Random::new(number("SEED", 1));
    let (to_reader, inputs) = channel::<String>();
    let (done, answers) = channel();
    let reader = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
        for text in inputs {
            let _ = done.send(catch_unwind(AssertUnwindSafe(|| read(&text))).is_ok());
        }
    });
    reader.expect("a thread can be made");
    let mut faults = Vec::new();
    for _ in 0..number("MUTATIONS", 2000) {
        let text = mutated(&mut random, seeds);
        to_reader.send(text.clone()).expect("the reader lives");
        match answers.recv_timeout(HANG) {
            Ok(true) => {}
            Ok(false) => faults.push(format!("panic:\n{text}")),
            Err(_) => return vec![format!("hang or abort:\n{text}")],
        }
    }
    faults
}

fn check(seeds: &[String], read: impl Fn(&str) + Send + 'static) {
    let faults = faults(seeds, read);
    assert!(faults.is_empty(), "{} faults, the first: {}", faults.len(), faults[0]);
}

#[test]
fn machines() {
    check(&files("machines", ".json"), |text| {
        if let Ok(machine) = Machine::parse("m.json", text) {
            let _ = (machine.check("m.json"), machine.to_json());
        }
    });
}

#[test]
fn networks() {
    check(&files("networks", ".json"), |text| _ = Network::parse("n.json", text));
}

#[test]
fn platforms() {
    check(&files("testdata/platforms", ".json"), |text| {
        if PlatformFile::parse("p.json", text).is_ok() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("p.json");
            std::fs::write(&path, text).unwrap();
            if let Ok(platform) = Platform::load(path.to_str().unwrap()) {
                let _ = platform.place(64).map(|placed| platform.sockets(&placed));
            }
        }
    });
}

#[test]
fn kinds_of_nodes() {
    let seeds = ["pentium2-350:3,pentium2-350:1", "pentium2-350"].map(str::to_owned);
    check(&seeds, |text| _ = Platform::of_kinds(text, 2));
}

#[test]
fn schedules() {
    check(&files("testdata/goal", ".goal"), |text| {
        if let Ok(schedule) = goal::parse("s.goal", text) {
            let written = goal::render(&schedule);
            assert!(goal::parse("written.goal", &written).is_ok(), "not read again:\n{written}");
        }
    });
}

#[test]
fn time_independent_traces() {
    check(&files("testdata/ti", ".txt"), |text| _ = ti::parse([("t.txt", text)], 1e9));
}

#[test]
fn assumptions() {
    check(&files("testdata/assumptions", ".json"), |text| _ = AssumptionFile::parse("a.json", text));
}

#[test]
fn library_costs() {
    check(&files("testdata/external", ".json"), |text| _ = LibraryCosts::parse("l.json", text));
}

#[test]
fn traces() {
    let mut seeds = files("tests/cmd/trace.in/whole", "trace.json");
    seeds.extend(files("tests/cmd/trace.in/whole", ".ctr"));
    check(&seeds, |text| {
        let _ = (TraceMap::parse(text, "map.json").is_ok(), TaskTrace::parse(text).is_ok());
    });
}

const RECORD: &str = "testdata/recorded/search.rec";

#[test]
fn recorded_tasks() {
    check(&files(RECORD, ".rec"), |text| {
        if let Ok(task) = TaskRecord::parse(text) {
            let record = Record { info: RecordInfo::new(Vec::new(), Vec::new(), task.tasks), tasks: vec![task] };
            let _ = activity(&record, &CallProgram::new(&record), Reading::AS_RECORDED);
        }
    });
}

#[test]
fn records() {
    let folder = tempfile::tempdir().unwrap();
    for (rank, text) in files(RECORD, ".rec").iter().enumerate() {
        std::fs::write(folder.path().join(format!("task-{rank}.rec")), text).unwrap();
    }
    check(&files(RECORD, ".json"), move |text| {
        std::fs::write(folder.path().join(INFO), text).unwrap();
        let _ = Record::read(folder.path());
    });
}

#[test]
fn compilation_databases() {
    let folder = tempfile::tempdir().unwrap();
    check(&files("testdata/projects/database", ".json"), move |text| {
        let path = folder.path().join("compile_commands.json");
        std::fs::write(&path, text).unwrap();
        let _ = Database::read(&path, Path::new("/"));
    });
}

#[test]
fn command_lines() {
    let lines = [
        "chronos predict a.c b.c --machine pentium2-350 --network ethernet-100 -n 1,2,4 --sweep N=10..40x2 -- 30 x",
        "chronos count a.c -n 4 --symbolic N,M --prob a.c:3:4=0.5 --iterations a.c:7=12 --limit time=3s,memory=1GiB",
        "chronos compare a.json b.json --set N=4 --format csv -o out.csv --fail-over 10",
        "chronos replay s.goal --network latency=10us,bandwidth=100MB/s --platform p.json --jobs 2",
        "chronos machine scale pentium2-350 --clock 2 -o m.json",
    ];
    let seeds: Vec<String> = lines.map(str::to_owned).into();
    check(&seeds, |text| _ = chronos::cli::commands().try_get_matches_from(text.split(' ')));
}
