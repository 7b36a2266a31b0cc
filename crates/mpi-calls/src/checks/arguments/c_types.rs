//! Whether the datatype of a call is that of the C object that its buffer lies in.
//!
//! The object's declared type is known, and so is that of allocated memory where its address is stored into a
//! pointer. The idea is that of TypeART (A. Hück et al., "Compiler-aided type tracking for correctness checking of
//! MPI applications", Correctness 2018), which instruments allocations for MUST; here the types are at hand.

use crate::call::Call;
use crate::checks::remote_codes as codes;
use crate::checks::state::uses::BufferUse;
use crate::data::buffer::{Buffer, moved};
use crate::interface::memory_access::CScalar;
use chronos_base::diag::Diagnostic;
use chronos_ir::{DataModel, ScalarType};
use chronos_mpi::Predefined;
use chronos_mpi::predefined::Element;
use chronos_mpi::signature::TypedElements;

/// Elements of a buffer that are looked at.
const ELEMENTS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Same,
    Signs,
    Different,
}

pub fn check(call: &mut Call<'_>, uses: &[BufferUse]) {
    for one in uses {
        let found = one.blocks.iter().find_map(|block| mismatch(call, block));
        let Some((kind, c, fit)) = found else { continue };
        let new = if fit == Fit::Signs { Diagnostic::warning } else { Diagnostic::error };
        let what = match c {
            CScalar::Single(ty) | CScalar::Element(ty) => format!("which is {}", spelled(ty)),
            CScalar::Within => "where no object of C begins".to_owned(),
        };
        let message =
            format!("{} takes the buffer (argument {}) for {}, {what}", call.name(), one.argument + 1, kind.name());
        let finding = new(&codes::OTHER_TYPE, message)
            .label(call.span, "the datatype is not that of the object")
            .help("use the datatype that belongs to the C type of the buffer");
        call.mpi.tell(finding);
        return;
    }
}

fn mismatch(call: &Call<'_>, block: &Buffer) -> Option<(Predefined, CScalar, Fit)> {
    let address = block.address.filter(|_| block.vague.is_none() && !block.datatype.scattered)?;
    let model = call.model();
    let whole = block.datatype.uniform().is_some();
    let elements = TypedElements::new(&block.datatype, block.count).elements(ELEMENTS)?;
    elements.into_iter().find_map(|(at, kind)| {
        let c = call.env.c_type(moved(address, at))?;
        let fit = fits(kind, c, whole, model);
        (fit != Fit::Same).then_some((kind, c, fit))
    })
}

/// `whole`: all of the data is of the one type.
fn fits(kind: Predefined, c: CScalar, whole: bool, model: DataModel) -> Fit {
    let is_char = |ty: ScalarType| ty.size(model) == 1;
    let element = kind.element(model);
    let (Element::Scalar(mpi) | Element::Complex(mpi) | Element::Pair(mpi)) = element else { return Fit::Same };
    match (kind, c) {
        (Predefined::Byte | Predefined::Packed, _) => Fit::Same,
        // Structures and numbers are often sent as characters, by their size.
        _ if whole && is_char(mpi) => Fit::Same,
        (_, CScalar::Within) => Fit::Different,
        // Memory of characters holds anything.
        (_, CScalar::Element(ty)) if is_char(ty) => Fit::Same,
        (_, CScalar::Single(ty) | CScalar::Element(ty)) => scalars(mpi, ty, model),
    }
}

fn scalars(mpi: ScalarType, c: ScalarType, model: DataModel) -> Fit {
    if mpi == c || (mpi.size(model) == 1 && c.size(model) == 1) {
        return Fit::Same;
    }
    let whole = |ty: ScalarType| !ty.is_float();
    match mpi.size(model) == c.size(model) && whole(mpi) && whole(c) {
        // Addresses travel as integers of their size.
        true if c == ScalarType::Pointer => Fit::Same,
        true => Fit::Signs,
        false => Fit::Different,
    }
}

fn spelled(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "_Bool",
        ScalarType::I8 => "char",
        ScalarType::U8 => "unsigned char",
        ScalarType::I16 => "short",
        ScalarType::U16 => "unsigned short",
        ScalarType::I32 => "int",
        ScalarType::U32 => "unsigned int",
        ScalarType::I64 => "long",
        ScalarType::U64 => "unsigned long",
        ScalarType::I128 => "__int128",
        ScalarType::U128 => "unsigned __int128",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
        ScalarType::F80 => "long double",
        ScalarType::F128 => "__float128",
        ScalarType::Pointer => "a pointer",
    }
}
