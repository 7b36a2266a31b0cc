//! Asking compilers what they make of a program, for the cost model `compiled`.

use super::options::ProgramOptions;
use super::sources;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::hash::FxHashMap;
use chronos_compiled::core::{Core, MeasuredCore, embedded_names};
use chronos_compiled::{Compilation, CompiledUnit, codes, compile, object_code};
use chronos_cost::source::ObjectCode;
use chronos_frontend::{flags, headers};
use chronos_ir::InstructionClass;
use chronos_machine::Machine;
use chronos_predict::object_code::{MachineCode, ObjectCodes};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

type Compiled = Result<(Arc<CompiledUnit>, Vec<Diagnostic>), Diagnostic>;

/// What was compiled in this run, by command, file and text of the file.
#[derive(Debug, Default)]
pub struct ObjectCache {
    units: Mutex<FxHashMap<(String, String, String), Compiled>>,
}

/// Compiles a program for each of these machines. What keeps one from it is a diagnostic of its code.
pub fn object_codes<'a>(
    options: &ProgramOptions,
    machines: impl IntoIterator<Item = &'a Machine>,
    cache: &ObjectCache,
) -> ObjectCodes {
    let mut codes = ObjectCodes::default();
    for machine in machines {
        let code = machine_code(options, machine, cache)
            .unwrap_or_else(|fault| MachineCode { code: None, diagnostics: vec![as_fallback(fault)] });
        codes.insert(machine, Arc::new(code));
    }
    codes
}

fn machine_code(options: &ProgramOptions, machine: &Machine, cache: &ObjectCache) -> Result<MachineCode, Diagnostic> {
    if !options.settings.is_empty() || !options.symbolic.is_empty() {
        let message = "with --set or --symbolic the program is another one than its compiler would see";
        let help = "use -D where the source allows it, or edit a copy of the source";
        return Err(Diagnostic::error(&codes::OTHER_PROGRAM, message).help(help));
    }
    let (core, guessed) = core_of(machine).ok_or_else(|| no_core(machine))?;
    let bundled = headers::write().map_err(|error| {
        let message = format!("the built-in headers cannot be written: {}", system_cause(&error));
        Diagnostic::error(&codes::NOT_COMPILED, message).help("free some space, or set TMPDIR")
    })?;
    let compilation = Compilation {
        command: command(options, machine)?,
        of_file: sources::flags_of_files(options),
        headers: vec![bundled.path().to_owned()],
        includes: options.includes.clone(),
        defines: options.defines.clone(),
    };
    let (mut units, mut diagnostics) = (Vec::new(), Vec::new());
    for file in sources::files(options) {
        let (unit, found) = cache.compiled(&compilation, &file)?;
        units.push((*unit).clone());
        diagnostics.extend(found);
    }
    diagnostics.extend(guessed);
    diagnostics.extend((!core.measured).then(|| unmeasured(&core)));
    Ok(MachineCode { code: Some(ObjectCode::new(units, core)), diagnostics })
}

impl ObjectCache {
    fn compiled(&self, compilation: &Compilation, file: &Path) -> Compiled {
        // What headers hold may change between two runs, not within one.
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let own = compilation.of_file.iter().filter(|(name, _)| *name == file.display().to_string());
        let command = format!("{:?} {:?}", compilation.command, own.collect::<Vec<_>>());
        let command = format!("{command} {:?} {:?}", compilation.includes, compilation.defines);
        let key = (command, file.display().to_string(), text);
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        units.entry(key).or_insert_with(|| compiled(compilation, file)).clone()
    }
}

fn compiled(compilation: &Compilation, file: &Path) -> Compiled {
    let object = compile::object_of(compilation, file)?;
    let (unit, diagnostics) = object_code::read(&object, &file.display().to_string())?;
    Ok((Arc::new(unit), diagnostics))
}

/// The command of `--cc`, else that of the machine file, which may come from anywhere and does not decide what runs here.
fn command(options: &ProgramOptions, machine: &Machine) -> Result<Vec<String>, Diagnostic> {
    if let Some(given) = &options.cc {
        return flags::split(given).filter(|words| !words.is_empty()).ok_or_else(|| {
            let message = format!("--cc \"{given}\" is no command");
            Diagnostic::error(&codes::NO_COMPILER, message).help("quote it as for a shell: --cc \"gcc -O2\"")
        });
    }
    let compiler = &machine.compiler;
    let words: Vec<String> = std::iter::once(&compiler.command).chain(&compiler.flags).cloned().collect();
    match options.trust.refuses(&words) {
        None => Ok(words),
        Some(what) => {
            let message = format!("the machine `{}` is of {what}, which is not run here", machine.name);
            let help = "name the compiler yourself (--cc \"gcc -O2\"), or add --trust if you trust the file's author";
            Err(Diagnostic::error(&chronos_frontend::codes::UNTRUSTED, message).help(help))
        }
    }
}

/// The core of a machine: by the processor's name, else the one with the figures that were measured, which is said.
pub fn core_of(machine: &Machine) -> Option<(Core, Option<Diagnostic>)> {
    if let Some(core) = Core::of_processor(&machine.processor) {
        return Some((core, None));
    }
    let core = Core::like(&measured(machine)?)?;
    let message = format!("no core description is of the processor `{}`: `{}` is taken", machine.processor, core.name);
    let help = "its width, window and latencies are those in the machine file; virtual machines may show another model";
    Some((core, Some(Diagnostic::note(&codes::NO_CORE, message).help(help))))
}

/// Figures of the machine file that tell cores apart.
fn measured(machine: &Machine) -> Option<MeasuredCore> {
    let pipeline = machine.pipeline.as_ref()?;
    let latency = |class: InstructionClass| Some(machine.classes.get(&class)?.latency_cycles.0);
    let latencies = [
        ("fp_add", InstructionClass::FpAdd),
        ("fp_mul", InstructionClass::FpMul),
        ("fp_div", InstructionClass::FpDiv),
        ("int_mul", InstructionClass::IntMul),
    ];
    let latencies = latencies.into_iter().map(|(family, class)| Some((family, latency(class)?)));
    Some(MeasuredCore {
        width: pipeline.width,
        window: f64::from(pipeline.window),
        load_cycles: latency(InstructionClass::Load)?,
        latencies: latencies.collect::<Option<_>>()?,
    })
}

fn no_core(machine: &Machine) -> Diagnostic {
    let message = format!("no core description is of the processor `{}`", machine.processor);
    let names = embedded_names().collect::<Vec<_>>().join(", ");
    Diagnostic::error(&codes::NO_CORE, message).help(format!("there are descriptions of {names}"))
}

fn unmeasured(core: &Core) -> Diagnostic {
    let message = format!("the figures of the core `{}` were not compared with a processor", core.name);
    Diagnostic::note(&codes::NO_CORE, message)
        .help("compare with --cost-model source, or with a measurement (chronos validate)")
}

/// The prediction goes on without object code.
fn as_fallback(fault: Diagnostic) -> Diagnostic {
    let message = format!("times come from the source, not from object code: {}", fault.message);
    let warning = Diagnostic::warning(fault.code, message);
    match fault.help {
        Some(help) => warning.help(help),
        None => warning,
    }
}
