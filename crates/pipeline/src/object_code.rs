//! Asking compilers what they make of a program, for the cost model `compiled`.

use super::content_hash::ContentHash;
use super::kept_objects::KeptObjects;
use super::options::ProgramOptions;
use super::sources;
use chronos_base::children;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::hash::FxHashMap;
use chronos_compiled::compile::CompiledObject;
use chronos_compiled::core::{Core, MeasuredCore, embedded_names};
use chronos_compiled::instruction::InstructionSet;
use chronos_compiled::link::{self, LinkedAddresses};
use chronos_compiled::{Compilation, CompiledUnit, codes, compile, object_code};
use chronos_cost::source::ObjectCode;
use chronos_cost::{ModelName, Source};
use chronos_frontend::{flags, headers};
use chronos_ir::InstructionClass;
use chronos_machine::choice::Processor;
use chronos_machine::{Architecture, Machine};
use chronos_predict::object_code::{MachineCode, ObjectCodes};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

type Compiled = Result<CompiledFile, Diagnostic>;

/// What the compiler made of a file.
#[derive(Clone, Debug)]
struct CompiledFile {
    object: Arc<Vec<u8>>,
    unit: Arc<CompiledUnit>,
    diagnostics: Vec<Diagnostic>,
}

/// What was compiled in this run, by the names that objects are kept by, and the versions of compilers.
#[derive(Debug, Default)]
pub struct ObjectCache {
    units: Mutex<FxHashMap<String, Compiled>>,
    versions: Mutex<FxHashMap<String, String>>,
    kept: Option<KeptObjects>,
}

/// When programs are priced from object code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerUse {
    /// Never.
    No,
    /// Where the compiler that a machine file is of is at hand.
    AtHand,
    /// Always; what keeps one from it is told.
    Asked,
}

impl CompilerUse {
    /// By the cost model that is named; `asks`: compilers are asked where none is.
    #[must_use]
    pub fn of(model: Option<ModelName>, asks: bool) -> Self {
        match model {
            Some(ModelName::Compiled) => Self::Asked,
            None if asks => Self::AtHand,
            _ => Self::No,
        }
    }

    /// Compiles a program for each of these machines, where there is a compiler to ask.
    pub fn object_codes<'a>(
        self,
        options: &ProgramOptions,
        machines: impl IntoIterator<Item = &'a Machine>,
        cache: &ObjectCache,
    ) -> ObjectCodes {
        let mut codes = ObjectCodes::default();
        for machine in machines {
            if let Some(code) = self.object_code(options, machine, cache) {
                codes.insert(machine, Arc::new(code));
            }
        }
        codes
    }

    /// What keeps one from compiling is a diagnostic of the code: a warning where object code is asked for.
    fn object_code(self, options: &ProgramOptions, machine: &Machine, cache: &ObjectCache) -> Option<MachineCode> {
        let command = self.command(options, machine, cache)?;
        let code = match command.and_then(|command| machine_code(options, machine, command, cache)) {
            // What is left out of the objects is told in the coverage.
            Ok(code) if self == Self::AtHand => MachineCode { diagnostics: Vec::new(), ..code },
            Ok(code) => code,
            Err(fault) if self == Self::AtHand => MachineCode { code: None, diagnostics: vec![as_note(fault)] },
            Err(fault) => MachineCode { code: None, diagnostics: vec![as_fallback(fault)] },
        };
        Some(code)
    }

    /// The compiler with its flags; `None` where nobody asks one.
    fn command(
        self,
        options: &ProgramOptions,
        machine: &Machine,
        cache: &ObjectCache,
    ) -> Option<Result<Vec<String>, Diagnostic>> {
        match self {
            Self::No => None,
            Self::AtHand => command_at_hand(options, machine, cache).map(Ok),
            Self::Asked => Some(command(options, machine)),
        }
    }

    /// The versions of the compilers that are asked: other ones make other code.
    pub(super) fn versions<'a>(
        self,
        options: &ProgramOptions,
        machines: impl IntoIterator<Item = &'a Machine>,
        cache: &ObjectCache,
    ) -> Vec<String> {
        let asked = |machine| self.command(options, machine, cache)?.ok();
        machines.into_iter().filter_map(asked).filter_map(|words| Some(cache.version(words.first()?))).collect()
    }
}

/// A compiler that may always be run.
const USUAL_COMPILER: &str = "cc";

/// The compiler that a machine's figures are of, with its flags and those of the program; `None` where there is none here,
/// or nothing to be learned of it: where nobody asks for object code, it must be what the machine file is of, and its core
/// compared with a processor.
fn command_at_hand(options: &ProgramOptions, machine: &Machine, cache: &ObjectCache) -> Option<Vec<String>> {
    let is_as_written = options.settings.is_empty() && options.symbolic.is_empty();
    let is_measured = core_of(machine).is_some_and(|(core, _)| core.measured);
    // Without optimisation the model of the source counts the instructions that the compiler makes of each operation.
    if !is_as_written || !is_measured || !Source::suits(machine) || machine.compiler.is_unoptimised() {
        return None;
    }
    let own: Vec<String> = match &options.cc {
        Some(given) => flags::split(given)?,
        None => vec![machine.compiler.command.clone()],
    };
    let (program, own) = own.split_first()?;
    let flags = &machine.compiler.flags;
    // The machine file may come from anywhere; --cc is the user's.
    let foreign = if options.cc.is_some() { USUAL_COMPILER } else { program };
    let foreign: Vec<String> = std::iter::once(foreign.to_owned()).chain(flags.iter().cloned()).collect();
    let is_same = options.trust.refuses(&foreign).is_none() && machine.compiler.is_version(&cache.version(program));
    // Of several levels the last one holds: the program's own.
    is_same.then(|| std::iter::once(program).chain(flags).chain(own).cloned().collect())
}

