//! Lists of flows as CSV, in and out: a list that was written reads back to the same flows.

use crate::text::Keyword;
use crate::{FlowSet, NodeId, Op, Qos, Start, Topology};
use std::collections::HashMap;
use std::fmt::Write;
use weir_units::{Span, Time};

/// A flow of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvFlow {
    /// Where the bytes come from.
    pub src: NodeId,
    /// Where they go to.
    pub dst: NodeId,
    /// How many.
    pub bytes: u64,
    /// When.
    pub start: CsvStart,
    /// Index of its class, where the list gives one.
    pub class: Option<u8>,
    /// Its operation, where the list gives one.
    pub op: Option<Op>,
}

/// When a flow of a list starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CsvStart {
    /// At this time, counted from the start of the workload.
    At(Time),
    /// When others have been delivered.
    After {
        /// Their places in the list, from 0.
        flows: Vec<u32>,
        /// Time from then on.
        delay: Span,
    },
}

/// Why a text is no list of flows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct CsvError {
    /// Line, from 1.
    pub line: u32,
    /// What is wrong.
    pub problem: CsvProblem,
}

/// What is wrong with a line of a list of flows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsvProblem {
    /// A column of the first line that has no meaning.
    #[error("there is no column `{0}`; columns are {COLUMNS}")]
    UnknownColumn(String),
    /// A column is missing from the first line.
    #[error("the first line names the columns, and `{0}` is not among them; columns are {COLUMNS}")]
    MissingColumn(&'static str),
    /// A column twice.
    #[error("the column `{0}` is there twice")]
    ColumnTwice(String),
    /// More or fewer fields than columns.
    #[error("{found} fields, and the first line names {expected}; is the file cut short?")]
    FieldCount {
        /// Fields of this line.
        found: usize,
        /// Columns.
        expected: usize,
    },
    /// A field that cannot be read.
    #[error("`{column}` is `{found}`, and must be {expected}")]
    BadField {
        /// Its column.
        column: String,
        /// What it says.
        found: String,
        /// What it may say.
        expected: String,
    },
    /// Source and destination are the same.
    #[error("`{0}` sends to itself")]
    ToItself(String),
    /// A list that says how many flows it has, and has another number.
    #[error("the list says that it has {said} flows, and has {found}; is the file cut short?")]
    WrongCount {
        /// What the comment says.
        said: u64,
        /// What there is.
        found: u64,
    },
    /// Flows that wait for each other in a circle.
    #[error("flow {0} waits for itself, directly or through others")]
    Circle(String),
}

