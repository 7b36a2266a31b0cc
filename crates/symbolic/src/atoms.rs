//! What the symbols of a count stand for, and how people read them.

use chronos_abstract_execution::IntegerFunction;
use chronos_abstract_execution::whole_programs::{Run, SumDefinition, SymbolDefinition};
use chronos_ir::{ParameterId, Program};
use chronos_math::quasi::{self, QuasiPolynomial, Symbol};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a quasi-polynomial's symbols stand for.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    /// By symbol number: the program's parameters first, in the order of their ids.
    pub atoms: Vec<Atom>,
}

/// A symbol of a count: a parameter, or an integer function of parameters that is no quasi-polynomial.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// As people read it: `N`, `ceil(log2(N))`, `isqrt(N)`.
    pub text: String,
    /// The same for LaTeX, in math mode.
    pub latex: String,
    /// The same as a Python expression.
    pub python: String,
    /// How its value is computed.
    pub definition: Definition,
}

/// How an atom is computed from those before it.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// A parameter of the program.
    Parameter(ParameterId),
    /// The product of other symbols.
    Product(Vec<Symbol>),
    /// An integer function of a linear form, such as a logarithm or a root.
    Function(IntegerFunction, quasi::Affine),
    /// `floor(affine / modulus)`
    Quotient(quasi::Affine, i128),
    /// `floor(dividend / max(divisor, 1))`: divisors are sizes.
    Ratio(quasi::Affine, quasi::Affine),
    /// `1 / divisor`; 0 for 0.
    Reciprocal(quasi::Affine),
    /// The index of sums with so many sums around them.
    Index(u32),
    /// The sum of an expression over an index.
    Sum(Arc<SumDefinition>),
}

impl Atoms {
    /// The parameters of a program alone; their symbols have the numbers of the parameters.
    pub(crate) fn of_parameters(program: &Program) -> Self {
        let atom = |(id, parameter): (ParameterId, &chronos_ir::Parameter)| Atom {
            text: parameter.name.to_string(),
            latex: latex_name(&parameter.name),
            python: parameter.name.to_string(),
            definition: Definition::Parameter(id),
        };
        Self { atoms: program.parameters.iter().map(atom).collect() }
    }

    /// The symbol as people read it; `?` and its number where it is not in the table.
    pub fn text(&self, symbol: Symbol) -> String {
        self.atoms.get(symbol.0 as usize).map_or_else(|| format!("?{}", symbol.0), |atom| atom.text.clone())
    }

    /// The symbol for LaTeX.
    pub fn latex(&self, symbol: Symbol) -> String {
        self.atoms.get(symbol.0 as usize).map_or_else(|| format!("?_{{{}}}", symbol.0), |atom| atom.latex.clone())
    }

    /// The symbol as a Python expression.
    pub fn python(&self, symbol: Symbol) -> String {
        self.atoms.get(symbol.0 as usize).map_or_else(|| format!("unknown_{}", symbol.0), |atom| atom.python.clone())
    }

    /// The number that stands for each symbol of a run; atoms that are new are entered.
    pub(super) fn enter(&mut self, run: &Run) -> BTreeMap<Symbol, Symbol> {
        let mut names = BTreeMap::new();
        for &symbol in run.definitions.keys() {
            self.name(symbol, run, &mut names);
        }
        names
    }

