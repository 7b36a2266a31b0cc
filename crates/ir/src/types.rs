//! C types as far as layout and arithmetic need them.

use chronos_base::ids::Table;
use std::sync::Arc;

chronos_base::define_ids! {
    /// A type; equal types may have different ids.
    TypeId = "t";
    /// A struct or union.
    StructId = "s";
}

#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
/// Sizes of `long` and pointers, and what C leaves to the platform besides: `long double` and plain `char`.
pub enum DataModel {
    /// 64-bit `long` and pointers (64-bit Unix); without a word on the architecture those of x86-64.
    #[default]
    #[serde(rename = "LP64")]
    Lp64,
    /// 32-bit `long` and pointers, as on x86.
    #[serde(rename = "ILP32")]
    Ilp32,
    /// The 64-bit types of Arm (AAPCS64): `char` is unsigned and `long double` has quad precision. Machine files say
    /// LP64 and name the architecture.
    #[serde(skip)]
    Aarch64,
}

impl DataModel {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Lp64, Self::Ilp32, Self::Aarch64];

    /// Pointers and `long` have 64 bits.
    pub fn is_64_bit(self) -> bool {
        self != Self::Ilp32
    }

    /// `long`, `ptrdiff_t`, `ssize_t`.
    pub fn long(self) -> ScalarType {
        if self.is_64_bit() { ScalarType::I64 } else { ScalarType::I32 }
    }

    /// `unsigned long`, `size_t`.
    pub fn unsigned_long(self) -> ScalarType {
        if self.is_64_bit() { ScalarType::U64 } else { ScalarType::U32 }
    }

    /// `long double`.
    pub fn long_double(self) -> ScalarType {
        if self == Self::Aarch64 { ScalarType::F128 } else { ScalarType::F80 }
    }

    /// `char` without a word on its sign.
    pub fn plain_char(self) -> ScalarType {
        if self == Self::Aarch64 { ScalarType::U8 } else { ScalarType::I8 }
    }
}

/// What an operation computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalarType {
    /// `_Bool`: 0 or 1, one byte.
    Bool,
    /// Signed integer of 8 bits.
    I8,
    /// Unsigned integer of 8 bits.
    U8,
    /// Signed integer of 16 bits.
    I16,
    /// Unsigned integer of 16 bits.
    U16,
    /// Signed integer of 32 bits.
    I32,
    /// Unsigned integer of 32 bits.
    U32,
    /// Signed integer of 64 bits.
    I64,
    /// Unsigned integer of 64 bits.
    U64,
    /// `__int128`; signed or not, and all of [`crate::wide`].
    I128,
    /// `unsigned __int128`.
    U128,
    /// `float`: IEEE 754 binary32.
    F32,
    /// `double`: IEEE 754 binary64.
    F64,
    /// `long double` of x86: the 80 bits of x87; 16 bytes in memory (12 in ILP32).
    F80,
    /// IEEE quad precision: `__float128`, and `long double` where the target has it so.
    F128,
    /// A pointer of any type; its size is that of the data model.
    Pointer,
}

impl ScalarType {
    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F80 | Self::F128)
    }

    /// Whether it is an integer type; `Bool` counts as one, pointers do not.
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Self::Pointer
    }

    /// Whether it is a signed integer or a floating-point type.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::I128) || self.is_float()
    }

    /// Computed with by [`crate::wide`].
    #[inline(always)]
    pub fn is_wide(self) -> bool {
        matches!(self, Self::I128 | Self::U128 | Self::F80 | Self::F128)
    }

    /// Size in memory, in bytes.
    pub fn size(self, model: DataModel) -> u64 {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::Pointer if model == DataModel::Ilp32 => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::Pointer => 8,
            Self::F80 if model == DataModel::Ilp32 => 12,
            Self::I128 | Self::U128 | Self::F80 | Self::F128 => 16,
        }
    }
}

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// Integers, enums, floating types.
    Scalar(ScalarType),
    /// A pointer to a type.
    Pointer(TypeId),
    /// `length` is `None` for incomplete and for variable-length arrays.
    Array {
        /// Type of an element.
        element: TypeId,
        /// Number of elements.
        length: Option<u64>,
    },
    /// A struct or union.
    Struct(StructId),
    /// The type of a function, to which pointers may point.
    Function {
        /// Type of the result; `Void` where there is none.
        result: TypeId,
        /// Types of the parameters, in order.
        params: Vec<TypeId>,
        /// Whether further arguments may follow (`...`).
        variadic: bool,
    },
}

/// A struct or union with its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructType {
    /// The tag; `None` where it has none.
    pub name: Option<Arc<str>>,
    /// Whether all members begin at offset 0.
    pub is_union: bool,
    /// `None` while incomplete.
    pub fields: Option<Vec<Field>>,
    /// Bytes, padding included.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// A member of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the member.
    pub name: Arc<str>,
    /// The type of the member.
    pub ty: TypeId,
    /// Bytes from the begin of the struct.
    pub offset: u64,
    /// First bit and number of bits within the unit at `offset`.
    pub bits: Option<(u8, u8)>,
}

/// All types of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeTable {
    /// Equal types have one id, volatile ones apart.
    pub types: Table<TypeId, Type>,
    /// Structs and unions; each definition is a type of its own.
    pub structs: Table<StructId, StructType>,
}

impl TypeTable {
    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// The scalar that a value of this type is loaded as; `None` for aggregates and void.
    pub fn scalar(&self, id: TypeId) -> Option<ScalarType> {
        match self.get(id) {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Pointer(_) => Some(ScalarType::Pointer),
            _ => None,
        }
    }

    /// Bytes; 0 for void, functions, incomplete and variable-length types.
    pub fn size(&self, id: TypeId, model: DataModel) -> u64 {
        match self.get(id) {
            Type::Void | Type::Function { .. } => 0,
            Type::Scalar(scalar) => scalar.size(model),
            Type::Pointer(_) => ScalarType::Pointer.size(model),
            Type::Array { element, length } => self.size(*element, model).saturating_mul(length.unwrap_or(0)),
            Type::Struct(id) => self.structs[*id].size,
        }
    }
}
