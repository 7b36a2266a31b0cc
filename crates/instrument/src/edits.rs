//! Insertions into the preprocessed text of a unit.

use super::locals::Unrolling;
use super::pieces::Pieces;
use super::plan::Place;
use super::syntax::{Range, Syntax};
use chronos_frontend::offsets::OffsetUnit;
use chronos_ir::ScalarType;
use chronos_trace::formula::PointId;

/// What stands before what at one offset: ends of expressions, statements behind, braces, statements in front,
/// beginnings of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Close,
    Behind,
    CloseBrace,
    OpenBrace,
    Front,
    Open,
}

/// Text to insert at an offset.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub at: usize,
    class: Class,
    /// Among edits of the same class and offset.
    order: (std::cmp::Reverse<usize>, usize),
    pub text: String,
}

/// Where a point is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Memory,
    /// A variable of a loop.
    Local,
    /// A byte of a piece of a loop.
    Byte,
}

/// The insertions of a unit.
pub(crate) struct Edits<'a> {
    unit: &'a OffsetUnit,
    edits: Vec<Edit>,
}

impl<'a> Edits<'a> {
    pub fn new(unit: &'a OffsetUnit) -> Self {
        Self { unit, edits: Vec::new() }
    }

    pub fn point(&mut self, place: Place, point: PointId, counter: Counter) {
        let n = point.0;
        let name = match counter {
            Counter::Memory => "CHRONOS",
            Counter::Local => "CHRONOS_HERE",
            Counter::Byte => "CHRONOS_FLAG",
        };
        match place {
            Place::Front(at) => self.push(self.unit.offset(at), Class::Front, 0, format!("{name}({n}); ")),
            Place::Behind(end) => self.push(self.unit.end(0, end), Class::Behind, 0, format!(" {name}({n});")),
            Place::Expression(range) => self.around(range, &format!("({name}({n}), ")),
            Place::Taken(range) => self.around(range, &format!("{name}_TAKEN({n}, ")),
            Place::Truth(range) => self.around(range, &format!("{name}_TRUTH({n}, ")),
            Place::Value(range, scalar) => self.around(range, &format!("{}({n}, ", passing(scalar))),
        }
    }

    /// Asks the compiler to unroll a loop in which these points choose.
    pub fn unroll(&mut self, range: Range, unrolling: &Unrolling, points: &[PointId]) {
        let (start, end) = (self.unit.offset(range.start), self.unit.end(range.start, range.end));
        match unrolling {
            Unrolling::Some => self.push(start, Class::Open, end, "CHRONOS_UNROLLED ".to_owned()),
            Unrolling::Long => self.push(start, Class::Open, end, "CHRONOS_UNROLLED_LONG ".to_owned()),
            Unrolling::Pieces(pieces) => self.pieces(pieces, points),
        }
    }

    /// Puts a loop of few iterations around the body of one, and counts what was chosen in each.
    fn pieces(&mut self, pieces: &Pieces, points: &[PointId]) {
        let Pieces { body, left, forth, back } = pieces;
        let each =
            |name: &str| -> String { points.iter().map(|point| format!("CHRONOS_{name}({}) ", point.0)).collect() };
        let (start, end) = (self.unit.offset(body.start), self.unit.end(body.start, body.end));
        let begin = format!("{{ CHRONOS_PIECES({left}) {}CHRONOS_PIECE({forth}) {{ ", each("BYTE"));
        let finish = format!(" {}}} {back} {}}}", each("SEEN"), each("SUM"));
        // Around the braces that the body itself may get.
        self.push(start, Class::OpenBrace, end + 1, begin);
        self.push(end, Class::CloseBrace, start.saturating_sub(1), finish);
    }

    /// Variables for the points of a loop, which are added up behind it.
    pub fn locals(&mut self, range: Range, points: &[(PointId, Place, Counter)]) {
        let (start, end) = (self.unit.offset(range.start), self.unit.end(range.start, range.end));
        let (mut begin, mut flush) = ("{ ".to_owned(), String::new());
        for (point, place, counter) in points {
            let chooses = matches!(place, Place::Taken(_) | Place::Truth(_)) && *counter == Counter::Local;
            begin.push_str(&format!("CHRONOS_{}({}) ", if chooses { "CHOICE" } else { "LOCAL" }, point.0));
            flush.push_str(&format!(" CHRONOS_ADD({})", point.0));
        }
        self.push(start, Class::OpenBrace, end, begin);
        self.push(end, Class::CloseBrace, start, flush + " }");
    }

    /// The first statement of `main`.
    pub fn begin(&mut self, at: usize) {
        self.push(self.unit.offset(at), Class::Front, usize::MAX, "chronos_begin(); ".to_owned());
    }

    /// `open` in front of an expression, a parenthesis behind it.
    pub fn around(&mut self, range: Range, open: &str) {
        let (start, end) = (self.unit.offset(range.start), self.unit.end(range.start, range.end));
        // `return(x)`
        let joins = self.unit.text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        self.push(start, Class::Open, end, if joins { format!(" {open}") } else { open.to_owned() });
        self.push(end, Class::Close, start, ")".to_owned());
    }

    fn push(&mut self, at: usize, class: Class, outermost: usize, text: String) {
        let order = (std::cmp::Reverse(outermost), self.edits.len());
        self.edits.push(Edit { at, class, order, text });
    }

    /// Gives braces to the bodies that have none and that statements were put into; all edits, in order.
    pub fn finish(mut self, syntax: &Syntax) -> Vec<Edit> {
        let is_statement = |edit: &&Edit| matches!(edit.class, Class::Front | Class::Behind);
        let mut statements: Vec<usize> = self.edits.iter().filter(is_statement).map(|edit| edit.at).collect();
        statements.sort_unstable();
        for range in &syntax.bare {
            let (start, end) = (self.unit.offset(range.start), self.unit.end(range.start, range.end));
            let first = statements.partition_point(|&at| at < start);
            if statements.get(first).is_some_and(|&at| at <= end) {
                self.push(start, Class::OpenBrace, end, "{ ".to_owned());
                self.push(end, Class::CloseBrace, start, " }".to_owned());
            }
        }
        self.edits.sort_by_key(|edit| (edit.at, edit.class, edit.order));
        self.edits
    }
}

/// The function of the runtime that hands a value through.
fn passing(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::I64 => "chronos_long",
        ScalarType::U64 => "chronos_unsigned_long",
        ScalarType::U32 => "chronos_unsigned",
        ScalarType::F32 | ScalarType::F64 => "chronos_double",
        ScalarType::Pointer => "chronos_pointer",
        _ => "chronos_int",
    }
}
