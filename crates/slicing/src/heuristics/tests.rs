//! Probabilities of small branches, worked out by hand.

use super::*;
use chronos_base::span::{FileId, SourceFiles, Span};
use chronos_frontend::lower::{LowerInput, Settings, lower};
use chronos_ir::DataModel;

const HEAD: &str =
    "typedef struct FILE FILE; extern FILE *stderr; int printf(const char *, ...); int puts(const char *);
int fprintf(FILE *, const char *, ...); void exit(int); void tell(int); int g, h; int MPI_Abort(int, int);
void stop(void) { exit(3); }
";

fn program(text: &str) -> Program {
    let text = format!("{HEAD}{text}");
    let parsed = lang_c::driver::parse_preprocessed(&lang_c::driver::Config::with_gcc(), text.clone());
    let unit = parsed.unwrap_or_else(|error| panic!("{error}")).unit;
    let mut files = SourceFiles::default();
    let file = files.intern("a.c", || Some(text.clone()));
    let span = |span: lang_c::span::Span| {
        let line = text[..span.start].matches('\n').count() + 1;
        Span::line(file, u32::try_from(line).expect("short"))
    };
    let input = LowerInput { ast: &unit, span: &span, file: FileId(0), is_system: &|_| false };
    let (program, diagnostics) = lower(&[input], DataModel::default(), &Settings::default());
    assert!(diagnostics.iter().all(|d| !d.is_error()), "{diagnostics:?}");
    program
}

/// The chances of the last branch of the snippet, with their grounds.
fn last(text: &str) -> String {
    let program = program(text);
    let heuristics = Heuristics::new(&program);
    let branch = program.blocks.iter().rfind(|(_, block)| matches!(block.kind, BlockKind::Branch(_)));
    let (id, _) = branch.expect("the snippet has a branch");
    let guess = heuristics.guess(&program, id, &|_| None);
    let chances: Vec<String> =
        guess.arms.iter().chain(Some(&guess.none).filter(|none| **none > 0.0)).map(|p| shown(*p)).collect();
    let grounds = guess.grounds.describe().replace(" (Ball & Larus 1993, Wu & Larus 1994 Table 1)", "");
    format!("{} {grounds}", chances.join(" "))
}

/// A branch whose condition is this, over two integers, two pointers and two floating numbers.
fn condition(text: &str) -> String {
    last(&format!(
        "int f(int a, int b, char *p, char *q, double x, double y) {{ int s = 0; if ({text}) s = 1; return s; }}"
    ))
}

/// The same with an arm.
fn arms(text: &str) -> String {
    last(&format!("int f(int a, int b, int *p) {{ int s = 0; {text} return s; }}"))
}

#[test]
fn comparisons_with_zero_and_constants_fail() {
    assert_eq!(condition("a < 0"), "0.16 0.84 opcode heuristic");
    assert_eq!(condition("a <= 0"), "0.16 0.84 opcode heuristic");
    assert_eq!(condition("a >= 0"), "0.84 0.16 opcode heuristic");
    assert_eq!(condition("0 < a"), "0.84 0.16 opcode heuristic");
    assert_eq!(condition("a == 7"), "0.16 0.84 opcode heuristic");
    assert_eq!(condition("a != 7"), "0.84 0.16 opcode heuristic");
    assert_eq!(condition("!(a == 7)"), "0.84 0.16 opcode heuristic");
    assert_eq!(condition("a"), "0.84 0.16 opcode heuristic");
    assert_eq!(condition("!a"), "0.16 0.84 opcode heuristic");
    assert_eq!(condition("x == y"), "0.16 0.84 opcode heuristic");
}

#[test]
fn pointers_differ() {
    assert_eq!(condition("p == q"), "0.4 0.6 pointer heuristic");
    assert_eq!(condition("p == 0"), "0.4 0.6 pointer heuristic");
    assert_eq!(condition("p"), "0.6 0.4 pointer heuristic");
    assert_eq!(condition("!p"), "0.4 0.6 pointer heuristic");
}

#[test]
fn other_comparisons_say_nothing() {
    for text in ["a < b", "a == b", "x < 0", "x < y", "a > 3"] {
        assert_eq!(condition(text), "0.5 0.5 nothing speaks for either way", "{text}");
    }
}

#[test]
fn parts_make_up_a_condition() {
    // 0.16 x 0.6, 0.16 + 0.84 x 0.6, and 0.16 x (0.5 + 0.5 x 0.6).
    let parts = "from the probabilities of the parts of its condition";
    assert_eq!(condition("a == 1 && p"), format!("0.096 0.904 {parts}"));
    assert_eq!(condition("a == 1 || p"), format!("0.664 0.336 {parts}"));
    assert_eq!(condition("a == 1 && (a < b || p)"), format!("0.128 0.872 {parts}"));
    assert_eq!(condition("!(a == 1 && p)"), format!("0.904 0.096 {parts}"));
}

