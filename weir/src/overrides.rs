//! `--set KEY=VALUE`: changes to a scenario's text before it is read, so that a changed value is checked, and an error
//! shown, exactly as if it stood in the file.

use crate::exit::Failure;
use std::str::FromStr;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};

/// The text with the changes made.
pub fn apply(text: &str, settings: &[String]) -> Result<String, Failure> {
    if settings.is_empty() {
        return Ok(text.to_owned());
    }
    // What is no TOML is left to the reader of scenarios, which says where and why.
    let Ok(mut document) = DocumentMut::from_str(text) else { return Ok(text.to_owned()) };
    for setting in settings {
        let (key, value) = setting.split_once('=').ok_or_else(|| {
            Failure::input(
                format!("--set {setting}: there is no `=`"),
                "write for example --set control.enabled=false",
            )
        })?;
        let steps = steps(key.trim()).map_err(|problem| {
            Failure::input(
                format!("--set {setting}: {problem}"),
                "write a path such as pfc.quanta, workload[0].bytes or class[roce].ecn.pmax",
            )
        })?;
        put(document.as_table_mut(), &steps, value.trim()).map_err(|problem| {
            Failure::input(
                format!("--set {setting}: {problem}"),
                "`weir sim check SCENARIO --format toml` shows every key",
            )
        })?;
    }
    Ok(document.to_string())
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Number(usize),
    Name(String),
}

/// A path: keys with dots between them, each with any number of `[element]` behind it.
fn steps(path: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if key.is_empty() || !key.chars().all(plain) {
            return Err(format!("`{part}` is not a key"));
        }
        steps.push(Step::Key(key.to_owned()));
        while let Some(open) = rest.strip_prefix('[') {
            let Some((element, after)) = open.split_once(']') else {
                return Err(format!("`{part}` has no `]`"));
            };
            steps.push(match element.parse() {
                Ok(number) => Step::Number(number),
                Err(_) if element.is_empty() => return Err(format!("`{part}` names no element")),
                Err(_) => Step::Name(element.to_owned()),
            });
            rest = after;
        }
        if !rest.is_empty() {
            return Err(format!("`{rest}` behind `]`"));
        }
    }
    Ok(steps)
}

fn put(table: &mut dyn TableLike, steps: &[Step], value: &str) -> Result<(), String> {
    let (Some(Step::Key(key)), rest) = (steps.first(), steps.get(1..).unwrap_or_default()) else {
        return Err("a key was expected".to_owned());
    };
    if rest.is_empty() {
        let value = read(value);
        match table.get_mut(key).and_then(Item::as_value_mut) {
            Some(old) => {
                // The comment behind the old value stays, and so does every line number.
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(key, Item::Value(value));
            }
        }
        return Ok(());
    }
    if !table.contains_key(key) {
        if !matches!(rest.first(), Some(Step::Key(_))) {
            return Err(format!("there is no `{key}` in the scenario"));
        }
        table.insert(key, Item::Table(Table::new()));
    }
    let Some(item) = table.get_mut(key) else { return Err(format!("there is no `{key}`")) };
    put_in(item, key, rest, value)
}

fn put_in(item: &mut Item, key: &str, steps: &[Step], value: &str) -> Result<(), String> {
    match (steps.first(), item) {
        (Some(Step::Key(_)), item) if item.is_array_of_tables() || item.is_array() => {
            Err(format!("`{key}` is a list; say which element, as in {key}[0]"))
        }
        (Some(Step::Key(_)), item) => match item.as_table_like_mut() {
            Some(table) => put(table, steps, value),
            None => Err(format!("`{key}` is a value, and has no keys of its own")),
        },
        (Some(step), Item::ArrayOfTables(list)) => {
            let count = list.len();
            let at = element(list, step).ok_or_else(|| missing(key, step, count))?;
            let Some(table) = list.get_mut(at) else { return Err(missing(key, step, count)) };
            match steps.len() {
                1 => Err(format!("`{key}[{at}]` is a table; say which key of it")),
                _ => put(table, &steps[1..], value),
            }
        }
        (Some(Step::Number(at)), Item::Value(Value::Array(list))) => {
            let count = list.len();
            let Some(element) = list.get_mut(*at) else {
                return Err(missing(key, &Step::Number(*at), count));
            };
            match (steps.len(), element) {
                (1, element) => {
                    *element = read(value);
                    Ok(())
                }
                (_, Value::InlineTable(table)) => put(table, &steps[1..], value),
                _ => Err(format!("`{key}[{at}]` is a value, and has no keys of its own")),
            }
        }
        (Some(step), Item::Value(Value::Array(list))) => Err(missing(key, step, list.len())),
        _ => Err(format!("`{key}` is not a list")),
    }
}

