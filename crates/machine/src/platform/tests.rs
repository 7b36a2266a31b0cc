use super::*;

const EXAMPLE: &str = include_str!("../../../../testdata/platforms/two-kinds.json");

fn placed(placement: PlacementRule, tasks: usize) -> Vec<u32> {
    let kinds = PlatformFile::parse("two-kinds", EXAMPLE).unwrap().nodes;
    Platform::build("p", &kinds, placement, None).unwrap().place(tasks).unwrap()
}

#[test]
fn tasks_are_placed_by_rule() {
    assert_eq!(placed(PlacementRule::Block, 7), [0, 1, 2, 3, 3, 0, 1]);
    assert_eq!(placed(PlacementRule::Cyclic, 7), [0, 1, 2, 3, 3, 0, 1]);
    assert_eq!(placed(PlacementRule::Explicit(vec![3, 3, 0]), 2), [3, 3]);
    let platform = Platform::of_kinds("pentium2-350:2,pentium2-350", 2).unwrap();
    assert_eq!(platform.place(7).unwrap(), [0, 0, 1, 1, 2, 2, 0]);
    assert_eq!(Platform { placement: PlacementRule::Cyclic, ..platform }.place(7).unwrap(), [0, 1, 2, 0, 1, 2, 0]);
}

fn fault(edit: impl Fn(&mut serde_json::Value)) -> String {
    let mut value: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
    edit(&mut value);
    PlatformFile::parse("p.json", &value.to_string()).unwrap_err()[0].message.clone()
}

#[test]
fn faults_name_field_expectation_and_finding() {
    insta::assert_snapshot!(fault(|v| v["nodes"][1]["load"] = (-1.0).into()),
        @"platform file `p.json`: `nodes[1].load` is -1, expected a finite number that is not negative");
    insta::assert_snapshot!(fault(|v| v["placement"] = serde_json::json!({"explicit": [0, 9]})),
        @"platform file `p.json`: `placement.explicit` is 9, expected nodes below 4");
    insta::assert_snapshot!(fault(|v| v["nodes"] = serde_json::json!([])),
        @"platform file `p.json`: `nodes` is 0, expected 1 to 16777216 nodes in all");
    assert!(fault(|v| v["speed"] = 1.into()).contains("unknown field `speed`"));
    let message = |text: &str| Platform::of_kinds(text, 1).unwrap_err().message;
    insta::assert_snapshot!(message("pentium2-350:0"), @"`pentium2-350:0` in `pentium2-350:0` is no machine with a number of nodes");
    let platform =
        Platform { placement: PlacementRule::Explicit(vec![0]), ..Platform::of_kinds("pentium2-350:1", 1).unwrap() };
    insta::assert_snapshot!(platform.place(2).unwrap_err().message, @"the platform `pentium2-350:1` places 1 tasks, and there are 2");
}

#[test]
fn tasks_fill_the_sockets_of_a_node_in_turn() {
    let platform = Platform::of_kinds("pentium2-350:2", 4).unwrap();
    let nodes = platform.nodes.iter().map(|node| Node { sockets: 2, ..*node }).collect();
    let platform = Platform { nodes, ..platform };
    assert_eq!(platform.sockets(&platform.place(8).unwrap()), [0, 0, 1, 1, 0, 0, 1, 1]);
}

#[test]
fn a_loaded_port_makes_a_switch_that_is_shared() {
    let file = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut value: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
        edit(&mut value);
        PlatformFile::parse("p.json", &value.to_string()).unwrap()
    };
    assert!(links(&file(&|_| ())).is_none());
    let loaded = links(&file(&|v| v["nodes"][1]["network_load"] = 0.5.into())).unwrap();
    assert_eq!((loaded.capacity(4) * 2, loaded.route(0, 2)), (loaded.capacity(0), vec![0, 5]));
    let torus = serde_json::json!({"shape": {"torus": {"dimensions": [2, 2]}}, "hop_ns": 50});
    assert_eq!(links(&file(&|v| v["topology"] = torus.clone())).unwrap().detour(0, 3).0, 100_000);
    let ports = |shape: serde_json::Value| {
        fault(move |v| v["topology"] = serde_json::json!({"shape": shape, "contention": "ports"}))
    };
    insta::assert_snapshot!(ports(serde_json::json!({"torus": {"dimensions": [4]}})),
        @"platform file `p.json`: `topology.contention` is ports, expected `fair`, or a `hop_ns`, because messages at ports do not share the links of the shape");
    insta::assert_snapshot!(ports(serde_json::json!({"torus": {"dimensions": [4], "width": 0.5}})),
        @"platform file `p.json`: `topology.contention` is ports, expected `fair`, because links have widths, and messages at ports do not share links");
    insta::assert_snapshot!(ports(serde_json::json!("bus")),
        @"platform file `p.json`: `topology.contention` is ports, expected `fair`, or `shared_medium` in the network file, because at ports messages do not share the medium");
    insta::assert_snapshot!(fault(|v| {
        v["nodes"][1]["network_load"] = 0.5.into();
        v["topology"] = serde_json::json!({"shape": "switch", "contention": "ports"});
    }), @"platform file `p.json`: `topology.contention` is ports, expected `fair`, because `network_load` is a share of the links of a node");
    insta::assert_snapshot!(fault(|v| v["topology"] = serde_json::json!({"shape": {"torus": {"dimensions": [3]}}})),
        @"platform file `p.json`: `topology.shape` is one with room for 3, expected room for 4 nodes");
}

