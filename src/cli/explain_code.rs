//! `chronos explain-code`.

use super::args::{CodeFormat, ExplainCodeArgs};
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_compiled::core::{Core, LoopTime};
use chronos_compiled::listing::{FunctionListing, MachineLoop, listing};
use chronos_compiled::{Compilation, codes, compile, object_code};
use chronos_frontend::{Trust, flags::split, headers};
use chronos_machine::Machine;
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub fn run(options: &ExplainCodeArgs, terminal: &Terminal) -> Exit {
    match explained(options, terminal) {
        Ok(text) => terminal.print(&text),
        Err(error) => terminal.report(&[error], &SourceFiles::default()),
    }
}

fn explained(options: &ExplainCodeArgs, terminal: &Terminal) -> Result<String, Diagnostic> {
    let machine = options.machine.as_deref().map(Machine::load).transpose()?;
    let core = core(options, machine.as_ref())?;
    let command = command(options, machine.as_ref())?;
    let bundled = headers::write().map_err(|error| {
        let message = format!("the built-in headers cannot be written: {}", chronos_base::diag::system_cause(&error));
        Diagnostic::error(&codes::NOT_COMPILED, message).help("free some space, or set TMPDIR")
    })?;
    let compilation = Compilation {
        command: command.clone(),
        headers: vec![bundled.path().to_owned()],
        includes: options.includes.clone(),
        defines: options.defines.clone(),
        ..Compilation::default()
    };
    let object = compile::object_of(&compilation, &options.file)?;
    let (unit, warnings) = object_code::read(&object, &options.file.display().to_string())?;
    terminal.report(&warnings, &SourceFiles::default());
    let function = unit.function(&options.function).ok_or_else(|| no_function(options, &unit))?;
    let found = listing(&unit, function, &core);
    Ok(match options.format {
        CodeFormat::Text => text(&found, &core, &command.join(" "), &options.file),
        CodeFormat::Json => {
            let json = json(&found, &core, &command.join(" "));
            serde_json::to_string_pretty(&json).map(|text| text + "\n").unwrap_or_default()
        }
    })
}

