//! The predefined datatypes: their sizes and what their elements are computed with.

use chronos_ir::{DataModel, ScalarType};

/// Names the predefined datatypes in the order of their handles, from 1.
macro_rules! predefined {
    ($($variant:ident = $name:literal,)*) => {
        /// A predefined datatype.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Predefined { $(#[doc = concat!("`", $name, "`.")] $variant),* }

        const ALL: &[Predefined] = &[$(Predefined::$variant),*];

        impl Predefined {
            /// As the C binding spells it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

predefined! {
    Char = "MPI_CHAR",
    SignedChar = "MPI_SIGNED_CHAR",
    UnsignedChar = "MPI_UNSIGNED_CHAR",
    Byte = "MPI_BYTE",
    Wchar = "MPI_WCHAR",
    Short = "MPI_SHORT",
    UnsignedShort = "MPI_UNSIGNED_SHORT",
    Int = "MPI_INT",
    Unsigned = "MPI_UNSIGNED",
    Long = "MPI_LONG",
    UnsignedLong = "MPI_UNSIGNED_LONG",
    LongLong = "MPI_LONG_LONG_INT",
    UnsignedLongLong = "MPI_UNSIGNED_LONG_LONG",
    Float = "MPI_FLOAT",
    Double = "MPI_DOUBLE",
    LongDouble = "MPI_LONG_DOUBLE",
    Int8 = "MPI_INT8_T",
    Int16 = "MPI_INT16_T",
    Int32 = "MPI_INT32_T",
    Int64 = "MPI_INT64_T",
    Uint8 = "MPI_UINT8_T",
    Uint16 = "MPI_UINT16_T",
    Uint32 = "MPI_UINT32_T",
    Uint64 = "MPI_UINT64_T",
    Bool = "MPI_C_BOOL",
    FloatComplex = "MPI_C_FLOAT_COMPLEX",
    DoubleComplex = "MPI_C_DOUBLE_COMPLEX",
    FloatInt = "MPI_FLOAT_INT",
    DoubleInt = "MPI_DOUBLE_INT",
    LongInt = "MPI_LONG_INT",
    TwoInt = "MPI_2INT",
    ShortInt = "MPI_SHORT_INT",
    LongDoubleInt = "MPI_LONG_DOUBLE_INT",
    Packed = "MPI_PACKED",
    Aint = "MPI_AINT",
    Offset = "MPI_OFFSET",
    Count = "MPI_COUNT",
    Integer = "MPI_INTEGER",
    Real = "MPI_REAL",
    DoublePrecision = "MPI_DOUBLE_PRECISION",
    LowerBound = "MPI_LB",
    UpperBound = "MPI_UB",
}

/// What one element of a predefined datatype is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// One number.
    Scalar(ScalarType),
    /// Two of a kind: real and imaginary part.
    Complex(ScalarType),
    /// A value and an `int` index, laid out as a C struct.
    Pair(ScalarType),
    /// `MPI_LB`, `MPI_UB`: no data.
    Marker,
}

impl Predefined {
    /// By handle, from 1.
    pub fn from_handle(handle: i64) -> Option<Self> {
        let index = usize::try_from(handle.checked_sub(1)?).ok()?;
        ALL.get(index).copied()
    }

    /// All predefined datatypes, in the order of their handles.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied()
    }

    /// What one element is in a data model.
    pub fn element(self, model: DataModel) -> Element {
        let (long, unsigned_long) = (model.long(), model.unsigned_long());
        let scalar = match self {
            Self::Char | Self::SignedChar | Self::Int8 => ScalarType::I8,
            Self::UnsignedChar | Self::Byte | Self::Uint8 | Self::Packed => ScalarType::U8,
            Self::Short | Self::Int16 => ScalarType::I16,
            Self::UnsignedShort | Self::Uint16 => ScalarType::U16,
            Self::Int | Self::Int32 | Self::Wchar | Self::Integer => ScalarType::I32,
            Self::Unsigned | Self::Uint32 => ScalarType::U32,
            Self::Long | Self::Aint | Self::Offset | Self::Count => long,
            Self::UnsignedLong => unsigned_long,
            Self::LongLong | Self::Int64 => ScalarType::I64,
            Self::UnsignedLongLong | Self::Uint64 => ScalarType::U64,
            Self::Float | Self::Real => ScalarType::F32,
            Self::Double | Self::DoublePrecision => ScalarType::F64,
            Self::LongDouble => model.long_double(),
            Self::Bool => ScalarType::Bool,
            Self::FloatComplex => return Element::Complex(ScalarType::F32),
            Self::DoubleComplex => return Element::Complex(ScalarType::F64),
            Self::FloatInt => return Element::Pair(ScalarType::F32),
            Self::DoubleInt => return Element::Pair(ScalarType::F64),
            Self::LongInt => return Element::Pair(long),
            Self::TwoInt => return Element::Pair(ScalarType::I32),
            Self::ShortInt => return Element::Pair(ScalarType::I16),
            Self::LongDoubleInt => return Element::Pair(model.long_double()),
            Self::LowerBound | Self::UpperBound => return Element::Marker,
        };
        Element::Scalar(scalar)
    }
}

impl Element {
    /// Bytes of data, without padding.
    pub fn size(self, model: DataModel) -> u64 {
        match self {
            Self::Scalar(scalar) => scalar.size(model),
            Self::Complex(part) => 2 * part.size(model),
            Self::Pair(value) => value.size(model) + 4,
            Self::Marker => 0,
        }
    }

    /// Alignment in bytes, as C has it.
    pub fn align(self, model: DataModel) -> u64 {
        match self {
            Self::Scalar(scalar) | Self::Complex(scalar) => align(scalar, model),
            Self::Pair(value) => align(value, model).max(4),
            Self::Marker => 1,
        }
    }

    /// Where a pair's index stands in memory; the value stands at 0.
    pub(crate) fn index_offset(value: ScalarType, model: DataModel) -> u64 {
        value.size(model).next_multiple_of(4)
    }
}

fn align(scalar: ScalarType, model: DataModel) -> u64 {
    match model {
        DataModel::Lp64 | DataModel::Aarch64 => scalar.size(model),
        // The i386 ABI aligns nothing in a struct to more than four bytes.
        DataModel::Ilp32 => scalar.size(model).min(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_those_of_the_header() {
        let named = |handle| Predefined::from_handle(handle).map(Predefined::name);
        assert_eq!(named(1), Some("MPI_CHAR"));
        assert_eq!(named(8), Some("MPI_INT"));
        assert_eq!(named(15), Some("MPI_DOUBLE"));
        assert_eq!(named(31), Some("MPI_2INT"));
        assert_eq!(named(42), Some("MPI_UB"));
        assert_eq!((named(0), named(43), named(-5)), (None, None, None));
    }

    #[test]
    fn long_depends_on_the_data_model() {
        let size = |model| Predefined::Long.element(model).size(model);
        assert_eq!((size(DataModel::Lp64), size(DataModel::Ilp32)), (8, 4));
    }

    #[test]
    fn pairs_hold_padding_that_is_no_data() {
        let element = Predefined::ShortInt.element(DataModel::Lp64);
        assert_eq!(element.size(DataModel::Lp64), 6);
        assert_eq!(Element::index_offset(ScalarType::I16, DataModel::Lp64), 4);
    }
}
