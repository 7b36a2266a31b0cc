//! `chronos dump`: intermediate forms as text.

use super::args::{DumpArgs, Phase};
use super::exit::Exit;
use super::output::Terminal;
use chronos_ir::{DataModel, print, verify};
use chronos_pipeline as pipeline;

pub fn run(options: &DumpArgs, terminal: &Terminal) -> Exit {
    let (program, files, diagnostics) = pipeline::program(&options.front_end.program(), DataModel::default());
    let reported = terminal.report(&diagnostics, &files);
    let Some(program) = program else { return reported };
    match options.phase {
        Phase::Program => terminal.print(&print::program(&program)),
        Phase::Verify => terminal.print(&verify::verify(&program).join("\n")),
    }
}
