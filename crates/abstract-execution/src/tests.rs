//! Snippets of C, executed abstractly and, as the judge, by gcc with gcov.

use super::*;
use chronos_activity::{Count, CountValue, Segments};
use chronos_base::span::{FileId, SourceFiles, Span};
use chronos_frontend::lower::{LowerInput, Settings, lower};
use chronos_ir::{BlockId, BlockKind, Const, CounterId, DataModel, Program, ScalarType, ValueId, VarId};
use chronos_slicing::{Analysis, Assumptions};
use chronos_values::{ObjectId, Origin, Pointer, Reason, ReasonId, ReasonKind, Reasons, Value};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

mod calls;
mod chance;
mod closed;
mod effects;
mod forms;
mod functions;
mod nests;

/// The state before `main`: globals as initialised, locals never written.
struct Fresh<'a> {
    program: &'a Program,
    uninitialised: ReasonId,
}

impl Environment for Fresh<'_> {
    fn variable(&self, variable: VarId) -> Value {
        self.load(Pointer { object: ObjectId(variable.0), offset: 0 }, ScalarType::I32)
    }
    fn object(&self, variable: VarId) -> ObjectId {
        ObjectId(variable.0)
    }
    fn value(&self, _: ValueId) -> Value {
        Value::Unknown(self.uninitialised)
    }
    fn load(&self, pointer: Pointer, _: ScalarType) -> Value {
        let variable = &self.program.variables[VarId(pointer.object.0)];
        let Some(init) = &variable.init else { return Value::Unknown(self.uninitialised) };
        let at = |&&(offset, _): &&(u64, Const)| i64::try_from(offset) == Ok(pointer.offset);
        match init.iter().find(at).map(|(_, constant)| constant) {
            Some(Const::Int(n, _)) => Value::Int(*n),
            Some(Const::Float(x, _)) => Value::Float(*x),
            Some(Const::Function(function)) => Value::Function(*function),
            Some(_) => Value::Unknown(self.uninitialised),
            None => Value::Int(0),
        }
    }
    fn origin(&self, object: ObjectId) -> Origin {
        Origin::Variable(VarId(object.0))
    }
    fn size(&self, _: ObjectId) -> u64 {
        0
    }
}

fn place(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..offset.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |n| n + 1) + 1;
    (line as u32, column as u32)
}

fn program(text: &str) -> Arc<Program> {
    let parsed = lang_c::driver::parse_preprocessed(&lang_c::driver::Config::with_gcc(), text.to_owned());
    let unit = parsed.unwrap_or_else(|error| panic!("{error}")).unit;
    let mut files = SourceFiles::default();
    let file = files.intern("a.c", || Some(text.to_owned()));
    let span = |span: lang_c::span::Span| {
        let ((line_start, column_start), (line_end, column_end)) =
            (place(text, span.start), place(text, span.end.saturating_sub(1)));
        Span { file, line_start, column_start, line_end, column_end }
    };
    let input = LowerInput { ast: &unit, span: &span, file: FileId(0), is_system: &|_| false };
    let (mut program, diagnostics) = lower(&[input], DataModel::default(), &Settings::default());
    assert!(diagnostics.iter().all(|d| !d.is_error()), "{diagnostics:?}");
    program.files = Arc::new(files);
    Arc::new(program)
}

/// A summary of the body of `main`.
struct Summarised {
    program: Arc<Program>,
    summary: Result<Summary, Unsummarisable>,
    reasons: Reasons,
}

fn summarise_assuming(text: &str, assume: impl FnOnce(&Program, &mut Assumptions)) -> Summarised {
    let program = program(text);
    let mut assumptions = Assumptions::default();
    assume(&program, &mut assumptions);
    let analysis = Analysis::new(&program, &assumptions);
    let mut forms = ClosedForms::new(program.clone(), analysis, assumptions);
    let (mut segments, mut reasons) = (Segments::default(), Reasons::default());
    let reason = Reason { kind: ReasonKind::Uninitialised, span: None, origin: None };
    let environment = Fresh { program: &program, uninitialised: reasons.intern(reason) };
    let main = program.main.expect("the snippet has a main");
    let context = segments.root(main);
    let body: Vec<BlockId> = program.functions[main].body.clone();
    let kept = body.iter().copied().filter(|&block| !returns(&program, block)).collect();
    let request = Request { environment: &environment, context, segments: &mut segments, reasons: &mut reasons };
    let summary = forms.summarise_region(&kept, request);
    Summarised { program: program.clone(), summary, reasons }
}

fn summarise(text: &str) -> Summarised {
    summarise_assuming(text, |_, _| {})
}

fn returns(program: &Program, block: BlockId) -> bool {
    use chronos_ir::{Jump, OpKind};
    let BlockKind::Straight(straight) = &program.blocks[block].kind else { return false };
    matches!(straight.ops.last().map(|op| &op.kind), Some(OpKind::Jump(Jump::Return(_))))
}