fn machine_code(
    options: &ProgramOptions,
    machine: &Machine,
    command: Vec<String>,
    cache: &ObjectCache,
) -> Result<MachineCode, Diagnostic> {
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
        command,
        of_file: sources::flags_of_files(options),
        headers: vec![bundled.path().to_owned()],
        includes: options.includes.clone(),
        defines: options.defines.clone(),
    };
    let files = sources::files(options);
    let compiled: Vec<_> = files.iter().map(|file| cache.compiled(&compilation, file)).collect::<Result<_, _>>()?;
    compiled.iter().try_for_each(|file| core.executes(file.unit.set, &compilation.command))?;
    let addresses = match core.places_matter() {
        true => cache.linked(&compilation, &files, &compiled),
        false => LinkedAddresses::default(),
    };
    let placed = |file: &CompiledFile| {
        let mut unit = (*file.unit).clone();
        link::place(&mut unit, &addresses);
        unit
    };
    let units = compiled.iter().map(placed).collect();
    let mut diagnostics: Vec<_> = compiled.iter().flat_map(|file| file.diagnostics.clone()).collect();
    diagnostics.extend(guessed);
    diagnostics.extend((!core.measured).then(|| unmeasured(&core)));
    Ok(MachineCode { code: Some(ObjectCode::new(units, core)), diagnostics })
}

impl ObjectCache {
    /// Objects are kept in a folder between commands; `None`: they are not.
    #[must_use]
    pub fn new(kept: Option<PathBuf>) -> Self {
        Self { kept: kept.map(KeptObjects::new), ..Self::default() }
    }

    fn compiled(&self, compilation: &Compilation, file: &Path) -> Compiled {
        // What headers hold may change between two runs, not within one.
        let name = self.name(compilation, file);
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = units.get(&name) {
            return known.clone();
        }
        let made = self.object(&name, compilation, file).and_then(|object| {
            let (unit, diagnostics) = object_code::read(&object, &file.display().to_string())?;
            Ok(CompiledFile { object: Arc::new(object), unit: Arc::new(unit), diagnostics })
        });
        units.insert(name, made.clone());
        made
    }

    /// Where the linker puts the functions of a program. Builds have an order of their own, which nobody tells.
    fn linked(&self, compilation: &Compilation, files: &[PathBuf], compiled: &[CompiledFile]) -> LinkedAddresses {
        if !compilation.of_file.is_empty() {
            return LinkedAddresses::default();
        }
        let mut hash = ContentHash::new();
        hash.debug(&("linked", &compilation.command));
        compiled.iter().for_each(|file| hash.bytes(&file.object));
        let name = hash.name();
        let kept = self.kept.as_ref().and_then(|kept| serde_json::from_slice(&kept.read(&name)?).ok());
        kept.unwrap_or_else(|| {
            let objects: Vec<&[u8]> = compiled.iter().map(|file| file.object.as_slice()).collect();
            let found = link::addresses(compilation, &objects);
            let bytes = serde_json::to_vec(&found).unwrap_or_default();
            if let Some(kept) = self.kept.as_ref().filter(|_| !found.is_empty()) {
                kept.write(&name, &CompiledObject { bytes, files: files.to_vec() }, &[]);
            }
            found
        })
    }

    fn object(&self, name: &str, compilation: &Compilation, file: &Path) -> Result<Vec<u8>, Diagnostic> {
        if let Some(kept) = self.kept.as_ref().and_then(|kept| kept.read(name)) {
            return Ok(kept);
        }
        let object = compile::object_of(compilation, file)?;
        if let Some(kept) = &self.kept {
            kept.write(name, &object, &compilation.headers);
        }
        Ok(object.bytes)
    }

    /// A hash of all that decides what the compiler makes of a file, but what its headers hold.
    fn name(&self, compilation: &Compilation, file: &Path) -> String {
        let mut hash = ContentHash::new();
        // The headers of MPI and OpenMP are those of the build; `native` is the processor.
        hash.this_build();
        hash.debug(&Processor::here().name);
        hash.debug(&std::env::current_dir().ok());
        compilation.command.first().iter().for_each(|program| hash.add(&self.version(program)));
        let own = compilation.of_file.iter().filter(|(name, _)| *name == file.display().to_string());
        hash.debug(&(&compilation.command, own.collect::<Vec<_>>(), &compilation.includes, &compilation.defines));
        hash.file(file);
        hash.name()
    }

    /// The first line that a compiler prints of its version.
    fn version(&self, program: &str) -> String {
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        versions.entry(program.to_owned()).or_insert_with(|| children::first_line(program, "--version")).clone()
    }
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
    let set = match machine.architecture {
        Some(Architecture::Aarch64) => InstructionSet::Aarch64,
        _ => InstructionSet::X86,
    };
    let core = Core::like(&measured(machine)?, set)?;
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

/// The same where nobody asked for object code.
fn as_note(fault: Diagnostic) -> Diagnostic {
    let Diagnostic { code, message, help, .. } = as_fallback(fault);
    let note = Diagnostic::note(code, message);
    match help {
        Some(help) => note.help(help),
        None => note,
    }
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
