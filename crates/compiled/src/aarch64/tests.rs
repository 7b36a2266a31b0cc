//! Single instructions, as words that an assembler made of the text beside them.

use super::*;
use crate::affine::{State, Term};
use crate::instruction::{Condition, MemoryOperand, Trait};
use proptest::prelude::*;

struct NoSymbols;

impl Symbols for NoSymbols {
    fn relocation(&self, _: u64, _: u64) -> Option<Relocation> {
        None
    }

    fn function_at(&self, _: u64) -> Option<String> {
        None
    }
}

fn all(words: &[u32]) -> Vec<Instruction> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    decode(&bytes, 0x1000, &NoSymbols)
}

fn one(word: u32) -> Instruction {
    all(&[word]).remove(0)
}

/// Text, registers that are read and written, and the family.
fn check(word: u32) -> String {
    let found = one(word);
    let names = |of: &[Register]| of.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let family = match found.family {
        FamilyUse::Family(name) => name.to_owned(),
        other => format!("{other:?}"),
    };
    format!("{} | {} -> {} | {family}", found.text, names(&found.reads), names(&found.writes))
}

#[test]
fn registers_and_families() {
    let found = [
        0x8b03_0041,
        0xeb03_005f,
        0x1f41_0040,
        0x4e62_cc01,
        0x1a81_d421,
        0x9b02_0c20,
        0x9b02_7c20,
        0x1e61_2000,
        0x4e08_1c20,
        0x9e66_0020,
        0x9e62_0000,
        0x6f00_e400,
        0x4ea1_1c20,
        0x1ac2_0c20,
        0x8b22_d420,
        0xd503_201f,
        0xd53b_d040,
    ]
    .map(check);
    let expected = [
        "add x1, x2, x3 | x2 x3 -> x1 | int",
        "cmp x2, x3 | x2 x3 -> flags | int",
        "fmadd d0, d2, d1, d0 | v2 v1 v0 -> v0 | fp_fma",
        "fmla v1.2d, v0.2d, v2.2d | v1 v0 v2 -> v1 | fp_fma_packed",
        "cinc w1, w1, gt | x1 flags -> x1 | conditional_move",
        "madd x0, x1, x2, x3 | x1 x2 x3 -> x0 | int_mul_add64",
        "mul x0, x1, x2 | x1 x2 -> x0 | int_mul64",
        "fcmp d0, d1 | v0 v1 -> flags | fp_compare_flags",
        "mov v0.d[0], x1 | v0 x1 -> v0 | insert",
        "fmov x0, d1 | v1 -> x0 | vector_to_int",
        "scvtf d0, x0 | x0 -> v0 | int_to_fp",
        "movi v0.2d, #0x0 |  -> v0 | vector_logic",
        "mov v0.16b, v1.16b | v1 -> v0 | Move",
        "sdiv w0, w1, w2 | x1 x2 -> x0 | int_div32",
        "add x0, x1, w2, sxtw #5 | x1 x2 -> x0 | int_shifted",
        "nop |  ->  | Nothing",
        "mrs x0, tpidr_el0 |  -> x0 | Unknown",
    ];
    assert_eq!(found, expected);
}

fn memory(word: u32) -> (MemoryOperand, Option<Register>) {
    let found = one(word);
    (found.memory.expect("an access"), found.updates)
}

#[test]
fn accesses() {
    let of = Register::of_aarch64;
    let plain = MemoryOperand {
        base: Some(of(0)),
        index: None,
        scale: 1,
        displacement: 0,
        symbol: None,
        width: 8,
        reads: true,
        writes: false,
    };
    // ldr d2, [x0, x3, lsl #3]
    let indexed = MemoryOperand { index: Some(of(3)), scale: 8, ..plain.clone() };
    assert_eq!(memory(0xfc63_7802), (indexed, None));
    // ldr w2, [x0], #4
    assert_eq!(memory(0xb840_4402), (MemoryOperand { width: 4, ..plain.clone() }, Some(of(0))));
    // stp x29, x30, [sp, #-32]!
    let (pair, moved) = memory(0xa9be_7bfd);
    assert_eq!((pair.base, pair.displacement, pair.width, pair.writes), (moved, -32, 16, true));
    assert_eq!(moved.map(|register| register.to_string()), Some("sp".to_owned()));
    // ldp q0, q1, [x0]; ld2 {v0.2d, v1.2d}, [x0]; ldrsw x0, [x0]; strb w0, [x0]; ld1r {v0.2d}, [x0]
    let widths = [0xad40_0400, 0x4c40_8c00, 0xb980_0000, 0x3900_0000, 0x4d40_cc00].map(|word| memory(word).0.width);
    assert_eq!(widths, [32, 32, 4, 1, 8]);
    assert_eq!(one(0xb980_0000).writes, [of(0)]);
    assert!(one(0xb980_0000).has(Trait::SignExtends));
    assert_eq!(one(0x3900_0000).reads, [of(0)]);
}

