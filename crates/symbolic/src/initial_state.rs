//! The state before `main`: static storage as initialised, arguments, all else unknown.

use chronos_abstract_execution::Environment;
use chronos_abstract_execution::whole_programs::InitialScalar;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_interpreter::EvaluatorOptions;
use chronos_ir::{Const, ParameterKind, Program, ScalarType, Storage, StrId, ValueId, VarId};
use chronos_values::{ObjectId, Origin, Pointer, Reason, ReasonKind, Reasons, Value};
use std::collections::BTreeMap;

/// What the environment of `main` consists of. Objects are numbered: variables, the list of arguments,
/// the list of the environment, texts of the arguments, string literals.
pub struct InitialState<'a> {
    program: &'a Program,
    /// `argv`, the program's name first.
    argument_strings: Vec<String>,
    /// So many of them the user gave.
    given_arguments: usize,
    constants: FxHashMap<(VarId, u64), &'a Const>,
    uninitialised: Value,
    external: Value,
}

/// The strings of `argv` that are known, and those that parameters stand for.
#[derive(Default)]
pub struct Arguments {
    /// Strings whose value as a number is a parameter.
    pub numeric: BTreeMap<ObjectId, u32>,
    /// Strings that the user gave.
    pub known: BTreeMap<ObjectId, String>,
}

impl<'a> InitialState<'a> {
    pub fn new(program: &'a Program, options: &EvaluatorOptions, reasons: &mut Reasons) -> Self {
        let mut unknown = |kind| Value::Unknown(reasons.intern(Reason { kind, span: None, origin: None }));
        let initial = |(id, variable): (VarId, &'a chronos_ir::Variable)| {
            variable.init.iter().flatten().map(move |(offset, constant)| ((id, *offset), constant))
        };
        Self {
            program,
            argument_strings: argument_strings(program, options),
            given_arguments: options.arguments.len() + 1,
            constants: program.variables.iter().flat_map(initial).collect(),
            uninitialised: unknown(ReasonKind::Uninitialised),
            external: unknown(ReasonKind::NotEvaluated),
        }
    }

    /// The strings of `argv` by object: the parameter that each is, or what it says.
    pub fn arguments(&self) -> Arguments {
        let free = |index: usize| {
            let is =
                |kind: &ParameterKind| matches!(kind, ParameterKind::Argument { index: own } if *own as usize == index);
            self.program.parameters.iter().find(|(_, p)| is(&p.kind)).map(|(id, _)| id.0)
        };
        let mut arguments = Arguments::default();
        for (index, string) in self.argument_strings.iter().enumerate() {
            match free(index) {
                Some(parameter) => drop(arguments.numeric.insert(self.argument_object(index), parameter)),
                None if index >= self.given_arguments => {}
                None => drop(arguments.known.insert(self.argument_object(index), string.clone())),
            }
        }
        arguments
    }

    /// Scalars in static storage that depend on parameters.
    pub fn initials(&self) -> Vec<InitialScalar> {
        let own = self.program.parameters.iter().filter_map(|(id, parameter)| match parameter.kind {
            ParameterKind::Macro { variable, .. } | ParameterKind::Variable { variable, .. } => {
                let ty = self.program.types.scalar(self.program.variables[variable].ty)?;
                ty.is_integer().then(|| self.initial(variable, 0, ty, 0, vec![(id.0, 1)]))
            }
            ParameterKind::Argument { .. } => None,
        });
        let derived = self.program.symbolic_initials.iter().map(|initial| {
            let terms = initial.terms.iter().map(|&(id, factor)| (id.0, factor)).collect();
            self.initial(initial.variable, initial.offset, initial.ty, initial.constant, terms)
        });
        own.chain(derived).collect()
    }

    fn initial(
        &self,
        variable: VarId,
        offset: u64,
        ty: ScalarType,
        constant: i128,
        terms: Vec<(u32, i128)>,
    ) -> InitialScalar {
        InitialScalar { variable, object: self.object(variable), offset, ty, constant, terms }
    }

    fn list(&self, index: usize) -> ObjectId {
        ObjectId::new(self.program.variables.len() + index)
    }