const COLUMNS: &str = "src, dst, bytes, start (\"10 us\") or start_ps, start_ns, start_us, start_s, after (ids), \
                       delay (\"1 us\") or delay_ps, delay_ns, delay_us, delay_s, id, op, class and job";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Id,
    Src,
    Dst,
    Bytes,
    /// With the unit that follows the number.
    Start(&'static str),
    After,
    Delay(&'static str),
    Op,
    Class,
    Job,
}

fn column(name: &str) -> Option<Column> {
    let unit = |suffix: &str| match suffix {
        "" => Some(""),
        "_ps" => Some("ps"),
        "_ns" => Some("ns"),
        "_us" => Some("us"),
        "_s" => Some("s"),
        _ => None,
    };
    Some(match name {
        "id" => Column::Id,
        "src" => Column::Src,
        "dst" => Column::Dst,
        "bytes" => Column::Bytes,
        "after" => Column::After,
        "op" => Column::Op,
        "class" => Column::Class,
        "job" => Column::Job,
        _ => match (name.strip_prefix("start"), name.strip_prefix("delay")) {
            (Some(suffix), _) => Column::Start(unit(suffix)?),
            (_, Some(suffix)) => Column::Delay(unit(suffix)?),
            _ => return None,
        },
    })
}

/// Reads a list of flows: a first line of column names, then a line a flow. Lines that begin with `#` are comments, but
/// for `# flows = N`, which must be right. The column `job` is for people and has no effect.
pub fn read_flows(text: &str, topology: &Topology, qos: &Qos) -> Result<Vec<CsvFlow>, CsvError> {
    let mut said: Option<(u32, u64)> = None;
    let mut columns: Vec<(Column, &str)> = Vec::new();
    let mut rows: Vec<(u32, CsvFlow, Vec<&str>)> = Vec::new();
    let mut ids: HashMap<&str, u32> = HashMap::new();
    let hosts: HashMap<&str, NodeId> = topology.nodes()[..topology.hosts() as usize]
        .iter()
        .zip(0..)
        .map(|(node, i)| (node.name.as_str(), NodeId(i)))
        .collect();
    for (line, text) in (1..).zip(text.lines()) {
        let error = |problem| CsvError { line, problem };
        let text = text.trim();
        if let Some(comment) = text.strip_prefix('#') {
            let count = comment.split_once('=').filter(|(key, _)| key.trim() == "flows");
            said = count.and_then(|(_, count)| Some((line, count.trim().parse().ok()?))).or(said);
            continue;
        }
        if text.is_empty() {
            continue;
        }
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        if columns.is_empty() {
            columns = header(&fields).map_err(error)?;
            continue;
        }
        if fields.len() != columns.len() {
            return Err(error(CsvProblem::FieldCount { found: fields.len(), expected: columns.len() }));
        }
        let (flow, after, id) = row(&columns, &fields, &hosts, topology, qos).map_err(error)?;
        if let Some(id) = id
            && ids.insert(id, rows.len() as u32).is_some()
        {
            let expected = "different from line to line".to_owned();
            return Err(error(CsvProblem::BadField { column: "id".into(), found: id.into(), expected }));
        }
        rows.push((line, flow, after));
    }
    if columns.is_empty() {
        return Err(CsvError { line: 1, problem: CsvProblem::MissingColumn("src") });
    }
    let found = rows.len() as u64;
    if let Some((line, said)) = said.filter(|(_, said)| *said != found) {
        return Err(CsvError { line, problem: CsvProblem::WrongCount { said, found } });
    }
    let has_ids = columns.iter().any(|(column, _)| *column == Column::Id);
    let mut flows = Vec::with_capacity(rows.len());
    let lines: Vec<u32> = rows.iter().map(|(line, ..)| *line).collect();
    for (line, mut flow, after) in rows {
        if let CsvStart::After { flows: waits, .. } = &mut flow.start {
            for id in after {
                let place = match has_ids {
                    true => ids.get(id).copied(),
                    false => id.parse().ok().filter(|place| u64::from(*place) < found),
                };
                let bad = || CsvProblem::BadField {
                    column: "after".into(),
                    found: id.into(),
                    expected: "the id of a flow of this list".into(),
                };
                waits.push(place.ok_or_else(|| CsvError { line, problem: bad() })?);
            }
        }
        flows.push(flow);
    }
    match circle(&flows) {
        None => Ok(flows),
        Some(flow) => {
            let problem = CsvProblem::Circle(flow.to_string());
            Err(CsvError { line: lines[flow as usize], problem })
        }
    }
}

fn header<'a>(fields: &[&'a str]) -> Result<Vec<(Column, &'a str)>, CsvProblem> {
    let mut columns: Vec<(Column, &str)> = Vec::new();
    for name in fields {
        let column = column(name).ok_or_else(|| CsvProblem::UnknownColumn((*name).into()))?;
        let same = |other: &Column| std::mem::discriminant(other) == std::mem::discriminant(&column);
        if columns.iter().any(|(other, _)| same(other)) {
            return Err(CsvProblem::ColumnTwice((*name).into()));
        }
        columns.push((column, name));
    }
    for (needed, name) in [(Column::Src, "src"), (Column::Dst, "dst"), (Column::Bytes, "bytes")] {
        if !columns.iter().any(|(column, _)| *column == needed) {
            return Err(CsvProblem::MissingColumn(name));
        }
    }
    Ok(columns)
}

type Row<'a> = (CsvFlow, Vec<&'a str>, Option<&'a str>);

