//! `--out`: results as files.

use crate::exit::Failure;
use crate::files;
use std::path::{Path, PathBuf};
use weir_sim::results::{Results, flows_csv, ports_csv, queues_csv, series_csv};

/// Where results go, by the name that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// All in one JSON file.
    Json(PathBuf),
    /// The flows in one CSV file.
    Csv(PathBuf),
    /// Everything in a folder.
    Folder(PathBuf),
}

impl Target {
    /// A folder unless the name ends as that of a file.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") if !path.is_dir() => Target::Json(path.to_owned()),
            Some("csv") if !path.is_dir() => Target::Csv(path.to_owned()),
            _ => Target::Folder(path.to_owned()),
        }
    }

    /// Finds out whether it can be written, before the work is done. A folder that is made for it goes again if
    /// nothing comes.
    pub fn prepare(&self, input: &Path) -> Result<Option<files::Folder>, Failure> {
        match self {
            Target::Json(path) | Target::Csv(path) => {
                files::not_the_input(path, input)?;
                files::Part::begin(path)?;
                Ok(None)
            }
            Target::Folder(path) => files::Folder::make(path).map(Some),
        }
    }

    /// Writes the results.
    pub fn write(&self, results: &[Results]) -> Result<(), Failure> {
        match self {
            Target::Json(path) => files::write_whole(path, json(results).as_bytes()),
            Target::Csv(path) => files::write_whole(path, csv(results).as_bytes()),
            Target::Folder(folder) => {
                let mut all = Vec::new();
                for result in results {
                    let folder = match results.len() {
                        1 => folder.clone(),
                        _ => folder.join(format!("seed-{}", result.seed)),
                    };
                    std::fs::create_dir_all(&folder)
                        .map_err(|error| Failure::io("make the folder", &folder, error))?;
                    let mut add = |name: &str, text: String| all.push((folder.join(name), text.into_bytes()));
                    add("results.json", json(std::slice::from_ref(result)));
                    add("flows.csv", flows_csv(result));
                    add("ports.csv", ports_csv(result));
                    add("queues.csv", queues_csv(result));
                    if !result.series.is_empty() {
                        add("series.csv", series_csv(result));
                    }
                }
                files::write_all(&all)
            }
        }
    }
}

/// One result as an object, several as a list.
pub fn json(results: &[Results]) -> String {
    match results {
        [result] => result.to_json() + "\n",
        _ => {
            let each: Vec<String> = results.iter().map(Results::to_json).collect();
            format!("[\n{}\n]\n", each.join(",\n"))
        }
    }
}

/// The flows; with several results the seed comes first.
pub fn csv(results: &[Results]) -> String {
    if let [result] = results {
        return flows_csv(result);
    }
    let mut text = String::new();
    for result in results {
        for (i, line) in flows_csv(result).lines().enumerate() {
            match i {
                0 if text.is_empty() => text += &format!("seed,{line}\n"),
                0 => {}
                _ => text += &format!("{},{line}\n", result.seed),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_what_is_wanted() {
        assert_eq!(Target::of(Path::new("a/r.json")), Target::Json("a/r.json".into()));
        assert_eq!(Target::of(Path::new("r.csv")), Target::Csv("r.csv".into()));
        assert_eq!(Target::of(Path::new("results")), Target::Folder("results".into()));
        assert_eq!(Target::of(Path::new("v1.2")), Target::Folder("v1.2".into()));
    }
}
