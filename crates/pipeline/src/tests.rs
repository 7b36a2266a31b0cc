//! The library as its users call it: no flags, no terminal.

use super::*;
use chronos_report::model::SweepValue;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A loop whose length is swept.
const LOOP: &str =
    "#ifndef N\n#define N 10\n#endif\nint main(void) { int s = 0; for (int i = 0; i < N; i++) s += i; return s; }\n";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn options(file: PathBuf) -> PredictOptions {
    PredictOptions {
        programs: vec![ProgramOptions { files: vec![file], ..ProgramOptions::default() }],
        systems: SystemOptions { machines: vec!["pentium2-350".to_owned()], ..SystemOptions::default() },
        sweeps: vec!["N=1000,2000".parse().expect("a sweep")],
        ..PredictOptions::default()
    }
}

fn program(folder: &tempfile::TempDir) -> PathBuf {
    let file = folder.path().join("loop.c");
    std::fs::write(&file, LOOP).expect("a folder that can be written");
    file
}

/// Whether each result came from the folder of kept ones, with its time.
fn results(options: PredictOptions) -> Vec<(bool, Option<f64>)> {
    let plan = SweepPlan::new(options, &Silent).unwrap_or_else(|refused| panic!("{:?}", refused.diagnostics));
    let mut results = Vec::new();
    plan.run(&Silent, |_, result| results.push((result.reused, result.prediction.total_s)))
        .unwrap_or_else(|refused| panic!("{:?}", refused.diagnostics));
    results
}

#[derive(Default)]
struct Steps {
    all: AtomicU64,
    done: AtomicU64,
}

impl Progress for Steps {
    fn begin(&self, steps: u64) {
        self.all.store(steps, Ordering::Relaxed);
    }

    fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn options_alone_give_predictions_and_progress_is_heard_of() {
    let (folder, steps) = (folder(), Steps::default());
    let (predictions, diagnostics) =
        predict(options(program(&folder)), &steps).unwrap_or_else(|refused| panic!("{:?}", refused.diagnostics));
    let value = |value: &str| vec![SweepValue { name: "N".to_owned(), value: value.to_owned() }];
    assert_eq!(predictions.iter().map(|p| p.sweep.clone()).collect::<Vec<_>>(), [value("1000"), value("2000")]);
    let times: Vec<f64> = predictions.iter().filter_map(|p| p.total_s).collect();
    assert!(times.len() == 2 && times[1] > 1.9 * times[0], "{times:?}");
    assert!(!diagnostics.has_errors());
    assert_eq!((steps.all.into_inner(), steps.done.into_inner()), (2, 2));
}

#[test]
fn what_is_wrong_with_options_is_told_with_its_files() {
    let folder = folder();
    let wrong = PredictOptions { sweeps: vec!["M=1".parse().expect("a sweep")], ..options(program(&folder)) };
    assert!(predict(wrong, &Silent).is_err_and(|refused| !refused.diagnostics.is_empty()));
    let missing = folder.path().join("missing.c");
    assert!(predict(options(missing), &Silent).is_err_and(|refused| !refused.diagnostics.is_empty()));
}

#[test]
fn options_survive_being_written_and_read() {
    let program = ProgramOptions {
        probabilities: vec!["a.c:3:4=0.5".parse().expect("a probability")],
        settings: vec!["N=3".parse().expect("a setting")],
        ..ProgramOptions::default()
    };
    let before = PredictOptions { programs: vec![program], timeline_spans: 7, ..options("a.c".into()) };
    let text = serde_json::to_string(&before).expect("plain data");
    assert_eq!(serde_json::from_str::<PredictOptions>(&text).expect("as it was written"), before);
    assert!(serde_json::from_str::<PredictOptions>("{\"task\": [2]}").is_err(), "a misspelt field");
    assert_eq!(serde_json::from_str::<PredictOptions>("{}").expect("all by default"), PredictOptions::default());
}

#[test]
fn shards_make_all_predictions_once_and_the_whole_takes_them() {
    let folder = folder();
    let file = program(&folder);
    let resume = Some(folder.path().join("kept"));
    let sweep = || vec!["N=1000,2000,3000".parse().expect("a sweep")];
    let made = |shard: Option<&str>| {
        let shard = shard.map(|text| text.parse().expect("a shard"));
        let run = RunOptions { resume: resume.clone(), shard, ..RunOptions::default() };
        results(PredictOptions { run, sweeps: sweep(), ..options(file.clone()) })
    };
    let parts: Vec<_> = ["1/2", "2/2"].into_iter().map(|shard| made(Some(shard))).collect();
    assert!(parts.iter().all(|part| !part.is_empty()) && parts.concat().iter().all(|(reused, _)| !reused));
    let whole = made(None);
    assert_eq!(whole.len(), parts.concat().len());
    assert!(whole.iter().all(|(reused, _)| *reused));
    for wrong in ["0/2", "3/2", "1", "a/b", "1/0"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}

#[test]
fn kept_results_serve_until_options_or_files_change() {
    let folder = folder();
    let file = program(&folder);
    let resume = Some(folder.path().join("kept"));
    let kept = |options: PredictOptions| {
        let run = RunOptions { resume: resume.clone(), ..options.run.clone() };
        results(PredictOptions { run, ..options })
    };
    let first = kept(options(file.clone()));
    assert!(first.iter().all(|(reused, time)| !reused && time.is_some()));
    let again =
        kept(PredictOptions { run: RunOptions { jobs: Some(1), ..RunOptions::default() }, ..options(file.clone()) });
    assert_eq!(again, first.iter().map(|&(_, time)| (true, time)).collect::<Vec<_>>());
    let more = PredictOptions { sweeps: vec!["N=2000,3000".parse().expect("a sweep")], ..options(file.clone()) };
    assert_eq!(kept(more).iter().map(|(reused, _)| *reused).collect::<Vec<_>>(), [true, false]);
    let dearer = PredictOptions { sensitivity: true, ..options(file.clone()) };
    assert_eq!(kept(dearer).iter().filter(|(reused, _)| *reused).count(), 0);
    let with_replay = RunOptions { keep_replay: true, ..RunOptions::default() };
    let replayed = kept(PredictOptions { run: with_replay, ..options(file.clone()) });
    assert_eq!(replayed.iter().filter(|(reused, _)| *reused).count(), 0, "kept results have no replay");
    std::fs::write(&file, LOOP.replace("s += i", "s += 2 * i")).expect("a folder that can be written");
    assert_eq!(kept(options(file)).iter().filter(|(reused, _)| *reused).count(), 0);
}
