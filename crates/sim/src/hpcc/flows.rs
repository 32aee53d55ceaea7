//! The flow file: a count, then `src dst priority dport bytes start-seconds` a flow, by rising start.

use std::collections::HashMap;
use std::path::Path;

use super::clock::seconds_to_ns;
use super::error::HpccError;
use super::text::Words;
use super::topology::Topology;

/// The first source port of a pair of hosts.
const FIRST_PORT: u16 = 10_000;

/// One flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    pub src: u32,
    pub dst: u32,
    /// 0 to 7: the class of its packets in the network, and for PFC.
    pub priority: u8,
    pub sport: u16,
    pub dport: u16,
    pub bytes: u32,
    pub start_ns: u64,
    /// The line that lists it.
    pub line: u32,
}

/// The flows of a file, and what to say about it.
#[derive(Debug)]
pub(crate) struct Flows {
    pub flows: Vec<Flow>,
    pub warnings: Vec<String>,
}

const COMPLETE: &str = "complete the last flow: src dst priority dport bytes start";
const WHOLE: &str = "a whole number that is not negative";

impl Flows {
    /// Reads `text`, the content of `file`.
    ///
    /// A count that differs from the number of flows listed is refused, with one exception: the generator
    /// of the reference writes the true count over a longer estimate without erasing it (`884` over `1038`
    /// reads as `8848`). Such a file is run as the reference runs it, the last flow repeated up to the
    /// count, with a warning. `repeat_last` asks for that whatever the count.
    pub(crate) fn parse(
        file: &Path,
        text: &str,
        topology: &Topology,
        repeat_last: bool,
    ) -> Result<Self, HpccError> {
        let mut words = Words::new(file, text);
        let count_text = words.peek().map_or("", |word| word.text);
        let (stated, _) = words.value::<u32>("the number of flows", WHOLE, COMPLETE)?;
        let mut reader = Reader { topology, ports: HashMap::new(), flows: Vec::new() };
        while words.peek().is_some() {
            reader.read(&mut words)?;
        }
        let Reader { mut ports, mut flows, .. } = reader;
        let (stated, listed) = (u64::from(stated), flows.len() as u64);
        let mut warnings = Vec::new();
        if stated != listed {
            let repeats = stated > listed && listed > 0;
            if !(repeats && (repeat_last || is_leftover(count_text, listed))) {
                return Err(HpccError::FlowCount { file: words.file(), stated, listed });
            }
            if let Some(&last) = flows.last() {
                flows.extend((listed..stated).map(|_| Flow { sport: take_port(&mut ports, &last), ..last }));
            }
            warnings.push(format!(
                "{}:1: the first line states {stated} flows, the file lists {listed}: as in the reference, the \
                 last flow is repeated {} times, which distorts the result; write {listed} there",
                file.display(),
                stated - listed
            ));
        }
        warnings.extend(oddities(file, &flows, &ports));
        Ok(Flows { flows, warnings })
    }
}

struct Reader<'t> {
    topology: &'t Topology,
    /// Next source port of each pair of hosts, and how many have been used.
    ports: HashMap<(u32, u32), (u16, u32)>,
    flows: Vec<Flow>,
}

impl Reader<'_> {
    fn read(&mut self, words: &mut Words<'_>) -> Result<(), HpccError> {
        let (src, line) = self.host(words, "a flow's source")?;
        let (dst, _) = self.host(words, "a flow's destination")?;
        let (priority, _) = words.value::<u32>("a flow's priority", WHOLE, COMPLETE)?;
        let (dport, _) = words.value::<u16>("a flow's port", "a port from 0 to 65535", COMPLETE)?;
        let (bytes, _) = words.value::<u32>("a flow's bytes", "a whole number below 2^32", COMPLETE)?;
        let (start, _) = words.number("a flow's start (s)", COMPLETE)?;
        if src == dst {
            let problem = format!("the flow goes from node {src} to itself");
            return Err(words.invalid(line, problem, "write two different hosts"));
        }
        if priority > 7 {
            let problem = format!("the flow has priority {priority}");
            return Err(words.invalid(line, problem, "write 0 to 7, usually 3"));
        }
        if start < 0.0 {
            return Err(words.invalid(line, "the flow starts before 0 s", "write a start from 0 s on"));
        }
        let start_ns = seconds_to_ns(start);
        if self.flows.last().is_some_and(|before| before.start_ns > start_ns) {
            let problem = format!("the flow starts at {start} s, before the one above it");
            return Err(words.invalid(line, problem, "sort the flows by start"));
        }
        let mut flow = Flow { src, dst, priority: priority as u8, sport: 0, dport, bytes, start_ns, line };
        flow.sport = take_port(&mut self.ports, &flow);
        self.flows.push(flow);
        Ok(())
    }

    fn host(&self, words: &mut Words<'_>, field: &'static str) -> Result<(u32, u32), HpccError> {
        let (node, line) = words.value::<u32>(field, WHOLE, COMPLETE)?;
        let last = self.topology.nodes() - 1;
        match self.topology.is_switch.get(node as usize) {
            None => {
                let (file, node) = (words.file(), u64::from(node));
                Err(HpccError::NoSuchNode { file, line, field, node, last })
            }
            Some(true) => {
                Err(words.invalid(line, format!("{field} is node {node}, a switch"), "write a host"))
            }
            Some(false) => Ok((node, line)),
        }
    }
}

