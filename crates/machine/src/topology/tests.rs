use super::links::FULL;
use super::*;

fn links(shape: Shape, nodes: u32) -> Links {
    let topology = Topology { shape, hop_ns: 100.0, ..Topology::switch() };
    assert_eq!(topology.faults(nodes), []);
    Links::new(&topology, nodes, &[])
}

#[test]
fn a_tree_goes_up_to_the_first_switch_above_both() {
    let tree = links(Shape::FatTree { down: vec![2, 2, 2], width: vec![1.0] }, 8);
    // Ports are channels 0 to 15, links above the lowest switches 16 to 23, those above the next 24 to 27.
    assert_eq!(tree.route(0, 1), [0, 3]);
    assert_eq!(tree.route(0, 2), [0, 16, 19, 5]);
    assert_eq!(tree.route(1, 6), [2, 16, 24, 27, 23, 13]);
    let capacities: Vec<u64> = [0, 16, 24].map(|channel| tree.capacity(channel) / FULL).to_vec();
    assert_eq!(capacities, [1, 1, 4], "one width is given, the other is that of the ports below");
    assert_eq!((tree.detour(0, 1).0, tree.detour(1, 6).0), (0, 400_000));
}

#[test]
fn a_torus_goes_the_shorter_way_round() {
    let torus = links(Shape::Torus { dimensions: vec![4, 3], width: 1.0 }, 12);
    // Six channels for each node: out, in, +x, -x, +y, -y.
    assert_eq!(torus.route(0, 1), [0, 2, 7]);
    assert_eq!(torus.route(0, 3), [0, 3, 19]);
    assert_eq!(torus.route(0, 2), [0, 2, 8, 13], "both ways are as long");
    assert_eq!(torus.route(1, 8), [6, 9, 5, 49], "down in x, then the short way in y");
}

#[test]
fn a_dragonfly_leaves_a_group_by_the_router_with_the_link() {
    let dragonfly = links(Shape::Dragonfly { groups: 3, routers: 2, nodes: 1, local_width: 1.0, global_width: 2.0 }, 6);
    // Ports 0 to 11, local channels 12 to 23, global ones from 24 on.
    assert_eq!(dragonfly.route(0, 1), [0, 13, 3]);
    // Group 0 has its link to group 1 at router 0, group 1 that to group 0 at router 1.
    assert_eq!(dragonfly.route(0, 3), [0, 24 + 1, 7]);
    assert_eq!(dragonfly.route(1, 2), [2, 14, 24 + 1, 18, 5]);
    assert_eq!(dragonfly.capacity(25), 2 * FULL);
}

#[test]
fn a_graph_takes_a_path_of_the_fewest_links() {
    let link = |a, b| GraphLink { between: [a, b], width: 1.0 };
    let shape = Shape::Graph { switches: 2, links: vec![link(0, 3), link(1, 3), link(2, 4), link(3, 4), link(0, 1)] };
    let graph = links(shape, 3);
    assert_eq!(graph.route(0, 2), [0, 6, 5]);
    assert_eq!(graph.route(2, 1), [4, 7, 3]);
    assert_eq!(graph.route(0, 1), [8], "a link of its own");
    let apart = Shape::Graph { switches: 2, links: vec![link(0, 3), link(1, 3), link(2, 4)] };
    let torn = Topology { shape: apart, ..Topology::switch() };
    assert_eq!(torn.faults(3)[0].2, "no way from node 0 to node 2");
}

#[test]
fn others_take_their_share() {
    let topology = Topology { loads: vec![LinkLoad { channel: 3, share: 0.5 }], ..Topology::switch() };
    let links = Links::new(&topology, 2, &[0.25, 0.0]);
    assert_eq!([0, 1, 2, 3].map(|channel| links.capacity(channel)), [FULL * 3 / 4, FULL * 3 / 4, FULL, FULL / 2]);
}

#[test]
fn a_link_is_widened_alone_and_has_a_name() {
    let tree = links(Shape::FatTree { down: vec![2, 2], width: vec![1.0] }, 4);
    let wider = tree.widened(8, 0.25);
    assert_eq!([8, 9].map(|channel| wider.capacity(channel)), [4 * FULL, FULL]);
    assert!(tree.widened(8, 0.0).capacity(8) > 1000 * FULL);
    let names = [2, 3, 8].map(|channel| tree.name(channel));
    assert_eq!(names, ["channel 2 (from node 1)", "channel 3 (to node 1)", "channel 8"]);
    let torus = links(Shape::Torus { dimensions: vec![4, 3], width: 1.0 }, 12);
    assert_eq!([6, 8].map(|channel| torus.name(channel)), ["channel 6 (from node 1)", "channel 8"]);
}

#[test]
fn faults_are_named() {
    let fault = |topology: &Topology, nodes| topology.faults(nodes).remove(0);
    let tree = Topology { shape: Shape::FatTree { down: vec![2, 2], width: vec![0.0] }, ..Topology::switch() };
    assert_eq!(fault(&tree, 5).1, "room for 5 nodes");
    assert_eq!(fault(&tree, 4).0, "shape.fat-tree.width[0]");
    let loads = vec![LinkLoad { channel: 9, share: 2.0 }];
    assert_eq!(fault(&Topology { loads, ..Topology::switch() }, 2).0, "loads[0].channel");
}

#[test]
fn a_shape_that_no_memory_holds_is_refused_before_it_is_made() {
    let found = |shape: Shape| Topology { shape, ..Topology::switch() }.faults(16).remove(0).2;
    let dragonfly = Shape::Dragonfly { groups: 4, routers: 1_999_999, nodes: 2, local_width: 1.0, global_width: 1.0 };
    assert_eq!(found(dragonfly), "one of 16000016000004");
    assert_eq!(found(Shape::Torus { dimensions: vec![4_000_000, 4], width: 1.0 }), "one of 96000000");
    let huge = Shape::Torus { dimensions: vec![u32::MAX; 9], width: 1.0 };
    assert_eq!(found(huge), "one of more than can be numbered");
    assert_eq!(found(Shape::FatTree { down: vec![u32::MAX; 3], width: vec![] }), "one of more than can be numbered");
    assert_eq!(found(Shape::Graph { switches: u32::MAX, links: vec![] }), "one of 4294967311");
}
