//! Reads expressions of arguments: integers, names, `+`, `-`, `*`, parentheses.
//!
//! evalexpr reads far more than the format has (powers, comparisons, strings, assignments, functions), which would all
//! have to be refused again, and evaluates on known values alone; here names become positions once, and a value may be
//! unknown.

use chronos_slicing::work::Work;

/// Parentheses nested deeper are refused.
const DEEPEST: usize = 100;
/// Longer texts are refused.
const LONGEST: usize = 2000;

/// The work that `text` states in terms of `arguments`, by position; one that begins with `*` is a pointer.
///
/// # Errors
/// What is wrong, in words.
pub fn parse(text: &str, arguments: &[String]) -> Result<Work, String> {
    if text.len() > LONGEST {
        return Err(format!("longer than {LONGEST} characters"));
    }
    let mut reader = Reader { rest: text, arguments, depth: 0 };
    let work = reader.sum()?;
    match reader.peek() {
        None => Ok(work),
        Some(_) => Err(format!("`{}` is not expected", reader.rest.trim())),
    }
}

struct Reader<'a> {
    rest: &'a str,
    arguments: &'a [String],
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest = &self.rest[wanted.len_utf8()..];
        }
        found
    }

    fn sum(&mut self) -> Result<Work, String> {
        let mut work = self.product()?;
        loop {
            work = if self.take('+') {
                Work::Sum(Box::new(work), Box::new(self.product()?))
            } else if self.take('-') {
                Work::Difference(Box::new(work), Box::new(self.product()?))
            } else {
                return Ok(work);
            };
        }
    }

    fn product(&mut self) -> Result<Work, String> {
        let mut work = self.factor()?;
        while self.take('*') {
            work = Work::Product(Box::new(work), Box::new(self.factor()?));
        }
        Ok(work)
    }

    fn factor(&mut self) -> Result<Work, String> {
        if self.take('(') {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err("nested too deeply".to_owned());
            }
            let inner = self.sum()?;
            self.depth -= 1;
            return if self.take(')') { Ok(inner) } else { Err("a parenthesis is not closed".to_owned()) };
        }
        self.peek();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word.is_empty() {
            return Err("a number or an argument is missing".to_owned());
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().map(Work::Number).map_err(|_| format!("`{word}` is no integer"));
        }
        self.argument(word)
    }

    fn argument(&self, name: &str) -> Result<Work, String> {
        let position = |wanted: &str| self.arguments.iter().position(|argument| argument == wanted);
        let pointee = || position(&format!("*{name}")).map(Work::Pointee);
        position(name)
            .map(Work::Argument)
            .or_else(pointee)
            .ok_or_else(|| format!("`{name}` is none of the arguments ({})", self.arguments.join(", ")))
    }
}
