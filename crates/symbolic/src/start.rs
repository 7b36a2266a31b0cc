//! The state before `main`: static storage as initialised, arguments, all else unknown.

use chronos_abstract_execution::Environment;
use chronos_abstract_execution::whole_programs::Initial;
use chronos_base::ids::Id;
use chronos_interpreter::EvaluatorOptions;
use chronos_ir::{Const, ParameterKind, Program, ScalarType, Storage, StrId, ValueId, VarId};
use chronos_values::Origin;
use chronos_values::{ObjectId, Pointer, Reason, ReasonKind, Reasons, Value};
use std::collections::{BTreeMap, HashMap};

/// What the environment of `main` consists of. Objects are numbered: variables, the list of arguments,
/// the list of the environment, texts of the arguments, string literals.
pub struct Start<'a> {
    program: &'a Program,
    /// `argv`, the program's name first.
    texts: Vec<String>,
    /// So many of them the user gave.
    given: usize,
    constants: HashMap<(VarId, u64), &'a Const>,
    uninitialised: Value,
    external: Value,
}

impl<'a> Start<'a> {
    pub fn new(program: &'a Program, options: &EvaluatorOptions, reasons: &mut Reasons) -> Self {
        let mut unknown = |kind| Value::Unknown(reasons.intern(Reason { kind, span: None, origin: None }));
        let initial = |(id, variable): (VarId, &'a chronos_ir::Variable)| {
            variable.init.iter().flatten().map(move |(offset, constant)| ((id, *offset), constant))
        };
        Self {
            program,
            texts: texts(program, options),
            given: options.arguments.len() + 1,
            constants: program.variables.iter().flat_map(initial).collect(),
            uninitialised: unknown(ReasonKind::Uninitialised),
            external: unknown(ReasonKind::NotEvaluated),
        }
    }

    /// The texts of `argv` with the parameter each is, or what it says.
    pub fn arguments(&self) -> (BTreeMap<ObjectId, u32>, BTreeMap<ObjectId, String>) {
        let free = |index: usize| {
            let is =
                |kind: &ParameterKind| matches!(kind, ParameterKind::Argument { index: own } if *own as usize == index);
            self.program.parameters.iter().find(|(_, p)| is(&p.kind)).map(|(id, _)| id.0)
        };
        let mut numbers = BTreeMap::new();
        let mut texts = BTreeMap::new();
        for (index, text) in self.texts.iter().enumerate() {
            match free(index) {
                Some(parameter) => drop(numbers.insert(self.text(index), parameter)),
                None if index >= self.given => {}
                None => drop(texts.insert(self.text(index), text.clone())),
            }
        }
        (numbers, texts)
    }

    /// Scalars in static storage that depend on parameters.
    pub fn initials(&self) -> Vec<Initial> {
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
    ) -> Initial {
        Initial { variable, object: self.object(variable), offset, ty, constant, terms }
    }

    fn list(&self, index: usize) -> ObjectId {
        ObjectId::new(self.program.variables.len() + index)
    }

    fn text(&self, index: usize) -> ObjectId {
        self.list(2 + index)
    }

    fn string(&self, string: StrId) -> ObjectId {
        self.text(self.texts.len() + string.index())
    }

