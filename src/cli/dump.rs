//! `chronos dump`: intermediate forms as text.

use super::args::{DumpArgs, Phase};
use super::exit::Exit;
use super::output::Terminal;
use crate::pipeline;
use crate::program::{DataModel, print, verify};

pub fn run(options: &DumpArgs, terminal: &Terminal) -> Exit {
    let (program, files, diagnostics) = pipeline::program(&options.front_end.program(), DataModel::default());
    let reported = terminal.report(&diagnostics, &files);
    let Some(program) = program else { return reported };
    match options.phase {
        Phase::Program => terminal.print(&print::program(&program)),
        Phase::Verify => terminal.print(&verify::verify(&program).join("\n")),
    }
}