    fn argument_object(&self, index: usize) -> ObjectId {
        self.list(2 + index)
    }

    fn string(&self, string: StrId) -> ObjectId {
        self.argument_object(self.argument_strings.len() + string.index())
    }

    fn item(&self, object: ObjectId) -> ObjectKind {
        let Some(rest) = object.index().checked_sub(self.program.variables.len()) else {
            return ObjectKind::Variable(VarId::new(object.index()));
        };
        match rest {
            0 => ObjectKind::Arguments,
            1 => ObjectKind::EnvironmentList,
            n if n - 2 < self.argument_strings.len() => ObjectKind::ArgumentString(n - 2),
            n => ObjectKind::String(StrId::new(n - 2 - self.argument_strings.len())),
        }
    }

    fn constant(&self, constant: &Const, ty: ScalarType) -> Value {
        let pointer = |object, offset| Value::Pointer(Pointer { object, offset });
        match constant {
            Const::Int(n, own) if own.is_float() == ty.is_float() => Value::Int(*n),
            Const::Int(n, own) if own.is_float() => Value::Float(*n as f64),
            Const::Float(x, own) if own.is_float() == ty.is_float() => {
                Value::Float(if *own == ScalarType::F32 { f64::from(*x as f32) } else { *x })
            }
            Const::Str(string, offset) => pointer(self.string(*string), *offset),
            Const::Address(variable, offset) => pointer(self.object(*variable), *offset),
            Const::Function(function) => Value::Function(*function),
            Const::Int(..) | Const::Float(..) | Const::Wide(..) | Const::Library(_) => self.external,
        }
    }

    fn variable_value(&self, id: VarId, offset: u64, ty: ScalarType) -> Value {
        let variable = &self.program.variables[id];
        match (variable.storage, &variable.init) {
            (Storage::Global | Storage::Static, _) if variable.undefined => self.external,
            (Storage::Global | Storage::Static, Some(_)) => match self.constants.get(&(id, offset)) {
                Some(constant) if self.fits(constant, ty) => self.constant(constant, ty),
                Some(_) => self.external,
                None => self.implicit_zero(id, offset, ty),
            },
            (Storage::Parameter(position), _) if self.program.main == variable.function => self.argument(position),
            _ => self.uninitialised,
        }
    }

    fn fits(&self, constant: &Const, ty: ScalarType) -> bool {
        let model = self.program.model;
        match constant {
            Const::Int(_, own) | Const::Float(_, own) | Const::Wide(_, own) => own.size(model) == ty.size(model),
            _ => ty.size(model) == ScalarType::Pointer.size(model),
        }
    }

    /// Storage without an initialiser of its own is zero, unless one reaches into it.
    fn implicit_zero(&self, id: VarId, offset: u64, ty: ScalarType) -> Value {
        let (before, size) = (offset.saturating_sub(15), ty.size(self.program.model));
        let overlaps = (before..offset + size)
            .any(|at| self.constants.get(&(id, at)).is_some_and(|c| self.reaches(c, at, offset)));
        match ty.is_float() {
            _ if overlaps => self.external,
            true => Value::Float(0.0),
            false => Value::Int(0),
        }
    }

    fn reaches(&self, constant: &Const, at: u64, offset: u64) -> bool {
        let size = match constant {
            Const::Int(_, ty) | Const::Float(_, ty) | Const::Wide(_, ty) => ty.size(self.program.model),
            _ => ScalarType::Pointer.size(self.program.model),
        };
        at >= offset || at + size > offset
    }

    /// `argc`, `argv`, `envp`.
    fn argument(&self, position: u32) -> Value {
        let at = |object| Value::Pointer(Pointer { object, offset: 0 });
        match position {
            0 => Value::Int(self.argument_strings.len() as i64),
            1 => at(self.list(0)),
            2 => at(self.list(1)),
            _ => self.uninitialised,
        }
    }

