use super::scale::{Factor, keys};
use super::{Machine, MemoryLevel, Pipeline, ProvenanceKind, SharedCost, diff, embedded_names};
use chronos_base::units::Nanoseconds;
use chronos_ir::InstructionClass;
use serde_json::{Value, json};

fn example() -> Value {
    serde_json::from_str(include_str!("../../../machines/pentium2-350.json")).expect("embedded file is JSON")
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
fn a_class_that_a_file_leaves_out_costs_what_its_relation_says_and_a_note_tells_it() {
    use InstructionClass as C;
    let mut machine = Machine::load("epyc-zen5-gcc12-O2").expect("embedded");
    machine.classes.remove(&C::FpMul);
    let machine = machine.with_default_costs(|class| (class == C::FpMul).then_some((C::FpAdd, 1.5)));
    let [made, other] = [C::FpMul, C::FpAdd].map(|class| machine.classes[&class].latency_cycles.0);
    assert!((made - 1.5 * other).abs() < 1e-9, "{made} {other}");
    let note = machine.provenance.notes.last().map(String::as_str);
    assert_eq!(note, Some("no cost of `fp_mul` in the file: 1.5 times that of `fp_add`"));
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
    let cost = machine.classes.get_mut(&chronos_ir::InstructionClass::IntAdd).expect("priced");
    cost.throughput_cycles.0 = 9.0;
    let findings = machine.check("m.json");
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code.id, "C0506");
}

/// The committed schema is what the types say; `UPDATE_SCHEMAS=1` rewrites it.
#[test]
fn the_committed_schema_is_current_and_accepts_the_embedded_machines() {
    let schema = serde_json::to_value(schemars::schema_for!(Machine)).expect("schema is JSON");
    let path =
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("schemas/chronos-machine-1.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("schema is JSON"));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("schemas/ is writable");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "run the tests with UPDATE_SCHEMAS=1");
    assert!(jsonschema::is_valid(&schema, &example()));
}

#[test]
fn impossible_pipelines_are_refused() {
    let pipeline = |edit: fn(&mut Pipeline)| {
        let mut machine = Machine::load("pentium2-350").expect("embedded");
        edit(machine.pipeline.get_or_insert_default());
        let findings: Vec<String> = machine.check("m").iter().map(|f| format!("{} {}", f.code.id, f.message)).collect();
        findings.join("\n")
    };
    assert_eq!(
        pipeline(|p| p.width = 0.0),
        "C0505 m: field `pipeline.width`: expected a positive number of operations, found 0"
    );
    assert_eq!(pipeline(|p| p.window = 0), "C0505 m: field `pipeline.window`: expected at least 1, found 0");
    assert!(pipeline(|p| p.mispredict_cycles.0 = -2.0).starts_with("C0505 m: field `pipeline.mispredict_cycles`"));
    assert!(pipeline(|p| p.width = 40.0).starts_with("C0506"));
}

#[test]
fn memory_that_is_faster_than_its_cache_is_odd() {
    let mut machine = Machine::load("epyc-zen5-gcc12-O2").expect("embedded");
    let last = machine.memory.levels.last_mut().expect("levels");
    last.ns_per_line_read = Some(chronos_base::units::Nanoseconds(0.01));
    let findings = machine.check("m");
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code.id, "C0506");
}

fn scaled(factors: &str) -> Machine {
    let machine = Machine::load("epyc-zen5-gcc12-O2").expect("embedded");
    let factors: Vec<Factor> = factors.split(' ').map(|text| text.parse().expect("a factor")).collect();
    machine.scaled("future", &factors).unwrap_or_else(|error| panic!("{}", error.message))
}

#[test]
fn what_is_k_times_better_takes_a_kth_of_the_time() {
    let before = Machine::load("epyc-zen5-gcc12-O2").expect("embedded");
    let after = scaled("fp=4 memory.bandwidth=2 clock=1.5 L2.size=2 window=2");
    let class = |machine: &Machine, class| {
        let cost = &machine.classes[&class];
        [cost.latency_cycles.0, cost.throughput_cycles.0, cost.effective_cycles.0]
    };
    for fp in [InstructionClass::FpAdd, InstructionClass::FpDiv32, InstructionClass::FpConvert] {
        assert_eq!(class(&after, fp), class(&before, fp).map(|cycles| cycles / 4.0));
    }
    assert_eq!(class(&after, InstructionClass::IntAdd), class(&before, InstructionClass::IntAdd));
    assert_eq!(after.ns_per_cycle.0, before.ns_per_cycle.0 / 1.5);
    let read = |machine: &Machine, level: usize| machine.memory.levels[level].ns_per_line_read.expect("timed").0;
    assert_eq!(read(&after, 3), read(&before, 3) / 2.0);
    assert_eq!(read(&after, 2), read(&before, 2));
    assert_eq!(after.memory.levels[1].size_bytes.map(|size| size.0), Some(2 << 20));
    let window = |machine: &Machine| machine.pipeline.as_ref().map(|pipeline| pipeline.window);
    assert_eq!(window(&after), window(&before).map(|window| 2 * window));
}