fn element(list: &ArrayOfTables, step: &Step) -> Option<usize> {
    match step {
        Step::Number(number) => Some(*number).filter(|number| *number < list.len()),
        Step::Name(name) => {
            list.iter().position(|table| table.get("name").and_then(Item::as_str) == Some(name.as_str()))
        }
        Step::Key(_) => None,
    }
}

fn missing(key: &str, step: &Step, count: usize) -> String {
    match step {
        Step::Name(name) => format!("no element of `{key}` has the name `{name}`"),
        Step::Number(number) => format!("`{key}` has {count} elements, numbered from 0, and no {number}"),
        Step::Key(name) => format!("`{key}` has no `{name}`"),
    }
}

/// A value as TOML has it; text without quotes is what is none.
fn read(text: &str) -> Value {
    Value::from_str(text).unwrap_or_else(|_| Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
name = \"x\"  # its name

[control]
enabled = true   # or not
[[class]]
name = \"roce\"
ecn = { kmin = \"100 KB\", pmax = 0.2 }
[[class]]
name = \"cnp\"
ecn = [{ rate = \"1 Gb/s\" }, { rate = \"2 Gb/s\" }]
";

    fn set(settings: &[&str]) -> Result<String, String> {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        apply(TEXT, &settings).map_err(|failure| failure.message().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_value_changes_in_its_place() {
        let text = set(&["control.enabled=false"]).unwrap();
        assert_eq!(text, TEXT.replace("enabled = true ", "enabled = false "));
        let text = set(&["class[roce].ecn.kmin=1 MB", "class[0].ecn.pmax = 0.5"]).unwrap();
        assert!(text.contains("ecn = { kmin = \"1 MB\", pmax = 0.5 }"), "{text}");
        let text = set(&["class[cnp].ecn[1].rate=400 Gb/s"]).unwrap();
        assert!(text.contains("{ rate = \"1 Gb/s\" }, { rate = \"400 Gb/s\" }"), "{text}");
    }

    #[test]
    fn a_key_that_is_not_there_is_added() {
        let text = set(&["pfc.watchdog.detect=1 ms", "run.seeds=[1, 2]"]).unwrap();
        let document: DocumentMut = text.parse().unwrap();
        assert_eq!(document["pfc"]["watchdog"]["detect"].as_str(), Some("1 ms"));
        assert_eq!(document["run"]["seeds"].as_array().map(|a| a.len()), Some(2));
        assert!(text.starts_with("name = \"x\"  # its name\n"));
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_reason() {
        for (setting, reason) in [
            ("control.enabled", "no `=`"),
            ("=1", "not a key"),
            ("a..b=1", "not a key"),
            ("class[0=1", "no `]`"),
            ("class[]=1", "names no element"),
            ("class.ecn=1", "is a list; say which element"),
            ("class[7].ecn=1", "has 2 elements"),
            ("class[other].ecn=1", "has the name `other`"),
            ("class[0]=1", "say which key"),
            ("control[0].x=1", "is not a list"),
            ("name.x=1", "has no keys"),
            ("workload[0].bytes=1", "there is no `workload`"),
        ] {
            let error = set(&[setting]).unwrap_err();
            assert!(error.contains(reason), "{setting}: {error}");
        }
    }

    #[test]
    fn what_is_no_toml_is_left_alone() {
        assert_eq!(apply("a = ", &["b=1".into()]).ok().as_deref(), Some("a = "));
    }
}
