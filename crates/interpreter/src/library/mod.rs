//! Models of library functions: what they do to values and memory, and how many bytes they handle.

/// The models of a file by name, and for tests their names.
macro_rules! models {
    ($vis:vis fn $function:ident($argument:ident: &str) -> Option<Model> { $($($name:literal)|+ => $model:expr,)* }) => {
        #[cfg(test)]
        pub const NAMES: &[&str] = &[$($($name),+),*];

        $vis fn $function($argument: &str) -> Option<Model> {
            Some(match $argument {
                $($($name)|+ => $model,)*
                _ => return None,
            })
        }
    };
}

mod aliases;
mod bits;
mod blas;
mod ctype;
pub mod errno;
mod format;
mod getopt;
mod math;
mod openmp;
mod placeholders;
mod process;
pub(crate) mod random;
mod scan;
mod sorting;
mod stdio;
mod stdlib;
mod string;
mod time;

use crate::code::instructions::Home;
use crate::codes;
use crate::execute::machine::{Flow, Stop};
pub(crate) use crate::execute::machine::{LibraryCall as Call, Model};
use crate::state::memory::bytes_until_zero;
use crate::state::shared::Shared;
use crate::state::streams::ForeignLocale;
use crate::state::task::{Task, environment_string};
use crate::state::unwritten;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_ir::{DataModel, ScalarType};
use chronos_mpi_calls::AccessKind;
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::storage::Fill;
use chronos_values::{Pointer, ReasonId, ReasonKind, Value};
pub(crate) use math::function_of_numbers;
pub(crate) use random::{Drawn, most_numbers};
pub use stdio::note_changes;

/// The model of a function, by its name or one that glibc's headers make of it.
pub fn lookup(name: &str) -> Option<Model> {
    named(name).or_else(|| aliases::lookup(name))
}

fn named(name: &str) -> Option<Model> {
    string::lookup(name)
        .or_else(|| bits::lookup(name))
        .or_else(|| ctype::lookup(name))
        .or_else(|| process::lookup(name))
        .or_else(|| random::lookup(name))
        .or_else(|| stdlib::lookup(name))
        .or_else(|| math::lookup(name))
        .or_else(|| openmp::lookup(name))
        .or_else(|| stdio::lookup(name))
        .or_else(|| getopt::lookup(name))
        .or_else(|| time::lookup(name))
        .or_else(|| blas::lookup(name))
}

/// The begin value of a variable that a library defines.
pub fn external(shared: &mut Shared, task: &mut Task, name: &str) -> Value {
    match name {
        "optind" | "opterr" => Value::Int(1),
        "errno" => Value::Int(0),
        "optopt" => Value::Int(i64::from(b'?')),
        "optarg" | "environ" | "__environ" => Value::NULL,
        "stdin" => task.streams.standard(&mut task.memory, 0),
        "stdout" => task.streams.standard(&mut task.memory, 1),
        "stderr" => task.streams.standard(&mut task.memory, 2),
        _ => Value::Unknown(shared.reason(ReasonKind::UnknownFunction(name.into()), None, None)),
    }
}

impl Call<'_, '_> {
    pub fn arg(&self, index: usize) -> Value {
        self.args.get(index).copied().unwrap_or(self.machine.shared.uninitialised)
    }

    /// Sizes of C types.
    pub fn model(&self) -> DataModel {
        self.machine.code.program.model
    }

    /// The reason of the first unknown argument, or one of this call.
    pub fn unknown(&mut self) -> Value {
        let known = self.args.iter().copied().find(|value| value.is_unknown());
        known.unwrap_or_else(|| self.undefined("a library function"))
    }

    pub fn undefined(&mut self, what: &str) -> Value {
        self.machine.unknown(ReasonKind::Undefined(what.into()))
    }

    pub fn random(&mut self, what: &str) -> Value {
        let span = Some(self.call.span);
        Value::Unknown(self.machine.shared.reason(ReasonKind::Nondeterministic(what.into()), span, None))
    }

    /// Says that what the call gives is used although a run may have it otherwise.
    pub fn approximate(&mut self, text: String, help: &str) {
        let doubt = Doubt {
            span: self.call.span,
            certainty: Certainty::Approximate,
            text: text.into(),
            help: (!help.is_empty()).then(|| help.into()),
        };
        self.machine.shared.doubts.add(doubt, Subject::Call(self.call.block));
    }

