//! Random C programs: functions of loop nests that integers determine, one statement per line.

use crate::random::Random;

/// Functions of one program.
pub const NESTS: usize = 100;

const HEAD: &str = "#include <stdlib.h>\n\
    #define MIN(a, b) ((a) < (b) ? (a) : (b))\n\
    #define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
    struct range { int low, high, step; };\n\
    static struct range range = { 1, 9, 2 };\n\
    static int limit[4] = { 3, 7, 5, 10 };\n\
    static long sink;\n\
    static int data[64];\n";

/// A function that others call: it returns a number of its parameters and may loop.
struct Helper {
    name: String,
}

/// Writes one program.
pub struct Generator {
    random: Random,
    text: String,
    indent: usize,
    names: u32,
    /// Integers that may be read here, the innermost last.
    scope: Vec<String>,
    /// What `continue` would do here: `None` outside of loops, false where it would skip a step.
    continues: Vec<bool>,
    helpers: Vec<Helper>,
    loops: usize,
}

/// A C program of many nests and a `main` that calls each of them with several arguments.
pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        random: Random(seed),
        text: HEAD.to_owned(),
        indent: 0,
        names: 0,
        scope: Vec::new(),
        continues: Vec::new(),
        helpers: Vec::new(),
        loops: 0,
    };
    for number in 0..8 {
        generator.helper(number);
    }
    for number in 0..NESTS {
        generator.nest(number);
    }
    generator.main();
    generator.text
}

impl Generator {
    fn line(&mut self, text: &str) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn helper(&mut self, number: usize) {
        let name = format!("help{number}");
        self.function(&format!("static int {name}(int n, int m)"), |generator| {
            if generator.random.chance(50) {
                generator.loops = 0;
                generator.counted_loop(3);
            }
            if generator.random.chance(40) {
                let condition = generator.condition();
                generator.line(&format!("if ({condition})"));
                let value = generator.affine();
                generator.line(&format!("    return {value};"));
            }
            let value = generator.affine();
            generator.line(&format!("return {value};"));
        });
        self.helpers.push(Helper { name });
    }

    fn nest(&mut self, number: usize) {
        self.function(&format!("static void nest{number}(int n, int m)"), |generator| {
            generator.loops = 0;
            generator.statements(0, 3);
        });
    }

    fn function(&mut self, header: &str, body: impl FnOnce(&mut Self)) {
        self.line(header);
        self.line("{");
        self.indent = 1;
        self.names = 0;
        self.scope = vec!["n".to_owned(), "m".to_owned()];
        body(self);
        self.indent = 0;
        self.line("}");
    }

    fn main(&mut self) {
        self.line("int main(void)");
        self.line("{");
        self.indent = 1;
        for number in 0..NESTS {
            for _ in 0..2 {
                let (n, m) = (self.random.within(0, 12), self.random.within(-2, 9));
                self.line(&format!("nest{number}({n}, {m});"));
            }
        }
        self.line("return 0;");
        self.indent = 0;
        self.line("}");
    }

    /// Statements of a block that stands in `depth` loops.
    fn statements(&mut self, depth: usize, most: i64) {
        let outer = self.scope.len();
        for _ in 0..self.random.within(1, most) {
            self.statement(depth);
        }
        if depth > 0 || self.random.chance(50) {
            self.line("sink++;");
        }
        self.scope.truncate(outer);
    }

    fn statement(&mut self, depth: usize) {
        let room = depth < 4 && self.loops < 7;
        match self.random.within(0, 19) {
            0..=8 if room => self.counted_loop(depth),
            9 | 10 if room => self.other_loop(depth),
            11 | 12 => self.guard(depth),
            13 => self.leave(),
            14 => self.switch(depth),
            15 => self.call(),
            16 | 17 => self.scalar(),
            _ => self.array(),
        }
    }

    fn array(&mut self) {
        let index = self.affine();
        self.line(&format!("data[({index}) & 63] += 1;"));
    }

