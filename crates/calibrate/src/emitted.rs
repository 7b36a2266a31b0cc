//! What a compiler emits with the flags under calibration, where its predefined macros do not say it: processors have
//! wider vectors than compilers prefer for them, and some tunings keep sums out of fused products.
//!
//! It must not know what anything costs.

use super::build::Workshop;
use chronos_base::diag::Diagnostic;

const SOURCE: &str = include_str!("../microbench/emitted.c");

/// Read from assembly; `None` where it does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Emitted {
    /// The widest vectors that a plain loop is made of.
    pub vector_bits: Option<u32>,
    /// A product that is added to an accumulator is fused with the addition.
    pub fuses_sums: Option<bool>,
}

impl Emitted {
    /// # Errors
    /// The compiler cannot be started or refuses the source.
    pub fn by(workshop: &Workshop<'_>) -> Result<Self, Diagnostic> {
        let map = workshop.assembly("emitted", SOURCE, &[])?;
        let sum = workshop.assembly("emitted", SOURCE, &["-DSUMS".to_owned()])?;
        Ok(Self { vector_bits: vector_bits(&map), fuses_sums: fuses_sums(&sum) })
    }
}

/// By the registers that packed additions name: those of x86-64 have their width in their name.
fn vector_bits(assembly: &str) -> Option<u32> {
    let packed = assembly.lines().filter(|line| mnemonic(line).is_some_and(|name| name.ends_with("addpd")));
    let widths = [("zmm", 512), ("ymm", 256), ("xmm", 128)];
    let width = |line: &str| widths.into_iter().find(|(register, _)| line.contains(register)).map(|(_, bits)| bits);
    packed.filter_map(width).max()
}

fn fuses_sums(assembly: &str) -> Option<bool> {
    let any = |begins: &[&str]| {
        let mut names = assembly.lines().filter_map(mnemonic);
        names.any(|name| begins.iter().any(|begin| name.starts_with(begin)))
    };
    let (fused, apart) = (any(&["vfmadd", "fmadd", "fmla"]), any(&["mulsd", "vmulsd", "mulpd", "vmulpd", "fmul"]));
    (fused != apart).then_some(fused)
}

fn mnemonic(line: &str) -> Option<&str> {
    line.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_say_how_wide_vectors_are() {
        let text = "\tvmovupd\t(%rax), %zmm1\n\tvaddpd\t(%rcx), %ymm1, %ymm0\n\tvaddsd\t%xmm0, %xmm1, %xmm1\n";
        assert_eq!(vector_bits(text), Some(256));
        assert_eq!(vector_bits("\taddpd\t%xmm1, %xmm0\n"), Some(128));
        assert_eq!(vector_bits("\tfadd\tv0.2d, v1.2d, v0.2d\n\taddsd\t%xmm1, %xmm0\n"), None);
    }

    #[test]
    fn a_sum_is_fused_or_waits_for_its_product() {
        assert_eq!(fuses_sums("\tvfmadd231sd\t(%rax), %xmm1, %xmm0\n"), Some(true));
        assert_eq!(fuses_sums("\tvmulsd\t(%rax), %xmm1, %xmm1\n\tvaddsd\t%xmm1, %xmm0, %xmm0\n"), Some(false));
        assert_eq!(fuses_sums("\tfmadd\td0, d1, d2, d0\n"), Some(true));
        assert_eq!(fuses_sums("\tret\n"), None);
    }
}
