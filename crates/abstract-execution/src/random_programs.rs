//! Random programs for tests: the same ones in every run.

use std::fmt::Write;

/// Numbers without a pattern, the same in every run.
struct Dice {
    state: u64,
    /// Statements that write what others read occur.
    writes: bool,
}

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % below
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[usize::try_from(self.roll(of.len() as u64)).expect("small")]
    }
}

/// A program of helper functions, called from loops; `N` and `M` are global variables that it does not write.
pub fn random_program(seed: u64) -> String {
    let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    let mut dice = Dice { state, writes: seed.is_multiple_of(3) };
    let mut text = String::from("int N = 4, M = 7, g = 3, h = 1, total; double a[400]; int table[8];\n");
    for index in 0..3 {
        let body: String = (0..2 + dice.roll(3)).map(|_| statement(&mut dice, index, 2)).collect();
        let result = dice.pick(&["n + m", "2 * n - 1", "n > m ? n : m", "n / 2", "m % 3", "g", "*p + n", "n * m"]);
        let _ = writeln!(
            text,
            "static int f{index}(int n, int m, int *p) {{ int i, j, k; for (i = 0; i < n; i++) a[i] = m;\n{body} return {result}; }}"
        );
    }
    let body: String = (0..3 + dice.roll(3)).map(|_| statement(&mut dice, 3, 2)).collect();
    let _ = writeln!(text, "int main(void) {{ int n = N, m = M, i, j, k, x = 2, *p = &x;\n{body} return 0; }}");
    text
}

fn statement(dice: &mut Dice, callees: u64, depth: u32) -> String {
    let bound = dice.pick(&["n", "m", "n + 2", "m - n", "g", "5", "2 * n", "*p", "n / 3", "n * m"]);
    let counter = dice.pick(&["j", "k"]);
    let test = dice.pick(&["n < m", "n % 2", "m > 3", "g == h", "n + m < 9", "*p > 2", "n * 2 > m"]);
    match dice.roll(if depth == 0 { 5 } else { 9 }) {
        1..=3 if !dice.writes => "  total += 2;\n".into(),
        0 => "  total++;\n".into(),
        1 => format!("  g = {};\n", dice.pick(&["n + 1", "m", "g + 1", "n - m", "3"])),
        2 => format!("  *p = {};\n", dice.pick(&["n", "m - 1", "*p + 1", "g"])),
        3 => format!("  table[{}] = n; if (table[2] > 1) total++;\n", dice.roll(3)),
        5 | 6 => {
            let inner = statement(dice, callees, depth - 1);
            let var = if depth == 2 { "j" } else { "k" };
            format!("  for ({var} = {}; {var} < {bound}; {var}++) {{\n  {inner}  }}\n", dice.roll(3))
        }
        7 => format!(
            "  if ({test}) {{ {} }} else {{ {} }}\n",
            statement(dice, callees, depth - 1),
            statement(dice, callees, depth - 1)
        ),
        _ if callees > 0 => {
            let argument = |dice: &mut Dice| {
                let counted = if depth == 2 { "n" } else { "j" };
                let inner = if depth == 0 { "k" } else { counted };
                [inner, "m", "6", "g", "2", "m - 1"][usize::try_from(dice.roll(6)).expect("small")].to_owned()
            };
            let target = dice.pick(&["p", "&h", "p", "table + 2", "&g"]);
            let (n, m) = (argument(dice), argument(dice));
            format!(
                "  {} f{}({n}, {m}, {target});\n",
                dice.pick(&["total +=", "", "h =", "x ="]).replace("x =", "total ="),
                dice.roll(callees)
            )
        }
        _ => format!("  for ({counter} = 0; {counter} < {bound}; {counter}++) total++;\n"),
    }
}
