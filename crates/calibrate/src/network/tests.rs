use super::*;
use crate::plan::Effort;
use chronos_base::units::Bytes;
use chronos_machine::network::CollectiveName;

/// Two runs on made-up nodes.
fn measured() -> Measured {
    let place = |rank: u32| format!("place {rank} node{rank} socket 0 processors 2\n");
    let head =
        |tasks: u32| format!("library Open MPI v4.1.4\n{}crowded 0\n", (0..tasks).map(place).collect::<String>());
    let point =
        |name: &str, tasks: u32, bytes: u64, ns: u64| format!("point {name} {tasks} {bytes} {ns} {ns} {ns} 0.01 24\n");
    let messages = [
        ("one-way", 0, 100),
        ("one-way", 1000, 1100),
        ("gap", 0, 5),
        ("gap", 1000, 1000),
        ("call", 0, 30),
        ("poll", 0, 900),
    ];
    let messages: String =
        messages.iter().map(|&(name, bytes, ns)| point(&format!("network.{name}"), 2, bytes, ns)).collect();
    let mut measured = Measured::default();
    for tasks in [2, 4] {
        let own = if tasks == 2 { messages.as_str() } else { "" };
        let text =
            format!("{}{own}{}{}end\n", head(tasks), point("barrier", tasks, 0, 300), point("bcast", tasks, 8, 200));
        measured.add(tasks, output::parse(&text).unwrap());
    }
    measured
}

fn options() -> Options {
    Options {
        mpirun: "mpirun -np {n}".to_owned(),
        mpicc: "mpicc".to_owned(),
        tasks: vec![2, 4],
        largest: Bytes(1 << 20),
        name: Some("here".to_owned()),
        library: None,
        rest: "shared-memory".to_owned(),
        effort: Effort::Trial,
        allow_noise: false,
    }
}

#[test]
fn samples_become_a_network_file() {
    let network = assemble::network(&options(), &measured()).unwrap();
    assert_eq!((network.call_ns, network.mpi_library.as_deref()), (30.0, Some("openmpi-4.1")));
    assert_eq!(network.poll_ns, Some(900.0));
    let bcast = network.measured(CollectiveName::Bcast, 5, false).unwrap();
    assert_eq!((bcast.tasks, bcast.time_ns.points[0].ns), (4, 200.0));
    assert!(network.provenance.text.contains("within_node, which is that of `shared-memory`"));
    let text = serde_json::to_string(&network).unwrap();
    assert_eq!(Network::parse("here.json", &text).unwrap(), network);
}

#[test]
fn a_launcher_says_where_the_number_of_tasks_belongs() {
    let fault = run(&Options { mpirun: "mpirun -np 2".to_owned(), ..options() }, &mut |_| ()).1;
    assert_eq!((fault[0].code.id, &*fault[0].message), ("C0608", "`mpirun -np 2` has no `{n}`"));
}

#[test]
fn noise_is_told_and_too_much_of_it_refused() {
    let with = |error: f64| {
        let samples = measured().samples.into_iter().map(|sample| Sample { error, ..sample });
        noise(&samples.collect::<Vec<_>>(), &options())
    };
    assert!(with(0.01).unwrap().is_none());
    assert!(with(0.1).unwrap().unwrap().message.starts_with("10 of 10 points are less certain than 5 %"));
    assert_eq!(with(0.5).unwrap_err().code.id, "C0606");
}

#[test]
fn crowded_nodes_are_refused() {
    let printed =
        output::parse("place 0 a socket 0 processors 1\nplace 1 a socket 0 processors 1\ncrowded 1\nend\n").unwrap();
    assert_eq!(crowded(&options(), &printed).unwrap_err().message, "2 tasks are more than processors: `a` has 1");
    assert!(crowded(&Options { allow_noise: true, ..options() }, &printed).is_ok());
}

#[test]
fn messages_within_a_virtual_machine_are_uncertain() {
    let places = "place 0 a socket 0 processors 2\nplace 1 a socket 0 processors 2\ncrowded 0\n";
    let point = |bytes: u64, ns: u64| format!("point socket.one-way 2 {bytes} {ns} {ns} {ns} 0.01 24\n");
    let within = |flag: u32| {
        let mut measured = Measured::default();
        let text =
            format!("library Open MPI v4.1.4\n{places}virtual {flag}\n{}{}end\n", point(0, 100), point(1000, 1100));
        measured.add(2, output::parse(&text).unwrap());
        let uncertainty = assemble::network(&options(), &measured).unwrap().within_node.uncertainty.unwrap();
        (uncertainty, placement_unknown(&measured).is_some())
    };
    let ((bare, told), (placed, also_told)) = (within(0), within(1));
    assert!(bare.fixed < 1.1 && bare.rate < 1.1 && !told);
    assert_eq!((placed, also_told), (fit::PLACED, true));
}
