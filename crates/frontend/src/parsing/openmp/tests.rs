//! Directives rewritten, with their line ends.

use super::canonical::canonical;
use super::clauses::{Directive, Item};
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
    let item = |name: &str| ("+".to_owned(), Item { name: name.to_owned(), sections: Vec::new() });
    assert_eq!(read.reductions(), Some(vec![item("a"), item("b")]));
    let ordered = Directive::read("for ordered");
    assert!(ordered.has("ordered") && ordered.is_modelled());
}

#[test]
fn what_is_not_modelled_is_told_from_what_is() {
    let modelled = "parallel\nparallel private(a) shared(b) default(none)\nfor schedule(dynamic,4) nowait\ncritical(name)\n\
        atomic capture\nbarrier\ntask firstprivate(p)\nsingle nowait\nthreadprivate(x,y)\nparallel if(n > 10)\ncancel for\n\
        unroll\nunroll partial(4)";
    for line in modelled.lines() {
        assert!(Directive::read(line).is_modelled(), "{line}");
    }
    let joined = "target map(to: a)\nfor linear(i) ordered(2)\nfor reduction(+:a[:n], b[1:2][:m])\nparallel for collapse(3)\n\
        target teams distribute parallel for simd map(tofrom: a[0:n]) reduction(+:s) num_teams(4)\nparallel master taskloop\n\
        teams thread_limit(2)\ntarget update from(a)\ndeclare reduction(f : int : omp_out += omp_in)";
    for line in joined.lines() {
        assert!(Directive::read(line).is_modelled(), "{line}");
    }
    let others = "parallel for collapse(n)\nparallel for collapse(6)\nfor reduction(+:a[1:])\nmetadirective\n\
        declare variant(f) match(construct={target})\ntask detach(e)\nprivate(a[2])";
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
        &["__chronos_omp_nest(0, 2, 0, n, 1, 0, 0, m, 1, 0)"],
    );
}

#[test]
fn what_cannot_be_rewritten_stays() {
    let text = "#pragma omp tile sizes(2)\nf();\n#pragma omp for\nwhile (x) y();\n#pragma omp for reduction(mine: x)\nfor (i = 0; i < n; i++) g();\n";
    assert_eq!(rewrite(text).text, text);
    assert_eq!(rewrite("int a, b;\n#pragma omp threadprivate(a, b)\n").threadprivate, ["a", "b"]);
}

#[test]
fn joined_directives_are_nested() {
    let line = "target teams distribute parallel for num_teams(2) map(a) schedule(static, 3) private(x)";
    let (outer, rest) = Directive::read(line).parts().expect("a target");
    assert_eq!((&*outer.name, outer.has("map"), &*rest.name), ("target", true, "teams distribute parallel for"));
    let (teams, rest) = rest.parts().expect("teams");
    assert_eq!((teams.argument("num_teams"), &*rest.name), (Some("2"), "distribute parallel for"));
    assert_eq!((rest.argument("schedule"), rest.parts()), (Some("static, 3"), None));
    check(
        "#pragma omp target teams distribute parallel for\nfor (i = 0; i < n; i++)\n a[i] = s;\nf();\n",
        &["__chronos_omp_target(1);", "__omp_teams2 = 1", "__chronos_omp_loop(5, 1, 0, n, 1, 0)", "f();"],
    );
}

#[test]
fn copies_are_made_of_what_changes() {
    let text = "#pragma omp task shared(s)\n{ a = 1; s = b; c[2]++; }\n";
    check(text, &["__chronos_omp_own(a); __chronos_omp_own(c); \n{"]);
    check(
        "#pragma omp for reduction(max: a[1:n])\nfor (i = 0; i < m; i++)\nf(a);\n",
        &["_Generic(", "long __omp_low1_a = 1"],
    );
    check(
        "#pragma omp declare reduction(join : struct s : j(&omp_out, omp_in))\n#pragma omp parallel reduction(join : r)\nf(r);\n",
        &["r = {0};", "j(&r, __omp_reduced1_r);"],
    );
}

#[test]
fn braces_between_loops_are_left_out() {
    let text =
        "#pragma omp for collapse(2)\nfor (i = 0; i < n; i++) {\n for (j = 0; j < m; j++) {\n f();\n }\n}\ng();\n";
    check(text, &["__chronos_omp_nest(0, 2, ", " {\n f();\n }\n"]);
    let more = "#pragma omp for collapse(2)\nfor (i = 0; i < n; i++) {\n for (j = 0; j < m; j++) f();\n h(); }\n";
    assert_eq!(rewrite(more).text, more);
    // The inner loop depends on the outer one, which alone is shared out.
    check(
        "#pragma omp for collapse(2)\nfor (i = 0; i < n; i++)\nfor (j = i; j < m; j++)\nf();\n",
        &["loop(3, 1, 0, n, 1, 0)"],
    );
}