#[test]
fn arms_say_how_likely_they_are() {
    assert_eq!(arms("if (a < b) tell(1);"), "0.22 0.78 call heuristic");
    assert_eq!(arms("if (a < b) s = 1; else tell(1);"), "0.78 0.22 call heuristic");
    assert_eq!(arms("if (a < b) tell(2); else tell(1);"), "0.5 0.5 nothing speaks for either way");
    assert_eq!(arms("if (a < b) g = 1;"), "0.45 0.55 store heuristic");
    assert_eq!(arms("if (a < b) *p = 1;"), "0.45 0.55 store heuristic");
    assert_eq!(arms("if (a < b) return 1;"), "0.28 0.72 return heuristic");
    assert_eq!(arms("if (a < b) s = a;"), "0.62 0.38 guard heuristic");
    assert_eq!(arms("if (a < b) for (s = 0; s < g; s++) ;"), "0.75 0.25 loop header heuristic");
    assert_eq!(arms("for (s = 0; s < 9; s++) if (a < b) break;"), "0.2 0.8 loop exit heuristic");
}

#[test]
fn evidence_is_combined() {
    // 0.16 x 0.22 / (0.16 x 0.22 + 0.84 x 0.78)
    assert_eq!(arms("if (a == 3) tell(1);"), "0.051 0.949 opcode and call heuristics");
    // 0.2 x 0.28 / (0.2 x 0.28 + 0.8 x 0.72)
    assert_eq!(arms("for (s = 0; s < 9; s++) if (a < b) return 2;"), "0.089 0.911 loop exit and return heuristics");
}

#[test]
fn errors_do_not_happen() {
    let ends = "the program is assumed not to end there";
    assert_eq!(arms("if (a < b) exit(1);"), format!("0 1 {ends}"));
    assert_eq!(arms("if (a < b) s = 1; else stop();"), format!("1 0 {ends}"));
    assert_eq!(arms("if (a < b) { s = 1; MPI_Abort(0, 1); }"), format!("0 1 {ends}"));
    let reports = "no error is assumed to be reported there";
    assert_eq!(arms("if (a < b) { fprintf(stderr, \"too small\\n\"); return -1; }"), format!("0 1 {reports}"));
    assert_eq!(arms("if (a < b) printf(\"ERROR: too small\\n\");"), format!("0 1 {reports}"));
    assert_eq!(
        arms("if (a < b) puts(\"valid\"); else { puts(\"Validation failed\"); s = 1; }"),
        format!("1 0 {reports}")
    );
    // Progress is no error.
    assert_eq!(arms("if (a < b) fprintf(stderr, \"step\\n\");"), "0.22 0.78 call heuristic");
    assert_eq!(arms("if (a < b) printf(\"error norm\\n\");"), "0.22 0.78 call heuristic");
}

#[test]
fn labels_of_a_switch_share_alike() {
    assert_eq!(arms("switch (a) { case 1: s = 1; break; case 2: case 3: s = 2; }"), "0.25 0.5 0.25 all labels alike");
    assert_eq!(arms("switch (a) { case 1: s = 1; break; default: s = 2; }"), "0.5 0.5 all labels alike");
    assert_eq!(
        arms("switch (a) { case 1: s = 1; break; case 2: g = 1; break; default: exit(1); }"),
        "0.5 0.5 0 all labels alike"
    );
}

#[test]
fn what_is_given_holds_for_the_condition() {
    let program = program("int f(int a, int b) { return a || b; }");
    let heuristics = Heuristics::new(&program);
    let branch = program.blocks.values().find_map(|block| match &block.kind {
        BlockKind::Branch(branch) => Some(branch),
        _ => None,
    });
    let guess = heuristics.with_probability(branch.expect("an ||"), 0.25);
    // The right side is evaluated where the left one is false.
    assert_eq!((guess.arms, guess.none), (vec![0.75], 0.25));
}

#[test]
fn one_task_says_that_all_return_for_an_error() {
    let arm = |text: &str| arms(&format!("if (a > b) {{ if (b == 0) printf(\"{text}\"); return 1; }}"));
    assert_eq!(arm("step %d: difference too large"), "0 1 no error is assumed to be reported there");
    assert!(arm("done").ends_with("heuristic") || arm("done").contains("heuristics"), "{}", arm("done"));
}
