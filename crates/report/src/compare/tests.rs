use super::*;

/// Of a complete prediction.
fn totals(time: f64, interval_s: Option<[f64; 2]>) -> Totals {
    Totals { total_s: Some(time), interval_s, computing_interval_s: None, assumed_interval_s: None, known_s: time }
}

fn entry(program: &str, machine: &str, tasks: usize, time: f64, spread: Option<f64>) -> Entry {
    let interval = spread.map(|spread| [time / spread, time * spread]);
    Entry::key(program, (machine, "net"), &[], tasks).with(&totals(time, interval), &[])
}

fn program(name: &str) -> ComparedProgram {
    let file = format!("{name}.c");
    ComparedProgram { name: name.to_owned(), files: vec![file], arguments: vec![], defines: vec![], report: None }
}

/// A needs 8/n + n/4, B 4 + 2/n.
fn two(spread: Option<f64>) -> Comparison {
    let mut entries = Vec::new();
    for n in [1, 2, 4, 8, 16] {
        let x = n as f64;
        entries.push(entry("A", "m1", n, 8.0 / x + x / 4.0, spread));
        entries.push(entry("B", "m1", n, 3.0 + 4.0 / x, spread));
    }
    Comparison::new(vec![program("A"), program("B")], entries, None)
}

#[test]
fn a_comparison_tells_who_is_first_and_from_where_on() {
    insta::assert_snapshot!(table::render(&two(None), None), @r"
    Comparison of 2 programs
      A  A.c
      B  B.c

    Time on m1
    Tasks        A        B  First
        1  8.250 s  7.000 s  B, 1.18 x as fast as A
        2  4.500 s  5.000 s  A, 1.11 x as fast as B
        4  3.000 s  4.000 s  A, 1.33 x as fast as B
        8  3.000 s  3.500 s  A, 1.17 x as fast as B
       16  4.500 s  3.250 s  B, 1.38 x as fast as A

    Speedup T(1)/T(n), and efficiency, on m1
    Tasks             A             B
        1  1.00 (100 %)  1.00 (100 %)
        2   1.83 (92 %)   1.40 (70 %)
        4   2.75 (69 %)   1.75 (44 %)
        8   2.75 (34 %)   2.00 (25 %)
       16   1.83 (11 %)   2.15 (13 %)

    Where another one becomes faster
      from n = 2 to 8 A is faster than B on m1
      from n = 16 on B is faster than A on m1

    How far it scales
      A on m1: fastest with 4 tasks (speedup 2.75 over 1 task, efficiency 69 %); slower with more
      B on m1: fastest with 16 tasks (speedup 2.15 over 1 task, efficiency 13 %)
    ");
}

#[test]
fn intervals_that_overlap_separate_nobody() {
    let comparison = two(Some(1.3));
    let separated: Vec<_> = comparison.standings.iter().map(|standing| standing.separated).collect();
    assert_eq!(separated, [Some(false); 5]);
    assert_eq!(comparison.standings[0].text, "B before A, not separated (1.18 x)");
    assert!(comparison.crossovers.iter().all(|crossover| crossover.text.ends_with("(not separated)")));
    assert!(two(Some(1.01)).standings.iter().all(|standing| standing.separated == Some(true)));
}

#[test]
fn what_is_assumed_of_one_program_is_the_same_on_all_machines() {
    let wide = Totals { assumed_interval_s: Some([0.1, 10.0]), ..totals(1.0, Some([0.099, 10.1])) };
    let assumed = |program: &str, machine: &str, slower: f64| {
        let times = |interval: Option<[f64; 2]>| interval.map(|ends| ends.map(|end| end * slower));
        let totals = Totals {
            total_s: Some(slower),
            interval_s: times(wide.interval_s),
            assumed_interval_s: times(wide.assumed_interval_s),
            ..wide
        };
        Entry::key(program, (machine, "net"), &[], 1).with(&totals, &[])
    };
    let alone = super::without(1.0, [0.099, 10.1], [0.1, 10.0]);
    assert!(alone[0] > 0.8 && alone[1] < 1.25, "{alone:?}");
    assert_eq!(super::separated(&assumed("A", "m1", 1.0), &assumed("A", "m2", 2.0)), Some(true));
    assert_eq!(super::separated(&assumed("A", "m1", 1.0), &assumed("B", "m1", 2.0)), Some(false));
}

#[test]
fn changes_are_relative_to_the_first_program() {
    let comparison = two(None);
    let slower = comparison.slower(5.0);
    let cases: Vec<_> = slower.iter().map(|e| (e.tasks_count, e.change_percent.map(f64::round))).collect();
    assert_eq!(cases, [(4, Some(33.0)), (8, Some(17.0)), (2, Some(11.0))]);
    assert!(comparison.slower(40.0).is_empty());
}

#[test]
fn machines_of_one_program_compete() {
    let entries = [1, 2, 4].into_iter().flat_map(|n| {
        let x = n as f64;
        [entry("A", "m1", n, 8.0 / x, None), entry("A", "m2", n, 3.0, None)]
    });
    let comparison = Comparison::new(vec![program("A")], entries.collect(), None);
    assert_eq!(comparison.crossovers[0].text, "from n = 4 on m1 is faster than m2 for A");
    assert_eq!(comparison.standings[0].machine, None);
}

#[test]
fn a_baseline_gives_speedups_their_reference() {
    let entries =
        vec![entry("seq", "m1", 1, 6.0, None), entry("par", "m1", 1, 8.0, None), entry("par", "m1", 4, 2.0, None)];
    let comparison = Comparison::new(vec![program("seq"), program("par")], entries, Some("seq"));
    assert_eq!(comparison.entries[2].speedup, Some(3.0));
    assert_eq!(comparison.entries[2].efficiency, Some(0.75));
    assert_eq!(
        comparison.scaling[0].text,
        "par on m1: fastest with 4 tasks (speedup 3.00 over 1 task of seq, efficiency 75 %)"
    );
}

#[test]
fn without_one_task_speedups_are_relative_to_the_fewest() {
    let entries = vec![entry("A", "m1", 2, 8.0, None), entry("A", "m1", 4, 5.0, None)];
    let comparison = Comparison::new(vec![program("A")], entries, None);
    assert_eq!(comparison.entries[1].speedup, Some(1.6));
    assert_eq!(comparison.entries[1].efficiency, Some(0.8));
}

#[test]
fn crossovers_are_found_along_swept_values_too() {
    let value = |n: f64| vec![SweepValue { name: "N".to_owned(), value: n.to_string() }];
    let at =
        |name: &str, n: f64, time: f64| Entry::key(name, ("m1", "net"), &value(n), 4).with(&totals(time, None), &[]);
    let entries = [1000.0, 100.0, 400.0].into_iter().flat_map(|n| [at("A", n, n * n), at("B", n, 300.0 * n)]);
    let comparison = Comparison::new(vec![program("A"), program("B")], entries.collect(), None);
    assert_eq!(comparison.crossovers[0].text, "from N = 400 on B is faster than A on m1 with 4 tasks");
}

#[test]
fn the_page_needs_nothing_else() {
    let page = html::render(&two(Some(1.1)));
    assert_eq!(page.matches("<figure>").count(), 2);
    assert!(page.contains("from n = 16 on B is faster than A on m1"));
    assert!(page.contains("class=\"ideal\"") && page.contains("prefers-color-scheme: dark"));
    assert!(["http", "<script", "src=", "url("].into_iter().all(|outside| !page.contains(outside)));
}

#[test]
fn incomplete_entries_are_not_compared() {
    let mut entries = vec![entry("A", "m1", 2, 8.0, None), entry("B", "m1", 2, 5.0, None)];
    entries[1].total_s = None;
    let comparison = Comparison::new(vec![program("A"), program("B")], entries, None);
    assert!(comparison.standings.is_empty() && !comparison.is_complete());
    let text = table::render(&comparison, None);
    assert!(
        text.contains("> 5.000 s") && text.contains("B on m1 with 2 tasks: 5.000 s of the time are known"),
        "{text}"
    );
}

#[test]
fn functions_of_reports_that_differ_most_stand_first() {
    let function = |name: &str, file: &str, exclusive_s: f64| EntryFunction {
        name: name.to_owned(),
        file: file.to_owned(),
        exclusive_s,
    };
    let report = |name: &str| ComparedProgram { report: Some(format!("{name}.json")), ..program(name) };
    let with = |name: &str, total: f64, functions: Vec<EntryFunction>| Entry {
        functions,
        ..entry(name, "m1", 4, total, None)
    };
    let old = vec![function("f", "old/a.c", 1.0), function("g", "old/a.c", 2.0), function("same", "old/a.c", 0.5)];
    let new = vec![function("f", "new/a.c", 1.25), function("same", "new/a.c", 0.5), function("h", "new/b.c", 3.0)];
    let entries = vec![with("old", 3.5, old), with("new", 4.75, new)];
    let comparison = Comparison::new(vec![report("old"), report("new")], entries, None);
    let text = table::render(&comparison, None);
    let (_, functions) = text.split_once("Functions").expect("a table");
    insta::assert_snapshot!(functions, @r"
     that differ most, without callees, mean over tasks, on m1 with 4 tasks
    Function  Where        old      new  Longer by
    h         new/b.c        -  3.000 s   +3.000 s
    g         old/a.c  2.000 s        -   -2.000 s
    f         old/a.c  1.000 s  1.250 s  +250.0 ms
    ");
    let page = html::render(&comparison);
    assert!(page.contains("<td>+3.000 s</td>") && page.contains("bar shorter") && !page.contains(">same<"));
}
