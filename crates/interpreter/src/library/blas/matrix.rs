//! Vectors and matrices in memory: elements at fixed steps.

use crate::execute::machine::Flow;
use crate::execute::machine::LibraryCall as Call;
use chronos_ir::ScalarType;
use chronos_values::storage::Fill;
use chronos_values::{Pointer, ReasonKind, Value};

/// Something, or the unknown value that it hangs on.
pub(crate) type Known<T> = Result<T, Value>;

/// Elements of more bytes than this become unknown with the whole object.
const LARGEST: i64 = 1 << 24;

/// A matrix; a vector has one column. Contents are lists of rows.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    /// The address of element (0, 0).
    pub base: Value,
    /// Rows and columns.
    pub size: [i64; 2],
    /// Elements from one row to the next, and from one column to the next.
    pub steps: [i64; 2],
    pub ty: ScalarType,
}

impl Matrix {
    /// Vectors with a negative step begin at their last element.
    pub fn vector(base: Value, n: i64, step: i64, ty: ScalarType) -> Self {
        let vector = Self { base, size: [n, i64::from(n > 0)], steps: [step, 1], ty };
        let first = if step < 0 { step.saturating_mul(n - 1).saturating_neg() } else { 0 };
        match base {
            Value::Pointer(start) => Self { base: Value::Pointer(vector.moved(start, first)), ..vector },
            _ => vector,
        }
    }

    pub fn transposed(self) -> Self {
        let ([m, n], [a, b]) = (self.size, self.steps);
        Self { size: [n, m], steps: [b, a], ..self }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        usize::try_from(self.size[0].saturating_mul(self.size[1])).unwrap_or(usize::MAX)
    }

    fn bytes(&self) -> i64 {
        if self.ty == ScalarType::F32 { 4 } else { 8 }
    }

    fn moved(&self, start: Pointer, elements: i64) -> Pointer {
        let by = elements.saturating_mul(self.bytes());
        Pointer { object: start.object, offset: start.offset.saturating_add(by) }
    }

    fn at(&self, start: Pointer, row: i64, column: i64) -> Pointer {
        let rows = self.steps[0].saturating_mul(row);
        self.moved(start, rows.saturating_add(self.steps[1].saturating_mul(column)))
    }

    fn places(&self, start: Pointer) -> impl Iterator<Item = Pointer> + '_ {
        (0..self.size[0]).flat_map(move |row| (0..self.size[1]).map(move |column| self.at(start, row, column)))
    }

    pub fn read(&self, call: &Call<'_, '_>) -> Known<Vec<f64>> {
        self.read_where(call, |_, _| true)
    }

    /// The elements for which `wanted` holds; the others are not read and count as zero.
    pub(crate) fn read_where(&self, call: &Call<'_, '_>, wanted: impl Fn(i64, i64) -> bool) -> Known<Vec<f64>> {
        let Value::Pointer(start) = self.base else { return Err(self.base) };
        let mut content = Vec::with_capacity(self.len());
        for row in 0..self.size[0] {
            for column in 0..self.size[1] {
                let wanted = wanted(row, column);
                content.push(if wanted { self.element(call, self.at(start, row, column))? } else { 0.0 });
            }
        }
        Ok(content)
    }

    fn element(&self, call: &Call<'_, '_>, at: Pointer) -> Known<f64> {
        let memory = &call.machine.task.memory;
        let uninitialised = call.machine.shared.uninitialised;
        if memory.check(at, self.bytes() as u64).is_err() {
            return Err(uninitialised);
        }
        match memory.read(at, self.ty).unwrap_or(uninitialised) {
            Value::Float(x) => Ok(x),
            Value::Int(n) => Ok(n as f64),
            other => Err(other),
        }
    }

    /// Writes a whole content.
    pub fn write(&self, call: &mut Call<'_, '_>, content: &[f64]) -> Flow<()> {
        let Value::Pointer(start) = self.base else { return Err(call.machine.null()) };
        for (at, &x) in self.places(start).zip(content) {
            let x = if self.ty == ScalarType::F32 { f64::from(x as f32) } else { x };
            call.machine.store_at(at, self.ty, Value::Float(x), "memory")?;
        }
        Ok(())
    }

    /// Makes all elements unknown; `index` is the argument that the matrix stands at.
    pub fn lose(&self, call: &mut Call<'_, '_>, index: usize, unknown: Value) {
        let unknown = match unknown {
            Value::Unknown(_) => unknown,
            _ => call.machine.unknown(ReasonKind::NotEvaluated),
        };
        let Value::Pointer(start) = self.base else { return call.lose_argument(index, unknown) };
        let lines = if self.steps[0] == 1 { self.transposed() } else { *self };
        if lines.steps[1] != 1 || self.size[0].saturating_mul(self.size[1]) > LARGEST / 8 {
            return self.lose_each(call, start, unknown);
        }
        for row in 0..lines.size[0] {
            let (at, bytes) = (lines.at(start, row, 0), lines.size[1] * lines.bytes());
            if call.machine.task.memory.check(at, bytes as u64).is_ok() {
                call.machine.fill(at, bytes as u64, Fill::Value(unknown));
            }
        }
    }

    fn lose_each(&self, call: &mut Call<'_, '_>, start: Pointer, unknown: Value) {
        if self.size[0].saturating_mul(self.size[1]) > LARGEST / 8 {
            return call.forget_as(start, unknown);
        }
        for at in self.places(start) {
            if call.machine.task.memory.check(at, self.bytes() as u64).is_ok() {
                call.machine.task.store(at, self.ty, unknown);
            }
        }
    }
}
