//! `rand` and `random` of glibc: additive feedback, r[i] = r[i-3] + r[i-31] modulo 2^32 (its `TYPE_3`).
//!
//! The recurrence is linear, so the state after n numbers is a combination of the first 31 of them: the coefficients are those of
//! the remainder of x^n divided by x^31 - x^28 - 1 (jumping ahead: H. Haramoto, M. Matsumoto, T. Nishimura, F. Panneton,
//! P. L'Ecuyer, "Efficient jump ahead for F2-linear random number generators", INFORMS J. Computing 20 (2008), here over the
//! integers modulo 2^32).

/// Numbers that the next one follows from.
const DEGREE: usize = 31;
/// The nearer of the two that are added.
const NEAR: usize = 3;
/// Numbers that are thrown away after seeding.
const DISCARDED: u64 = 310;
/// Numbers up to which the generator is stepped: a jump takes as long as a few thousand steps.
const NEARBY: u64 = 20_000;

/// A generator at some place of its sequence.
#[derive(Clone, Debug)]
pub(crate) struct Additive {
    seed: u32,
    draws: u64,
    /// The last 31 numbers; `oldest` is the place of the first of them.
    last: [u32; DEGREE],
    oldest: usize,
}

impl Additive {
    /// As it is after so many numbers since it was seeded; 0 stands for a generator that was never seeded as well.
    pub(crate) fn at(seed: u32, draws: u64) -> Self {
        let mut generator = Self { seed, draws: 0, last: first(seed), oldest: 0 };
        generator.skip(DISCARDED.saturating_add(draws));
        generator.draws = draws;
        generator
    }

    /// The number behind so many others since it was seeded.
    pub(crate) fn number(&mut self, seed: u32, draws: u64) -> u32 {
        let ahead = draws.checked_sub(self.draws).filter(|_| seed == self.seed);
        match ahead {
            Some(n) if n <= NEARBY => self.skip(n),
            _ => *self = Self::at(seed, draws),
        }
        self.draws = draws + 1;
        self.step() >> 1
    }

    fn step(&mut self) -> u32 {
        let near = (self.oldest + DEGREE - NEAR) % DEGREE;
        let next = self.last[self.oldest].wrapping_add(self.last[near]);
        self.last[self.oldest] = next;
        self.oldest = (self.oldest + 1) % DEGREE;
        next
    }

    fn skip(&mut self, numbers: u64) {
        if numbers <= NEARBY {
            (0..numbers).for_each(|_| {
                self.step();
            });
            return;
        }
        self.last.rotate_left(self.oldest);
        self.oldest = 0;
        let mut power = power_of_x(numbers);
        let before = self.last;
        for number in &mut self.last {
            *number = power.iter().zip(&before).fold(0, |sum, (&c, &r)| sum.wrapping_add(c.wrapping_mul(r)));
            power = times_x(&power);
        }
    }
}

/// What seeding fills the state with, in the order in which it is used: multiples of 16807 modulo 2^31 - 1, by the quotient of
/// Schrage (ACM TOMS 5, 1979), whose signed arithmetic a seed from 2^31 on shows. The first sums begin at the fourth.
fn first(seed: u32) -> [u32; DEGREE] {
    let mut state = [0; DEGREE];
    let mut word = if seed == 0 { 1 } else { i64::from(seed as i32) };
    for place in &mut state {
        *place = word as u32;
        let next = 16_807 * (word % 127_773) - 2_836 * (word / 127_773);
        word = if next < 0 { next + 2_147_483_647 } else { next };
    }
    // r[31..34] are r[0..3] again, so that r[34] = r[3] + r[31].
    state.rotate_left(NEAR);
    state
}

type Polynomial = [u32; DEGREE];

/// The remainder of x^n.
fn power_of_x(n: u64) -> Polynomial {
    let mut power: Polynomial = [0; DEGREE];
    power[0] = 1;
    for bit in (0..u64::BITS - n.leading_zeros()).rev() {
        power = square(&power);
        if n >> bit & 1 == 1 {
            power = times_x(&power);
        }
    }
    power
}

/// x^31 is x^28 + 1.
fn times_x(power: &Polynomial) -> Polynomial {
    let mut next: Polynomial = [0; DEGREE];
    next[1..].copy_from_slice(&power[..DEGREE - 1]);
    let carry = power[DEGREE - 1];
    next[0] = carry;
    next[DEGREE - NEAR] = next[DEGREE - NEAR].wrapping_add(carry);
    next
}

fn square(power: &Polynomial) -> Polynomial {
    let mut wide = [0_u32; 2 * DEGREE - 1];
    for (i, a) in power.iter().enumerate() {
        for (j, b) in power.iter().enumerate() {
            wide[i + j] = wide[i + j].wrapping_add(a.wrapping_mul(*b));
        }
    }
    for high in (DEGREE..wide.len()).rev() {
        let carry = wide[high];
        wide[high - DEGREE] = wide[high - DEGREE].wrapping_add(carry);
        wide[high - NEAR] = wide[high - NEAR].wrapping_add(carry);
    }
    let mut low: Polynomial = [0; DEGREE];
    low.copy_from_slice(&wide[..DEGREE]);
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_arrive_where_steps_do() {
        for (seed, draws) in [(1, 20_001), (42, 65_536), (u32::MAX, 1_000_003), (0, 4_000_000)] {
            let mut stepped = Additive::at(seed, 0);
            (0..draws).for_each(|_| {
                stepped.step();
            });
            assert_eq!(Additive::at(seed, draws).step(), stepped.step(), "{draws} numbers from {seed}");
        }
    }
}
