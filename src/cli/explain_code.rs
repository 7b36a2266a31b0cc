//! `chronos explain-code`.

use super::args::{self, CodeFormat, ExplainCodeArgs};
use super::compilers;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_compiled::core::Core;
use chronos_compiled::instruction::{Instruction, InstructionSet};
use chronos_compiled::listing::{FunctionListing, LoopPath, MachineLoop, listing};
use chronos_compiled::{Compilation, codes, compile, object_code};
use chronos_frontend::{flags::split, headers};
use chronos_machine::Machine;
use chronos_machine::choice::Processor;
use chronos_pipeline::core_of;
use chronos_report::code::model::{InstructionCode, LoopCode, LoopWay, WayBounds};
use chronos_report::code::{self, CodeReport};
use chronos_report::json;
use std::collections::BTreeMap;

pub fn run(options: &ExplainCodeArgs, terminal: &Terminal) -> Exit {
    match explained(options, terminal) {
        Ok(text) => terminal.print(&text),
        Err(error) => terminal.report(&[error], &SourceFiles::default()),
    }
}

fn explained(options: &ExplainCodeArgs, terminal: &Terminal) -> Result<String, Diagnostic> {
    let machine = options.machine.as_deref().map(Machine::load).transpose()?;
    let named = core(options, machine.as_ref())?;
    let command = command(options, machine.as_ref())?;
    let bundled = headers::write().map_err(|error| {
        let message = format!("the built-in headers cannot be written: {}", chronos_base::diag::system_cause(&error));
        Diagnostic::error(&codes::NOT_COMPILED, message).help("free some space, or set TMPDIR")
    })?;
    let compilation = Compilation {
        command: command.clone(),
        headers: vec![bundled.path().to_owned()],
        includes: options.preprocessor.includes.clone(),
        defines: options.preprocessor.defines.clone(),
        ..Compilation::default()
    };
    let object = compile::object_of(&compilation, &options.file)?;
    let (unit, warnings) = object_code::read(&object.bytes, &options.file.display().to_string())?;
    terminal.report(&warnings, &SourceFiles::default());
    let core = named.map_or_else(|| core_of_code(unit.set, terminal), Ok)?;
    core.executes(unit.set, &command)?;
    let function = unit.function(&options.function).ok_or_else(|| no_function(options, &unit))?;
    let report = report(&listing(&unit, function, &core), &core, command.join(" "));
    Ok(match options.format {
        CodeFormat::Text => {
            code::text(&report, &options.file, &std::fs::read_to_string(&options.file).unwrap_or_default())
        }
        CodeFormat::Json => json(&report),
    })
}

/// The core that is named, or that of the machine that is; `None` where neither is.
fn core(options: &ExplainCodeArgs, machine: Option<&Machine>) -> Result<Option<Core>, Diagnostic> {
    match (&options.core, machine) {
        (Some(name), _) => Core::load(name).map(Some),
        (None, Some(machine)) => {
            let found = core_of(machine).ok_or_else(|| no_core(&machine.processor))?;
            Ok(Some(found.0))
        }
        (None, None) => Ok(None),
    }
}

/// The core of this computer, or one that executes the code, which is said.
fn core_of_code(set: InstructionSet, terminal: &Terminal) -> Result<Core, Diagnostic> {
    let processor = Processor::here().name;
    let here = Core::of_processor(&processor);
    if let Some(core) = here.filter(|core| core.instruction_set == set || set == InstructionSet::X86) {
        return Ok(core);
    }
    let other = Core::of_instruction_set(set).filter(|_| set != InstructionSet::X86);
    let core = other.ok_or_else(|| no_core(&processor))?;
    let message = format!("the code is for {}: the core `{}` is taken", set.name(), core.name);
    let note = Diagnostic::note(&codes::NO_CORE, message).help("name another one with --core or --machine");
    terminal.report(&[note], &SourceFiles::default());
    Ok(core)
}

fn no_core(processor: &str) -> Diagnostic {
    let message = format!("no core description is of the processor `{processor}`");
    let names = chronos_compiled::core::embedded_names().collect::<Vec<_>>().join(", ");
    Diagnostic::error(&codes::NO_CORE, message).help(format!("name one with --core: {names}"))
}

