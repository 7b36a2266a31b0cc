use super::{Machine, embedded_names};
use serde_json::{Value, json};

fn example() -> Value {
    serde_json::from_str(include_str!("../../machines/pentium2-350.json")).expect("embedded file is JSON")
}

/// The message of refusing the example after `edit`.
fn refusal(edit: impl FnOnce(&mut Value)) -> String {
    let mut machine = example();
    edit(&mut machine);
    let error = Machine::parse("m.json", &machine.to_string()).expect_err("must be refused");
    format!("{} {}", error.code.id, error.message)
}

#[test]
fn embedded_machines_load_under_their_names_and_are_sound() {
    for name in embedded_names() {
        let machine = Machine::load(name).unwrap_or_else(|error| panic!("{name}: {}", error.message));
        assert_eq!(machine.name, name);
        assert!(machine.check(name).iter().all(|finding| !finding.is_error()));
    }
}

#[test]
fn a_machine_survives_writing_and_reading() {
    let machine = Machine::load("pentium2-350").expect("embedded");
    assert_eq!(Machine::parse("copy", &machine.to_json()).expect("own text"), machine);
}

#[test]
fn a_misspelt_name_gets_a_suggestion_and_the_list() {
    let error = Machine::load("pentium2-35").expect_err("unknown");
    assert_eq!(error.code.id, "C0501");
    let help = error.help.expect("help");
    assert!(help.starts_with("did you mean `pentium2-350`?"), "{help}");
}

#[test]
fn a_missing_file_is_named() {
    let error = Machine::load("./nowhere.json").expect_err("missing");
    assert_eq!(error.code.id, "C0502");
    assert!(error.message.contains("./nowhere.json"), "{}", error.message);
}

#[test]
fn broken_json_gives_line_and_column() {
    let error = Machine::parse("m.json", "{\n  \"schema\": ,\n}").expect_err("broken");
    insta::assert_snapshot!(error.message, @"m.json:2:13: the machine file is not JSON: expected value");
}

#[test]
fn fields_missing_unknown_or_of_a_wrong_type_are_named() {
    let without = |object: &mut Value, key: &str| drop(object.as_object_mut().map(|fields| fields.remove(key)));
    let message = refusal(|m| without(&mut m["classes"]["fp_mul"], "latency_cycles"));
    assert!(message.ends_with("field `classes.fp_mul`: missing field `latency_cycles`"), "{message}");
    let message = refusal(|m| without(m, "cores"));
    assert!(message.ends_with("at the top level: missing field `cores`"), "{message}");
    let message = refusal(|m| m["clock"] = json!(3));
    assert!(message.contains("unknown field `clock`"), "{message}");
    let message = refusal(|m| m["cores"] = json!("two"));
    assert!(message.ends_with("field `cores`: invalid type: string \"two\", expected a whole number"), "{message}");
    let message = refusal(|m| m["classes"]["load"]["latency_cycles"] = json!([1]));
    assert!(message.contains("field `classes.load.latency_cycles"), "{message}");
    let message = refusal(|m| without(&mut m["classes"], "fp_mul"));
    assert!(message.contains("expected a cost for `fp_mul`, found none"), "{message}");
}

#[test]
fn impossible_values_name_field_expectation_and_finding() {
    insta::assert_snapshot!(
        refusal(|m| m["classes"]["load"]["effective_cycles"] = json!(-1)),
        @"C0505 m.json: field `classes.load.effective_cycles`: expected a number not below 0, found -1"
    );
    insta::assert_snapshot!(
        refusal(|m| m["ns_per_cycle"] = json!(0)),
        @"C0505 m.json: field `ns_per_cycle`: expected a positive number of nanoseconds, found 0"
    );
    insta::assert_snapshot!(
        refusal(|m| m["schema"] = json!("chronos-machine/9")),
        @r#"C0505 m.json: field `schema`: expected "chronos-machine/1", found "chronos-machine/9""#
    );
}

#[test]
fn a_throughput_above_the_latency_is_only_odd() {
    let mut machine = Machine::load("pentium2-350").expect("embedded");
    let cost = machine.classes.get_mut(&crate::program::InstructionClass::IntAdd).expect("priced");
    cost.throughput_cycles.0 = 9.0;
    let findings = machine.check("m.json");
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code.id, "C0506");
}

/// The committed schema is what the types say; `UPDATE_SCHEMAS=1` rewrites it.
#[test]
fn the_committed_schema_is_current_and_accepts_the_embedded_machines() {
    let schema = serde_json::to_value(schemars::schema_for!(Machine)).expect("schema is JSON");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/chronos-machine-1.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("schema is JSON"));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("schemas/ is writable");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "run the tests with UPDATE_SCHEMAS=1");
    assert!(jsonschema::is_valid(&schema, &example()));
}
