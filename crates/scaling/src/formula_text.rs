//! Products of a formula as people, TeX and Python write them.

use super::law::Term;

/// For whom a formula is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// For people: `N^2*log2(P)/P`.
    Plain,
    /// In mathematics mode.
    Latex,
    /// A Python 3 expression; logarithms need `import math`.
    Python,
}

/// A product without its coefficient; empty where it is 1.
pub fn product(terms: &[Term], names: &[String], notation: Notation) -> String {
    let factors: Vec<Factor> = terms.iter().zip(names).flat_map(|(term, name)| Factor::all(*term, name)).collect();
    let (above, below): (Vec<_>, Vec<_>) = factors.iter().partition(|factor| factor.halves > 0);
    let text = |factors: &[&Factor]| factors.iter().map(|factor| factor.text(notation)).collect::<Vec<_>>();
    let (above, below) = (text(&above), text(&below));
    match notation {
        Notation::Latex if below.is_empty() => above.join(" \\cdot "),
        Notation::Latex => {
            let top = if above.is_empty() { "1".to_owned() } else { above.join(" \\cdot ") };
            format!("\\frac{{{top}}}{{{}}}", below.join(" \\cdot "))
        }
        Notation::Plain | Notation::Python => {
            let below: String = below.iter().map(|factor| format!("/{factor}")).collect();
            let top = if above.is_empty() && !below.is_empty() { "1".to_owned() } else { above.join("*") };
            top + &below
        }
    }
}

/// A power of a parameter, or of its logarithm; negative ones stand below the line.
struct Factor {
    name: String,
    /// Twice the exponent.
    halves: i8,
    of_logarithm: bool,
}

impl Factor {
    fn all(term: Term, name: &str) -> Vec<Self> {
        let Term::Power { halves, logs } = term else { return Vec::new() };
        let factor = |halves: i8, of_logarithm: bool| Self { name: name.to_owned(), halves, of_logarithm };
        let power = (halves != 0).then(|| factor(halves, false));
        let logarithm = (logs != 0).then(|| factor(2 * i8::try_from(logs).unwrap_or(1), true));
        power.into_iter().chain(logarithm).collect()
    }

    fn text(&self, notation: Notation) -> String {
        let name = match notation {
            Notation::Latex if self.name.len() > 1 => format!("\\mathit{{{}}}", self.name.replace('_', "\\_")),
            _ => self.name.clone(),
        };
        let base = match (self.of_logarithm, notation) {
            (false, _) => name,
            (true, Notation::Plain) => format!("log2({name})"),
            (true, Notation::Latex) => format!("\\log_2 {name}"),
            (true, Notation::Python) => format!("math.log2({name})"),
        };
        let halves = self.halves.unsigned_abs();
        match (halves, notation) {
            (1, Notation::Plain) => format!("sqrt({base})"),
            (1, Notation::Latex) => format!("\\sqrt{{{base}}}"),
            (1, Notation::Python) => format!("math.sqrt({base})"),
            (2, _) => base,
            (even, Notation::Plain) => format!("{base}^{}", even / 2),
            (even, Notation::Latex) => format!("{base}^{{{}}}", even / 2),
            (even, Notation::Python) => format!("{base}**{}", even / 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_written_for_people_tex_and_python() {
        let names = ["N", "tasks"].map(str::to_owned);
        let check = |terms: [(i8, u8); 2], expected: [&str; 3]| {
            let terms = terms.map(|(halves, logs)| Term::Power { halves, logs });
            let found =
                [Notation::Plain, Notation::Latex, Notation::Python].map(|notation| product(&terms, &names, notation));
            assert_eq!(found, expected);
        };
        check([(0, 0), (0, 0)], ["", "", ""]);
        check(
            [(4, 0), (-2, 1)],
            [
                "N^2*log2(tasks)/tasks",
                "\\frac{N^{2} \\cdot \\log_2 \\mathit{tasks}}{\\mathit{tasks}}",
                "N**2*math.log2(tasks)/tasks",
            ],
        );
        check([(0, 0), (-1, 0)], ["1/sqrt(tasks)", "\\frac{1}{\\sqrt{\\mathit{tasks}}}", "1/math.sqrt(tasks)"]);
        check([(2, 0), (1, 0)], ["N*sqrt(tasks)", "N \\cdot \\sqrt{\\mathit{tasks}}", "N*math.sqrt(tasks)"]);
    }
}
