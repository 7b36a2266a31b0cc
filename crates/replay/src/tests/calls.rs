use super::*;

#[test]
fn non_blocking_messages_overlap_with_computing() {
    let text = "0: isend 1 2000 req=0; calc 5000; wait 0\n1: irecv 0 2000 req=0; calc 5000; wait 0";
    insta::assert_snapshot!(table(&run(text)), @r"
    0: 5010 compute 5000 send 10
    1: 5010 compute 5000 recv 10
    ");
}

#[test]
fn a_sendrecv_of_long_messages_does_not_block() {
    let side = |me: u32, other: u32| format!("{me}: irecv {other} 2000 req=0; isend {other} 2000 req=1; wait 0 1\n");
    // Requests at 120, granted at 230, on the wire until 2230, 100 later at the other side.
    insta::assert_snapshot!(table(&run(&(side(0, 1) + &side(1, 0)))), @r"
    0: 2340 send 10 recv 2330
    1: 2340 send 10 recv 2330
    ");
}

#[test]
fn wait_any_takes_what_completes_first() {
    let text = "0: irecv 1 8 req=0; irecv 2 8 req=1; waitany 0 1; calc 1; wait 0\n1: calc 900; send 0 8\n2: calc 300; send 0 8";
    insta::assert_snapshot!(table(&run(text)), @r"
    0: 1028 compute 1 recv 256 idle 771
    1: 910 compute 900 send 10
    2: 310 compute 300 send 10
    ");
}

#[test]
fn polls_in_vain_let_the_task_go_on() {
    let text = "0: irecv 1 8 req=0; test 0; calc 1; test 0; wait 0\n1: calc 900; send 0 8";
    insta::assert_snapshot!(table(&run(text)), @r"
    0: 1028 compute 1 recv 128 idle 899
    1: 910 compute 900 send 10
    ");
}

/// By hand: the receive is posted at 3 ns, the first test fails until 43 ns, and computing ends at 143 ns. The message has come at 118 ns:
/// the second test takes it in 10 ns and 3 ns of the call. The probe fails until 196 ns.
#[test]
fn polls_in_vain_take_their_own_time() {
    let mut network = round_network();
    (network.call_ns, network.poll_ns) = (3.0, Some(40.0));
    let activity = activity("0: irecv 1 8 req=0; test 0; calc 100; test 0; iprobe 1; calc 1\n1: send 0 8");
    let result = play(&activity, &network, Placement::spread());
    insta::assert_snapshot!(table(&result), @r"
    0: 197 compute 101 recv 96
    1: 10 send 10
    ");
}

#[test]
fn probes_see_messages_that_have_arrived() {
    let text = "0: probe * ; recv 1 8\n1: calc 900; send 0 8".replace("probe * ;", "probe * 0;");
    insta::assert_snapshot!(table(&run(&text)), @r"
    0: 1028 recv 128 idle 900
    1: 910 compute 900 send 10
    ");
    let polled = run("0: iprobe * 0; iprobe * 0; recv 1 8\n1: calc 900; send 0 8");
    assert_eq!(polled.total, Picoseconds(1_028_000));
}

#[test]
fn clock_readings_give_differences() {
    let result = run("0: loop 2 [ clock 3; calc 100; clock 4; elapsed 3 4 ]");
    let elapsed = result.tasks[0].elapsed[0];
    assert_eq!((elapsed.times, elapsed.total, elapsed.least), (2, Picoseconds(200_000), Picoseconds(100_000)));
}

#[test]
fn looking_at_the_clock_again_and_again_is_what_its_looks_are() {
    let looks =
        ["calc 100; clock 2; elapsed 1 2", "clock 2; calc 100; elapsed 3 2; clock 3; elapsed 1 3; calc 7; elapsed 1 2"];
    for look in looks {
        let whole = run(&format!("0: clock 1; loop 1000 [ {look} ]; clock 4; elapsed 2 4; send 1 8\n1: recv 0 8"));
        let each = run(&format!(
            "0: clock 1; {}clock 4; elapsed 2 4; send 1 8\n1: recv 0 8",
            format!("{look}; ").repeat(1000)
        ));
        assert_eq!(whole.tasks[0].elapsed, each.tasks[0].elapsed);
        assert_eq!(whole.tasks[0].compute, each.tasks[0].compute);
        assert_eq!((whole.total, whole.tasks[1].idle), (each.total, each.tasks[1].idle));
    }
}

#[test]
fn the_critical_path_goes_through_the_late_sender() {
    let result = run("0: calc 500; send 1 8\n1: recv 0 8; calc 7");
    let path: Vec<_> = result.critical_path.iter().map(|part| (part.task.0, part.from.0, part.to.0)).collect();
    assert_eq!(path, [(0, 0, 510_000), (1, 628_000, 635_000)]);
    assert_eq!(result.critical_path[1].message, Picoseconds(118_000));
}
