//! The variants of a row: their names follow a rule, and their parameters differ in a way that the rule says.

use super::params::{Object, Param, Role, Type};
use super::row::{FileTransfer, Function, Synchronism, Traced, Variant};

/// The function of a row and all its variants.
pub(super) fn of(row: &Function) -> Vec<Function> {
    let variants = row.variants.iter().map(|&variant| made(row, variant));
    std::iter::once(*row).chain(variants).collect()
}

fn made(row: &Function, variant: Variant) -> Function {
    let name: &'static str = name(row.name, variant).leak();
    let params: &'static [Param] = params(row.params, variant).leak();
    let result = of_precision(row.result, variant);
    // Models of abstract execution are those of `double` and of calls that end before they return.
    let changed = Function { name, params, result, variant, abstract_model: None, ..*row };
    match variant {
        Variant::Float => Function { priced_as: Some(row.name), ..changed },
        Variant::LongDouble => Function { priced_as: None, ..changed },
        // Only the start of it goes on in a trace.
        Variant::Persistent => Function { communicates: false, ..changed },
        Variant::PersistentCollective => Function { communicates: false, traced: Traced::Missing, ..changed },
        // Immediate operations on files in which all tasks meet are not recorded.
        Variant::Immediate if let Some(transfer) = row.transfer => {
            let traced = if transfer.collective { Traced::Missing } else { row.traced };
            let transfer = FileTransfer { synchronism: Synchronism::Nonblocking, ..transfer };
            Function { transfer: Some(transfer), traced, ..changed }
        }
        Variant::None | Variant::Immediate | Variant::WithRequest => changed,
    }
}

/// A table that is made once for the whole run holds these names.
fn name(row: &str, variant: Variant) -> String {
    let behind = |prefix: &str, letter: &str| {
        let rest = row.strip_prefix(prefix).unwrap_or(row);
        format!("{prefix}{letter}{}", rest.to_ascii_lowercase())
    };
    match variant {
        Variant::None => row.to_owned(),
        Variant::Float if row.starts_with("cblas_") => {
            let (prefix, rest) = row.split_at("cblas_".len());
            format!("{prefix}{}", rest.replacen('d', "s", 1))
        }
        Variant::Float => format!("{row}f"),
        Variant::LongDouble => format!("{row}l"),
        Variant::Immediate if row.starts_with("MPI_File_") => behind("MPI_File_", "i"),
        Variant::Immediate => behind("MPI_", "I"),
        Variant::WithRequest => behind("MPI_", "R"),
        Variant::Persistent | Variant::PersistentCollective => format!("{row}_init"),
    }
}

fn params(row: &[Param], variant: Variant) -> Vec<Param> {
    use super::rows::mpi::INFO;
    let request = Param { role: Role::Makes(Object::Request), ..super::params::OUT };
    let without_status = || row.iter().copied().filter(|param| param.role != Role::Status);
    match variant {
        Variant::None => row.to_vec(),
        Variant::Float | Variant::LongDouble => {
            row.iter().map(|param| Param { ty: of_precision(param.ty, variant), ..*param }).collect()
        }
        Variant::Immediate | Variant::Persistent | Variant::WithRequest => without_status().chain([request]).collect(),
        Variant::PersistentCollective => row.iter().copied().chain([INFO, request]).collect(),
    }
}

fn of_precision(ty: Type, variant: Variant) -> Type {
    match (ty, variant) {
        (Type::Double, Variant::Float) => Type::Float,
        (Type::Double, Variant::LongDouble) => Type::LongDouble,
        _ => ty,
    }
}
