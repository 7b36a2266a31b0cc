//! Files of tasks: what is read, and that nothing that is damaged is taken.

use super::lines::checksum;
use super::task::{Ending, TaskTrace};
use proptest::prelude::*;

fn file(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line} #{:08x}\n", checksum(line))).collect()
}

const HEADER: &str = "chronos-trace/1 00 counts 3 task 0 of 1";

fn totals(lines: &[&str]) -> (Vec<u128>, Ending) {
    let trace = TaskTrace::parse(&file(lines)).expect("the first line is whole");
    (trace.totals(), trace.ending)
}

#[test]
fn rules_multiply() {
    let lines =
        [HEADER, "S 0 0:1 2:5", "S 1 1:2", "E 0 7 1=-3", "R 0 s0 e0*2 s1", "R 1 r0*10 s1", "T r1*100 s0", "END 0"];
    assert_eq!(totals(&lines), (vec![1001, 2200, 5005], Ending::Complete));
}

#[test]
fn order_counts_points() {
    let lines = ["chronos-trace/1 00 order 2 task 0 of 1", "R 0 p0 p1*1000000000", "T r0*3 p0", "CUT 11"];
    assert_eq!(totals(&lines), (vec![4, 3_000_000_000], Ending::Cut(11)));
}

#[test]
fn what_is_provisional_counts_until_it_is_written_again() {
    let begin = [HEADER, "S 0 0:1", "T s0", "P s0*5"];
    assert_eq!(totals(&begin), (vec![6, 0, 0], Ending::Torn));
    assert_eq!(totals(&[&begin[..], &["P s0*7"]].concat()), (vec![8, 0, 0], Ending::Torn));
    assert_eq!(totals(&[&begin[..], &["T s0*9", "END 0"]].concat()), (vec![10, 0, 0], Ending::Complete));
}

#[test]
fn lines_go_on_behind_a_plus() {
    assert_eq!(totals(&[HEADER, "S 0 0:1", "+ 1:2", "T s0", "+ s0", "END 0"]), (vec![2, 4, 0], Ending::Complete));
}

#[test]
fn what_is_not_defined_ends_the_trace() {
    for bad in ["T s1", "T p3", "S 0 3:1", "R 0 r0", "T s0*x", "X", "T s0*99999999999999999999", "E 0", "CUT x"] {
        let lines = [HEADER, "S 0 0:1", "T s0", bad, "T s0", "END 0"];
        assert_eq!(totals(&lines), (vec![1, 0, 0], Ending::Torn), "{bad}");
    }
}

#[test]
fn a_damaged_byte_cuts_the_trace_there() {
    let whole = file(&[HEADER, "S 0 0:1", "T s0", "T s0", "END 0"]);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let cut = format!("{}{}", lines[..3].concat(), &lines[3][..4]);
    assert_eq!(TaskTrace::parse(&cut).map(|trace| (trace.totals(), trace.ending)), Ok((vec![1, 0, 0], Ending::Torn)));
    let changed = whole.replacen("T s0", "T s0*9", 1);
    assert_eq!(TaskTrace::parse(&changed).map(|trace| trace.totals()), Ok(vec![0, 0, 0]));
    assert!(TaskTrace::parse("").is_err());
    assert!(TaskTrace::parse(&whole[3..]).is_err());
}

proptest! {
    /// Lines with right checksums and any content: read or refused, never a panic.
    #[test]
    fn any_lines_are_read_or_refused(lines in prop::collection::vec("[SERTP+ECU][ND]{0,2}( [0-9spre]{1,3}([*:=][0-9]{1,20})?){0,6}", 0..12)) {
        let all: Vec<&str> = std::iter::once(HEADER).chain(lines.iter().map(String::as_str)).collect();
        // A line that goes on behind a plus spoils the first one.
        if let Ok(trace) = TaskTrace::parse(&file(&all)) {
            prop_assert_eq!(trace.totals().len(), 3);
        } else {
            prop_assert!(lines.first().is_some_and(|line| line.starts_with('+')));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = TaskTrace::parse(&text);
        let _ = super::map::TraceMap::parse(&text, "x");
    }
}
