//! Reading scenarios, with errors shown in their place.

use crate::exit::Failure;
use crate::{builtin, files, overrides, screen};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::path::Path;
use weir_fabric::{Scenario, ScenarioError};

/// The text of a scenario and where it came from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text, with the changes of `--set`.
    pub text: String,
    /// What errors call it.
    pub origin: String,
    /// Where the files that it names are looked for.
    folder: std::path::PathBuf,
}

impl Source {
    /// From a file, `builtin:NAME`, or `-` for standard input; with changes.
    pub fn load(path: &Path, settings: &[String]) -> Result<Self, Failure> {
        let (text, mut origin) = match path.to_str().and_then(|path| path.strip_prefix("builtin:")) {
            Some(name) => match builtin::find(name) {
                Some(found) => (found.text.to_owned(), format!("builtin:{name}")),
                None => return Err(no_such(name)),
            },
            None if path == Path::new("-") => (files::read_text(path)?, "standard input".to_owned()),
            None => (files::read_text(path)?, path.display().to_string()),
        };
        if !settings.is_empty() {
            origin += " with --set";
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self { text: overrides::apply(&text, settings)?, origin, folder })
    }

    /// The scenario, or all that is wrong with it.
    pub fn parse(&self) -> Result<Scenario, Vec<ScenarioError>> {
        let mut resolve = |name: &str| {
            let file = self.folder.join(name);
            std::fs::read_to_string(&file).map_err(|error| format!("can't read {}: {error}", file.display()))
        };
        Scenario::from_toml(&self.text, &self.origin, &mut resolve)
    }

    /// [`Source::parse`] with errors as a failure.
    pub fn scenario(&self) -> Result<Scenario, Failure> {
        self.parse().map_err(|errors| Failure::Input(show(&self.text, &self.origin, &errors)))
    }
}

/// The scenario of a file, `builtin:NAME`, or standard input; the files that it refers to are looked up beside it.
pub fn read(path: &Path) -> Result<Scenario, Failure> {
    Source::load(path, &[])?.scenario()
}

/// The notices of a scenario, on standard error.
pub fn tell_notices(scenario: &Scenario) {
    for notice in &scenario.notices {
        screen::say(format_args!("note: {notice}"));
    }
}

fn no_such(name: &str) -> Failure {
    let names: Vec<&str> = builtin::ALL.iter().map(|scenario| scenario.name).collect();
    Failure::input(format!("no scenario `{name}` is built in"), format!("there are: {}", names.join(", ")))
}

/// Errors beyond this many are counted: the first ones are those to mend.
const MOST_ERRORS: usize = 20;

/// The errors, each with the piece of text that it is about.
fn show(text: &str, origin: &str, errors: &[ScenarioError]) -> String {
    let renderer = if screen::colour_on_stderr() { Renderer::styled() } else { Renderer::plain() };
    let mut shown: Vec<String> =
        errors.iter().take(MOST_ERRORS).map(|error| one(text, origin, error, &renderer)).collect();
    if errors.len() > MOST_ERRORS {
        shown.push(format!("error: and {} more", errors.len() - MOST_ERRORS));
    }
    shown.join("\n\n")
}

fn one(text: &str, origin: &str, error: &ScenarioError, renderer: &Renderer) -> String {
    let (start, end) = (error.span.start, error.span.end);
    // An error of another file that the scenario names has its place in that file's text, which is not at hand.
    let here =
        error.origin == origin && text.is_char_boundary(start) && text.is_char_boundary(end) && start <= end;
    if !here || text.trim().is_empty() {
        let ScenarioError { origin, line, column, message, help, .. } = error;
        let help = if help.is_empty() { String::new() } else { format!("\nhelp: {help}") };
        return format!("error: {origin}:{line}:{column}: {message}{help}");
    }
    let annotation = AnnotationKind::Primary.span(start..end);
    let snippet = Snippet::source(text).path(error.origin.as_str()).annotation(annotation);
    let mut report = vec![Level::ERROR.primary_title(error.message.as_str()).element(snippet)];
    if !error.help.is_empty() {
        report.push(annotate_snippets::Group::with_title(Level::HELP.secondary_title(error.help.as_str())));
    }
    renderer.render(&report)
}