impl Summarised {
    fn summary(&self) -> &Summary {
        self.summary.as_ref().unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// Counts over all contexts.
    fn totals(&self) -> BTreeMap<CounterId, Count> {
        let mut totals = BTreeMap::new();
        for &(_, counter, count) in &self.summary().counts {
            *totals.entry(counter).or_insert(Count::ZERO) += count;
        }
        totals
    }

    /// Per block that is executed: `line kind counts`.
    fn blocks(&self) -> String {
        let totals = self.totals();
        let mut text = String::new();
        for (_, block) in self.program.blocks.iter() {
            let counters = (0..block.counters()).map(|i| totals.get(&block.counter(i)).copied().unwrap_or(Count::ZERO));
            let kind = match &block.kind {
                BlockKind::Straight(_) => "straight",
                BlockKind::Call(_) => "call",
                BlockKind::Loop(_) => "loop",
                BlockKind::Branch(_) => "branch",
            };
            let counts: Vec<String> = counters.map(shown).collect();
            if counts.iter().any(|count| count != "0") {
                let _ = writeln!(text, "{} {kind} {}", block.span.line_start, counts.join(" "));
            }
        }
        text
    }

    /// The effects on named variables, by name.
    fn finals(&self) -> String {
        let mut text = String::new();
        for effect in &self.summary().effects {
            let named = |variable: &VarId| self.program.variables[*variable].name.clone();
            let _ = match effect {
                Effect::SetVariable(variable, Value::Unknown(reason)) => {
                    writeln!(text, "{} unknown: {:?}", named(variable), self.reasons.get(*reason).kind)
                }
                Effect::Add(variable, number) => writeln!(text, "{} += {number}", named(variable)),
                Effect::SetVariable(variable, value) => writeln!(text, "{} = {value:?}", named(variable)),
                Effect::SetMemory(pointer, _, Value::Unknown(_)) => {
                    writeln!(text, "{}+{} unknown", named(&VarId(pointer.object.0)), { pointer.offset })
                }
                Effect::SetMemory(pointer, _, value) => {
                    writeln!(text, "{}+{} = {value:?}", named(&VarId(pointer.object.0)), { pointer.offset })
                }
                Effect::Forget(object, _) => writeln!(text, "{} forgotten", named(&VarId(object.0))),
                Effect::ForgetAll(origin, _) => writeln!(text, "{origin:?} forgotten"),
            };
        }
        text
    }

    fn line_of(&self, counter: CounterId) -> u32 {
        self.program.blocks[self.program.block_of(counter)].span.line_start
    }
}

fn shown(count: Count) -> String {
    match count.value {
        CountValue::Exact(n) => n.to_string(),
        CountValue::Expected(x) => format!("~{x}"),
        CountValue::Unknown => "?".into(),
    }
}

/// Counts of straight blocks that begin alone on their line, against gcov.
fn check_with_gcov(text: &str) -> Summarised {
    let summarised = summarise(text);
    assert_eq!(summarised.summary().uncertain, vec![], "all counts are exact");
    let measured = gcov(text);
    let totals = summarised.totals();
    let mut per_line: BTreeMap<u32, Vec<BlockId>> = BTreeMap::new();
    for (id, block) in summarised.program.blocks.iter() {
        if matches!(block.kind, BlockKind::Straight(_)) {
            per_line.entry(block.span.line_start).or_default().push(id);
        }
    }
    let mut compared = 0;
    for (line, blocks) in per_line {
        let [only] = blocks[..] else { continue };
        let block = &summarised.program.blocks[only];
        let Some(&times) = measured.get(&line).filter(|_| !returns(&summarised.program, only)) else { continue };
        let counted = totals.get(&block.counter(0)).copied().unwrap_or(Count::ZERO);
        assert_eq!(counted, Count::exact(times), "line {line} of\n{text}");
        compared += 1;
    }
    assert!(compared > 0, "nothing to compare in\n{text}");
    summarised
}

/// Executions per line.
fn gcov(text: &str) -> BTreeMap<u32, u128> {
    let folder = tempfile::tempdir().expect("a folder for the run");
    let run = |command: &str, arguments: &[&str]| {
        let output = std::process::Command::new(command).args(arguments).current_dir(folder.path()).output();
        String::from_utf8_lossy(&output.expect("gcc and gcov are installed").stdout).into_owned()
    };
    std::fs::write(folder.path().join("a.c"), text).expect("the folder is writable");
    run("gcc", &["-O0", "--coverage", "-w", "-o", "a", "a.c", "-lm"]);
    run("./a", &[]);
    let listing = run("gcov", &["-t", "a-a.c"]) + &run("gcov", &["-t", "a.c"]);
    listing.lines().filter_map(executions).collect()
}

/// `    count:  line:text` of gcov.
fn executions(listing: &str) -> Option<(u32, u128)> {
    let mut fields = listing.splitn(3, ':');
    let times = fields.next()?.trim().trim_end_matches('*');
    let line = fields.next()?.trim().parse().ok()?;
    let times = if times == "#####" { 0 } else { times.parse().ok()? };
    Some((line, times))
}
