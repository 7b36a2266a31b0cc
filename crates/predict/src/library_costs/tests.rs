use super::{CostFile, LibraryCosts, expression};
use chronos_machine::Machine;
use chronos_slicing::work::Work;

fn names(list: &str) -> Vec<String> {
    list.split(' ').map(str::to_owned).collect()
}

/// The value of an expression where the argument at position i is i + 2, and what it points to 10 times that.
fn value(text: &str) -> Result<f64, String> {
    let work = expression::parse(text, &names("m n *k"))?;
    let leaf = &mut |leaf: &Work| {
        Some(match leaf {
            Work::Number(n) => *n as f64,
            Work::Argument(i) => *i as f64 + 2.0,
            Work::Pointee(i) => (*i as f64 + 2.0) * 10.0,
            _ => return None,
        })
    };
    work.evaluate(leaf).ok_or_else(|| "unknown".to_owned())
}

#[test]
fn expressions_follow_the_rules_of_arithmetic() {
    assert_eq!(value("2*m*n*k"), Ok(480.0));
    assert_eq!(value(" m + n * 3 - 1"), Ok(10.0));
    assert_eq!(value("(m+n)*(m-n)"), Ok(-5.0));
    assert_eq!(value("7"), Ok(7.0));
}

#[test]
fn what_is_no_expression_is_refused_in_words() {
    assert_eq!(value("2*x"), Err("`x` is none of the arguments (m, n, *k)".to_owned()));
    assert_eq!(value("2*"), Err("a number or an argument is missing".to_owned()));
    assert_eq!(value("(m"), Err("a parenthesis is not closed".to_owned()));
    assert_eq!(value("m n"), Err("`n` is not expected".to_owned()));
    assert_eq!(value("2.5*m"), Err("`.5*m` is not expected".to_owned()));
    assert_eq!(value("99999999999999999999"), Err("`99999999999999999999` is no integer".to_owned()));
    assert_eq!(value(&"(".repeat(500)), Err("nested too deeply".to_owned()));
    assert!(value(&"m+".repeat(5000)).is_err());
}

const DGEMM: &str = r#"{"schema": "chronos-library-costs/1", "functions": {"cblas_dgemm": {
    "arguments": ["layout", "ta", "tb", "m", "n", "k"], "work": "2*m*n*k", "ns_per_call": 300, "work_per_ns": 20}}}"#;

#[test]
fn prices_become_cycles_of_the_machine() {
    let costs = LibraryCosts::parse("costs.json", DGEMM).expect("sound");
    let mut machine = Machine::load("pentium2-350").expect("embedded");
    machine.ns_per_cycle.0 = 2.0;
    costs.apply(&mut machine);
    let (call, work) = machine.library_time("cblas_dgemm");
    assert!((call.0 - 300.0).abs() < 1e-9 && (work.0 - 0.05).abs() < 1e-12);
    assert!(matches!(&costs.work["cblas_dgemm"], Work::Product(_, k) if **k == Work::Argument(5)));
}

/// Code and message of refusing the example after a replacement.
fn refusal(from: &str, to: &str) -> String {
    let errors = LibraryCosts::parse("costs.json", &DGEMM.replace(from, to)).expect_err("refused");
    errors.iter().map(|error| format!("{} {}", error.code.id, error.message)).collect::<Vec<_>>().join("\n")
}

#[test]
fn faults_name_field_and_reason() {
    insta::assert_snapshot!(
        refusal("2*m*n*k", "2*m*n*q"),
        @"C0510 costs.json: field `functions.cblas_dgemm.work`: `q` is none of the arguments (layout, ta, tb, m, n, k)"
    );
    insta::assert_snapshot!(
        refusal("\"work_per_ns\": 20", "\"work_per_ns\": 0"),
        @"C0511 costs.json: field `functions.cblas_dgemm`: `work_per_ns` must be a number above 0"
    );
    insta::assert_snapshot!(
        refusal("300", "-1"),
        @"C0511 costs.json: field `functions.cblas_dgemm`: costs are numbers not below 0"
    );
    insta::assert_snapshot!(
        refusal(", \"work_per_ns\": 20", ""),
        @"C0511 costs.json: field `functions.cblas_dgemm`: `work` needs `ns_per_work` or `work_per_ns`"
    );
    insta::assert_snapshot!(
        refusal("costs/1", "costs/2"),
        @r#"C0509 costs.json: field `schema`: expected "chronos-library-costs/1", found "chronos-library-costs/2""#
    );
    assert!(refusal("\"ns_per_call\"", "\"ns\"").starts_with("C0509 costs.json:2:"));
    assert!(refusal("}}}", "").starts_with("C0509"));
}

#[test]
fn a_missing_file_is_named() {
    let path = std::path::Path::new("./nowhere.json");
    let errors = LibraryCosts::load([path]).expect_err("missing");
    assert_eq!(errors[0].code.id, "C0508");
}

/// The committed schema is what the types say; `UPDATE_SCHEMAS=1` rewrites it.
#[test]
fn the_committed_schema_is_current() {
    let schema = serde_json::to_value(schemars::schema_for!(CostFile)).expect("schema is JSON");
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("schemas/chronos-library-costs-1.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("schema is JSON"));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("schemas/ is writable");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "run the tests with UPDATE_SCHEMAS=1");
    assert!(jsonschema::is_valid(&schema, &serde_json::from_str(DGEMM).expect("JSON")));
}
