//! Networks of several levels and what others take of them, computed by hand: nodes with sockets, links of
//! topologies, loads.

use super::*;
use chronos_machine::topology::{LinkLoad, Links, Shape, Topology};

fn ends(result: &ReplayResult) -> Vec<f64> {
    result.tasks.iter().map(|task| task.end.as_nanoseconds()).collect()
}

/// Overhead, latency and time per byte.
fn link(overhead: f64, latency: f64, per_byte: f64) -> Link {
    Link {
        send_overhead_ns: Curve::constant(overhead),
        recv_overhead_ns: Curve::constant(overhead),
        latency_ns: Curve::constant(latency),
        transfer_ns: Curve::linear(0.0, per_byte),
        ports: false,
        ..round_network().within_node
    }
}

/// Tasks 0 and 1 share a socket, task 2 is on the other socket of their node, task 3 on another node. Task 0 sends 40
/// bytes to each: left at 1, there at 1 + 2 + 4, received at 8; left at 6, there at 6 + 20 + 20, received at 51; left
/// at 16, there at 16 + 100 + 40, received at 166.
#[test]
fn each_distance_has_its_own_table() {
    let mut network = round_network();
    network.within_socket = Some(link(1.0, 2.0, 0.1));
    network.within_node = link(5.0, 20.0, 0.5);
    network.between_nodes = link(10.0, 100.0, 1.0);
    let placement = Placement { nodes: vec![0, 0, 0, 1], sockets: vec![0, 0, 1, 0], ..Placement::default() };
    let text = "0: send 1 40; send 2 40; send 3 40\n1: recv 0 40\n2: recv 0 40\n3: recv 0 40";
    assert_eq!(ends(&play(&activity(text), &network, placement.clone())), [16.0, 8.0, 51.0, 166.0]);
    // Without a table for sockets, that of the node: left at 5, there at 5 + 20 + 20, received at 50.
    network.within_socket = None;
    assert_eq!(ends(&play(&activity(text), &network, placement)), [20.0, 50.0, 55.0, 170.0]);
}

/// Node 0 is free, one other program runs on the only processor of node 1, half a one on that of node 2: shares 1,
/// 1/2 and 2/3.
#[test]
fn each_node_has_its_own_load() {
    let shares = [0, 1000, 500].map(|load_milli| Share { processors: 1, load_milli });
    let placement = Placement { nodes: vec![0, 1, 2], shares: shares.to_vec(), ..Placement::default() };
    let text = "0: calc 100\n1: calc 100\n2: calc 100";
    assert_eq!(ends(&play(&activity(text), &round_network(), placement)), [100.0, 200.0, 150.0]);
}

/// Ends of all tasks, each on a node of its own.
fn wired(text: &str, topology: &Topology) -> Vec<f64> {
    let activity = activity(text);
    let nodes = activity.tasks.len() as u32;
    assert_eq!(topology.faults(nodes), []);
    let links = Links::new(topology, nodes, &[]);
    let (network, mut pricing) = (round_network(), given_time);
    let options = ReplayOptions { links: Some(&links), ..ReplayOptions::new(&network, &mut pricing, &|_| None) };
    ends(&replay(&mut ActivityFeed::new(&activity), options))
}

fn with(shape: Shape) -> Topology {
    Topology { shape, ..Topology::switch() }
}

/// Others use half of the channel to node 1 (number 3) and nothing of that from it: 100 bytes take 200 ns there, 100
/// ns back; received at 10 + 100 + 200 + 10 = 320, and 10 + 100 + 100 + 10 = 220 later.
#[test]
fn each_direction_of_a_link_has_its_own_load() {
    let topology = Topology { loads: vec![LinkLoad { channel: 3, share: 0.5 }], ..Topology::switch() };
    assert_eq!(wired("0: send 1 100; recv 1 100\n1: recv 0 100; send 0 100", &topology), [540.0, 330.0]);
}

/// Two switches of two nodes below a third one. Messages 0 to 2 and 1 to 3 meet on the way up: through a link as wide
/// as both ports each takes 100 ns, through one of half that width 200 ns. They go over four links, two more than the
/// network's latency has.
#[test]
fn messages_that_leave_a_switch_of_a_fat_tree_share_its_link() {
    let tree = |width: &[f64]| with(Shape::FatTree { down: vec![2, 2], width: width.to_vec() });
    let sent_traffic = "0: send 2 100\n1: send 3 100\n2: recv 0 100\n3: recv 1 100";
    assert_eq!(wired(sent_traffic, &tree(&[])), [10.0, 10.0, 220.0, 220.0]);
    assert_eq!(wired(sent_traffic, &tree(&[1.0])), [10.0, 10.0, 320.0, 320.0]);
    let far = Topology { hop_ns: 50.0, ..tree(&[1.0]) };
    assert_eq!(wired(sent_traffic, &far), [10.0, 10.0, 420.0, 420.0]);
    // Below one switch they do not meet.
    let near = "0: send 1 100\n1: recv 0 100\n2: send 3 100\n3: recv 2 100";
    assert_eq!(wired(near, &tree(&[1.0])), [10.0, 220.0, 10.0, 220.0]);
}

/// In a ring of six, 0 to 2 and 1 to 3 both take the link from 1 to 2, 4 to 5 does not: 200 ns and 100 ns. A link of
/// twice the width of a port carries both.
#[test]
fn messages_that_take_the_same_link_of_a_torus_share_it() {
    let ring = |width| with(Shape::Torus { dimensions: vec![6], width });
    let text = "0: send 2 100\n1: send 3 100\n2: recv 0 100\n3: recv 1 100\n4: send 5 100\n5: recv 4 100";
    assert_eq!(wired(text, &ring(1.0)), [10.0, 10.0, 320.0, 320.0, 10.0, 220.0]);
    assert_eq!(wired(text, &ring(2.0)), [10.0, 10.0, 220.0, 220.0, 10.0, 220.0]);
}

/// Two groups of two routers with two nodes each. 0 to 4 and 2 to 6 start at different routers and meet on the one
/// link between the groups; 1 to 3 stays inside.
#[test]
fn messages_between_two_groups_of_a_dragonfly_share_their_link() {
    let dragonfly =
        |global_width| with(Shape::Dragonfly { groups: 2, routers: 2, nodes: 2, local_width: 4.0, global_width });
    let text = "0: send 4 100\n1: send 3 100\n2: send 6 100\n3: recv 1 100\n4: recv 0 100\n5: calc 0\n6: recv 2 100\n7: calc 0";
    assert_eq!(wired(text, &dragonfly(1.0)), [10.0, 10.0, 10.0, 220.0, 320.0, 0.0, 320.0, 0.0]);
    assert_eq!(wired(text, &dragonfly(2.0)), [10.0, 10.0, 10.0, 220.0, 220.0, 0.0, 220.0, 0.0]);
}

/// Five tasks on two processors that another program uses by half, all of 100 ns: the six share 1/3 each but for the
/// other one, which asks for less. Shares are (2 / 5.5) for each of five tasks and half of that for the load, so all
/// end at 100 * 5.5 / 2 = 275.
#[test]
fn tasks_and_load_share_processors() {
    let shares = vec![Share { processors: 2, load_milli: 500 }];
    let placement = Placement { nodes: vec![0; 5], shares, ..Placement::default() };
    let text = "0: calc 100\n1: calc 100\n2: calc 100\n3: calc 100\n4: calc 100";
    assert_eq!(ends(&play(&activity(text), &round_network(), placement)), [275.0; 5]);
}
