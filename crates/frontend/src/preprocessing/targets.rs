//! What a compiler for the target would have defined: the user's compiler preprocesses for the machine that it runs on.
//!
//! The C library's headers stay those that are installed, so that structures of the system have the layout that these
//! headers give them; a cross compiler (`--cc aarch64-linux-gnu-gcc`) brings its own.

use chronos_ir::DataModel;

/// The macros by which sources and headers know x86-64, and what of its extensions is asked for with them.
const NOT_X86_64: &[&str] = &["-U__x86_64__", "-U__x86_64", "-U__amd64__", "-U__amd64", "-U__k8", "-U__k8__"];

/// Types of ILP32 as glibc's headers ask for them, without 32-bit headers being installed.
const ILP32: &[&str] = &[
    "-D__i386__=1",
    "-D__i386=1",
    "-U_LP64",
    "-U__LP64__",
    "-D_ILP32=1",
    "-D__ILP32__=1",
    "-D__SIZEOF_LONG__=4",
    "-D__SIZEOF_POINTER__=4",
    "-D__SIZEOF_SIZE_T__=4",
    "-D__SIZEOF_PTRDIFF_T__=4",
    "-D__LONG_MAX__=0x7fffffffL",
    "-D__SIZE_MAX__=0xffffffffU",
    "-D__PTRDIFF_MAX__=0x7fffffff",
    "-D__INTPTR_MAX__=0x7fffffff",
    "-D__UINTPTR_MAX__=0xffffffffU",
    "-D__SIZE_TYPE__=unsigned int",
    "-D__PTRDIFF_TYPE__=int",
    "-D__INTPTR_TYPE__=int",
    "-D__UINTPTR_TYPE__=unsigned int",
    "-D__INT64_TYPE__=long long int",
    "-D__UINT64_TYPE__=long long unsigned int",
];

/// As gcc 12 defines them for aarch64, where that differs from x86-64.
const AARCH64: &[&str] = &[
    "-U__i386__",
    "-U__i386",
    "-Ui386",
    "-U__MMX__",
    "-U__MMX_WITH_SSE__",
    "-U__SSE__",
    "-U__SSE2__",
    "-U__SSE3__",
    "-U__SSSE3__",
    "-U__SSE4_1__",
    "-U__SSE4_2__",
    "-U__SSE_MATH__",
    "-U__SSE2_MATH__",
    "-U__AVX__",
    "-U__AVX2__",
    "-U__AVX512F__",
    "-U__FMA__",
    "-U__FXSR__",
    "-U__SEG_FS",
    "-U__SEG_GS",
    "-U__SIZEOF_FLOAT80__",
    "-U__SIZEOF_FLOAT128__",
    "-U__code_model_small__",
    "-D__aarch64__=1",
    "-D__AARCH64EL__=1",
    "-D__ARM_64BIT_STATE=1",
    "-D__ARM_ARCH=8",
    "-D__ARM_ARCH_ISA_A64=1",
    "-D__ARM_FEATURE_FMA=1",
    "-D__ARM_FEATURE_UNALIGNED=1",
    "-D__ARM_NEON=1",
    "-D__ARM_PCS_AAPCS64=1",
    "-D__FP_FAST_FMA=1",
    "-D__FP_FAST_FMAF=1",
    "-D__CHAR_UNSIGNED__=1",
    "-D__WCHAR_TYPE__=unsigned int",
    "-D__WCHAR_MAX__=0xffffffffU",
    "-D__WCHAR_MIN__=0U",
    "-D__DECIMAL_DIG__=36",
    "-D__LDBL_DECIMAL_DIG__=36",
    "-D__LDBL_DIG__=33",
    "-D__LDBL_MANT_DIG__=113",
    "-D__LDBL_MIN__=3.36210314311209350626267781732175260e-4932L",
    "-D__LDBL_MAX__=1.18973149535723176508575932662800702e+4932L",
    "-D__LDBL_NORM_MAX__=1.18973149535723176508575932662800702e+4932L",
    "-D__LDBL_EPSILON__=1.92592994438723585305597794258492732e-34L",
    "-D__LDBL_DENORM_MIN__=6.47517511943802511092443895822764655e-4966L",
];

/// Definitions for the machines of a data model; none where they are those of most compilers.
pub(super) fn flags(model: DataModel) -> impl Iterator<Item = &'static str> {
    let (others, own): (&[&str], &[&str]) = match model {
        DataModel::Lp64 => (&[], &[]),
        DataModel::Ilp32 => (NOT_X86_64, ILP32),
        DataModel::Aarch64 => (NOT_X86_64, AARCH64),
    };
    others.iter().chain(own).copied()
}

/// The folder among our own headers that comes before the system's.
pub(super) fn headers(model: DataModel) -> Option<&'static str> {
    (model == DataModel::Aarch64).then_some("aarch64")
}