#[test]
fn a_scaled_machine_keeps_where_it_comes_from() {
    let after = scaled("fp_div=2");
    assert_eq!((&*after.name, after.provenance.kind), ("future", ProvenanceKind::Derived));
    assert!(after.provenance.cpu.contains("EPYC"));
    assert!(after.provenance.notes.last().is_some_and(|note| note.contains("`epyc-zen5-gcc12-O2`: fp_div=2")));
    assert!(after.check("future").is_empty());
}

#[test]
fn every_key_scales_something() {
    let mut before = Machine::load("epyc-zen5-gcc12-O2").expect("embedded");
    before.memory.page_fault_ns = Some(chronos_base::units::Nanoseconds(900.0));
    let all = Some(chronos_base::units::Nanoseconds(99.0));
    before.memory.translation =
        Some(super::Translation { pages: 2048, ns_per_miss: chronos_base::units::Nanoseconds(5.0) });
    before.memory.levels.iter_mut().for_each(|level| level.ns_latency = all);
    for key in keys(&before).into_iter().filter(|key| !key.starts_with("local_")) {
        let after = before.scaled("x", &[Factor { key: key.clone(), factor: 2.0 }]).expect("a key");
        let differs = diff::differences(&before, &after).iter().any(diff::Difference::matters);
        assert!(differs, "{key} changes nothing");
    }
}

#[test]
fn sizes_of_first_touches_rise() {
    let mut machine = Machine::load("epyc-zen5-gcc12-O2").expect("embedded");
    let fault = |bytes: u64, ns: f64| super::PageFault {
        bytes: chronos_base::units::Bytes(bytes),
        ns: chronos_base::units::Nanoseconds(ns),
    };
    machine.memory.page_faults = vec![fault(4096, 9.0), fault(4096, -1.0)];
    let found: Vec<String> = machine.check("m.json").into_iter().map(|found| found.message).collect();
    assert_eq!(
        found,
        [
            "m.json: field `memory.page_faults[1].bytes`: expected more than 4096, found 4096",
            "m.json: field `memory.page_faults[1].ns`: expected a number not below 0, found -1"
        ]
    );
}

#[test]
fn an_unknown_key_is_named_with_its_neighbour() {
    let machine = Machine::load("pentium2-350").expect("embedded");
    let error = machine.scaled("x", &["fp_dvi=2".parse().expect("a factor")]).expect_err("unknown");
    assert_eq!((error.code.id, &*error.message), ("C0507", "`pentium2-350` has no `fp_dvi` to scale"));
    assert!(error.help.is_some_and(|help| help.starts_with("did you mean `fp_div`?")));
    for text in ["fp", "fp=0", "fp=-1", "fp=x", "fp=inf"] {
        assert!(text.parse::<Factor>().is_err(), "{text}");
    }
}

#[test]
fn differences_are_of_times_not_of_cycles() {
    let machine = Machine::load("epyc-zen5-gcc12-O2").expect("embedded");
    let faster = scaled("clock=2");
    let all = diff::differences(&machine, &faster);
    let ratio = |field: &str| all.iter().find(|found| found.field == field).and_then(diff::Difference::ratio);
    assert_eq!(ratio("classes.fp_add.latency"), Some(0.5));
    assert_eq!(ratio("memory.memory.read"), Some(1.0));
    assert!(diff::table(&machine, &machine, false).lines().nth(1).is_some_and(|line| line.contains("figures agree")));
}

#[test]
fn tasks_of_a_node_share_what_cores_share() {
    let mut machine = Machine::load("epyc-zen5-gcc12-O2").expect("embedded");
    let line = chronos_base::units::Bytes(64);
    let level = |name: &str, size: Option<u64>, cores| MemoryLevel {
        shared_by_cores: Some(cores),
        ns_per_line_read: Some(Nanoseconds(2.0)),
        shared: [2, 4].map(|tasks| cost(tasks, f64::from(tasks))).to_vec(),
        ..MemoryLevel::untimed(name, size.map(chronos_base::units::Bytes), line)
    };
    machine.memory.levels = vec![level("L3", Some(1 << 20), 4), level("memory", None, 8)];
    let seen = |tasks: u32| {
        let levels = machine.memory.shared_by(tasks).levels;
        (levels[0].size_bytes.map(|size| size.0 >> 10), levels[1].ns_per_line_read.map(|ns| ns.0))
    };
    assert_eq!(
        [1, 2, 3, 16].map(seen),
        [(1024, 2.0), (512, 2.0), (341, 2.0), (256, 4.0)].map(|(a, b)| (Some(a), Some(b)))
    );
}

fn cost(tasks: u32, ns: f64) -> SharedCost {
    let ns = Nanoseconds(ns);
    SharedCost { tasks, ns_per_line_read: ns, ns_per_line_write: ns, ns_per_line_strided: ns }
}
