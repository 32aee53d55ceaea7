//! The scenarios inside the program, so that it has something to run wherever it is installed.

/// A scenario that is built in.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// What it is called: `builtin:NAME`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal),+ $(,)?) => {
        /// All of them, by name.
        pub const ALL: &[BuiltIn] =
            &[$(BuiltIn { name: $name, text: include_str!(concat!("../../scenarios/", $name, ".toml")) }),+];
    };
}

built_in!(
    "allreduce-ring",
    "deadlock-ring",
    "dragonfly",
    "dumbbell",
    "fat320-tune",
    "fat320-websearch",
    "incast",
    "leaf-spine-websearch",
    "lossy",
    "moe",
    "parking-lot",
    "pause-storm",
    "permutation",
    "rail",
    "storage",
    "two-bottlenecks",
    "victim",
);

/// The one of this name.
pub fn find(name: &str) -> Option<BuiltIn> {
    ALL.iter().copied().find(|scenario| scenario.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_of_the_repository_is_built_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
            .collect();
        files.sort();
        let known: Vec<&str> = ALL.iter().map(|scenario| scenario.name).collect();
        assert_eq!(known, files);
    }
}
