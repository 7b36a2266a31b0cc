//! Generated programs as C text, one statement per line.

use crate::tree::{Assign, Block, Expr, Function, Jump, Parameter, Run, Source, Stmt};

/// Global arrays of constants, with what they hold.
pub const TABLES: [(&str, &[i64]); 3] =
    [("limit", &[3, 7, 5, 10]), ("starts", &[0, 2, 2, 5, 9, 12, 12, 13]), ("sizes", &[1, 4, 0, 6, 2, 3, 5, 1])];

/// Global arrays that the programs write.
pub const ARRAYS: [(&str, usize); 2] = [("data", 64), ("prefix", 9)];

/// Global scalars with their first values.
pub const GLOBALS: [(&str, i64); 6] =
    [("range.low", 1), ("range.high", 9), ("range.step", 2), ("width", 6), ("rank", 0), ("size", 1)];

const HEAD: &str = "#include <stdlib.h>\n\
    #define MIN(a, b) ((a) < (b) ? (a) : (b))\n\
    #define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
    #define CEIL(a, b) (((a) + (b) - 1) / (b))\n\
    struct range { int low, high, step; };\n\
    static struct range range = { 1, 9, 2 };\n\
    static const int limit[4] = { 3, 7, 5, 10 };\n\
    static const int starts[8] = { 0, 2, 2, 5, 9, 12, 12, 13 };\n\
    static int sizes[8] = { 1, 4, 0, 6, 2, 3, 5, 1 };\n\
    static int width = 6, rank = 0, size = 1;\n\
    static int data[64], prefix[9];\n\
    static long sink;\n";

pub fn text(source: &Source) -> String {
    let head = if source.mpi { "#include <mpi.h>\n" } else { "" };
    let mut printer = Printer { text: format!("{head}{HEAD}"), indent: 0, spread: source.spread };
    source.functions.iter().for_each(|function| printer.function(function));
    printer.main(source);
    printer.text
}

struct Printer {
    text: String,
    indent: usize,
    spread: bool,
}

impl Printer {
    fn line(&mut self, text: &str) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn function(&mut self, function: &Function) {
        let parameters: Vec<String> = function.parameters.iter().map(|(kind, name)| parameter(*kind, name)).collect();
        let returns = if function.returns { "int" } else { "void" };
        self.line(&format!("static {returns} {}({})", function.name, parameters.join(", ")));
        self.line("{");
        self.block(&function.body);
        if jumps_to_end(&function.body) {
            self.line("done:");
            self.line("    sink--;");
        }
        self.line("}");
    }

    fn main(&mut self, source: &Source) {
        self.line(if source.mpi { "int main(int argc, char **argv)" } else { "int main(void)" });
        self.line("{");
        self.indent = 1;
        if source.mpi {
            self.line("MPI_Init(&argc, &argv);");
            self.line("MPI_Comm_rank(MPI_COMM_WORLD, &rank);");
            self.line("MPI_Comm_size(MPI_COMM_WORLD, &size);");
        }
        source.runs.iter().for_each(|run| self.run(run, source.mpi));
        if source.mpi {
            self.line("MPI_Finalize();");
        }
        self.line("return 0;");
        self.indent = 0;
        self.line("}");
    }

    fn run(&mut self, run: &Run, mpi: bool) {
        if !mpi && run.size > 1 {
            self.line(&format!("rank = {};", run.rank));
            self.line(&format!("size = {};", run.size));
        }
        let arguments = self.arguments(&run.arguments);
        self.line(&format!("{}({arguments});", run.nest));
    }

    fn block(&mut self, block: &Block) {
        self.indent += 1;
        block.iter().for_each(|stmt| self.stmt(stmt));
        self.indent -= 1;
    }

