//! Programs that start tasks (`MPI_Comm_spawn`): all programs are linked into one executable, whose processes run the
//! `main` of the program that they are started of.

use chronos_functions::lookup;
use chronos_ir::{BlockKind, Callee, Program, SPAWNED_MAIN, spawned_main};
use std::fmt::Write as _;

/// The file that lists the programs.
pub const FILE: &str = "chronos_programs.c";

/// What the linker is told: processes that stand by begin with a function of the runtime.
pub const LINK: &str = "-Wl,--wrap=main";

/// Names of the programs that tasks may be started of, its own first; none where it starts no tasks.
pub fn programs(program: &Program) -> Vec<String> {
    let starts = program.blocks.values().any(|block| match &block.kind {
        BlockKind::Call(call) => {
            matches!(&call.callee, Callee::Mpi(name) if lookup(name).is_some_and(|row| row.spawns))
        }
        _ => false,
    });
    if !starts {
        return Vec::new();
    }
    let names = program.functions.values().filter_map(|function| function.name.strip_prefix(SPAWNED_MAIN));
    std::iter::once(own_name(program)).chain(names.map(str::to_owned)).collect()
}

/// The name of the file with `main`, as names of started programs are written.
fn own_name(program: &Program) -> String {
    let file = program.main.map(|main| program.functions[main].span.file);
    let path = file.map_or("main".to_owned(), |file| program.files.get(file).name.to_string());
    let name = spawned_main(path.trim_end_matches(".c"));
    name.trim_start_matches(SPAWNED_MAIN).to_owned()
}

/// C text of the list.
pub fn list(programs: &[String]) -> String {
    let mut out =
        String::from("/* Generated: the programs that tasks are started of. */\n#include \"chronos_live.h\"\n");
    let others = programs.iter().skip(1);
    others.clone().for_each(|name| _ = writeln!(out, "extern int {SPAWNED_MAIN}{name}();"));
    out.push_str("const chronos_program chronos_programs[] = {\n");
    programs.iter().take(1).for_each(|own| _ = writeln!(out, "  {{\"{own}\", 0}},"));
    for name in others {
        let _ = writeln!(out, "  {{\"{name}\", (int (*)(int, char **, char **)){SPAWNED_MAIN}{name}}},");
    }
    out.push_str("  {0, 0}};\n");
    out
}
