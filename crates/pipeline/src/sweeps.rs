//! Swept values: all combinations of them, and the options of a program with one combination.

use super::codes;
use super::options::ProgramOptions;
use super::values::{Setting, Sweep};
use chronos_base::diag::Diagnostic;
use chronos_report::model::SweepValue;

/// Most combinations of values.
const MAX_COMBINATIONS: usize = 1_000_000;

/// All combinations of values, the last sweep the fastest; one empty combination without sweeps.
///
/// # Errors
/// A name is swept twice, or there are too many combinations.
pub fn combinations(sweeps: &[Sweep]) -> Result<Vec<Vec<SweepValue>>, Diagnostic> {
    let mut all = vec![Vec::new()];
    for (i, sweep) in sweeps.iter().enumerate() {
        if sweeps[..i].iter().any(|other| other.name == sweep.name) {
            return Err(swept_twice(&sweep.name));
        }
        if all.len().saturating_mul(sweep.values.len()) > MAX_COMBINATIONS {
            return Err(too_many());
        }
        let with = |(before, value): (&Vec<SweepValue>, &String)| {
            let mut values = before.clone();
            values.push(SweepValue { name: sweep.name.clone(), value: value.clone() });
            values
        };
        let pairs = all.iter().flat_map(|before| sweep.values.iter().map(move |value| (before, value)));
        all = pairs.map(with).collect();
    }
    Ok(all)
}

fn swept_twice(name: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_SWEEP, format!("--sweep {name} is given twice"))
        .help(format!("give all its values at once: --sweep {name}=100,200,400"))
}

fn too_many() -> Diagnostic {
    Diagnostic::error(&codes::WRONG_SWEEP, format!("the sweeps have more than {MAX_COMBINATIONS} combinations"))
        .help("give fewer values, or a range that multiplies: 100..1600x2")
}

/// Values of macros and constants, and the program's arguments with those that are swept.
///
/// # Errors
/// A name gets its value twice, or arguments before a swept one are missing.
pub fn split(sweep: &[SweepValue], program: &ProgramOptions) -> Result<(Vec<SweepValue>, Vec<String>), Diagnostic> {
    let mut arguments = program.arguments.clone();
    let mut settings = Vec::new();
    for value in sweep {
        let fixed = program.settings.iter().map(|setting| &setting.name).chain(&program.symbolic);
        if fixed.into_iter().any(|name| *name == value.name) {
            return Err(fixed_and_swept(&value.name));
        }
        match (Sweep { name: value.name.clone(), values: Vec::new() }).argument() {
            None => settings.push(value.clone()),
            Some(position) if position <= arguments.len() => arguments[position - 1].clone_from(&value.value),
            Some(position) if position == arguments.len() + 1 => arguments.push(value.value.clone()),
            Some(_) => return Err(no_argument(&value.name, arguments.len())),
        }
    }
    Ok((settings, arguments))
}

/// A macro among `defines` gets its value there, others among `settings`.
pub fn with_values(program: &ProgramOptions, values: &[SweepValue]) -> ProgramOptions {
    let mut program = program.clone();
    for SweepValue { name, value } in values {
        let is_named = |define: &&mut String| define.split('=').next() == Some(name);
        match program.defines.iter_mut().find(is_named) {
            Some(define) => *define = format!("{name}={value}"),
            None => program.settings.push(Setting { name: name.clone(), value: value.clone() }),
        }
    }
    program
}

fn fixed_and_swept(name: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_SWEEP, format!("`{name}` is swept, and given by --set or --symbolic as well"))
        .help("leave one of the two out")
}

fn no_argument(name: &str, count: usize) -> Diagnostic {
    let message = format!("--sweep {name}: the program is given {count} argument{}", if count == 1 { "" } else { "s" });
    Diagnostic::error(&codes::WRONG_SWEEP, message).help(format!("give the arguments before {name} behind `--`"))
}

#[cfg(test)]
mod tests {
    use super::combinations;

    #[test]
    fn every_combination_comes_once() {
        let sweeps = ["N=1,2", "M=a,b"].map(|text| text.parse().expect("a sweep"));
        let all = combinations(&sweeps).expect("few");
        let shown: Vec<String> = all.iter().map(|values| values.iter().map(|v| &*v.value).collect()).collect();
        assert_eq!(shown, ["1a", "1b", "2a", "2b"]);
        assert_eq!(combinations(&[]).expect("one").len(), 1);
        let twice = ["N=1,2", "N=3"].map(|text| text.parse().expect("a sweep"));
        assert!(combinations(&twice).is_err());
    }
}
