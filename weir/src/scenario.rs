//! Reading scenarios, with errors shown in their place.

use crate::exit::Failure;
use crate::files;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::io::IsTerminal;
use std::path::Path;
use weir_fabric::{Scenario, ScenarioError};

/// The scenario of a file; the files that it refers to are looked up beside it.
pub fn read(path: &Path) -> Result<Scenario, Failure> {
    let text = files::read_text(path)?;
    parse(&text, path)
}

/// The scenario of a text that came from `path`.
pub fn parse(text: &str, path: &Path) -> Result<Scenario, Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut resolve = |name: &str| {
        let file = folder.join(name);
        std::fs::read_to_string(&file).map_err(|error| format!("can't read {}: {error}", file.display()))
    };
    Scenario::from_toml(text, &path.display().to_string(), &mut resolve)
        .map_err(|errors| Failure::Input(show(text, &errors)))
}

/// The notices of a scenario, on standard error.
pub fn tell_notices(scenario: &Scenario) {
    for notice in &scenario.notices {
        eprintln!("note: {notice}");
    }
}

fn show(text: &str, errors: &[ScenarioError]) -> String {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let shown: Vec<String> = errors.iter().map(|error| one(text, error, &renderer)).collect();
    shown.join("\n\n")
}

fn one(text: &str, error: &ScenarioError, renderer: &Renderer) -> String {
    let inside = error.span.end <= text.len()
        && text.is_char_boundary(error.span.start)
        && text.is_char_boundary(error.span.end);
    if !inside || text.is_empty() {
        return format!("error: {error}");
    }
    let title = Level::ERROR.primary_title(error.message.as_str()).element(
        Snippet::source(text)
            .path(error.origin.as_str())
            .annotation(AnnotationKind::Primary.span(error.span.clone())),
    );
    let mut report = vec![title];
    if !error.help.is_empty() {
        report.push(Level::HELP.secondary_title(error.help.as_str()).element(annotate_snippets::Padding));
    }
    renderer.render(&report).to_string()
}
