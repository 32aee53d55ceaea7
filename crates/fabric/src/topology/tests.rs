//! Kinds of topologies against published topology files, and against what defines them.

use super::*;
use crate::Routes;
use std::collections::BTreeSet;

const RATE: Rate = Rate::from_gbps(100);
const DELAY: Span = Span::from_us(1);

fn build(shape: Shape) -> Topology {
    TopologySpec { shape, bit_error_rate: 0.0 }.build().unwrap()
}

/// The file format of the HPCC simulator: counts, switch numbers, then a line a link. Node and link numbers, and with
/// them ports, must be the same as here.
fn is_the_published(topology: &Topology, file: &str) {
    let mut lines = file.lines();
    let numbers = |line: &str| -> Vec<u64> { line.split_whitespace().map(|n| n.parse().unwrap()).collect() };
    let counts = numbers(lines.next().unwrap());
    assert_eq!(counts[0], topology.nodes().len() as u64);
    assert_eq!(counts[1], u64::from(topology.switches()));
    assert_eq!(counts[2], topology.links().len() as u64);
    for switch in numbers(lines.next().unwrap()) {
        assert_eq!(topology.node(NodeId(switch as u32)).kind, NodeKind::Switch);
    }
    for (line, link) in lines.filter(|line| !line.trim().is_empty()).zip(topology.links()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        assert_eq!([fields[0], fields[1]], link.ends.map(|end| end.node.to_string()), "{line}");
        assert_eq!(fields[2].parse(), Ok(link.rate), "{line}");
        assert_eq!(fields[3].parse(), Ok(link.delay), "{line}");
    }
}

#[test]
fn the_320_hosts_are_the_published_ones() {
    let topology = TopologySpec::fat320().build().unwrap();
    is_the_published(&topology, include_str!("../../../../fixtures/topology/hpcc-fat320.txt"));
}

#[test]
fn the_leaf_spine_is_the_published_one() {
    let topology = build(Shape::LeafSpine {
        leaves: 8,
        spines: 8,
        hosts_per_leaf: 16,
        links_per_spine: 1,
        rate: RATE,
        delay: DELAY,
        fabric_rate: RATE,
        fabric_delay: DELAY,
    });
    is_the_published(&topology, include_str!("../../../../fixtures/topology/leaf-spine-128.txt"));
}

/// Al-Fares et al.: k pods, (k/2)² core switches, k³/4 hosts, every switch with k ports.
#[test]
fn a_fat_tree_has_its_numbers() {
    for k in [2, 4, 6, 8, 16] {
        let topology = TopologySpec::fat_tree(k, RATE, DELAY).build().unwrap();
        assert_eq!(topology.hosts(), k * k * k / 4);
        assert_eq!(topology.switches(), 5 * k * k / 4);
        for switch in topology.hosts()..topology.nodes().len() as u32 {
            assert_eq!(topology.ports(NodeId(switch)).len() as u32, k);
        }
    }
}

/// Kim et al.: with g = a h + 1 groups every pair of groups has exactly one link; routers of a group are all joined.
#[test]
fn a_dragonfly_joins_every_pair_of_groups() {
    for (groups, routers, ports, links_per_pair) in [(9, 4, 2, 1), (5, 4, 2, 2), (4, 4, 2, 2), (3, 2, 1, 1)] {
        let topology = build(Shape::Dragonfly {
            groups,
            routers_per_group: routers,
            hosts_per_router: 2,
            global_ports: ports,
            rate: RATE,
            delay: DELAY,
            local_rate: RATE,
            local_delay: DELAY,
            global_rate: RATE,
            global_delay: DELAY,
        });
        let group = |node: NodeId| (node.0 - topology.hosts()) / routers;
        let mut between = std::collections::BTreeMap::new();
        for link in topology.links() {
            let [a, b] = link.ends.map(|end| end.node);
            if !topology.is_host(a) && !topology.is_host(b) {
                *between.entry((group(a).min(group(b)), group(a).max(group(b)))).or_insert(0) += 1;
            }
        }
        for a in 0..groups {
            assert_eq!(between.get(&(a, a)).copied().unwrap_or(0), routers * (routers - 1) / 2);
            for b in a + 1..groups {
                assert_eq!(between.get(&(a, b)), Some(&links_per_pair), "{groups} groups: {a} to {b}");
            }
        }
        for switch in topology.hosts()..topology.nodes().len() as u32 {
            assert!(topology.ports(NodeId(switch)).len() as u32 <= 2 + routers - 1 + ports);
        }
        // Shortest paths take at most local, global, local.
        let routes = Routes::shortest(&topology, |_| true);
        for dst in 1..topology.hosts() {
            let path = routes.path(&topology, NodeId(0), NodeId(dst), |_, _| 0).unwrap();
            assert!(path.len() <= 5);
        }
    }
}

