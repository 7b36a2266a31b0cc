use super::*;
use chronos_base::units::Picoseconds;

fn faults(edit: impl Fn(&mut serde_json::Value)) -> String {
    let mut value: serde_json::Value = serde_json::from_str(&named(LIBRARY, "shared-memory").unwrap().1).unwrap();
    edit(&mut value);
    let faults = Network::parse("net.json", &value.to_string()).unwrap_err();
    faults.iter().map(|fault| format!("{} {}\n", fault.code.id, fault.message)).collect()
}

#[test]
fn the_library_is_valid() {
    for name in Network::library() {
        assert_eq!(Network::load(name).unwrap().name, name);
    }
}

/// The committed schema is what the types say; `UPDATE_SCHEMAS=1` rewrites it.
#[test]
fn the_committed_schema_is_current_and_accepts_the_library() {
    let schema = serde_json::to_value(schemars::schema_for!(Network)).expect("schema is JSON");
    let path =
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("schemas/chronos-network-1.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("schema is JSON"));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("schemas/ is writable");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "run the tests with UPDATE_SCHEMAS=1");
    for (name, _) in LIBRARY {
        let (name, text) = named(LIBRARY, name).expect("a shipped file");
        let value = serde_json::from_str(&text).expect("JSON");
        assert!(jsonschema::is_valid(&schema, &value), "{name}");
    }
}

#[test]
fn curves_are_linear_between_points_and_beyond_them() {
    let curve = Curve { points: vec![Point { bytes: 10, ns: 5.0 }, Point { bytes: 20, ns: 10.0 }] };
    let at = |bytes| curve.at(bytes);
    assert_eq!((at(0), at(15), at(40)), (Picoseconds(5_000), Picoseconds(7_500), Picoseconds(20_000)));
    assert_eq!(Curve::constant(2.0).at(1 << 40), Picoseconds(2_000));
}

#[test]
fn a_fault_names_field_expectation_and_finding() {
    insta::assert_snapshot!(faults(|v| v["poll_ns"] = (-2.0).into()),
        @"C0552 network file `net.json`: `poll_ns` is -2, expected a finite number that is not negative");
    insta::assert_snapshot!(faults(|v| v["call_ns"] = (-1.0).into()),
        @"C0552 network file `net.json`: `call_ns` is -1, expected a finite number that is not negative");
    insta::assert_snapshot!(faults(|v| v["within_node"]["latency_ns"] = serde_json::json!([])),
        @"C0552 network file `net.json`: `within_node.latency_ns` is none, expected at least one point");
    insta::assert_snapshot!(faults(|v| v["algorithms"] = serde_json::json!([{"collective": "scan", "algorithm": "bruck"}])),
        @"C0552 network file `net.json`: `algorithms[0].algorithm` is Bruck, expected an algorithm for Scan");
    assert!(faults(|v| v["speed"] = 1.into()).starts_with("C0551 network file net.json:1:"));
}

#[test]
fn the_first_rule_that_fits_is_taken() {
    let network = Network::load(DEFAULT).unwrap();
    let pick = |tasks, bytes| network.rule(CollectiveName::Bcast, tasks, bytes).map(|rule| rule.algorithm);
    assert_eq!(pick(4, 131_072), Some(Algorithm::Linear));
    assert_eq!(pick(64, 131_072), Some(Algorithm::KNomial));
}

#[test]
fn an_unknown_network_lists_the_known_ones() {
    let faults = Network::load("/nowhere/net").unwrap_err();
    assert_eq!(faults[0].code.id, "C0550");
    assert!(faults[0].help.as_ref().is_some_and(|help| help.contains("ethernet-100")));
}