    fn argv_entry(&self, offset: i64) -> Value {
        let word = ScalarType::Pointer.size(self.program.model) as i64;
        let index = usize::try_from(offset / word).unwrap_or(usize::MAX);
        match index {
            _ if offset % word != 0 || index > self.argument_strings.len() => self.uninitialised,
            _ if index == self.argument_strings.len() => Value::Int(0),
            _ => Value::Pointer(Pointer { object: self.argument_object(index), offset: 0 }),
        }
    }

    fn byte_at(&self, bytes: &[u8], offset: i64, ty: ScalarType) -> Value {
        let byte = usize::try_from(offset)
            .ok()
            .and_then(|at| if at == bytes.len() { Some(0) } else { bytes.get(at).copied() });
        match (ty, byte) {
            (ScalarType::I8, Some(byte)) => Value::Int(i64::from(byte as i8)),
            (ScalarType::U8, Some(byte)) => Value::Int(i64::from(byte)),
            _ => self.uninitialised,
        }
    }
}

/// What an object's number stands for.
enum ObjectKind {
    Variable(VarId),
    Arguments,
    EnvironmentList,
    ArgumentString(usize),
    String(StrId),
}

impl Environment for InitialState<'_> {
    fn variable(&self, variable: VarId) -> Value {
        let ty = self.program.types.scalar(self.program.variables[variable].ty).unwrap_or(ScalarType::I8);
        self.variable_value(variable, 0, ty)
    }

    fn object(&self, variable: VarId) -> ObjectId {
        ObjectId::new(variable.index())
    }

    fn value(&self, _: ValueId) -> Value {
        self.uninitialised
    }

    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value {
        match self.item(pointer.object) {
            ObjectKind::Variable(variable) => match u64::try_from(pointer.offset) {
                Ok(offset) => self.variable_value(variable, offset, ty),
                Err(_) => self.uninitialised,
            },
            ObjectKind::Arguments if ty == ScalarType::Pointer => self.argv_entry(pointer.offset),
            ObjectKind::EnvironmentList if ty == ScalarType::Pointer && pointer.offset == 0 => Value::Int(0),
            ObjectKind::Arguments | ObjectKind::EnvironmentList => self.uninitialised,
            ObjectKind::ArgumentString(index)
                if index >= self.given_arguments || self.arguments().numeric.contains_key(&pointer.object) =>
            {
                self.external
            }
            ObjectKind::ArgumentString(index) => {
                self.byte_at(self.argument_strings[index].as_bytes(), pointer.offset, ty)
            }
            ObjectKind::String(string) => self.byte_at(&self.program.strings[string], pointer.offset, ty),
        }
    }

    fn origin(&self, object: ObjectId) -> Origin {
        match self.item(object) {
            ObjectKind::Variable(variable) => Origin::Variable(variable),
            ObjectKind::String(string) => Origin::String(string),
            ObjectKind::Arguments | ObjectKind::EnvironmentList | ObjectKind::ArgumentString(_) => Origin::Environment,
        }
    }

    fn size(&self, object: ObjectId) -> u64 {
        match self.item(object) {
            ObjectKind::Variable(variable) => {
                self.program.types.size(self.program.variables[variable].ty, self.program.model)
            }
            ObjectKind::Arguments => {
                (self.argument_strings.len() as u64 + 1) * ScalarType::Pointer.size(self.program.model)
            }
            ObjectKind::EnvironmentList => ScalarType::Pointer.size(self.program.model),
            ObjectKind::ArgumentString(index) => self.argument_strings[index].len() as u64 + 1,
            ObjectKind::String(string) => self.program.strings[string].len() as u64,
        }
    }
}

/// The program's name and its arguments; those that are free have no text.
fn argument_strings(program: &Program, options: &EvaluatorOptions) -> Vec<String> {
    let mut argument_strings = vec!["./program".to_owned()];
    argument_strings.extend(options.arguments.iter().cloned());
    let highest = program.parameters.iter().filter_map(|(_, parameter)| match parameter.kind {
        ParameterKind::Argument { index } => Some(index as usize + 1),
        ParameterKind::Macro { .. } | ParameterKind::Variable { .. } => None,
    });
    argument_strings.resize(argument_strings.len().max(highest.max().unwrap_or(0)), String::new());
    argument_strings
}
