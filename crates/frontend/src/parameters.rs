//! Names given to `--symbolic` that stand for no parameter of the program.

use crate::{FreeName, codes};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_base::spelling::nearest;
use chronos_ir::{Program, ScalarType, Storage, Variable};

/// What is wrong with the free names that the lowering found nothing for.
pub(super) fn without_parameter(program: &Program, free: &[FreeName]) -> Vec<Diagnostic> {
    let found = |name: &str| program.parameters.values().any(|parameter| &*parameter.name == name);
    free.iter().filter(|free| !found(&free.name)).map(|free| missing(program, free)).collect()
}

fn missing(program: &Program, free: &FreeName) -> Diagnostic {
    match argument_index(&free.name) {
        _ if free.is_macro => without_use(free),
        Some(_) => no_arguments(&free.name),
        None => unknown(program, &free.name),
    }
}

/// The K of `argvK`; 0 is the program's own name.
pub(super) fn argument_index(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("argv")?;
    let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

/// Whether a parameter can have the type.
pub(super) fn is_integer(ty: ScalarType) -> bool {
    ty.is_integer() && !matches!(ty, ScalarType::Bool | ScalarType::Pointer)
}

fn without_use(free: &FreeName) -> Diagnostic {
    let message = format!("nothing that is executed uses the macro `{}`, so nothing depends on it", free.name);
    let note = Diagnostic::warning(&codes::DEFAULT_USED, message);
    let note = match free.directives.is_empty() {
        true => note.help(format!("leave out --symbolic {}", free.name)),
        false => note.help(format!("it only chooses code in #if: give it values with --set {}=...", free.name)),
    };
    free.directives.iter().fold(note, |note, &span| note.label(span, "its own value counts here"))
}

fn no_arguments(name: &str) -> Diagnostic {
    Diagnostic::error(&codes::UNKNOWN_SYMBOLIC, format!("`{name}` is free, but `main` takes no arguments"))
        .help("name a macro or a constant of the source; `int main(int argc, char **argv)` would take arguments")
}

fn unknown(program: &Program, name: &str) -> Diagnostic {
    let message = format!("no macro or constant of the program is named `{name}`");
    let error = Diagnostic::error(&codes::UNKNOWN_SYMBOLIC, message);
    if let Some(local) = local_variable(program, name) {
        return error.label(local, "this is a local variable").help(format!(
            "initialise it with a macro, a global constant or a program argument (`#define SIZE ...`, `{name} = SIZE`), \
             and name that: --symbolic SIZE"
        ));
    }
    match nearest(name, program.settable.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `--symbolic {near}`?")),
        None => error.help(format!(
            "--symbolic leaves a macro or an integer constant free that the source defines, or a program argument: \
             argv1, argv2, ...{}",
            listed_names("; the source defines ", &program.settable)
        )),
    }
}

/// Where a function declares a variable of this name that it gives values itself.
pub(super) fn local_variable(program: &Program, name: &str) -> Option<Span> {
    let local = |variable: &&Variable| &*variable.name == name && variable.storage == Storage::Local;
    program.variables.values().find(local).map(|variable| variable.span)
}

/// Names that are told at most.
const SHOWN_NAMES: usize = 8;

/// `A, B, C` behind an introduction, or nothing.
pub(super) fn listed_names(introduction: &str, known: &[String]) -> String {
    let mut names: Vec<&str> = known.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let more = if names.len() > SHOWN_NAMES { ", ..." } else { "" };
    names.truncate(SHOWN_NAMES);
    if names.is_empty() { String::new() } else { format!("{introduction}{}{more}", names.join(", ")) }
}

/// The error for a `--set` that neither a macro nor a constant of the source answers to.
/// `known` are names that could have been meant.
pub(crate) fn unused_setting(name: &str, known: &[String]) -> Diagnostic {
    let help = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `--set {near}=...`? To define a macro that the source does not, use -D"),
        None => format!(
            "--set overrides a macro or constant that the source itself defines{}; to define another macro, use -D",
            listed_names(", here ", known)
        ),
    };
    Diagnostic::error(&codes::UNUSED_SETTING, format!("no macro or constant of the program is named `{name}`"))
        .help(help)
}

/// The same, where the name may be that of a local variable.
pub(super) fn unused_in(program: &Program, name: &str) -> Diagnostic {
    match local_variable(program, name) {
        Some(span) => {
            Diagnostic::error(&codes::UNUSED_SETTING, format!("no macro or constant of the program is named `{name}`"))
                .label(span, "this is a local variable")
                .help(format!(
                    "initialise it with a macro (`#define SIZE ...`, `{name} = SIZE`), and set that: --set SIZE=..."
                ))
        }
        None => unused_setting(name, &program.settable),
    }
}

#[cfg(test)]
mod tests {
    use super::argument_index;

    #[test]
    fn arguments_are_numbered_from_one() {
        let read = ["argv1", "argv12", "argv0", "argv", "argv01", "argvx", "arg1"].map(argument_index);
        assert_eq!(read, [Some(1), Some(12), None, None, None, None, None]);
    }
}
