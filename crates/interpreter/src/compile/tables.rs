//! Constants, homes of variables and names of library functions that the functions of a program share.

use crate::code::instructions::{Home, Src};
use crate::code::program::StaticObject;
use crate::compile::type_punning;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{Const, Program, Storage, Type, VarId};
use chronos_values::{ObjectId, Pointer, Value};
use std::sync::Arc;

/// What functions share.
pub(crate) struct Tables {
    pub(super) constants: Vec<Value>,
    pub(crate) homes: Vec<Home>,
    pub(super) globals: Vec<VarId>,
    pub(super) statics: Vec<StaticObject>,
    string_base: u32,
    pub(super) library: Vec<Arc<str>>,
    library_ids: FxHashMap<Arc<str>, u32>,
}

impl Tables {
    pub(super) fn new(program: &Program) -> Self {
        let mut tables = Self {
            constants: Vec::new(),
            homes: Vec::new(),
            globals: Vec::new(),
            statics: Vec::new(),
            string_base: 0,
            library: Vec::new(),
            library_ids: FxHashMap::default(),
        };
        let punned = type_punning::variables(program);
        for (id, variable) in program.variables.iter() {
            let home = tables.home(program, id, variable, punned.contains(&id));
            tables.homes.push(home);
        }
        tables.string_base = tables.statics.len() as u32;
        tables.statics.extend(program.strings.ids().map(StaticObject::String));
        tables
    }

    /// Registers of locals are numbered when their function is compiled.
    fn home(&mut self, program: &Program, id: VarId, variable: &chronos_ir::Variable, punned: bool) -> Home {
        let scalar = program.types.scalar(variable.ty).is_some() && !variable.address_taken && !punned;
        match (variable.storage, scalar) {
            (Storage::Global | Storage::Static, true) => {
                self.globals.push(id);
                Home::Global(self.globals.len() as u32 - 1)
            }
            (Storage::Global | Storage::Static, false) => {
                self.statics.push(StaticObject::Variable(id));
                Home::Object(ObjectId(self.statics.len() as u32 - 1))
            }
            (Storage::Parameter(_) | Storage::Local, true) => Home::Register(0),
            (Storage::Parameter(_) | Storage::Local, false) => Home::FrameObject(0),
        }
    }

    pub(crate) fn constant(&mut self, value: Value) -> Src {
        self.constants.push(value);
        Src::Const(self.constants.len() as u32 - 1)
    }

    pub(crate) fn known(&self, constant: u32) -> Value {
        self.constants[constant as usize]
    }

    pub(crate) fn library_name(&self, id: u32) -> &str {
        &self.library[id as usize]
    }

    pub(super) fn library(&mut self, name: &Arc<str>) -> u32 {
        if let Some(&id) = self.library_ids.get(name) {
            return id;
        }
        let id = self.library.len() as u32;
        self.library.push(name.clone());
        self.library_ids.insert(name.clone(), id);
        id
    }
}

impl Tables {
    /// A constant that is the same for all tasks and frames.
    pub(crate) fn value(&mut self, constant: &Const) -> Option<Value> {
        let library = match constant {
            Const::Library(name) => Some(self.library(name)),
            _ => None,
        };
        value(constant, &self.homes, Some(self.string_base), library)
    }
}

/// The value of a constant that is the same for all tasks and frames. `string_base`: the object of the first string;
/// `library`: the number of the library function that the constant names.
pub(crate) fn value(constant: &Const, homes: &[Home], string_base: Option<u32>, library: Option<u32>) -> Option<Value> {
    let pointer = |object, offset| Value::Pointer(Pointer { object, offset });
    Some(match constant {
        Const::Int(n, ty) if ty.is_float() => Value::Float(*n as f64),
        Const::Int(n, _) => Value::Int(*n),
        Const::Float(x, ty) => Value::Float(chronos_values::arith::round(*x, *ty)),
        Const::Wide(bits, _) => Value::Wide(chronos_ir::wide::Wide::new(*bits)?),
        Const::Str(id, offset) => pointer(ObjectId(string_base? + id.0), *offset),
        Const::Address(id, offset) => match homes[id.index()] {
            Home::Object(object) => pointer(object, *offset),
            _ => return None,
        },
        Const::Function(function) => Value::Function(*function),
        Const::Library(_) => Value::Library(library?),
    })
}

/// Whether a variable's type is an array of unknown length: its storage comes by `Allocate`.
pub(crate) fn is_variable_length(program: &Program, id: VarId) -> bool {
    matches!(program.types.get(program.variables[id].ty), Type::Array { .. })
        && program.types.size(program.variables[id].ty, program.model) == 0
}
