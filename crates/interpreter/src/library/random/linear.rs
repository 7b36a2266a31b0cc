//! `drand48` and its kin: x' = a x + c modulo 2^48, as POSIX defines them.

/// Bits of a state.
const BITS: u32 = 48;
const MASK: u64 = (1 << BITS) - 1;
/// Multiplier and addend that POSIX gives, as [`Parameters::packed`].
const STANDARD: u64 = 0x5_DEEC_E66D << 16 | 0xB;

/// Multiplier and addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameters {
    factor: u64,
    addend: u64,
}

impl Parameters {
    /// As the program's hidden variable holds them: 0 stands for those of POSIX.
    pub(crate) fn unpacked(packed: i64) -> Self {
        let bits = packed as u64 ^ STANDARD;
        Self { factor: bits >> 16, addend: bits & 0xFFFF }
    }

    /// For the program's hidden variable.
    pub(crate) fn packed(factor: u64, addend: u16) -> i64 {
        ((factor & MASK) << 16 | u64::from(addend)) as i64 ^ STANDARD as i64
    }

    /// The next state.
    pub(crate) fn next(self, state: u64) -> u64 {
        self.factor.wrapping_mul(state).wrapping_add(self.addend) & MASK
    }

    /// The state after so many numbers: the map is applied by repeated squaring (F. B. Brown, "Random number generation with
    /// arbitrary strides", Trans. Am. Nucl. Soc. 71, 1994).
    pub(crate) fn after(self, state: u64, numbers: u64) -> u64 {
        let (mut whole, mut power) = (Self { factor: 1, addend: 0 }, self);
        for bit in 0..u64::BITS - numbers.leading_zeros() {
            if numbers >> bit & 1 == 1 {
                whole = power.behind(whole);
            }
            power = power.behind(power);
        }
        whole.next(state)
    }

    /// First `other`, then this.
    fn behind(self, other: Self) -> Self {
        Self { factor: self.factor.wrapping_mul(other.factor) & MASK, addend: self.next(other.addend) }
    }
}

/// What `srand48` makes of a seed.
pub(crate) fn seeded(seed: i64) -> u64 {
    (seed as u64 & 0xFFFF_FFFF) << 16 | 0x330E
}

/// Of three numbers of 16 bits, the lowest first.
pub(crate) fn joined(parts: [u16; 3]) -> u64 {
    parts.iter().rev().fold(0, |state, &part| state << 16 | u64::from(part))
}

/// The inverse.
pub(crate) fn parted(state: u64) -> [u16; 3] {
    [0, 16, 32].map(|shift| (state >> shift) as u16)
}

/// A number from 0 to 1, all 48 bits of it.
pub(crate) fn real(state: u64) -> f64 {
    state as f64 / (1_u64 << BITS) as f64
}

/// 31 bits without a sign.
pub(crate) fn natural(state: u64) -> i64 {
    (state >> 17) as i64
}

/// 32 bits with a sign.
pub(crate) fn signed(state: u64) -> i64 {
    i64::from((state >> 16) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_arrive_where_steps_do() {
        let parameters = Parameters::unpacked(0);
        let mut state = seeded(7);
        for numbers in 0..1000 {
            assert_eq!(parameters.after(seeded(7), numbers), state);
            state = parameters.next(state);
        }
    }

    #[test]
    fn parameters_come_back_from_their_variable() {
        let packed = Parameters::packed(0x5_DEEC_E66D, 11);
        assert_eq!(packed, 0);
        assert_eq!(Parameters::unpacked(Parameters::packed(5, 3)), Parameters { factor: 5, addend: 3 });
    }
}
