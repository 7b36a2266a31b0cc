//! Operations: reads, writes and arithmetic on symbolic values.

use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Object, Symbolic, widen};
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_ir::wide::Wide;
use chronos_ir::{Base, Const, Op, OpKind, Operand, Place, ScalarType, Step, Stride, ValueId, VarId};
use chronos_slicing::ClassId;
use chronos_values::{Origin, Pointer, ReasonId, ReasonKind, Value};

impl Execution<'_> {
    pub fn operation(&mut self, op: &Op, path: &Path) {
        match &op.kind {
            OpKind::Write(place, operand) => {
                let value = self.operand(operand);
                self.write(place, value, op.span);
            }
            OpKind::Copy { to, from, bytes } => self.copy(to, from, *bytes),
            OpKind::Zero { to, bytes } => self.zero(to, *bytes, op.span),
            OpKind::Allocate { variable, .. } => {
                let location = self.aggregate(*variable);
                self.lose(Location::Within(location), op.span);
            }
            _ => {
                let Some(dst) = op.dst else { return };
                let value = self.compute(op, dst, path);
                self.frame().values.insert(dst, value);
            }
        }
    }

    fn zero(&mut self, to: &Place, bytes: u64, span: chronos_base::span::Span) {
        let location = self.location(to);
        self.lose(location.clone(), span);
        let whole = match to.base {
            Base::Variable(variable) => {
                self.program.types.size(self.program.variables[variable].ty, self.program.model)
            }
            Base::Pointer(_) => return,
        };
        if let Location::Cell(object, offset) = location
            && offset.as_constant() == Some(0)
            && bytes >= whole
        {
            self.state.zero_object(object);
        }
    }

    fn compute(&mut self, op: &Op, dst: ValueId, path: &Path) -> Symbolic {
        let ty = self.program.functions[self.function()].values[dst];
        let bounds = path.bounds();
        let result = match &op.kind {
            OpKind::Read(place) => {
                let value = self.read(place, ty);
                return self.placed(value, op.span);
            }
            OpKind::Address(place) => return self.address(place),
            OpKind::Move(operand) => return self.operand(operand),
            OpKind::Opaque(what) => return self.unknown(ReasonKind::Unsupported(what.clone()), op.span),
            OpKind::Unary(unary, operand) => {
                let value = self.operand(operand);
                (self.symbols.unary(*unary, ty, &value, bounds), vec![value])
            }
            OpKind::Binary(binary, operands, a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                (self.symbols.binary(*binary, *operands, &a, &b, bounds), vec![a, b])
            }
            OpKind::Convert(from, operand) => {
                let value = self.operand(operand);
                (self.symbols.convert(*from, ty, &value, bounds), vec![value])
            }
            OpKind::PointerDiff(a, b, stride) => {
                let (a, b) = (self.operand(a), self.operand(b));
                (difference(&a, &b, *stride), vec![a, b])
            }
            _ => (None, Vec::new()),
        };
        let (value, inputs) = result;
        value.unwrap_or_else(|| self.follow(&inputs, op.span))
    }

    /// An unknown value of a whole program, with a place at least: the one where it is read.
    fn placed(&mut self, value: Symbolic, span: chronos_base::span::Span) -> Symbolic {
        match value {
            Symbolic::Unknown(reason) if self.whole.is_some() && self.reasons.get(reason).span.is_none() => {
                let kind = match self.reasons.get(reason).kind.clone() {
                    ReasonKind::NotEvaluated => ReasonKind::Unsupported("memory at a place that is not known".into()),
                    kind => kind,
                };
                self.unknown(kind, span)
            }
            value => value,
        }
    }

    /// Unknown because an input is, or because it is not followed.
    fn follow(&mut self, inputs: &[Symbolic], span: chronos_base::span::Span) -> Symbolic {
        let origin = inputs.iter().find(|input| matches!(input, Symbolic::Unknown(_)));
        origin.cloned().unwrap_or_else(|| self.unknown(ReasonKind::NotEvaluated, span))
    }

    pub fn operand(&mut self, operand: &Operand) -> Symbolic {
        match operand {
            Operand::Const(constant) => self.constant(constant),
            Operand::Value(value) => {
                let known = self.frame().values.get(value).cloned();
                known.unwrap_or_else(|| self.outer_value(*value))
            }
        }
    }

    fn outer_value(&mut self, value: ValueId) -> Symbolic {
        if self.frames.len() > 1 {
            return Symbolic::Unknown(self.reason(ReasonKind::Uninitialised, None));
        }
        let ty = self.program.functions[self.function()].values[value];
        let known = self.outside.value(value);
        Self::lift(known, ty)
    }

    fn constant(&mut self, constant: &Const) -> Symbolic {
        match constant {
            Const::Int(n, ty) => Symbolic::int(widen(*n, *ty)),
            Const::Float(x, _) => Symbolic::Constant(Value::Float(*x)),
            Const::Wide(bits, _) => match Wide::new(*bits) {
                Some(wide) => Symbolic::Constant(Value::Wide(wide)),
                None => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
            },
            Const::Str(string, offset) => {
                Symbolic::Pointer(Object::String(*string), Affine::constant(i128::from(*offset)))
            }
            Const::Address(variable, offset) => {
                Symbolic::Pointer(self.aggregate(*variable), Affine::constant(i128::from(*offset)))
            }
            Const::Function(function) => Symbolic::Constant(Value::Function(*function)),
            Const::Library(_) => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
        }
    }

    /// A value of the environment.
    fn lift(value: Value, ty: ScalarType) -> Symbolic {
        match value {
            // Beyond the integers that summaries compute with.
            Value::Int(n) if ty == ScalarType::U128 && n < 0 => {
                Wide::new(i128::from(n) as u128).map_or(Symbolic::int(0), |wide| Symbolic::Constant(Value::Wide(wide)))
            }
            Value::Int(n) => Symbolic::int(widen(n, ty)),
            Value::Pointer(Pointer { object, offset }) => {
                Symbolic::Pointer(Object::Outer(object), Affine::constant(i128::from(offset)))
            }
            Value::Unknown(reason) => Symbolic::Unknown(reason),
            Value::Float(_)
            | Value::Wide(_)
            | Value::Quotient(_)
            | Value::Distance(_)
            | Value::Function(_)
            | Value::Library(_)
            | Value::Clock { .. } => Symbolic::Constant(value),
        }
    }

    /// The object of a variable that is reached by its address.
    pub fn aggregate(&mut self, variable: VarId) -> Object {
        if self.is_outer(variable) { Object::Outer(self.outside.object(variable)) } else { Object::Local(variable) }
    }

    pub fn class_of(&self, object: Object) -> ClassId {
        let origin = match object {
            Object::Outer(id) => self.outside.origin(id),
            Object::Local(variable) => Origin::Variable(variable),
            Object::Argument(parameter) => return self.class_of_argument(parameter),
            Object::Fresh(block, _) => Origin::Allocation(block),
            Object::String(string) => Origin::String(string),
        };
        self.analysis.class(origin)
    }

    pub fn location(&mut self, place: &Place) -> Location {
        let (object, start) = match &place.base {
            Base::Variable(variable) => {
                let named = &self.program.variables[*variable];
                if place.steps.is_empty() && !named.address_taken && self.program.types.scalar(named.ty).is_some() {
                    return Location::Variable(*variable);
                }
                (self.aggregate(*variable), Affine::default())
            }
            Base::Pointer(operand) => match self.operand(operand) {
                Symbolic::Pointer(object, offset) => (object, offset),
                _ => return Location::Anywhere(self.analysis.place(self.function(), place)),
            },
        };
        match self.offset(start, &place.steps) {
            Some(offset) if place.bits.is_none() => Location::Cell(object, offset),
            _ => Location::Within(object),
        }
    }

    fn offset(&mut self, start: Affine, steps: &[Step]) -> Option<Affine> {
        steps.iter().try_fold(start, |offset, step| match step {
            Step::Field { offset: field, .. } => offset.plus(i128::from(*field)),
            Step::Index { index, stride, .. } => {
                let Symbolic::Int(index) = self.operand(index) else { return None };
                let bytes = match stride {
                    Stride::Bytes(bytes) => Affine::constant(i128::from(*bytes)),
                    Stride::Value(operand) => match self.operand(operand) {
                        Symbolic::Int(bytes) => bytes,
                        _ => return None,
                    },
                };
                let distance = match (bytes.as_constant(), index.as_constant()) {
                    (Some(bytes), _) => index.scale(bytes)?,
                    (None, Some(index)) => bytes.scale(index)?,
                    (None, None) => return None,
                };
                offset.add(&distance)
            }
        })
    }

    fn address(&mut self, place: &Place) -> Symbolic {
        if let Base::Variable(variable) = place.base {
            let object = self.aggregate(variable);
            if let Some(offset) = self.offset(Affine::default(), &place.steps) {
                return Symbolic::Pointer(object, offset);
            }
        }
        match self.location(place) {
            Location::Cell(object, offset) => Symbolic::Pointer(object, offset),
            _ => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
        }
    }

    pub fn read(&mut self, place: &Place, ty: ScalarType) -> Symbolic {
        if place.volatile {
            return Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None));
        }
        let location = self.location(place);
        self.read_at(&location, ty)
    }

    pub fn read_at(&mut self, location: &Location, ty: ScalarType) -> Symbolic {
        match location {
            Location::Variable(variable) => self.read_variable(*variable, ty),
            Location::Cell(object, offset) => match offset.as_constant() {
                Some(offset) => self.read_cell(*object, offset, ty),
                None => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
            },
            Location::Within(_) | Location::Anywhere(_) => {
                Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None))
            }
        }
    }

    pub(crate) fn read_variable(&mut self, variable: VarId, ty: ScalarType) -> Symbolic {
        if let Some(value) = self.state.variables.get(&variable) {
            return value.clone();
        }
        if let Some(&reason) = self.state.lost_classes.get(&self.analysis.variable(variable)) {
            return Symbolic::Unknown(reason);
        }
        if !self.is_outer(variable) {
            return match self.open_variable(variable, ty) {
                Some(value) => value,
                None => Symbolic::Unknown(self.reason(ReasonKind::Uninitialised, None)),
            };
        }
        let known = self.outside.variable(variable);
        Self::lift(known, ty)
    }

    pub(crate) fn read_cell(&mut self, object: Object, offset: i128, ty: ScalarType) -> Symbolic {
        let size = i128::from(ty.size(self.program.model));
        match self.state.cell(object, offset, ty, size) {
            Ok(Some(value)) => return value.clone(),
            Ok(None) => {}
            Err(()) => return Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
        }
        if self.state.zeroed.contains(&object) {
            return if ty.is_float() { Symbolic::Constant(Value::Float(0.0)) } else { Symbolic::int(0) };
        }
        if let Some(reason) = self.lost(object) {
            return Symbolic::Unknown(reason);
        }
        if let Some(value) = self.open_cell(object, offset, ty) {
            return value;
        }
        match (object, i64::try_from(offset)) {
            (Object::Outer(object), Ok(offset)) => Self::lift(self.outside.load(Pointer { object, offset }, ty), ty),
            (Object::Local(_) | Object::Fresh(..), _) => {
                Symbolic::Unknown(self.reason(ReasonKind::Uninitialised, None))
            }
            (Object::String(string), _) => match self.letter_of(string, offset, ty) {
                Some(letter) => letter,
                None => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
            },
            _ => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
        }
    }

    pub(crate) fn lost(&self, object: Object) -> Option<ReasonId> {
        let class = || self.state.lost_classes.get(&self.class_of(object));
        self.state.lost_objects.get(&object).or_else(class).copied()
    }

    pub fn write(&mut self, place: &Place, value: Symbolic, span: chronos_base::span::Span) {
        let Some(ty) = self.program.types.scalar(place.ty) else { return };
        let location = self.location(place);
        let exact = matches!(&location, Location::Cell(_, offset) if offset.as_constant().is_some());
        if exact || matches!(location, Location::Variable(_)) {
            self.write_at(&location, ty, value);
        } else if self.whole.is_none() {
            self.lose_unspanned(location);
        } else {
            // What is written somewhere is what is not known there.
            let unknown = if let Symbolic::Unknown(reason) = value { Some(reason) } else { None };
            let placed = unknown.filter(|&reason| self.reasons.get(reason).span.is_some());
            let reason = placed.unwrap_or_else(|| self.reason(ReasonKind::NotEvaluated, Some(span)));
            self.lose_for(location, reason);
        }
    }

    /// Writes a scalar to a variable or a cell at a constant offset.
    pub(crate) fn write_at(&mut self, location: &Location, ty: ScalarType, value: Symbolic) {
        match location {
            Location::Variable(variable) => {
                self.state.variables.insert(*variable, value);
                if self.trials == 0 {
                    self.written.variables.insert(*variable);
                }
            }
            Location::Cell(object, offset) => {
                let Some(offset) = offset.as_constant() else { return };
                let size = i128::from(ty.size(self.program.model));
                self.state.set_cell(*object, offset, ty, size, value);
                if self.trials == 0 {
                    self.written.cells.insert((*object, offset, ty));
                }
            }
            Location::Within(_) | Location::Anywhere(_) => {}
        }
    }

    fn lose_unspanned(&mut self, location: Location) {
        let reason = self.reason(ReasonKind::NotEvaluated, None);
        self.lose_for(location, reason);
    }

    /// Something unknown is written at the location.
    pub fn lose(&mut self, location: Location, span: chronos_base::span::Span) {
        let reason = self.reason(ReasonKind::NotEvaluated, Some(span));
        self.lose_for(location, reason);
    }

    pub(crate) fn lose_for(&mut self, location: Location, reason: ReasonId) {
        let real = self.trials == 0;
        match location {
            Location::Variable(variable) => {
                self.state.variables.insert(variable, Symbolic::Unknown(reason));
                if real {
                    self.written.variables.insert(variable);
                }
            }
            Location::Cell(object, _) | Location::Within(object) => {
                self.state.lose_object(object, reason);
                if real {
                    self.written.objects.insert(object);
                }
            }
            Location::Anywhere(class) => {
                self.lose_class(class, reason);
                if real {
                    self.written.classes.insert(class);
                }
            }
        }
    }

    /// Nothing in storage of the class is known any more; no write of its own.
    pub(crate) fn lose_class(&mut self, class: ClassId, reason: ReasonId) {
        let analysis = self.analysis;
        self.state.variables.retain(|&variable, _| analysis.variable(variable) != class);
        let mut cells = std::mem::take(&mut self.state.cells);
        cells.retain(|key, _| self.class_of(key.0) != class);
        self.state.cells = cells;
        let mut zeroed = std::mem::take(&mut self.state.zeroed);
        zeroed.retain(|&object| self.class_of(object) != class);
        self.state.zeroed = zeroed;
        self.state.lost_classes.insert(class, reason);
    }

    /// Copies what is known of a struct; the rest of the target is lost.
    fn copy(&mut self, to: &Place, from: &Place, bytes: u64) {
        let (to, from) = (self.location(to), self.location(from));
        self.copy_between(to, from, bytes);
    }

    pub(crate) fn copy_between(&mut self, to: Location, from: Location, bytes: u64) {
        let known = match &from {
            Location::Cell(object, offset) => offset.as_constant().map(|start| self.known_cells(*object, start, bytes)),
            _ => None,
        };
        let start = match &to {
            Location::Cell(object, offset) => offset.as_constant().map(|start| (*object, start)),
            _ => None,
        };
        self.lose_unspanned(to);
        for (offset, ty, value) in known.into_iter().flatten() {
            if let Some((object, start)) = start {
                self.write_at(&Location::Cell(object, Affine::constant(start + offset)), ty, value);
            }
        }
    }

    /// Scalars written within `bytes` from `start` on, at offsets from there.
    fn known_cells(&self, object: Object, start: i128, bytes: u64) -> Vec<(i128, ScalarType, Symbolic)> {
        let range = (object, start)..(object, start + i128::from(bytes));
        let cells = self.state.cells.range(range);
        cells.map(|(key, (ty, value))| (key.1 - start, *ty, value.clone())).collect()
    }
}

fn difference(a: &Symbolic, b: &Symbolic, stride: u64) -> Option<Symbolic> {
    let (Symbolic::Pointer(object, x), Symbolic::Pointer(other, y)) = (a, b) else { return None };
    let bytes = x.sub(y)?;
    let stride = i128::from(stride);
    let divisible = stride > 0 && bytes.constant % stride == 0 && bytes.terms.iter().all(|t| t.1 % stride == 0);
    let terms = bytes.terms.iter().map(|&(s, c)| (s, c / stride.max(1))).collect();
    (object == other && divisible).then(|| Symbolic::Int(Affine { constant: bytes.constant / stride, terms }))
}
