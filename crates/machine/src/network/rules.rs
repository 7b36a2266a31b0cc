//! Which algorithm an MPI library picks for a collective operation, by number of tasks and size: facts of its published
//! decision rules, as tables in networks/rules/.

use super::{AlgorithmRule, Network, codes};
use crate::shipped::{ShippedFiles, named};
use chronos_base::diag::Diagnostic;

const RULES: ShippedFiles =
    &[("openmpi-4.1", shipped!("networks/rules/openmpi-4.1")), ("mpich-4.0", shipped!("networks/rules/mpich-4.0"))];

/// Names of the libraries whose rules are part of the program.
pub fn libraries() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(name, _)| *name)
}

/// The rules of a library.
///
/// # Errors
/// No rules of this name are known.
pub fn of_library(library: &str) -> Result<Vec<AlgorithmRule>, Diagnostic> {
    let rules = named(RULES, library).and_then(|(_, text)| serde_json::from_str(&text).ok());
    rules.ok_or_else(|| {
        let names = libraries().collect::<Vec<_>>().join(", ");
        Diagnostic::error(&codes::LIBRARY_UNKNOWN, format!("the rules of the MPI library `{library}` are not known"))
            .help(format!("known are: {names}; or write `algorithms` into a network file"))
    })
}

/// The library whose rules stand for what a library says of its version.
pub fn named_by_version(version: &str) -> Option<&'static str> {
    if version.starts_with("Open MPI") {
        return Some("openmpi-4.1");
    }
    version.starts_with("MPICH").then_some("mpich-4.0")
}

impl Network {
    /// The same with the collective algorithms that an MPI library would pick. Measured times remain: they scale
    /// whatever algorithm is used.
    ///
    /// # Errors
    /// No rules of this name are known.
    pub fn with_library(self, library: &str) -> Result<Self, Diagnostic> {
        Ok(Self { algorithms: of_library(library)?, mpi_library: Some(library.to_owned()), ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Algorithm, CollectiveName};

    fn pick(library: &str, collective: CollectiveName, tasks: u32, bytes: u64) -> Option<Algorithm> {
        let network = Network::load("shared-memory").unwrap().with_library(library).unwrap();
        network.rule(collective, tasks, bytes).map(|rule| rule.algorithm)
    }

    #[test]
    fn libraries_decide_differently() {
        use {Algorithm as A, CollectiveName as C};
        assert_eq!(pick("openmpi-4.1", C::Bcast, 4, 131_072), Some(A::Linear));
        assert_eq!(pick("mpich-4.0", C::Bcast, 4, 131_072), Some(A::Binomial));
        assert_eq!(pick("mpich-4.0", C::Bcast, 16, 131_072), Some(A::ScatterAllgather));
        assert_eq!(pick("mpich-4.0", C::Allreduce, 8, 65_536), Some(A::Rabenseifner));
        assert!(of_library("mpix").unwrap_err().help.unwrap().contains("mpich-4.0"));
        assert_eq!(named_by_version("MPICH Version: 4.0.2"), Some("mpich-4.0"));
    }

    #[test]
    fn every_rule_names_an_algorithm_that_can_do_it() {
        for library in libraries() {
            let network = Network::load("shared-memory").unwrap().with_library(library).unwrap();
            assert!(super::super::check::faults(library, &network).is_empty());
        }
    }
}