    fn scalar(&mut self) {
        let value = self.bound();
        let name = self.fresh("t");
        self.line(&format!("int {name} = {value};"));
        if self.random.chance(40) {
            let (condition, other) = (self.condition(), self.affine());
            self.line(&format!("if ({condition})"));
            self.line(&format!("    {name} = {other};"));
        }
        self.scope.push(name);
    }

    fn call(&mut self) {
        if self.helpers.is_empty() {
            return self.array();
        }
        let callee = self.random.pick(&self.helpers).name.clone();
        let (a, b) = (self.bound(), self.affine());
        let name = self.fresh("r");
        self.line(&format!("int {name} = {callee}({a}, {b});"));
        self.line(&format!("sink += {name};"));
        if self.random.chance(50) {
            self.scope.push(name);
        }
    }

    fn guard(&mut self, depth: usize) {
        let condition = self.condition();
        self.line(&format!("if ({condition}) {{"));
        self.nested(depth);
        if self.random.chance(40) {
            self.line("} else {");
            self.nested(depth);
        }
        self.line("}");
    }

    fn nested(&mut self, depth: usize) {
        self.indent += 1;
        self.statements(depth.max(1), 1);
        self.indent -= 1;
    }

    fn switch(&mut self, depth: usize) {
        let (value, modulus) = (self.affine(), self.random.within(2, 5));
        self.line(&format!("switch ((({value}) % {modulus} + {modulus}) % {modulus}) {{"));
        for label in 0..self.random.within(1, modulus) {
            self.line(&format!("case {label}:"));
            self.continues.push(false);
            self.nested(depth);
            self.continues.pop();
            if self.random.chance(70) {
                self.line("    break;");
            }
        }
        if self.random.chance(50) {
            self.line("default:");
            self.line("    sink--;");
        }
        self.line("}");
    }

    /// A jump out of the loop or to its next iteration.
    fn leave(&mut self) {
        let Some(&continues) = self.continues.last() else { return self.array() };
        let condition = self.condition();
        self.line(&format!("if ({condition})"));
        let jump = match self.random.within(0, 5) {
            0..=2 if continues => "continue",
            5 if self.scope[0] == "n" && self.helpers.len() == 8 => "return",
            _ => "break",
        };
        self.line(&format!("    {jump};"));
    }

    fn counted_loop(&mut self, depth: usize) {
        let (low, high) = (self.bound(), self.bound());
        let step = *self.random.pick(&[1, 1, 1, 1, 2, 3, 5]);
        let name = self.fresh("i");
        let ty = *self.random.pick(&["int", "int", "int", "int", "long", "short"]);
        let advance = if step == 1 { format!("{name}++") } else { format!("{name} += {step}") };
        let retreat = if step == 1 { format!("{name}--") } else { format!("{name} -= {step}") };
        let header = match self.random.within(0, 11) {
            0..=5 => format!("for ({ty} {name} = {low}; {name} < {high}; {advance})"),
            6 | 7 => format!("for ({ty} {name} = {low}; {name} <= {high}; {advance})"),
            8 => format!("for ({ty} {name} = {high}; {name} > {low}; {retreat})"),
            9 => format!("for ({ty} {name} = {high}; {name} >= {low}; {retreat})"),
            10 => format!("for (unsigned {name} = MAX(0, {high}); {name}-- > 0;)"),
            _ => format!("for ({ty} {name} = 0; {name} != MAX(0, {high}); {name}++)"),
        };
        self.line(&format!("{header} {{"));
        self.body(depth, Some(format!("(int){name}")), true);
        self.line("}");
    }

    fn body(&mut self, depth: usize, counter: Option<String>, continues: bool) {
        self.loops += 1;
        let scope = self.scope.len();
        self.scope.extend(counter);
        self.continues.push(continues);
        self.indent += 1;
        self.statements(depth + 1, if depth < 2 { 3 } else { 2 });
        self.indent -= 1;
        self.continues.pop();
        self.scope.truncate(scope);
    }

