//! Places on lines with several branches.

use chronos_frontend::lower::{Settings, lower_sources};
use chronos_frontend::{SourceOptions, read};
use chronos_ir::places::*;

/// The names of all branches or loops of `int f(...)` on one line, by what they cover.
fn names(decision: Decision, line: &str) -> String {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("a.c");
    std::fs::write(&path, format!("int f(int a, int b, int c, int x)\n{{ {line} return x; }}\n")).expect("written");
    let (sources, _) = read(&SourceOptions { files: vec![path], ..SourceOptions::default() }).expect("read");
    let (program, _) = lower_sources(&sources, &Settings::default());
    let mut text = String::new();
    for (id, block) in program.blocks.iter().filter(|(_, block)| Decision::of(block) == Some(decision)) {
        let (from, to) = (block.span.column_start as usize - 3, block.span.column_end as usize - 2);
        let place = program.place_of(id);
        let place = place.rsplit("a.c:").next().unwrap_or_default();
        let column = place.split(':').nth(1).and_then(|column| column.parse().ok());
        assert_eq!(program.named(decision, |_| true, 2, column), Named::These(vec![id]), "{place}");
        text += &format!("{place} {}\n", line.get(from..to.min(line.len())).unwrap_or("?"));
    }
    text
}

#[test]
fn a_line_names_its_statement_and_columns_its_parts() {
    let lines = [
        names(Decision::Branch, "if (a && b && (c || a)) x = 1;"),
        names(Decision::Branch, "x = a ? b : c;"),
        names(Decision::Branch, "if (a) x = 1; else if (b) x = c ? 1 : 2;"),
        names(Decision::Loop, "while (a) for (; b; b--) a--;"),
    ];
    insta::assert_snapshot!(lines.concat(), @r"
    2:7 a && b
    2:13 a && b && (c || a)
    2:18 c || a
    2 if (a && b && (c || a)) x = 1;
    2 a ? b : c
    2:3 if (a) x = 1; else if (b) x = c ? 1 : 2;
    2:22 if (b) x = c ? 1 : 2;
    2:33 c ? 1 : 2
    2:3 while (a) for (; b; b--) a--;
    2:13 for (; b; b--) a--;
    ");
}
