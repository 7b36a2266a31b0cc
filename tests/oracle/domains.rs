//! Random parametric sets in isl's notation.

use crate::random::Random;

/// A set and the points to count it at.
pub struct Case {
    pub text: String,
    pub points: Vec<Vec<i64>>,
}

/// The same for the same seed. Every counted symbol has bounds.
pub fn case(seed: u64) -> Case {
    let mut writer = Writer { random: Random(seed), parameters: 0, counted: 0 };
    writer.parameters = writer.random.within(0, 2) as usize;
    writer.counted = *writer.random.pick(&[1, 2, 2, 2, 3, 3, 4]);
    let pieces = if writer.random.chance(25) { 2 } else { 1 };
    let pieces: Vec<String> = (0..pieces).map(|_| writer.piece()).collect();
    let names = |letter: char, count: usize| (0..count).map(|k| format!("{letter}{k}")).collect::<Vec<_>>().join(",");
    let tuple = names('x', writer.counted);
    let pieces: Vec<String> = pieces.iter().map(|piece| format!("[{tuple}] : {piece}")).collect();
    let text = format!("[{}] -> {{ {} }}", names('p', writer.parameters), pieces.join("; "));
    Case { text, points: writer.points() }
}

struct Writer {
    random: Random,
    parameters: usize,
    counted: usize,
}

impl Writer {
    fn points(&mut self) -> Vec<Vec<i64>> {
        if self.parameters == 0 {
            return vec![Vec::new()];
        }
        let mut values = vec![-3, 0, 1, 2];
        values.extend((0..6).map(|_| self.random.within(3, 30)));
        values.extend((0..3).map(|_| self.random.within(100, 20_000)));
        let point = |first: i64, random: &mut Random| {
            let others = (1..self.parameters).map(|_| random.within(-2, 2 * first.max(4)));
            std::iter::once(first).chain(others).collect::<Vec<i64>>()
        };
        values.into_iter().map(|value| point(value, &mut self.random)).collect()
    }

    fn piece(&mut self) -> String {
        let mut conditions: Vec<String> = (0..self.counted).map(|k| self.bounds(k)).collect();
        for _ in 0..self.random.within(0, 2) {
            conditions.push(self.condition());
        }
        conditions.join(" and ")
    }

    /// Bounds of a symbol by numbers, parameters and the symbols before it, as a loop has them.
    fn bounds(&mut self, k: usize) -> String {
        let (low, high) = (self.bound(k), self.bound(k));
        match self.random.within(0, 5) {
            0 => format!("0 <= x{k} < {high}"),
            1 => format!("{low} <= x{k} <= {high}"),
            2 => format!("0 <= {}x{k} <= {high}", self.random.within(2, 5)),
            3 => format!("0 <= x{k} < {high} and x{k} < {low}"),
            4 => format!("{low} < x{k} <= {}", self.random.within(3, 12)),
            _ => format!("0 <= x{k} and x{k} <= {high}"),
        }
    }

    fn bound(&mut self, k: usize) -> String {
        let parameter = (self.parameters > 0).then(|| format!("p{}", self.random.within(0, self.parameters as i64 - 1)));
        let before = (k > 0).then(|| format!("x{}", self.random.within(0, k as i64 - 1)));
        let constant = self.random.within(-4, 12);
        match (parameter, before) {
            (Some(p), _) if self.random.chance(50) => format!("{p} + {}", constant / 3),
            (_, Some(x)) if self.random.chance(60) => format!("{x} + {constant}"),
            (Some(p), Some(x)) => format!("{p} - {x}"),
            (Some(p), None) => format!("{}{p} + {constant}", self.random.within(1, 2)),
            _ => constant.to_string(),
        }
    }

    fn affine(&mut self) -> String {
        let mut text = self.random.within(-6, 6).to_string();
        for k in 0..self.counted {
            let coefficient = self.random.within(-3, 3);
            text.push_str(&format!(" + {coefficient}x{k}"));
        }
        for k in 0..self.parameters {
            let coefficient = *self.random.pick(&[0, 0, 1, 1, -1, 2]);
            text.push_str(&format!(" + {coefficient}p{k}"));
        }
        text
    }

    fn condition(&mut self) -> String {
        let affine = self.affine();
        let modulus = self.random.within(2, 5);
        match self.random.within(0, 8) {
            0..=2 => format!("{affine} >= 0"),
            3 => format!("({affine}) mod {modulus} = {}", self.random.within(0, modulus - 1)),
            4 => format!("({affine}) mod {modulus} <= {}", self.random.within(0, modulus - 1)),
            5 => format!("floor(({affine})/{modulus}) >= x0"),
            6 => format!("(exists e : {affine} = {modulus}e)"),
            7 => {
                let other = self.affine();
                format!("(exists e : {affine} <= {modulus}e <= {other})")
            }
            _ => format!("({affine} >= 0 or x0 = {})", self.random.within(0, 5)),
        }
    }
}