    fn other_loop(&mut self, depth: usize) {
        let name = self.fresh("w");
        let start = self.bound();
        let step = self.random.within(1, 4);
        match self.random.within(0, 5) {
            0 => self.while_loop(depth, &name, &start, &format!("{name} > 0"), &format!("{name} -= {step}")),
            1 => self.while_loop(depth, &name, &start, &format!("{name} > 1"), &format!("{name} /= 2")),
            2 => {
                let high = self.bound();
                self.while_loop(depth, &name, "1", &format!("{name} < {high}"), &format!("{name} *= {}", step + 1));
            }
            3 => {
                let high = self.bound();
                self.while_loop(depth, &name, "0", &format!("{name} * {name} <= {high}"), &format!("{name}++"));
            }
            4 => {
                self.line(&format!("int {name} = {start};"));
                self.line("do {");
                self.body(depth, Some(name.clone()), false);
                self.line(&format!("    {name} -= {step};"));
                self.line(&format!("}} while ({name} > 0);"));
            }
            _ => {
                let high = self.bound();
                self.line(&format!("int {name};"));
                self.line(&format!("for ({name} = {start}; {name} < {high}; {name} += {step}) {{"));
                self.body(depth, Some(name.clone()), true);
                self.line("}");
                self.scope.push(name);
            }
        }
    }

    fn while_loop(&mut self, depth: usize, name: &str, start: &str, condition: &str, step: &str) {
        self.line(&format!("int {name} = {start};"));
        self.line(&format!("while ({condition}) {{"));
        self.body(depth, Some(name.to_owned()), false);
        self.line(&format!("    {step};"));
        self.line("}");
        if self.random.chance(30) {
            self.scope.push(name.to_owned());
        }
    }

    /// A loop bound.
    fn bound(&mut self) -> String {
        match self.random.within(0, 19) {
            0..=4 => self.random.within(-1, 9).to_string(),
            5..=8 => self.random.pick(&["n", "n - 1", "n + 2", "m"]).to_string(),
            9..=13 => self.small(),
            14 => {
                let (a, b) = (self.small(), self.small());
                format!("MIN({a}, {b})")
            }
            15 => {
                let (a, b) = (self.small(), self.small());
                format!("MAX({a}, {b})")
            }
            16 => format!("n / {}", self.random.within(2, 4)),
            17 => format!("(n + {}) / 3", self.random.within(0, 3)),
            18 => self.random.pick(&["range.low", "range.high", "range.step"]).to_string(),
            _ => format!("limit[{}]", self.random.within(0, 3)),
        }
    }

    /// A variable plus a constant.
    fn small(&mut self) -> String {
        let name = self.random.pick(&self.scope.clone()).clone();
        match self.random.within(-3, 3) {
            0 => name,
            constant @ ..0 => format!("{name} - {}", -constant),
            constant => format!("{name} + {constant}"),
        }
    }

    fn affine(&mut self) -> String {
        let (a, b) = (self.small(), self.random.pick(&self.scope.clone()).clone());
        match self.random.within(0, 4) {
            0 => format!("{a} + {b}"),
            1 => format!("{a} - {b}"),
            2 => format!("2 * {b} - {}", self.random.within(0, 9)),
            _ => a,
        }
    }

    fn condition(&mut self) -> String {
        match self.random.within(0, 9) {
            0..=2 => self.comparison(),
            3 | 4 => {
                let modulus = self.random.within(2, 5);
                format!("({}) % {modulus} == {}", self.affine(), self.random.within(0, modulus - 1))
            }
            5 => format!("{} && {}", self.comparison(), self.comparison()),
            6 => format!("{} || {}", self.comparison(), self.comparison()),
            7 => format!("!({})", self.comparison()),
            8 => format!("({}) & 1", self.affine()),
            _ => format!("{} && ({}) % 2 != 0", self.comparison(), self.small()),
        }
    }

    fn comparison(&mut self) -> String {
        let (a, b) = (self.affine(), self.small());
        let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        format!("{a} {op} {b}")
    }
}
