//! From a file of GOAL text to a schedule, piece by piece: text takes several times the room of what it says.

use super::blocks::Blocks;
use super::text::Fault;
use crate::codes;
use chronos_activity::schedule::Schedule;
use chronos_base::diag::Diagnostic;
use std::io::Read;

/// Bytes that are read at once, where no rank is longer: that many are parsed while as many more are read.
const PIECE: usize = 1 << 20;

/// Reads a schedule; `name` stands in messages.
///
/// # Errors
/// The first place that does not follow the format, by line and column, with what was expected there.
pub fn parse(name: &str, text: &str) -> Result<Schedule, Diagnostic> {
    let last = Piece { name, text: text.as_bytes(), line: 1, column: 1 };
    let mut blocks = Blocks::default();
    match blocks.read(last.text, true) {
        Ok(_) => Ok(blocks.schedule()),
        Err(fault) => Err(last.diagnostic(&fault)),
    }
}

/// As `parse`, from a file of any size.
///
/// # Errors
/// That of the file; within it, that of the format.
pub fn read(name: &str, source: impl Read + Send) -> std::io::Result<Result<Schedule, Diagnostic>> {
    read_pieces(name, source, PIECE, Blocks::default())
}

/// As `read`, with pieces of this many bytes.
pub(super) fn read_pieces(
    name: &str,
    mut source: impl Read + Send,
    mut size: usize,
    mut blocks: Blocks,
) -> std::io::Result<Result<Schedule, Diagnostic>> {
    let (mut text, mut ahead) = (Vec::new(), Vec::new());
    let (mut line, mut column) = (1, 1);
    let mut is_last = fill(&mut text, &mut source, size)?;
    loop {
        let piece = Piece { name, text: &text, line, column };
        let (read, then_last) = if is_last {
            (blocks.read(&text, true), Ok(true))
        } else {
            rayon::join(|| blocks.read(&text, false), || fill(&mut ahead, &mut source, size))
        };
        let whole = match read {
            Ok(_) if is_last => return Ok(Ok(blocks.schedule())),
            Ok(whole) => whole,
            Err(fault) => return Ok(Err(piece.diagnostic(&fault))),
        };
        is_last = then_last?;
        (line, column) = piece.place(whole);
        text.drain(..whole);
        text.append(&mut ahead);
        if text.len() >= 2 * size {
            (size, ahead) = (2 * size, Vec::new());
        }
    }
}

/// Appends so many bytes; whether the source has no more.
fn fill(text: &mut Vec<u8>, source: &mut impl Read, size: usize) -> std::io::Result<bool> {
    text.reserve_exact(size);
    Ok(source.take(size as u64).read_to_end(text)? < size)
}

/// Text from the middle of a file.
struct Piece<'t> {
    name: &'t str,
    text: &'t [u8],
    /// Where it begins.
    line: usize,
    column: usize,
}

impl Piece<'_> {
    /// Line and column of a byte.
    fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..at.min(self.text.len())];
        let lines = lines(before);
        let columns = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        (self.line + lines, if lines == 0 { self.column + columns } else { 1 + columns })
    }

    fn diagnostic(&self, fault: &Fault) -> Diagnostic {
        let (line, column) = self.place(fault.at);
        let found = found(&self.text[fault.at.min(self.text.len())..]);
        let message = format!("{}:{line}:{column}: expected {}, found {found}", self.name, fault.expected);
        Diagnostic::error(&codes::MALFORMED, message).help(
            "a GOAL schedule reads: num_ranks 2  rank 0 { l1: calc 100  l2: send 8b to 1 tag 0  l2 requires l1 }  ...",
        )
    }
}

/// Ends of lines; counted in bytes first, many of which a processor adds at a time.
fn lines(text: &[u8]) -> usize {
    let of_part = |part: &[u8]| usize::from(part.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>());
    text.chunks(usize::from(u8::MAX)).map(of_part).sum()
}

/// What stands there, cut short.
fn found(rest: &[u8]) -> String {
    const SHOWN: usize = 24;
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    match line {
        [] if rest.is_empty() => "the end of the file".to_owned(),
        [] => "the end of the line".to_owned(),
        _ => format!("`{}`", String::from_utf8_lossy(&line[..line.len().min(SHOWN)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::TaskId;
    use chronos_activity::schedule::{ANY, Action, ScheduledOperation};

    const PAIR: &str = "num_ranks 2 /* two\n ranks */\nrank 0 {\nl1: calc 100\nl2: send 8b to 1 tag 3\nl2 requires l1\n}\n\
                        // the other\nrank 1 {\nfirst: recv 8b from -1 tag -1 cpu 0 nic 1\nrecv 4b from 0 }\n";

    fn fault(text: &str) -> String {
        parse("a.goal", text).unwrap_err().message
    }

    #[test]
    fn operations_labels_and_dependences_are_read() {
        let schedule = parse("a.goal", PAIR).unwrap();
        let operation = |task, index| schedule.operation(TaskId(task), index);
        assert_eq!(operation(0, 0).action, Action::Compute { ns: 100 });
        let send = Action::Send { to: 1, tag: 3, bytes: 8 };
        assert_eq!(operation(0, 1), ScheduledOperation { action: send, cpu: 0, linked: true });
        assert_eq!(operation(1, 0).action, Action::Recv { from: ANY, tag: ANY, bytes: 8 });
        assert_eq!(operation(1, 1).action, Action::Recv { from: 0, tag: 0, bytes: 4 });
        assert!(schedule.task(TaskId(0)).is_sequential() && !schedule.task(TaskId(1)).is_sequential());
    }

    #[test]
    fn a_fault_names_its_place_and_what_was_expected() {
        insta::assert_snapshot!(fault("rank 0 {}"), @"a.goal:1:1: expected `num_ranks`, found `rank 0 {}`");
        insta::assert_snapshot!(fault("num_ranks 1\nrank 1 {}"), @"a.goal:2:6: expected a rank below num_ranks, found `1 {}`");
        insta::assert_snapshot!(fault("num_ranks 1\nrank 0 {\nl1: calc x }"), @"a.goal:3:10: expected a duration in ns, found `x }`");
        insta::assert_snapshot!(fault("num_ranks 1\nrank 0 {\nl1 requires l2 }"),
            @"a.goal:3:1: expected the label of an operation above, found `l1 requires l2 }`");
        insta::assert_snapshot!(fault("num_ranks 1 rank 0 {"),
            @"a.goal:1:21: expected an operation, a dependence or `}`, found the end of the file");
        insta::assert_snapshot!(fault("num_ranks 2 rank 0 { send 8b to 2 }"),
            @"a.goal:1:33: expected a rank below num_ranks, found `2 }`");
    }

    #[test]
    fn pieces_of_any_size_give_the_same_schedule_and_the_same_places_of_faults() {
        let faulty = PAIR.replace("calc 100", "calc x");
        for piece in 1..PAIR.len() {
            let whole = read_pieces("a.goal", PAIR.as_bytes(), piece, Blocks::of_parts(piece)).unwrap();
            assert_eq!(whole.unwrap(), parse("a.goal", PAIR).unwrap());
            let fault = read_pieces("a.goal", faulty.as_bytes(), piece, Blocks::default()).unwrap().unwrap_err();
            assert_eq!(fault.message, "a.goal:4:10: expected a duration in ns, found `x`");
        }
        assert_eq!(fault(&faulty), "a.goal:4:10: expected a duration in ns, found `x`");
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(num_ranks [0-9]{1,2} ?rank 0 \\{)?[-a-z0-9 :{}/*\n]{0,60}|.{0,40}") {
            let _ = parse("a.goal", &text);
        }
    }
}