/// NICs of one rail in one block are one switch apart, others three.
#[test]
fn rails_are_one_switch_apart() {
    let topology = build(Shape::RailOptimised {
        servers: 8,
        rails: 4,
        servers_per_block: 4,
        spines: 2,
        rate: RATE,
        delay: DELAY,
        fabric_rate: RATE,
        fabric_delay: DELAY,
    });
    let routes = Routes::shortest(&topology, |_| true);
    let links = |a: &str, b: &str| {
        let (a, b) = (topology.find(a).unwrap(), topology.find(b).unwrap());
        routes.path(&topology, a, b, |_, _| 0).map(|path| path.len())
    };
    assert_eq!(topology.node(NodeId(5)).name, "g1_1", "numbered server by server");
    assert_eq!(links("g0_2", "g3_2"), Some(2));
    assert_eq!(links("g0_2", "g4_2"), Some(4), "another block");
    assert_eq!(links("g0_2", "g0_3"), Some(4), "another rail");
}

#[test]
fn rows_and_dumbbells_have_their_bottleneck() {
    let trunk = Rate::from_gbps(40);
    let row = build(Shape::ParkingLot {
        switches: 4,
        hosts_per_switch: 3,
        rate: RATE,
        delay: DELAY,
        trunk_rate: trunk,
        trunk_delay: DELAY,
    });
    let routes = Routes::shortest(&row, |_| true);
    let end_to_end = routes.path(&row, NodeId(0), NodeId(11), |_, _| 0).unwrap();
    assert_eq!(end_to_end.len(), 5);
    let slow = end_to_end
        .iter()
        .filter(|end| row.link(row.ports(end.node)[usize::from(end.port)].link).rate == trunk);
    assert_eq!(slow.count(), 3);
    let bell = build(Shape::Dumbbell {
        left: 2,
        right: 3,
        trunks: 4,
        rate: RATE,
        delay: DELAY,
        trunk_rate: trunk,
        trunk_delay: DELAY,
    });
    let names: BTreeSet<&str> = bell.nodes().iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["l0", "l1", "r0", "r1", "r2", "s0", "s1"].into());
    let routes = Routes::shortest(&bell, |_| true);
    assert_eq!(routes.next_ports(bell.find("s0").unwrap(), bell.find("r2").unwrap()).len(), 4);
}

#[test]
fn what_would_not_fit_is_refused_before_it_is_built() {
    let huge = 1 << 19;
    let shapes = [
        Shape::Star { hosts: u32::MAX, rate: RATE, delay: DELAY },
        Shape::LeafSpine {
            leaves: huge,
            spines: 1,
            hosts_per_leaf: u32::MAX,
            links_per_spine: 1,
            rate: RATE,
            delay: DELAY,
            fabric_rate: RATE,
            fabric_delay: DELAY,
        },
        Shape::ParkingLot {
            switches: 30_000,
            hosts_per_switch: 1,
            rate: RATE,
            delay: DELAY,
            trunk_rate: RATE,
            trunk_delay: DELAY,
        },
    ];
    for shape in shapes {
        let error = TopologySpec { shape, bit_error_rate: 0.0 }.build().unwrap_err();
        let fits = matches!(error, TopologyError::TooManyNodes { .. } | TopologyError::TooManyRoutes { .. });
        assert!(fits, "{error}");
    }
}
