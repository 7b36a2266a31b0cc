//! Compiling the instrumented copies.

use super::codes;
use super::instrument::Instrumented;
use chronos_base::children;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_frontend::flags::operand;
use chronos_ir::Program;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HEADER: &str = include_str!("../runtime/validation/timing.h");
const RUNTIME: &str = include_str!("../runtime/validation/timing.c");

/// How the program is compiled.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// The compiler with its flags, for all files.
    pub compiler: Vec<String>,
    /// Further flags of single files, by their names, from a compilation database.
    pub of_file: Vec<(String, Vec<String>)>,
    /// `-D` and `-I`.
    pub flags: Vec<String>,
    /// Behind the objects when linking, before `-lm`.
    pub link: Vec<String>,
    /// The program calls MPI.
    pub mpi: bool,
}

/// Compiles the copies in `folder` and links them with the timing runtime.
///
/// # Errors
/// The compiler cannot be started or refuses a file; the folder cannot be written.
pub fn build(
    compilation: &Compilation,
    program: &Program,
    copies: &Instrumented,
    functions: usize,
    folder: &Path,
) -> Result<PathBuf, Diagnostic> {
    write(&folder.join("timing.h"), HEADER)?;
    write(&folder.join("timing.c"), RUNTIME)?;
    let mut objects = vec![compile_runtime(compilation, functions, folder)?];
    for (number, (file, text)) in copies.texts.iter().enumerate() {
        let name = &program.files.get(*file).name;
        objects.push(compile(compilation, name, text, number, folder)?);
    }
    let mut link = command(compilation)?;
    let executable = folder.join("program");
    link.args(&objects).args(&compilation.link).arg("-lm").arg("-o").arg(&executable);
    run(compilation, &mut link, "linking the program")?;
    Ok(executable)
}

fn compile_runtime(compilation: &Compilation, functions: usize, folder: &Path) -> Result<PathBuf, Diagnostic> {
    let object = folder.join("timing.o");
    let mut compiler = command(compilation)?;
    compiler.arg(format!("-DCHRONOS_TIMING_FUNCTIONS={functions}")).args(["-std=gnu99", "-w", "-c"]);
    if compilation.mpi {
        compiler.arg("-DCHRONOS_TIMING_MPI");
    }
    compiler.arg(folder.join("timing.c")).arg("-o").arg(&object);
    run(compilation, &mut compiler, "the timing runtime")?;
    Ok(object)
}

fn compile(
    compilation: &Compilation,
    name: &str,
    text: &str,
    number: usize,
    folder: &Path,
) -> Result<PathBuf, Diagnostic> {
    // A folder of its own: two files may have the same name.
    let own = folder.join(number.to_string());
    std::fs::create_dir(&own).map_err(|error| no_workplace(&error))?;
    let source = Path::new(name);
    let copy = own.join(source.file_name().unwrap_or(source.as_os_str()));
    write(&copy, text)?;
    let object = own.join("object.o");
    let beside = source.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let of_file = compilation.of_file.iter().find(|(known, _)| known == name).map_or(&[][..], |(_, flags)| flags);
    let mut compiler = command(compilation)?;
    compiler.args(of_file).args(&compilation.flags).arg("-iquote").arg(operand(beside));
    compiler.arg("-include").arg(folder.join("timing.h")).args(["-w", "-c"]).arg(&copy).arg("-o").arg(&object);
    run(compilation, &mut compiler, name)?;
    Ok(object)
}

fn command(compilation: &Compilation) -> Result<Command, Diagnostic> {
    let Some((program, flags)) = compilation.compiler.split_first() else {
        let error = Diagnostic::error(&codes::NO_COMPILER, "no compiler is named");
        return Err(error.help("give a command with flags, such as --cc \"gcc -O2\""));
    };
    let mut command = Command::new(program);
    command.args(flags);
    Ok(command)
}

fn run(compilation: &Compilation, command: &mut Command, what: &str) -> Result<(), Diagnostic> {
    let output = children::output(command).map_err(|error| no_compiler(compilation, command, &error))?;
    if output.status.success() { Ok(()) } else { Err(refused(compilation, what, &output)) }
}

fn no_compiler(compilation: &Compilation, command: &Command, error: &std::io::Error) -> Diagnostic {
    let name = command.get_program().to_string_lossy();
    if compilation.mpi {
        let message = format!("cannot start the MPI compiler `{name}`: {}", system_cause(error));
        return Diagnostic::error(&codes::NO_MPI, message)
            .help("install an MPI library, or name its compiler command with --mpicc");
    }
    let message = format!("cannot start the compiler `{name}`: {}", system_cause(error));
    Diagnostic::error(&codes::NO_COMPILER, message).help("install it, or name another one, such as --cc \"gcc -O2\"")
}

fn refused(compilation: &Compilation, what: &str, output: &Output) -> Diagnostic {
    let text = String::from_utf8_lossy(&output.stderr);
    // The linker's last line says only that there was an error.
    let telling = |line: &&str| {
        ["undefined reference", "cannot find"].iter().any(|words| line.contains(words))
            || (line.contains("error") && !line.contains("ld returned"))
    };
    let complaint = text.lines().find(telling).or(text.lines().next()).unwrap_or("no message").trim();
    let command = compilation.compiler.join(" ");
    let help = "the program must compile by itself: -D, -I and --cc as for its build, libraries with --link";
    Diagnostic::error(&codes::BUILD_FAILED, format!("`{command}` fails at {what}: {complaint}")).help(help)
}

fn write(path: &Path, text: &str) -> Result<(), Diagnostic> {
    std::fs::write(path, text).map_err(|error| no_workplace(&error))
}

pub fn no_workplace(error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot write to the folder for temporary files: {}", system_cause(error));
    Diagnostic::error(&codes::NO_WORKPLACE, message).help("free some space there, or set TMPDIR")
}