    fn name(&mut self, symbol: Symbol, run: &Run, names: &mut BTreeMap<Symbol, Symbol>) -> Symbol {
        if let Some(&known) = names.get(&symbol) {
            return known;
        }
        let definition = match run.definitions.get(&symbol) {
            None | Some(SymbolDefinition::Parameter(_)) => {
                names.insert(symbol, symbol);
                return symbol;
            }
            Some(SymbolDefinition::Product(factors)) => {
                Definition::Product(factors.iter().map(|&factor| self.name(factor, run, names)).collect())
            }
            Some(SymbolDefinition::Function(function, argument)) => {
                Definition::Function(*function, self.renamed(argument, run, names))
            }
            Some(SymbolDefinition::Quotient(affine, modulus)) => {
                Definition::Quotient(self.renamed(affine, run, names), *modulus)
            }
            Some(SymbolDefinition::Reciprocal(divisor)) => Definition::Reciprocal(self.renamed(divisor, run, names)),
            Some(SymbolDefinition::Index(level)) => Definition::Index(*level),
            Some(SymbolDefinition::Sum(sum)) => Definition::Sum(Arc::new(self.renamed_sum(sum, run, names))),
            Some(SymbolDefinition::Ratio(dividend, divisor)) => {
                Definition::Ratio(self.renamed(dividend, run, names), self.renamed(divisor, run, names))
            }
        };
        let known = self.atoms.iter().position(|atom| atom.definition == definition);
        let index = known.unwrap_or_else(|| {
            let atom = self.atom(definition);
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        let name = Symbol(u32::try_from(index).unwrap_or(u32::MAX));
        names.insert(symbol, name);
        name
    }

    fn renamed_sum(&mut self, sum: &SumDefinition, run: &Run, names: &mut BTreeMap<Symbol, Symbol>) -> SumDefinition {
        let index = self.name(sum.index, run, names);
        for symbol in sum.body.symbols() {
            self.name(symbol, run, names);
        }
        let low = sum.low.iter().map(|bound| self.renamed(bound, run, names)).collect();
        let high = sum.high.iter().map(|bound| self.renamed(bound, run, names)).collect();
        let named = |symbol: Symbol| names.get(&symbol).copied().unwrap_or(symbol);
        let body = sum.body.renamed(&named).unwrap_or_else(|_| sum.body.clone());
        SumDefinition { index, low, high, body }
    }

    fn renamed(&mut self, affine: &quasi::Affine, run: &Run, names: &mut BTreeMap<Symbol, Symbol>) -> quasi::Affine {
        let mut terms: Vec<(Symbol, i128)> =
            affine.terms.iter().map(|&(symbol, factor)| (self.name(symbol, run, names), factor)).collect();
        terms.sort_unstable();
        quasi::Affine { constant: affine.constant, terms }
    }

    fn atom(&self, definition: Definition) -> Atom {
        let plain = |affine: &quasi::Affine| shown(affine, &|p| p.display(&|s| self.text(s)));
        let latex = |affine: &quasi::Affine| shown(affine, &|p| p.to_latex(&|s| self.latex(s)));
        let python = |affine: &quasi::Affine| shown(affine, &|p| p.to_python(&|s| self.python(s)));
        let (text, tex, code) = match &definition {
            Definition::Parameter(_) => (String::new(), String::new(), String::new()),
            Definition::Index(level) => {
                let name = self.index_name(*level);
                (name.clone(), name.clone(), name)
            }
            Definition::Sum(sum) => self.sum(sum),
            Definition::Product(factors) => {
                let joined = |name: &dyn Fn(Symbol) -> String, by: &str| {
                    factors.iter().map(|&factor| name(factor)).collect::<Vec<_>>().join(by)
                };
                let product = joined(&|s| self.text(s), "*");
                (product, joined(&|s| self.latex(s), " "), joined(&|s| self.python(s), "*"))
            }
            Definition::Quotient(affine, modulus) => (
                format!("floor({}/{modulus})", grouped(plain(affine))),
                format!("\\left\\lfloor\\frac{{{}}}{{{modulus}}}\\right\\rfloor", latex(affine)),
                format!("({}//{modulus})", grouped(python(affine))),
            ),
            Definition::Ratio(dividend, divisor) => {
                let (above, rounding) = match ceiling_of(dividend, divisor) {
                    Some(above) => (above, "ceil"),
                    None => (dividend.clone(), "floor"),
                };
                (
                    format!("{rounding}({}/{})", grouped(plain(&above)), grouped(plain(divisor))),
                    format!("\\left\\l{rounding}\\frac{{{}}}{{{}}}\\right\\r{rounding}", latex(&above), latex(divisor)),
                    format!("({}//max({}, 1))", grouped(python(dividend)), python(divisor)),
                )
            }
            Definition::Reciprocal(divisor) => (
                format!("(1/{})", grouped(plain(divisor))),
                format!("\\frac{{1}}{{{}}}", latex(divisor)),
                format!("(1/{})", grouped(python(divisor))),
            ),
            Definition::Function(function, argument) => {
                named(*function, &plain(argument), &latex(argument), &python(argument))
            }
        };
        Atom { text, latex: tex, python: code, definition }
    }
}

impl Atoms {
    /// A letter, longer where a parameter has that name.
    fn index_name(&self, level: u32) -> String {
        let letter = ["i", "j", "k", "l"].get(level as usize).copied().unwrap_or("m");
        let is_taken = |name: &str| self.atoms.iter().any(|atom| atom.text == name);
        let longer = std::iter::successors(Some(letter.to_owned()), |name| Some(format!("{name}_")));
        longer.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// `sum(i=1..N, floor(N/i))`, for LaTeX and for Python.
    fn sum(&self, sum: &SumDefinition) -> (String, String, String) {
        let plain = |affine: &quasi::Affine| shown(affine, &|p| p.display(&|s| self.text(s)));
        let latex = |affine: &quasi::Affine| shown(affine, &|p| p.to_latex(&|s| self.latex(s)));
        let python = |affine: &quasi::Affine| shown(affine, &|p| p.to_python(&|s| self.python(s)));
        let ends = |function: &str, all: &[quasi::Affine], show: &dyn Fn(&quasi::Affine) -> String| match all {
            [only] => show(only),
            all => format!("{function}({})", all.iter().map(show).collect::<Vec<_>>().join(", ")),
        };
        let index = sum.index;
        let text = format!(
            "sum({}={}..{}, {})",
            self.text(index),
            ends("max", &sum.low, &plain),
            ends("min", &sum.high, &plain),
            sum.body.display(&|s| self.text(s))
        );
        let tex = format!(
            "\\sum_{{{}={}}}^{{{}}} \\left({}\\right)",
            self.latex(index),
            ends("\\max", &sum.low, &latex),
            ends("\\min", &sum.high, &latex),
            sum.body.to_latex(&|s| self.latex(s))
        );
        let code = format!(
            "sum({} for {} in range({}, {}+1))",
            sum.body.to_python(&|s| self.python(s)),
            self.python(index),
            ends("max", &sum.low, &python),
            ends("min", &sum.high, &python)
        );
        (text, tex, code)
    }
}

fn shown(affine: &quasi::Affine, show: &dyn Fn(&QuasiPolynomial) -> String) -> String {
    quasi::Polynomial::affine(affine).map_or_else(|_| "?".to_owned(), |p| show(&QuasiPolynomial::from(p)))
}

/// In parentheses, unless it is a name or a number.
fn grouped(text: String) -> String {
    let single = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if single { text } else { format!("({text})") }
}

fn named(function: IntegerFunction, plain: &str, latex: &str, python: &str) -> (String, String, String) {
    match function {
        IntegerFunction::SquareRoot => (
            format!("isqrt({plain})"),
            format!("\\left\\lfloor\\sqrt{{{latex}}}\\right\\rfloor"),
            format!("math.isqrt(max({python}, 0))"),
        ),
        IntegerFunction::FloorLog(base) => (
            format!("floor(log{base}({plain}))"),
            format!("\\left\\lfloor\\log_{{{base}}}({latex})\\right\\rfloor"),
            format!("floor_log({base}, {python})"),
        ),
        IntegerFunction::CeilLog(base) => (
            format!("ceil(log{base}({plain}))"),
            format!("\\left\\lceil\\log_{{{base}}}({latex})\\right\\rceil"),
            format!("ceil_log({base}, {python})"),
        ),
        IntegerFunction::Power(base) => (
            format!("{base}^{}", grouped(plain.to_owned())),
            format!("{base}^{{{latex}}}"),
            format!("{base}**max({python}, 0)"),
        ),
    }
}

/// `floor((x + divisor - 1) / divisor)` is `ceil(x / divisor)`: x, where that is the shorter expression.
fn ceiling_of(dividend: &quasi::Affine, divisor: &quasi::Affine) -> Option<quasi::Affine> {
    let rest = dividend.sub(divisor)?.add(&quasi::Affine::constant(1))?;
    let contains = divisor.terms.iter().all(|term| dividend.terms.contains(term));
    contains.then_some(rest)
}

fn latex_name(name: &str) -> String {
    if name.chars().count() > 1 { format!("\\mathit{{{}}}", name.replace('_', "\\_")) } else { name.to_owned() }
}