    /// Says that what the call gives depends on the locale, where that is not "C".
    pub(crate) fn depends_on_locale(&mut self) {
        match self.machine.task.streams.foreign_locale {
            Some(ForeignLocale::Environment) => {
                self.approximate("the locale of the environment is taken to be \"C\"".to_owned(), "");
            }
            Some(ForeignLocale::Named(_)) => {
                self.approximate("the locale that the program sets is taken to be like \"C\"".to_owned(), "");
            }
            None => {}
        }
    }

    /// The call may reach functions of the program, nobody knows which, when or how often.
    pub(crate) fn may_call_any(&mut self, when: &str) {
        let program = self.machine.code.program.clone();
        let taken = program.functions.iter().filter(|(_, function)| function.effects.address_taken);
        taken.for_each(|(function, _)| self.machine.may_call(function, self.call, when));
    }

    pub fn reason(&mut self) -> ReasonId {
        match self.unknown() {
            Value::Unknown(reason) => reason,
            _ => ReasonId(0),
        }
    }

    pub fn integer(&self, index: usize) -> Option<i64> {
        self.arg(index).as_int()
    }

    pub fn float(&self, index: usize) -> Option<f64> {
        match self.arg(index) {
            Value::Float(x) => Some(x),
            Value::Int(n) => Some(n as f64),
            _ => None,
        }
    }

    /// A pointer argument; a null pointer is an error, `None` where it is unknown.
    pub fn pointer(&self, index: usize) -> Flow<Option<Pointer>> {
        match self.arg(index) {
            Value::Pointer(pointer) => Ok(Some(pointer)),
            Value::Int(_) => Err(self.null(index)),
            _ => Ok(None),
        }
    }

    pub fn volume(&mut self, bytes: u64) {
        self.machine.volume(self.call, bytes);
    }

    /// The string that an argument points to, `None` where it is unknown.
    pub fn text(&mut self, index: usize) -> Flow<Option<Vec<u8>>> {
        match self.pointer(index)? {
            Some(pointer) => self.text_at(pointer),
            None => Ok(None),
        }
    }

    pub fn text_at(&mut self, pointer: Pointer) -> Flow<Option<Vec<u8>>> {
        if self.machine.task.process.program_name == Some(pointer.object) {
            let text = "the name by which the program is started (`argv[0]`) is taken to be `./` and that of its file";
            self.approximate(text.to_owned(), "start the program by this name");
        }
        match bytes_until_zero(&self.machine.task.memory, pointer) {
            Some(Ok(bytes)) => {
                self.machine.tell_access(pointer, bytes.len() as u64 + 1, AccessKind::Read);
                Ok(Some(bytes))
            }
            Some(Err(_)) => Ok(None),
            None => {
                self.machine.read_behind(pointer)?;
                Ok(self.machine.zeros_behind(pointer))
            }
        }
    }

    /// Why the bytes at a pointer are unknown.
    pub(crate) fn reason_at(&mut self, index: usize) -> Value {
        let Value::Pointer(pointer) = self.arg(index) else { return self.unknown() };
        match bytes_until_zero(&self.machine.task.memory, pointer) {
            Some(Err(Some(reason))) => Value::Unknown(reason),
            None => self.machine.unknown(unwritten::outside()),
            _ => self.unknown(),
        }
    }

    /// Writes bytes, as many as there is room for.
    pub(crate) fn put_bytes(&mut self, to: Pointer, bytes: &[u8]) -> Flow<()> {
        let inside = self.machine.writable(to, bytes.len() as u64)?;
        self.machine.tell_access(to, inside, AccessKind::Write);
        for (i, &byte) in bytes.iter().take(inside as usize).enumerate() {
            let at = Pointer { object: to.object, offset: to.offset + i as i64 };
            self.machine.task.store(at, ScalarType::I8, Value::Int(i64::from(byte as i8)));
        }
        Ok(())
    }

    /// Writes a string and its zero.
    pub(crate) fn put_text(&mut self, to: Pointer, text: &[u8]) -> Flow<()> {
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.put_bytes(to, &bytes)
    }

    pub fn forget(&mut self, index: usize) {
        if let Value::Pointer(pointer) = self.arg(index) {
            let reason = self.reason();
            self.machine.task.forget(pointer.object, reason);
        }
    }