fn row<'a>(
    columns: &[(Column, &str)],
    fields: &[&'a str],
    hosts: &HashMap<&str, NodeId>,
    topology: &Topology,
    qos: &Qos,
) -> Result<Row<'a>, CsvProblem> {
    let (mut src, mut dst) = (NodeId(0), NodeId(0));
    let (mut bytes, mut at, mut delay) = (0, Time::ZERO, Span::ZERO);
    let (mut class, mut op, mut after, mut id) = (None, None, Vec::new(), None);
    for ((column, name), field) in columns.iter().zip(fields) {
        let bad = |expected: String| CsvProblem::BadField {
            column: (*name).into(),
            found: (*field).into(),
            expected,
        };
        let host = || {
            hosts.get(field).copied().ok_or_else(|| {
                bad(format!("the name of a host, such as `{}`", topology.node(NodeId(0)).name))
            })
        };
        match column {
            Column::Src => src = host()?,
            Column::Dst => dst = host()?,
            Column::Bytes => {
                let count =
                    field.parse().ok().filter(|bytes| (1..=super::generate::MAX_BYTES).contains(bytes));
                bytes = count.ok_or_else(|| bad("a whole number of bytes from 1 to 2^50".into()))?;
            }
            Column::Start(_) | Column::Delay(_) if field.is_empty() => {}
            Column::Start(unit) => {
                at = format!("{field} {unit}").parse().map_err(|e| bad(format!("a time: {e}")))?;
            }
            Column::Delay(unit) => {
                delay = format!("{field} {unit}").parse().map_err(|e| bad(format!("a time: {e}")))?;
            }
            Column::After => after = field.split_whitespace().collect(),
            Column::Id => id = Some(*field),
            Column::Op | Column::Class if field.is_empty() => {}
            Column::Op => {
                let found = Op::ALL.iter().find(|(word, _)| word == field);
                op = Some(found.ok_or_else(|| bad("write, send or read".into()))?.1);
            }
            Column::Class => {
                let names: Vec<&str> = qos.classes.iter().map(|class| class.name.as_str()).collect();
                class = Some(
                    qos.class_named(field)
                        .ok_or_else(|| bad(format!("the name of a class: {}", names.join(", "))))?,
                );
            }
            Column::Job => {}
        }
    }
    if src == dst {
        return Err(CsvProblem::ToItself(topology.node(src).name.clone()));
    }
    let start = match after.is_empty() {
        true => CsvStart::At(at.saturating_add(delay)),
        false => CsvStart::After { flows: Vec::new(), delay },
    };
    Ok((CsvFlow { src, dst, bytes, start, class, op }, after, id))
}

/// A flow that can never start because it waits, through others or not, for itself.
fn circle(flows: &[CsvFlow]) -> Option<u32> {
    let waits = |flow: &CsvFlow| match &flow.start {
        CsvStart::At(_) => Vec::new(),
        CsvStart::After { flows, .. } => flows.clone(),
    };
    let mut unmet: Vec<usize> = flows.iter().map(|flow| waits(flow).len()).collect();
    let mut waiters: Vec<Vec<u32>> = vec![Vec::new(); flows.len()];
    for (i, flow) in (0..).zip(flows) {
        for on in waits(flow) {
            waiters[on as usize].push(i);
        }
    }
    let mut ready: Vec<u32> = (0..flows.len() as u32).filter(|flow| unmet[*flow as usize] == 0).collect();
    let mut done = 0;
    while let Some(flow) = ready.pop() {
        done += 1;
        for waiter in &waiters[flow as usize] {
            unmet[*waiter as usize] -= 1;
            if unmet[*waiter as usize] == 0 {
                ready.push(*waiter);
            }
        }
    }
    if done == flows.len() {
        return None;
    }
    // Of those that are left some only wait behind a circle; going back along what is unmet leads into it.
    let mut at = (0..flows.len() as u32).find(|flow| unmet[*flow as usize] != 0)?;
    for _ in 0..flows.len() {
        at = waits(&flows[at as usize]).into_iter().find(|on| unmet[*on as usize] != 0)?;
    }
    Some(at)
}

/// All flows as CSV, with what each waits for, so that other tools can run a collective message by message.
pub fn write_flows(set: &FlowSet, topology: &Topology, qos: &Qos) -> String {
    let mut text =
        format!("# flows = {}\nid,src,dst,bytes,start_ps,after,delay_ps,op,class,job\n", set.flows.len());
    for flow in &set.flows {
        let name = |node: NodeId| &topology.node(node).name;
        let (start, after, delay) = match flow.start {
            Start::At(time) => (time.as_ps().to_string(), String::new(), String::new()),
            Start::After { gate, delay } => {
                let ids: Vec<String> = set.gates.flows_of(gate).iter().map(u32::to_string).collect();
                (String::new(), ids.join(" "), delay.as_ps().to_string())
            }
        };
        let class = qos.classes.get(usize::from(flow.class)).map_or("", |class| class.name.as_str());
        let job = set.jobs.get(flow.job as usize).map_or("", |job| job.name.as_str());
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{start},{after},{delay},{},{class},{job}",
            flow.id,
            name(flow.src),
            name(flow.dst),
            flow.bytes,
            flow.op,
        );
    }
    text
}
