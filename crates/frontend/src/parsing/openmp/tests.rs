//! Directives rewritten, with their line ends.

use super::clauses::Directive;
use super::loops::canonical;
use super::rewrite;

fn check(text: &str, expected: &[&str]) {
    let out = rewrite(text).text;
    assert_eq!(out.lines().count(), text.lines().count(), "{out}");
    for part in expected {
        assert!(out.contains(part), "{part} in\n{out}");
    }
}

#[test]
fn directives_are_read_with_their_clauses() {
    let read = Directive::read("parallel for reduction(+:a,b) schedule(static, n*(2+1)) num_threads(f(x)), nowait");
    assert_eq!(read.name, "parallel for");
    let clause = |name: &str, argument: &str| (name.to_owned(), argument.to_owned());
    let clauses = [
        clause("reduction", "+:a,b"),
        clause("schedule", "static, n*(2+1)"),
        clause("num_threads", "f(x)"),
        clause("nowait", ""),
    ];
    assert_eq!(read.clauses, clauses);
    assert_eq!(read.reductions(), Some(vec![("+", "a"), ("+", "b")]));
    let ordered = Directive::read("for ordered");
    assert!(ordered.has("ordered") && ordered.is_modelled());
}

#[test]
fn what_is_not_modelled_is_told_from_what_is() {
    let modelled = "parallel\nparallel private(a) shared(b) default(none)\nfor schedule(dynamic,4) nowait\ncritical(name)\n\
        atomic capture\nbarrier\ntask firstprivate(p)\nsingle nowait\nthreadprivate(x,y)\nparallel if(n > 10)\ncancel for";
    for line in modelled.lines() {
        assert!(Directive::read(line).is_modelled(), "{line}");
    }
    let others = "target map(to: a)\nfor linear(i) ordered(2)\nparallel for reduction(mine: s)\nfor reduction(+:a[:n])\n\
        taskloop\nteams\ndeclare reduction(f : int : x)\nparallel for collapse(3)";
    for line in others.lines() {
        assert!(!Directive::read(line).is_modelled(), "{line}");
    }
}

#[test]
fn loops_are_brought_to_one_form() {
    let check = |head: &str, expected: Option<&str>| {
        let found = canonical(head).map(|l| {
            let declared = l.declared.unwrap_or_default();
            format!("{declared}|{}|{}|{} {}|{}", l.counter, l.first, l.relation, l.bound, l.step)
        });
        assert_eq!(found.as_deref(), expected, "{head}");
    };
    check("i = 0; i < n; i++", Some("|i|0|< n|1"));
    check("int i = a[1]; n + 1 >= i; i += 2", Some("int|i|a[1]|<= n + 1|2"));
    check("long k = n - 1; k >= 0; --k", Some("long|k|n - 1|>= 0|-1"));
    check("i = 0; i < n; i = i + s", Some("|i|0|< n|s"));
    check("i = n; i > 0; i -= 4", Some("|i|n|> 0|-(4)"));
    check("i = 0, j = 1; i < n; i++", None);
    check("i = 0; i < n; i--", None);
    check("p = a; p; p = p->next", None);
}

#[test]
fn constructs_stay_on_their_lines() {
    check(
        "#pragma omp parallel private(a)\n{\n f();\n}\ng();\n",
        &["__chronos_omp_fork(0, ((1) != 0), 1)", "__typeof__(a) a;"],
    );
    check(
        "#pragma omp parallel for reduction(+:s) num_threads(4)\nfor (i = 0; i < n;\n i++)\n if (a) b(); else c();\nd();\n",
        &["__chronos_omp_fork(4,", "__typeof__(i) i;", "s = s + __omp_reduced1_s;", "c(); "],
    );
    check(
        "#pragma omp sections\n{\n#pragma omp section\na();\n#pragma omp section\n{b();}\n}\n",
        &["section(1, 2)) { \n{b();} }"],
    );
    check(
        "{\n#pragma omp barrier\n#pragma omp single nowait\nx = 1;\n}\n",
        &["__chronos_omp_barrier();\nif", "x = 1;"].map(|part| {
            if part.ends_with("if") { "__chronos_omp_barrier();\n{ if (__chronos_omp_single())" } else { part }
        }),
    );
    check(
        "#pragma omp for collapse(2)\nfor (i = 0; i < n; i++)\nfor (j = 0; j < m; j++)\nf();\n",
        &["__chronos_omp_nest(0, 0, n, 1, 0, 0, m, 1, 0)"],
    );
}

#[test]
fn what_cannot_be_rewritten_stays() {
    let text = "#pragma omp target\nf();\n#pragma omp for\nwhile (x) y();\n";
    assert_eq!(rewrite(text).text, text);
    assert_eq!(rewrite("int a, b;\n#pragma omp threadprivate(a, b)\n").threadprivate, ["a", "b"]);
}