fn command(options: &ExplainCodeArgs, machine: Option<&Machine>) -> Result<Vec<String>, Diagnostic> {
    if let Some(given) = &options.cc {
        return split(given).filter(|words| !words.is_empty()).ok_or_else(|| {
            let message = format!("--cc \"{given}\" is no command");
            Diagnostic::error(&codes::NO_COMPILER, message).help("quote it as for a shell: --cc \"gcc -O2\"")
        });
    }
    let Some(machine) = machine else { return Ok(vec!["cc".to_owned(), "-O2".to_owned()]) };
    let compiler = &machine.compiler;
    let words: Vec<String> = std::iter::once(&compiler.command).chain(&compiler.flags).cloned().collect();
    compilers::trusted(words, &machine.name, &args::trust(options.trust))
}

fn no_function(options: &ExplainCodeArgs, unit: &chronos_compiled::CompiledUnit) -> Diagnostic {
    let names: Vec<&str> = unit.functions.iter().map(|function| &*function.name).take(20).collect();
    let message = format!("the object code of `{}` has no function `{}`", options.file.display(), options.function);
    let help = match names.is_empty() {
        true => "it has no function at all".to_owned(),
        false => format!("it has {}; a static function may be inlined into all its callers", names.join(", ")),
    };
    Diagnostic::error(&codes::NO_FUNCTION, message).help(help)
}

/// Cycles of each instruction that is on the only way through its loop.
fn cycles_by_instruction(found: &FunctionListing<'_>) -> BTreeMap<usize, (f64, String)> {
    let mut cycles = BTreeMap::new();
    for l in &found.loops {
        let Ok([path]) = l.paths.as_deref() else { continue };
        let Ok(time) = &path.time else { continue };
        for (at, own) in path.instructions.iter().zip(&time.instructions) {
            cycles.insert(*at, (own.cycles, own.ports.join(" ")));
        }
    }
    cycles
}

fn report(found: &FunctionListing<'_>, core: &Core, compiler: String) -> CodeReport {
    CodeReport {
        schema: CodeReport::SCHEMA,
        function: found.function.name.to_string(),
        compiler,
        core: core.name.clone(),
        core_description: core.description.clone(),
        core_measured: core.measured,
        loops: found.loops.iter().map(loop_code).collect(),
        instructions: instructions(found),
    }
}

fn loop_code(l: &MachineLoop) -> LoopCode {
    LoopCode {
        line: l.place.as_ref().map(|place| place.line),
        depth: l.depth,
        inlined: l.inlined.clone(),
        lanes: l.facts.lanes.map(u32::from),
        estimated_elements_per_iteration: l.elements.as_ref().ok().copied(),
        elements_unknown: l.elements.as_ref().err().map(|reason| reason.0.clone()),
        ways: match &l.paths {
            Ok(paths) => paths.iter().map(way).collect(),
            Err(reason) => vec![LoopWay::unknown(&reason.0)],
        },
    }
}

fn way(path: &LoopPath) -> LoopWay {
    let time = match &path.time {
        Ok(time) => time,
        Err(reason) => return LoopWay::unknown(&reason.0),
    };
    let bounds = WayBounds {
        mean_cycles: time.mean_cycles,
        periodic: time.periodic,
        front_end_cycles: time.front_end,
        port_cycles: time.ports,
        latency_cycles: time.latency,
        bottleneck: time.bottleneck.to_string(),
    };
    LoopWay { cycles: Some(time.cycles), reason: None, bounds: Some(bounds) }
}

fn instructions(found: &FunctionListing<'_>) -> Vec<InstructionCode> {
    let cycles = cycles_by_instruction(found);
    let code = |(at, instruction): (usize, &Instruction)| InstructionCode {
        text: instruction.text.clone(),
        line: found.function.place(at).map(|place| place.line),
        file: found.function.place(at).map(|place| place.file.to_string()),
        cycles: cycles.get(&at).map(|own| own.0),
        ports: cycles.get(&at).map(|own| own.1.clone()),
    };
    found.function.instructions.iter().enumerate().map(code).collect()
}