fn core(options: &ExplainCodeArgs, machine: Option<&Machine>) -> Result<Core, Diagnostic> {
    if let Some(name) = &options.core {
        return Core::load(name);
    }
    let found = machine.and_then(|machine| Core::of_processor(&machine.processor));
    found.ok_or_else(|| {
        let message = match machine {
            Some(machine) => format!("no core description is of the processor `{}`", machine.processor),
            None => "neither --core nor --machine says which processor to simulate".to_owned(),
        };
        let names = chronos_compiled::core::embedded_names().collect::<Vec<_>>().join(", ");
        Diagnostic::error(&codes::NO_CORE, message).help(format!("name one with --core: {names}"))
    })
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
    // A machine file may come from anywhere: it does not decide what is run here.
    let path = std::env::var_os("PATH");
    let trust = if options.trust { Trust::Full } else { Trust::checked(path.iter().flat_map(std::env::split_paths)) };
    match trust.refuses(&words) {
        None => Ok(words),
        Some(what) => {
            let message = format!("the machine `{}` is of {what}", machine.name);
            let help =
                "name the compiler yourself (--cc \"gcc -O2\"), or add --trust if you trust whoever made the file";
            Err(Diagnostic::error(&chronos_frontend::codes::UNTRUSTED, message).help(help))
        }
    }
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

/// Times of a loop's ways, or why there are none.
fn times(l: &MachineLoop) -> Vec<Result<&LoopTime, &str>> {
    match &l.paths {
        Ok(paths) => paths.iter().map(|path| path.time.as_ref().map_err(|reason| reason.0.as_str())).collect(),
        Err(reason) => vec![Err(reason.0.as_str())],
    }
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

fn text(found: &FunctionListing<'_>, core: &Core, command: &str, file: &std::path::Path) -> String {
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let lines: Vec<&str> = source.lines().collect();
    let doubt = if core.measured { "" } else { ", whose figures were not compared with a processor" };
    let (function, name, described) = (&found.function.name, &core.name, &core.description);
    let mut out = format!("{function} by {command}, on the core {name} ({described}{doubt})\n");
    out.push_str("cycles with data in the first-level cache and branches predicted\n\n");
    for l in &found.loops {
        loop_text(&mut out, l);
    }
    let cycles = cycles_by_instruction(found);
    let mut before = None;
    out.push_str("  cycles  instruction                                        ports\n");
    for (at, instruction) in found.function.instructions.iter().enumerate() {
        let place = found.function.place(at);
        let line = place.map(|place| place.line);
        if line != before {
            let own = place
                .filter(|place| file.file_name().is_some_and(|name| place.file.ends_with(&*name.to_string_lossy())));
            let quoted = own.and_then(|place| lines.get(place.line as usize - 1)).map_or("", |text| text.trim());
            let _ = writeln!(out, "{}: {quoted}", line.map_or_else(|| "?".to_owned(), |line| line.to_string()));
            before = line;
        }
        match cycles.get(&at) {
            Some((own, ports)) => {
                let _ = writeln!(out, "  {own:6.2}  {:50} {ports}", instruction.text);
            }
            None => {
                let _ = writeln!(out, "          {}", instruction.text);
            }
        }
    }
    out
}

fn loop_text(out: &mut String, l: &MachineLoop) {
    let line = l.place.as_ref().map_or_else(|| "unknown".to_owned(), |place| place.line.to_string());
    let _ = write!(out, "{}loop of line {line}", "  ".repeat(l.depth as usize - 1));
    match &l.elements {
        Ok(elements) => drop(write!(out, ", {elements} elements per iteration by an estimate from its accesses")),
        Err(reason) => drop(write!(out, ", elements per iteration unknown: {}", reason.0)),
    }
    if let Some(lanes) = l.facts.lanes.filter(|lanes| *lanes > 1) {
        let _ = write!(out, ", {lanes} lanes");
    }
    out.push('\n');
    let indent = "  ".repeat(l.depth as usize);
    for time in times(l) {
        let _ = match time {
            Ok(time) => writeln!(
                out,
                "{indent}{:.2} cycles per iteration{}, limited by {} (front end {:.2}, ports {:.2}, latency chain {:.2})",
                time.cycles,
                if time.periodic { "" } else { " on average" },
                time.bottleneck,
                time.front_end,
                time.ports,
                time.latency
            ),
            Err(reason) => writeln!(out, "{indent}cycles unknown: {reason}"),
        };
    }
}

fn json(found: &FunctionListing<'_>, core: &Core, command: &str) -> serde_json::Value {
    let cycles = cycles_by_instruction(found);
    let instructions = found.function.instructions.iter().enumerate().map(|(at, instruction)| {
        let own = cycles.get(&at);
        serde_json::json!({
            "text": instruction.text,
            "line": found.function.place(at).map(|place| place.line),
            "file": found.function.place(at).map(|place| &*place.file),
            "cycles": own.map(|own| own.0),
            "ports": own.map(|own| own.1.as_str()),
        })
    });
    let loops = found.loops.iter().map(|l| {
        let ways = times(l).into_iter().map(|time| match time {
            Ok(time) => serde_json::json!({
                "cycles": time.cycles,
                "periodic": time.periodic,
                "front_end_cycles": time.front_end,
                "port_cycles": time.ports,
                "latency_cycles": time.latency,
                "bottleneck": time.bottleneck.to_string(),
            }),
            Err(reason) => serde_json::json!({ "cycles": null, "reason": reason }),
        });
        serde_json::json!({
            "line": l.place.as_ref().map(|place| place.line),
            "depth": l.depth,
            "inlined": l.inlined,
            "lanes": l.facts.lanes,
            "estimated_elements_per_iteration": l.elements.as_ref().ok(),
            "elements_unknown": l.elements.as_ref().err().map(|reason| &reason.0),
            "ways": ways.collect::<Vec<_>>(),
        })
    });
    serde_json::json!({
        "schema": "chronos-code/1",
        "function": &*found.function.name,
        "compiler": command,
        "core": core.name,
        "core_measured": core.measured,
        "loops": loops.collect::<Vec<_>>(),
        "instructions": instructions.collect::<Vec<_>>(),
    })
}
