//! `weir pcap`, and captures that `weir sim run --pcap` writes.

use super::{SMALL, Weir, json, repository};
use std::process::Command;

fn capture(name: &str) -> String {
    repository(&format!("fixtures/{name}")).to_str().unwrap().to_owned()
}

/// Counts of packets that tshark finds in a capture.
fn tshark(path: &str, filter: &str) -> usize {
    let out = Command::new("tshark")
        .args(["-r", path, "-Y", filter, "-T", "fields", "-e", "frame.number"])
        .output();
    let out = out.expect("tshark is needed: apt-get install -y tshark");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).lines().count()
}

#[test]
fn a_capture_of_two_kernels_is_clean() {
    let weir = Weir::new();
    for name in ["kernel-rxe.pcap", "kernel-rxe-loss.pcap"] {
        let path = capture(name);
        let summary = json(&weir.well(&["pcap", "--format", "json", &path]));
        assert_eq!(summary["packets"].as_u64(), Some(tshark(&path, "frame") as u64), "{name}");
        assert_eq!(summary["roce_packets"].as_u64(), Some(tshark(&path, "infiniband") as u64), "{name}");
        assert_eq!(summary["icrc_ok"], summary["roce_packets"], "{name}");
        assert_eq!(
            (summary["icrc_bad"].as_u64(), summary["malformed"].as_u64()),
            (Some(0), Some(0)),
            "{name}"
        );
        let out = weir.well(&["pcap", &path]);
        assert!(out.contains("✓ ICRC right in all") && out.contains("✓ No malformed packet"), "{out}");
    }
}

#[test]
fn a_changed_byte_is_a_finding() {
    let weir = Weir::new();
    let mut bytes = std::fs::read(capture("kernel-rxe.pcap")).unwrap();
    let last = bytes.len() - 6;
    bytes[last] ^= 1;
    weir.file("bad.pcap", &bytes);
    let told = weir.run(&["pcap", "bad.pcap", "--format", "json"]);
    assert_eq!((told.code, json(&told.out)["icrc_bad"].as_u64()), (1, Some(1)));
    let told = weir.run(&["pcap", "bad.pcap"]);
    assert!(told.code == 1 && told.out.contains("✗ ICRC wrong in 1 of"), "{}", told.out);
}

#[test]
fn a_capture_that_is_cut_gives_what_there_is() {
    let weir = Weir::new();
    let bytes = std::fs::read(capture("kernel-rxe.pcap")).unwrap();
    weir.file("cut.pcap", &bytes[..bytes.len() - 10]);
    let told = weir.run(&["pcap", "cut.pcap", "--format", "json"]);
    let whole = json(&weir.well(&["pcap", "--format", "json", &capture("kernel-rxe.pcap")]));
    assert_eq!(told.code, 1);
    assert_eq!(json(&told.out)["packets"].as_u64(), whole["packets"].as_u64().map(|n| n - 1));
    assert!(told.err.contains("warning: cut.pcap") && told.err.contains("cut short"), "{}", told.err);
}

#[test]
fn standard_input_is_a_capture_too() {
    let weir = Weir::new();
    let bytes = std::fs::read(capture("kernel-rxe.pcap")).unwrap();
    let out = weir.command(&["pcap", "-", "--format", "json"]).write_stdin(bytes).output().unwrap();
    assert!(out.status.success());
    let file = weir.well(&["pcap", "--format", "json", &capture("kernel-rxe.pcap")]);
    assert_eq!(String::from_utf8(out.stdout).unwrap(), file);
}

/// What passed a port of the simulation, read by ourselves and by tshark.
#[test]
fn a_simulated_port_is_a_clean_capture() {
    let weir = Weir::new();
    weir.file("a.toml", SMALL);
    let args = ["sim", "run", "a.toml", "--pcap", "s0:4", "--pcap-file", "port.pcapng", "--format", "json"];
    let result = json(&weir.well(&args));
    let port =
        result["ports"].as_array().unwrap().iter().find(|p| p["node"] == "s0" && p["port"] == 4).unwrap();
    let frames = port["tx_frames"].as_u64().unwrap() + port["rx_frames"].as_u64().unwrap();
    let summary = json(&weir.well(&["pcap", "port.pcapng", "--format", "json"]));
    assert_eq!(summary["packets"].as_u64(), Some(frames));
    assert_eq!(summary["icrc_ok"], summary["roce_packets"]);
    // 4 flows of 200 KB at 1024 B a packet.
    assert!(summary["roce_packets"].as_u64().unwrap() >= 4 * 196);
    let path = weir.path("port.pcapng");
    let path = path.to_str().unwrap();
    assert_eq!(tshark(path, "frame") as u64, frames);
    assert_eq!(tshark(path, "_ws.malformed"), 0);
    assert_eq!(tshark(path, "infiniband") as u64, summary["roce_packets"].as_u64().unwrap());
}

/// Every kind of packet at once: marks, CNPs, PFC, repeats, corruption, a port between switches.
#[test]
fn what_goes_wrong_is_in_the_capture_too() {
    let weir = Weir::new();
    let run = |scenario: &str, port: &str, set: &[&str]| {
        let mut args = vec!["sim", "run", scenario, "--pcap", port, "--format", "json"];
        args.extend(set.iter().flat_map(|set| ["--set", *set]));
        let told = weir.run(&args);
        assert_eq!(told.code, 0, "{}", told.err);
        let path = weir.path("weir.pcapng").to_str().unwrap().to_owned();
        assert_eq!(tshark(&path, "_ws.malformed"), 0, "{scenario}");
        let seen = weir.run(&["pcap", "weir.pcapng", "--format", "json"]);
        (json(&told.out), json(&seen.out), path)
    };
    let (result, seen, path) = run("builtin:incast", "h0:0", &[]);
    let host = |name: &str, key: &str| {
        let hosts = result["hosts"].as_array().unwrap();
        hosts.iter().find(|host| host["name"] == name).unwrap()[key].as_u64()
    };
    assert!(seen["cnp"].as_u64() > Some(0) && seen["cnp"].as_u64() == host("h0", "rp_cnp_handled"));
    assert_eq!(seen["pfc"].as_u64(), Some(tshark(&path, "macc.opcode == 0x0101") as u64));
    assert!(seen["pfc"].as_u64() > Some(0), "{seen}");
    let (_, seen, _) = run("builtin:incast", "s0:16", &[]);
    assert!(seen["ce"].as_u64() > Some(0) && seen["icrc_bad"] == 0, "{seen}");
    let faults = ["fault=[{ kind = \"corrupt\", links = \"all\", probability = 0.01 }]"];
    let (_, seen, _) = run("builtin:incast", "s0:16", &faults);
    assert!(seen["icrc_bad"].as_u64() > Some(0) && seen["malformed"] == 0, "{seen}");
    let again = seen["flows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flow| flow["retransmitted"].as_u64().unwrap())
        .sum::<u64>();
    assert!(again > 0, "{seen}");
}