    fn item(&self, object: ObjectId) -> Item {
        let Some(rest) = object.index().checked_sub(self.program.variables.len()) else {
            return Item::Variable(VarId::new(object.index()));
        };
        match rest {
            0 => Item::Arguments,
            1 => Item::Surroundings,
            n if n - 2 < self.texts.len() => Item::Text(n - 2),
            n => Item::String(StrId::new(n - 2 - self.texts.len())),
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

    fn of_variable(&self, id: VarId, offset: u64, ty: ScalarType) -> Value {
        let variable = &self.program.variables[id];
        match (variable.storage, &variable.init) {
            (Storage::Global | Storage::Static, _) if variable.undefined => self.external,
            (Storage::Global | Storage::Static, Some(_)) => match self.constants.get(&(id, offset)) {
                Some(constant) if self.fits(constant, ty) => self.constant(constant, ty),
                Some(_) => self.external,
                None => self.rest(id, offset, ty),
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
    fn rest(&self, id: VarId, offset: u64, ty: ScalarType) -> Value {
        let (before, size) = (offset.saturating_sub(15), ty.size(self.program.model));
        let near = (before..offset + size)
            .any(|at| self.constants.get(&(id, at)).is_some_and(|c| self.reaches(c, at, offset)));
        match ty.is_float() {
            _ if near => self.external,
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
            0 => Value::Int(self.texts.len() as i64),
            1 => at(self.list(0)),
            2 => at(self.list(1)),
            _ => self.uninitialised,
        }
    }

    fn listed(&self, offset: i64) -> Value {
        let word = ScalarType::Pointer.size(self.program.model) as i64;
        let index = usize::try_from(offset / word).unwrap_or(usize::MAX);
        match index {
            _ if offset % word != 0 || index > self.texts.len() => self.uninitialised,
            _ if index == self.texts.len() => Value::Int(0),
            _ => Value::Pointer(Pointer { object: self.text(index), offset: 0 }),
        }
    }

    fn letter(&self, bytes: &[u8], offset: i64, ty: ScalarType) -> Value {
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
enum Item {
    Variable(VarId),
    Arguments,
    Surroundings,
    Text(usize),
    String(StrId),
}

impl Environment for Start<'_> {
    fn variable(&self, variable: VarId) -> Value {
        let ty = self.program.types.scalar(self.program.variables[variable].ty).unwrap_or(ScalarType::I8);
        self.of_variable(variable, 0, ty)
    }

    fn object(&self, variable: VarId) -> ObjectId {
        ObjectId::new(variable.index())
    }

    fn value(&self, _: ValueId) -> Value {
        self.uninitialised
    }

    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value {
        match self.item(pointer.object) {
            Item::Variable(variable) => match u64::try_from(pointer.offset) {
                Ok(offset) => self.of_variable(variable, offset, ty),
                Err(_) => self.uninitialised,
            },
            Item::Arguments if ty == ScalarType::Pointer => self.listed(pointer.offset),
            Item::Surroundings if ty == ScalarType::Pointer && pointer.offset == 0 => Value::Int(0),
            Item::Arguments | Item::Surroundings => self.uninitialised,
            Item::Text(index) if index >= self.given || self.arguments().0.contains_key(&pointer.object) => {
                self.external
            }
            Item::Text(index) => self.letter(self.texts[index].as_bytes(), pointer.offset, ty),
            Item::String(string) => self.letter(&self.program.strings[string], pointer.offset, ty),
        }
    }

    fn origin(&self, object: ObjectId) -> Origin {
        match self.item(object) {
            Item::Variable(variable) => Origin::Variable(variable),
            Item::String(string) => Origin::String(string),
            Item::Arguments | Item::Surroundings | Item::Text(_) => Origin::Environment,
        }
    }

    fn size(&self, object: ObjectId) -> u64 {
        match self.item(object) {
            Item::Variable(variable) => {
                self.program.types.size(self.program.variables[variable].ty, self.program.model)
            }
            Item::Arguments => (self.texts.len() as u64 + 1) * ScalarType::Pointer.size(self.program.model),
            Item::Surroundings => ScalarType::Pointer.size(self.program.model),
            Item::Text(index) => self.texts[index].len() as u64 + 1,
            Item::String(string) => self.program.strings[string].len() as u64,
        }
    }
}

/// The program's name and its arguments; those that are free have no text.
fn texts(program: &Program, options: &EvaluatorOptions) -> Vec<String> {
    let mut texts = vec!["./program".to_owned()];
    texts.extend(options.arguments.iter().cloned());
    let highest = program.parameters.iter().filter_map(|(_, parameter)| match parameter.kind {
        ParameterKind::Argument { index } => Some(index as usize + 1),
        ParameterKind::Macro { .. } | ParameterKind::Variable { .. } => None,
    });
    texts.resize(texts.len().max(highest.max().unwrap_or(0)), String::new());
    texts
}
