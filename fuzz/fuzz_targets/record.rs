//! Records of runs: `record.json`, then the files of the tasks one behind the other, and the activity that comes of them.
#![no_main]

use chronos::record::calls::CallProgram;
use chronos::record::folder::{INFO, RecordInfo, file};
use chronos::record::steps::{Reading, activity, totals};
use chronos::record::{Record, places};
use std::path::Path;

/// What the file of each task begins with.
const TASK: &str = "chronos-record/1 task ";

libfuzzer_sys::fuzz_target!(|text: &str| {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    write(folder.path(), text);
    if let Ok((record, _)) = Record::read(folder.path()) {
        let _ = (totals(&record), record.code_places().into_iter().map(places::unknown).count());
        let calls = CallProgram::new(&record);
        for matched_anew in [false, true] {
            let _ = activity(&record, &calls, Reading { matched_anew, ..Reading::AS_RECORDED });
        }
    }
});

/// The files of a record; where the text has no `record.json`, one that fits the number of tasks.
fn write(folder: &Path, text: &str) {
    let starts: Vec<usize> = text.match_indices(TASK).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    for ((rank, &start), end) in (0_u32..).zip(&starts).zip(ends) {
        std::fs::write(file(folder, rank), &text[start..end]).expect("a temporary file can be written");
    }
    let info = &text[..starts.first().copied().unwrap_or(text.len())];
    let fitting = RecordInfo::new(Vec::new(), Vec::new(), starts.len() as u32).to_json();
    std::fs::write(folder.join(INFO), if info.is_empty() { &fitting } else { info })
        .expect("a temporary file can be written");
}