fn take_port(ports: &mut HashMap<(u32, u32), (u16, u32)>, flow: &Flow) -> u16 {
    let (next, used) = ports.entry((flow.src, flow.dst)).or_insert((FIRST_PORT, 0));
    let port = *next;
    *next = port.wrapping_add(1);
    *used += 1;
    port
}

/// Whether `stated` is `listed` followed by digits of a longer estimate. The estimate is the expected number
/// of flows, so a true count that has one digit less is not far below the power of ten between them.
fn is_leftover(stated: &str, listed: u64) -> bool {
    let text = listed.to_string();
    let next_power = 10u64.saturating_pow(text.len() as u32);
    stated.len() > text.len() && stated.starts_with(&text) && listed >= next_power / 2
}

fn oddities(file: &Path, flows: &[Flow], ports: &HashMap<(u32, u32), (u16, u32)>) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(flow) = flows.iter().find(|flow| flow.bytes == 0) {
        warnings.push(format!(
            "{}:{}: a flow of 0 bytes never completes, as in the reference",
            file.display(),
            flow.line
        ));
    }
    if let Some(((src, dst), _)) = ports.iter().filter(|(_, (_, used))| *used > 55_536).min() {
        warnings.push(format!(
            "{}: more than 55536 flows from node {src} to node {dst}: their source ports repeat",
            file.display()
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn star() -> Topology {
        let text = "4 1 3\n3\n0 3 1Gbps 1ns 0\n1 3 1Gbps 1ns 0\n2 3 1Gbps 1ns 0\n";
        Topology::parse(Path::new("t"), text).unwrap()
    }

    fn parse(text: &str, repeat: bool) -> Result<Flows, HpccError> {
        Flows::parse(Path::new("f"), text, &star(), repeat)
    }

    fn message(text: &str) -> String {
        parse(text, false).unwrap_err().to_string()
    }

    #[test]
    fn source_ports_count_up_a_pair() {
        let flows = parse("3\n0 1 3 100 5 2\n0 2 3 100 5 2\n0 1 3 100 5 2.000009\n", false).unwrap().flows;
        assert_eq!(flows.iter().map(|f| f.sport).collect::<Vec<_>>(), [10_000, 10_000, 10_001]);
        assert_eq!(flows[2].start_ns, 2_000_008_999);
    }

    #[test]
    fn a_wrong_count_is_refused_unless_it_is_the_generators_leftover() {
        let five: String = (0..5).map(|_| "0 1 3 100 5 2\n").collect();
        assert_eq!(
            message(&format!("6\n{five}")),
            "f:1: the first line states 6 flows, the file lists 5; write 5 there (or complete the file; the \
             reference repeats the last flow, which an option can force)"
        );
        assert!(message(&format!("4\n{five}")).contains("states 4 flows, the file lists 5"));
        assert!(parse(&format!("4\n{five}"), true).is_err(), "too many lines are always an error");
        assert_eq!(parse(&format!("7\n{five}"), true).unwrap().flows.len(), 7);
        let leftover = parse(&format!("57\n{five}"), false).unwrap();
        assert_eq!(leftover.flows.len(), 57);
        assert_eq!(leftover.flows[56].sport, 10_056);
        assert!(leftover.warnings[0].contains("repeated 52 times"));
        let two = "0 1 3 100 5 2\n0 1 3 100 5 2\n";
        assert!(parse(&format!("24\n{two}"), false).is_err(), "2 is far below 10: no generator's estimate");
    }

    #[test]
    fn a_broken_file_is_refused_with_its_line() {
        assert!(message("").contains("the file ends before the number of flows"));
        assert!(
            message("2\n0 1 3 100 5 2\n0 1")
                .starts_with("f:3: the file ends before a flow's priority; complete the last flow")
        );
        assert!(message("1\n0 1 3 100 5 x").starts_with("f:2: a flow's start (s): found `x`"));
        assert!(message("1\n0 7 3 100 5 2").contains("a flow's destination is node 7, but the topology"));
        assert!(message("1\n0 3 3 100 5 2").contains("is node 3, a switch; write a host"));
        assert!(message("1\n0 0 3 100 5 2").contains("to itself"));
        assert!(message("1\n0 1 8 100 5 2").contains("priority 8"));
        assert!(message("1\n0 1 3 100 5000000000 2").contains("below 2^32"));
        assert!(message("1\n0 1 3 100 5 -1").contains("before 0 s"));
        assert!(message("2\n0 1 3 100 5 2\n0 1 3 100 5 1.5").starts_with("f:3: the flow starts at 1.5 s"));
    }
}