/// What `x0` holds after these instructions.
fn value(words: &[u32]) -> String {
    let mut state = State::default();
    all(words).iter().enumerate().for_each(|(at, instruction)| state.execute(instruction, at));
    state.register(Register::of_aarch64(0)).to_string()
}

#[test]
fn sums() {
    // add x0, x1, x2, lsl #3; sub x0, x0, #16
    assert_eq!(value(&[0x8b02_0c20, 0xd100_4000]), "x1 + 8*x2 - 16");
    // mov x0, #0x6666; movk x0, #0x1, lsl #16
    assert_eq!(value(&[0xd28c_ccc0, 0xf2a0_0020]), "91750");
    // sbfiz x0, x2, #3, #32; neg x0, x0
    assert_eq!(value(&[0x937d_7c40, 0xcb00_03e0]), "-8*x2");
    // mov x0, x1; ldr d1, [x0], #8
    assert_eq!(value(&[0xaa01_03e0, 0xfc40_8401]), "x1 + 8");
    // str x1, [sp, #8]; ldr x0, [sp, #8]
    assert_eq!(value(&[0xf900_07e1, 0xf940_07e0]), "x1");
    // str x1, [sp, #8]; stp x2, x3, [sp]; ldr x0, [sp, #8]: what the second of a pair stores is not followed
    assert_eq!(value(&[0xf900_07e1, 0xa900_0fe2, 0xf940_07e0]), "?");
    // and x0, x1, #0xff
    assert_eq!(value(&[0x9240_1c20]), "?");
}

#[test]
fn jumps_and_what_they_ask() {
    let found = all(&[0xb400_0040, 0x5400_0021, 0x3707_ffc0, 0xd65f_03c0, 0xd61f_0000]);
    let flows: Vec<_> = found.iter().map(|instruction| instruction.flow.clone()).collect();
    let expected = [Flow::Branch(0x1008), Flow::Branch(0x1008), Flow::Branch(0x1000), Flow::Return, Flow::IndirectJump];
    assert_eq!(flows, expected);
    let asked: Vec<_> = found.iter().filter_map(|instruction| instruction.condition).collect();
    assert_eq!(asked, [Condition::Equal, Condition::NotEqual, Condition::Other]);
    // cbz asks for itself.
    assert!(found[0].effects.compared.is_some() && found[1].effects.compared.is_none());
    // cmp w0, #3
    let difference = one(0x7100_0c1f).effects.compared.expect("a comparison");
    let value = State::default().value(&difference, None).expect("a sum");
    assert_eq!((value.terms.len(), value.constant), (1, -3));
    assert!(value.terms.contains_key(&Term::Register(Register::of_aarch64(0))));
}

#[test]
fn what_is_no_instruction_has_no_figures() {
    let found = one(0xffff_ffff);
    assert_eq!((found.text.as_str(), found.family, found.flow), (".inst 0xffffffff", FamilyUse::Unknown, Flow::Next));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_words_are_decoded(words in prop::collection::vec(any::<u32>(), 1..8)) {
        let found = all(&words);
        prop_assert_eq!(found.len(), words.len());
        let mut state = State::default();
        for (at, instruction) in found.iter().enumerate() {
            state.execute(instruction, at);
            let written = instruction.updates.is_none_or(|moved| instruction.writes.contains(&moved));
            prop_assert!(written && !instruction.text.is_empty() && instruction.operands.len() <= 4);
        }
    }
}