    fn braced(&mut self, block: &Block) {
        self.line("{");
        self.block(block);
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Declare(ty, name, value) => {
                let value = self.top(value);
                self.line(&format!("{} {name} = {value};", ty.name()));
            }
            Stmt::Assign(assign) => {
                let text = self.assign(assign);
                self.line(&format!("{text};"));
            }
            Stmt::Call(function, arguments) => {
                let arguments = self.arguments(arguments);
                self.line(&format!("{function}({arguments});"));
            }
            Stmt::If(arms, otherwise) => self.if_chain(arms, otherwise.as_ref()),
            Stmt::Switch(..) => self.switch(stmt),
            Stmt::For { .. } => self.for_loop(stmt),
            Stmt::While(condition, body) => {
                let condition = self.top(condition);
                self.line(&format!("while ({condition}) {{"));
                self.block(body);
                self.line("}");
            }
            Stmt::Do(body, condition) => {
                self.line("do {");
                self.block(body);
                let condition = self.top(condition);
                self.line(&format!("}} while ({condition});"));
            }
            Stmt::Again(label, body, condition) => {
                self.line(&format!("{label}:"));
                self.line("sink++;");
                self.braced(body);
                let condition = self.top(condition);
                self.line(&format!("if ({condition})"));
                self.line(&format!("    goto {label};"));
            }
            Stmt::Jump(jump) => self.line(match jump {
                Jump::Break => "break;",
                Jump::Continue => "continue;",
                Jump::Done => "goto done;",
            }),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(value)) => {
                let value = self.top(value);
                self.line(&format!("return {value};"));
            }
        }
    }

    fn if_chain(&mut self, arms: &[(Expr, Block)], otherwise: Option<&Block>) {
        for (i, (condition, body)) in arms.iter().enumerate() {
            let condition = self.condition(condition);
            self.line(&format!("{}if ({condition}) {{", if i == 0 { "" } else { "} else " }));
            self.block(body);
        }
        if let Some(otherwise) = otherwise {
            self.line("} else {");
            self.block(otherwise);
        }
        self.line("}");
    }

    fn switch(&mut self, stmt: &Stmt) {
        let Stmt::Switch(value, cases, default) = stmt else { return };
        let value = self.top(value);
        self.line(&format!("switch ({value}) {{"));
        for case in cases {
            case.labels.iter().for_each(|label| self.line(&format!("case {label}:")));
            self.braced(&case.body);
            if case.breaks {
                self.line("    break;");
            }
        }
        if let Some(body) = default {
            self.line("default:");
            self.braced(body);
        }
        self.line("}");
    }

    fn for_loop(&mut self, stmt: &Stmt) {
        let Stmt::For { declares, init, condition, step, body } = stmt else { return };
        let ty = declares.map_or(String::new(), |ty| format!("{} ", ty.name()));
        let init: Vec<String> = init.iter().map(|(name, value)| format!("{name} = {}", self.top(value))).collect();
        let condition = condition.as_ref().map_or(String::new(), |condition| self.top(condition));
        let step: Vec<String> = step.iter().map(|assign| self.assign(assign)).collect();
        self.line(&format!("for ({ty}{}; {condition}; {}) {{", init.join(", "), step.join(", ")));
        self.block(body);
        self.line("}");
    }

    fn assign(&self, assign: &Assign) -> String {
        let target = self.nested(&assign.target);
        match (assign.op, &assign.value) {
            ("+=", Expr::Number(1)) => format!("{target}++"),
            ("-=", Expr::Number(1)) => format!("{target}--"),
            (op, value) => format!("{target} {op} {}", self.top(value)),
        }
    }

    fn arguments(&self, arguments: &[Expr]) -> String {
        arguments.iter().map(|argument| self.nested(argument)).collect::<Vec<_>>().join(", ")
    }

    fn top(&self, expr: &Expr) -> String {
        match expr {
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.nested(left), self.nested(right));
                match *op {
                    "," => format!("{left}, {right}"),
                    op => format!("{left} {op} {right}"),
                }
            }
            Expr::Conditional(parts) => {
                                let [condition, yes, no] = [0, 1, 2].map(|i| self.nested(&parts[i]));
                format!("{condition} ? {yes} : {no}")
            }
            expr => self.nested(expr),
        }
    }

    /// Two comparisons on lines of their own, which gcc counts one by one; in deeper conditions and
    /// in loops it has jumps on the line of the operator.
    fn condition(&self, expr: &Expr) -> String {
        match expr {
            Expr::Binary(op @ ("&&" | "||"), left, right)
                if self.spread && is_comparison(left) && is_comparison(right) =>
            {
                format!("{}{}{op} {}", self.nested(left), self.newline(), self.nested(right))
            }
            expr => self.top(expr),
        }
    }

    fn newline(&self) -> String {
        format!("\n{}", "    ".repeat(self.indent + 2))
    }

    fn nested(&self, expr: &Expr) -> String {
        match expr {
            Expr::Number(value) => value.to_string(),
            Expr::Name(name) => name.clone(),
            Expr::Element(array, index) => format!("{array}[{}]", self.top(index)),
            Expr::Unary(op, inner) => format!("{op}({})", self.top(inner)),
            Expr::Binary(..) | Expr::Conditional(_) => format!("({})", self.top(expr)),
            Expr::Call(function, arguments) => format!("{function}({})", self.arguments(arguments)),
            Expr::Cast(ty, inner) => format!("({}){}", ty.name(), self.nested(inner)),
            Expr::Postfix(name, op) => format!("{name}{op}"),
            Expr::Address(name) => format!("&{name}"),
        }
    }
}

fn is_comparison(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary("<" | "<=" | ">" | ">=" | "==" | "!=", ..))
}

fn parameter(kind: Parameter, name: &str) -> String {
    match kind {
        Parameter::Value(ty) => format!("{} {name}", ty.name()),
        Parameter::Range => format!("const struct range *{name}"),
        Parameter::Out => format!("int *{name}"),
    }
}

/// Whether something in the block jumps to the label at the end of the function.
pub fn jumps_to_end(block: &Block) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Jump(jump) => *jump == Jump::Done,
        Stmt::If(arms, otherwise) => {
            arms.iter().any(|(_, body)| jumps_to_end(body)) || otherwise.as_ref().is_some_and(jumps_to_end)
        }
        Stmt::Switch(_, cases, default) => {
            cases.iter().any(|case| jumps_to_end(&case.body)) || default.as_ref().is_some_and(jumps_to_end)
        }
        Stmt::For { body, .. } | Stmt::While(_, body) | Stmt::Do(body, _) | Stmt::Again(_, body, _) => {
            jumps_to_end(body)
        }
        _ => false,
    })
}
