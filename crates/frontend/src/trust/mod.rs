//! What of a compilation database may be run.
//!
//! A database comes with a project, so whoever wrote the project says which program is run as its compiler and with which
//! flags, and compilers have flags that load plugins or run other programs. Only programs of the user's own search path that
//! are known to be C compilers are run, and only with flags that name macros, folders of headers, dialects and targets. What a
//! user types (`--cc`) is the user's own word and does not come here.

mod compilers;
mod flags;

use crate::codes;
use crate::flags::Command;
use chronos_base::diag::Code;
use flags::Verdict;
use std::path::PathBuf;

/// Whose word the commands of a compilation database are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Their author's: known compilers in these folders (those of `PATH`) are run with known flags.
    Checked(Vec<PathBuf>),
    /// The user's, who vouches for them (`--trust`).
    Full,
}

impl Trust {
    /// Checked, with the folders of a search path. Relative ones mean the project itself where a command is run in it.
    pub fn checked(folders: impl Iterator<Item = PathBuf>) -> Self {
        Self::Checked(folders.filter(|folder| folder.is_absolute()).collect())
    }
}

impl Trust {
    /// What is wrong with a command that compiles, of a file that somebody else may have written. Its flags are handed on as
    /// they are, or it is not run.
    pub fn refuses(&self, command: &[String]) -> Option<String> {
        let (name, flags) = command.split_first()?;
        let Self::Checked(folders) = self else { return None };
        if let Err(refusal) = program(name, folders)
            && refusal.code == &codes::UNTRUSTED
        {
            return Some(refusal.what);
        }
        let mut words = flags.iter();
        while let Some(word) = words.next() {
            let verdict = flags::verdict(word, &mut words);
            if let Some(why) = flags::compiles(word, &verdict) {
                return Some(format!("the flag `{word}`, which {why}"));
            }
        }
        None
    }
}

impl Default for Trust {
    fn default() -> Self {
        Self::Checked(Vec::new())
    }
}

/// The command that may be run, and the flags that are left out because nobody knows what they do.
pub(super) type Allowed = (Command, Vec<String>);

/// Why a command is not run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub code: &'static Code,
    /// The program or the flag, and what is wrong with it.
    pub what: String,
    pub help: &'static str,
}

/// What may be run of a command; `runs`: its program too, where the user names no other (`--cc`).
///
/// # Errors
/// Its program is no known compiler or cannot be found, or a flag may run or hide something.
pub(super) fn checked(command: &Command, runs: bool, trust: &Trust) -> Result<Allowed, Refusal> {
    let Trust::Checked(folders) = trust else { return Ok((command.clone(), Vec::new())) };
    let program = if runs { program(&command.program, folders)? } else { command.program.clone() };
    let mut allowed = Command { program, flags: Vec::new(), model: command.model };
    let mut unknown = Vec::new();
    let mut words = command.flags.iter();
    while let Some(word) = words.next() {
        match flags::verdict(word, &mut words) {
            Verdict::Kept(flags) => allowed.flags.extend(flags),
            Verdict::LeftOut => {}
            Verdict::Unknown => unknown.push(word.clone()),
            Verdict::Refused(why) => return Err(refused(format!("the flag `{word}`, which {why}"), TRUST)),
        }
    }
    Ok((allowed, unknown))
}

fn program(program: &str, folders: &[PathBuf]) -> Result<String, Refusal> {
    if !compilers::is_known(program) {
        return Err(refused(format!("the program `{program}`, which is not known to be a C compiler"), NAME));
    }
    if compilers::has_folder(program) {
        let elsewhere = || refused(format!("the program `{program}`, which does not lie in a folder of PATH"), NAME);
        return compilers::in_folders(program, folders).ok_or_else(elsewhere);
    }
    let what = || format!("the C compiler `{program}`, which is not found");
    let missing = || Refusal {
        code: &codes::NO_COMPILER,
        what: what(),
        help: "install it, or name another one with --cc, such as --cc gcc",
    };
    compilers::found(program, folders).ok_or_else(missing)
}

const TRUST: &str =
    "look at the project, and add --trust if you would build it here; else take the flag out of the database";
const NAME: &str =
    "name a compiler that is to be run instead (--cc gcc), or add --trust if you would build the project here";

fn refused(what: String, help: &'static str) -> Refusal {
    Refusal { code: &codes::UNTRUSTED, what, help }
}

#[cfg(test)]
mod tests;