/// The committed schema is what the types say; `UPDATE_SCHEMAS=1` rewrites it.
#[test]
fn the_committed_schema_is_current_and_accepts_the_example() {
    let schema = serde_json::to_value(schemars::schema_for!(PlatformFile)).expect("schema is JSON");
    let path =
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("schemas/chronos-platform-1.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("schema is JSON"));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("schemas/ is writable");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "run the tests with UPDATE_SCHEMAS=1");
    assert!(jsonschema::is_valid(&schema, &serde_json::from_str(EXAMPLE).expect("JSON")));
}

#[test]
fn billions_of_processors_are_no_list() {
    let platform = Platform::of_kinds("pentium2-350:2", u32::MAX).unwrap();
    assert_eq!(platform.place(3).unwrap(), [0, 0, 0]);
    assert_eq!(Platform { placement: PlacementRule::Cyclic, ..platform }.place(3).unwrap(), [0, 1, 0]);
    assert!(Platform::of_kinds("pentium2-350:4000000000", 1).is_err());
}

const SLOW: &str = include_str!("../../../../testdata/platforms/slow-segment.json");

#[test]
fn pairs_of_nodes_have_the_slower_parameters_of_both_or_their_own() {
    let file = PlatformFile::parse("slow", SLOW).unwrap();
    let delays = file.amakata.unwrap().network().unwrap().delays.unwrap();
    let rates =
        |pairs: &[(u32, u32)]| pairs.iter().map(|&(a, b)| delays.parameters(a, b).rate_bit_s).collect::<Vec<_>>();
    assert_eq!(rates(&[(0, 1), (2, 0), (2, 1), (1, 2), (3, 2)]), [30e6, 10e6, 30e6, 30e6, 1e6]);
    assert_eq!((delays.parameters(1, 2).overhead_s, delays.parameters(2, 3).distance_m), (500e-6, 150e3));
}

#[test]
fn faults_of_parameters_of_nodes_are_named() {
    let fault = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut value: serde_json::Value = serde_json::from_str(SLOW).unwrap();
        edit(&mut value);
        PlatformFile::parse("p.json", &value.to_string()).unwrap_err()[0].message.clone()
    };
    insta::assert_snapshot!(fault(&|v| v["amakata"]["nodes"][1]["node"] = 4.into()),
        @"platform file `p.json`: `amakata.nodes[1].node` is 4, expected nodes below 4");
    insta::assert_snapshot!(fault(&|v| v["amakata"]["pairs"][0]["rate_bit_s"] = 0.into()),
        @"platform file `p.json`: `amakata.pairs[0].rate_bit_s` is 0, expected a finite number above 0");
    insta::assert_snapshot!(fault(&|v| v["amakata"]["nodes"][1]["node"] = 2.into()),
        @"platform file `p.json`: `amakata.nodes` is a list that does not, expected a list that names each node once");
    insta::assert_snapshot!(fault(&|v| v["amakata"]["pairs"][0]["between"] = serde_json::json!([1, 1])),
        @"platform file `p.json`: `amakata.pairs` is a list that does not, expected a list that names each pair of two nodes once");
    insta::assert_snapshot!(fault(&|v| v["network"] = "ethernet-100".into()),
        @"platform file `p.json`: `amakata` is there, expected absent where `network`, `topology` or `network_load` says how messages travel");
}
