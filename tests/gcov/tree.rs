//! The C of generated programs as a tree: small enough to be evaluated, printed and shrunk.

/// Integer types; `long` has 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Char,
    Short,
    Int,
    Long,
    UnsignedChar,
    Unsigned,
    UnsignedLong,
}

impl Type {
    pub fn name(self) -> &'static str {
        match self {
            Self::Char => "signed char",
            Self::Short => "short",
            Self::Int => "int",
            Self::Long => "long",
            Self::UnsignedChar => "unsigned char",
            Self::Unsigned => "unsigned",
            Self::UnsignedLong => "unsigned long",
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            Self::Char | Self::UnsignedChar => 8,
            Self::Short => 16,
            Self::Int | Self::Unsigned => 32,
            Self::Long | Self::UnsignedLong => 64,
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::Char | Self::Short | Self::Int | Self::Long)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Number(i64),
    /// A variable, `range.low`, `r->low` or `*out`.
    Name(String),
    /// An element of a global array.
    Element(String, Box<Expr>),
    Unary(&'static str, Box<Expr>),
    /// Also `&&`, `||` and the comma.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    /// A function, or the macros `MIN` and `MAX`.
    Call(String, Vec<Expr>),
    Cast(Type, Box<Expr>),
    /// `name++` or `name--`.
    Postfix(String, &'static str),
    /// `&name`, as an argument only.
    Address(String),
}

pub fn number(value: i64) -> Expr {
    Expr::Number(value)
}

pub fn name(text: &str) -> Expr {
    Expr::Name(text.to_owned())
}

pub fn binary(left: Expr, op: &'static str, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

pub fn conditional(condition: Expr, yes: Expr, no: Expr) -> Expr {
    Expr::Conditional(Box::new([condition, yes, no]))
}

pub fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Call(function.to_owned(), arguments)
}

pub type Block = Vec<Stmt>;

/// `name op value`, where `op` is `=`, `+=` and the like.
#[derive(Clone, Debug, PartialEq)]
pub struct Assign {
    pub target: Expr,
    pub op: &'static str,
    pub value: Expr,
}

pub fn assign(target: &str, op: &'static str, value: Expr) -> Assign {
    Assign { target: name(target), op, value }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    Break,
    Continue,
    /// To the label at the end of the function.
    Done,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub labels: Vec<i64>,
    pub body: Block,
    pub breaks: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Declare(Type, String, Expr),
    Assign(Assign),
    Call(String, Vec<Expr>),
    /// `if`, `else if`, ...
    If(Vec<(Expr, Block)>, Option<Block>),
    Switch(Expr, Vec<Case>, Option<Block>),
    /// The type is there where the header declares its counters.
    For { declares: Option<Type>, init: Vec<(String, Expr)>, condition: Option<Expr>, step: Vec<Assign>, body: Block },
    While(Expr, Block),
    Do(Block, Expr),
    /// `label: body; if (condition) goto label;`
    Again(String, Block, Expr),
    Jump(Jump),
    Return(Option<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    Value(Type),
    /// `const struct range *`
    Range,
    /// `int *`
    Out,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub returns: bool,
    pub parameters: Vec<(Parameter, String)>,
    pub body: Block,
}

/// A call of a nest from `main` as task `rank` of `size`.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub nest: String,
    pub arguments: Vec<Expr>,
    pub rank: i64,
    pub size: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Callees before callers.
    pub functions: Vec<Function>,
    pub runs: Vec<Run>,
    /// Operands of `&&`, `||` and `?:` on lines of their own.
    pub spread: bool,
    /// `rank` and `size` come from MPI instead of the runs.
    pub mpi: bool,
}