    /// What an argument points to has become unknown, whatever it was.
    pub(crate) fn forget_value(&mut self, index: usize, unknown: Value) {
        if let Value::Pointer(pointer) = self.arg(index) {
            self.forget_as(pointer, unknown);
        }
    }

    pub(crate) fn forget_as(&mut self, pointer: Pointer, unknown: Value) {
        if let Value::Unknown(reason) = unknown {
            self.machine.task.forget(pointer.object, reason);
        }
    }

    /// Fills the rest of an object from a pointer on with an unknown value.
    pub fn blur(&mut self, pointer: Pointer, unknown: Value) {
        let size = self.machine.task.memory.object(pointer.object).size;
        if pointer.offset >= 0 && (pointer.offset as u64) < size {
            self.machine.fill(pointer, size - pointer.offset as u64, Fill::Value(unknown));
        }
    }

    pub(crate) fn new_text(&mut self, text: &[u8]) -> Value {
        let size = text.len() as u64 + 1;
        let value = self.machine.allocation(size, self.call, Fill::Zero);
        if let Value::Pointer(pointer) = value {
            for (i, &byte) in text.iter().enumerate() {
                let at = Pointer { object: pointer.object, offset: i as i64 };
                self.machine.task.memory.write(at, ScalarType::I8, Value::Int(i64::from(byte as i8)));
            }
        }
        value
    }

    pub(crate) fn environment_text(&mut self, text: &str) -> Value {
        environment_string(self.machine.task, text)
    }

    /// Ends the task; a status other than success is told.
    pub fn exit(&mut self, value: Value) -> Stop {
        if let Value::Int(status) = value
            && status != 0
        {
            let message = format!("the program ends itself with exit status {status}");
            let usage = self.machine.usage_text();
            let help = format!(
                "if it should not, check the program's arguments, its input and the number of tasks (-n){usage}"
            );
            let diagnostic =
                Diagnostic::warning(&codes::EXIT_STATUS, message).label(self.call.span, "ends here").help(help);
            self.machine.shared.reports.add(self.machine.task.id, diagnostic);
        }
        Stop::Exit(value)
    }

    /// A variable that the library defines, if the program declares it.
    pub(crate) fn set_external(&mut self, name: &str, value: Value) {
        let program = &self.machine.code.program;
        let found = program.variables.iter().find(|(_, v)| v.undefined && &*v.name == name).map(|(id, _)| id);
        if let Some(id) = found {
            self.machine.set_variable(id, value);
        }
    }

    pub(crate) fn get_external(&mut self, name: &str) -> Option<Value> {
        let program = &self.machine.code.program;
        let (id, variable) = program.variables.iter().find(|(_, v)| v.undefined && &*v.name == name)?;
        match self.machine.code.homes[id.index()] {
            Home::Global(register) => Some(self.machine.task.globals[register as usize]),
            Home::Object(object) => {
                let ty = program.types.scalar(variable.ty)?;
                self.machine.task.memory.read(Pointer { object, offset: 0 }, ty)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_functions as functions;
    use std::collections::BTreeSet;

    fn modelled() -> impl Iterator<Item = &'static str> {
        let files = [
            aliases::NAMES,
            bits::NAMES,
            blas::NAMES,
            ctype::NAMES,
            getopt::NAMES,
            math::NAMES,
            math::NAMES_OF_NUMBERS,
            openmp::NAMES,
            process::NAMES,
            random::NAMES,
            stdio::NAMES,
            stdlib::NAMES,
            string::NAMES,
            time::NAMES,
        ];
        files.into_iter().flatten().copied()
    }

    #[test]
    fn every_model_has_a_row() {
        let without: Vec<&str> =
            modelled().filter(|name| functions::lookup(name).is_none_or(|row| !row.modelled)).collect();
        assert!(without.is_empty(), "models without a row in src/functions: {without:?}");
    }

    #[test]
    fn every_row_that_says_so_has_a_model() {
        let library = || functions::all().filter(|row| row.header != "mpi.h");
        let wrong: Vec<&str> =
            library().filter(|row| lookup(row.name).is_some() != row.modelled).map(|row| row.name).collect();
        assert!(wrong.is_empty(), "rows of which `modelled` is wrong: {wrong:?}");
        assert!(library().count() > 400, "{}", library().count());
    }

    #[test]
    fn models_have_different_names() {
        let mut seen = BTreeSet::new();
        let twice: Vec<&str> = modelled().filter(|&name| !seen.insert(name)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
