//! Programs lowered from the same sources for both data models, compared.

use chronos_frontend::{SourceOptions, program};
use chronos_ir::{DataModel, Program};

fn read(text: &str, model: DataModel) -> Program {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    // Preprocessing runs in the folder, so that both programs have the same names of files.
    let (program, _, diagnostics) = program(&SourceOptions { files: vec![path], model, ..SourceOptions::default() });
    let mut program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let mut files = chronos_base::span::SourceFiles::default();
    for (_, file) in program.files.iter() {
        let name = if file.name.ends_with("/a.c") { "a.c" } else { &file.name };
        files.intern(name, || None);
    }
    program.files = files.into();
    program
}

/// Lines of the first difference in both programs.
fn difference(text: &str) -> Option<(Option<u32>, Option<u32>)> {
    let [long, short] = [DataModel::Lp64, DataModel::Ilp32].map(|model| read(text, model));
    assert_eq!((long.model, short.model), (DataModel::Lp64, DataModel::Ilp32));
    let found = long.first_difference(&short)?;
    let line = |span: Option<chronos_base::span::Span>| span.map(|span| span.line_start);
    Some((line(found.first), line(found.second)))
}

#[test]
fn sizes_of_types_change_values_and_no_block() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\n#include <stdint.h>\n#include <limits.h>\n#include <mpi.h>\n
        struct node { long key; struct node *next; } list[4];
        long sum(struct node *at) { return at ? at->key + sum(at->next) : 0; }
        int main(void) { char room[sizeof(long) * 2]; if (sizeof(void *) == 8) puts(\"64\");
        for (long i = 0; i < LONG_MAX / 1000; i += sizeof(long)) list[0].key += i;
        switch (sizeof room) { case 8: printf(\"%d\", INT_MAX); break; default: abort(); }
        return sum(list) > UINTPTR_MAX / 2; }\n";
    assert_eq!(difference(text), None);
}

#[test]
fn text_that_depends_on_the_size_of_long_is_found() {
    let text = "int main(void) { int n = 1;\n#ifdef __LP64__\n if (n) n = 2;\n#endif\n return n; }\n";
    assert_eq!(difference(text), Some((Some(3), None)));
    let text = "int main(void) { int n = 1;\n#ifdef __LP64__\n n = n + 2;\n#else\n n = 3;\n#endif\n return n; }\n";
    assert_eq!(difference(text), None);
    let text =
        "int half(int n) { return n / 2; }\n#if __SIZEOF_POINTER__ == 4\nint twice(int n) { return n * 2; }\n#endif\n
        int main(void) { return half(3); }\n";
    assert_eq!(difference(text), Some((Some(6), Some(3))));
}
