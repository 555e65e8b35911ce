//! Resolves the options of `nubbin browser`: the page, the browser, and the failure.

use super::{Asked, Context, reduction};
use crate::args::Browser;
use crate::args::group::BrowserOptions;
use nubbin_browser::{BROWSERS, Checks, Event, Plan, events, find};
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::limits::{Bounds, Unlimited};
use nubbin_session::settings::{Serving, TestCommand};
use nubbin_session::source::Input;
use nubbin_session::{browser, command, text};
use std::convert::Infallible;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time limit of a run that waits for a hang: a factor of the hang, and an additional time.
const HANG: (u32, Duration) = (3, Duration::from_secs(10));

/// Resolves `nubbin browser PAGE FILE…`.
///
/// # Errors
/// Returns an error if the options conflict, or if there is no browser.
pub(super) fn reduce(typed: Browser, context: Context) -> Result<Asked, Failure> {
    reduction::suit(&typed.result, &typed.whole)?;
    refuse(&typed)?;
    let label = label(&typed.failure);
    let plan = plan(typed.failure, &typed.files)?;
    let input = Input::all(typed.files)?;
    let mut test = TestCommand::script(label, nubbin_browser::words(&plan));
    test.serving = Serving::Own;
    let unlimited = Unlimited {
        memory: typed.whole.house.limits.memory().is_none(),
        output: typed.whole.house.limits.output().is_none(),
    };
    let mut asked = reduction::whole((input, test), &typed.result, typed.whole, context)?;
    let settings = &mut asked.settings;
    let mut confinement = settings.bounds.confinement.clone();
    confinement.no_network = true;
    confinement.loopback = plan.needs_loopback();
    // A browser reserves far more memory than it takes, and its pictures go through files without a name.
    let work_dir = settings.bounds.work_dir.take();
    settings.bounds =
        Bounds { work_dir, ..Bounds::new(settings.bounds.asked, unlimited, settings.jobs, confinement) };
    if let Some(hang) = plan.checks.hang {
        settings.timeout = settings.timeout.or(Some(hang * HANG.0 + HANG.1));
    }
    settings.page = Some(plan);
    Ok(asked)
}

/// Refuses options that a browser does not support.
fn refuse(typed: &Browser) -> Result<(), Failure> {
    let limits = &typed.whole.house.limits;
    if limits.memory().is_some_and(|most| most.0.is_some()) {
        return Err(Failure::usage(
            "`--limit memory` cannot be used for a browser, which reserves far more address space than it uses",
        )
        .hint("leave it out; a browser that uses too much memory is restarted"));
    }
    if limits.cpu().is_some() {
        return Err(Failure::usage("`--limit cpu` would end the browser, which loads all candidates")
            .hint("`--timeout SECONDS` limits the time of one page"));
    }
    let Some(first) = typed.files.first() else {
        return Err(Failure::usage("the page is missing").hint("usage:\n  nubbin browser PAGE"));
    };
    if first == "-" || Path::new(first).is_dir() {
        let message = format!("`{}` is not a file", first.display());
        return Err(Failure::usage(message).hint("name the page, followed by the files to reduce with it"));
    }
    if let Some(name) = typed.files.iter().find(|name| name.to_str().is_none()) {
        let message = format!("`{}` is not UTF-8, so a browser cannot request it", name.display());
        return Err(Failure::usage(message).hint("rename the file"));
    }
    Ok(())
}

/// Returns the actions and checks for a page.
fn plan(typed: BrowserOptions, files: &[OsString]) -> Result<Plan, Failure> {
    if let Some(regex) = &typed.console {
        regex::Regex::new(regex).map_err(|error| {
            Failure::usage(format!("`--console {}` is not a regular expression", text::quote(regex.as_ref())))
                .details(format!("{error}\n"))
                .hint("escape literal brackets, dots and stars with `\\`")
        })?;
    }
    let region =
        typed.looks_like_now.map(|region| region.parse().unwrap_or_else(|never: Infallible| match never {}));
    let browser = match &typed.browser {
        Some(browser) => program(browser, "--browser")?,
        None => vec![found()?],
    };
    let other = typed
        .looks_different_from
        .as_deref()
        .map(|other| program(other, "--looks-different-from"))
        .transpose()?;
    Ok(Plan {
        browser,
        paths: browser::addresses(files)?,
        events: typed.actions.as_deref().map(script).transpose()?.unwrap_or_default(),
        checks: Checks {
            crash: typed.crash,
            console: typed.console,
            script: typed.js,
            hang: typed.unresponsive,
            region,
            other,
        },
        ..Plan::default()
    })
}

/// Reads a script of actions.
fn script(path: &Path) -> Result<Vec<Event>, Failure> {
    let script = std::fs::read_to_string(path).map_err(|error| {
        Failure::message(Fault::Input, format!("`{}` cannot be read: {error}", path.display()))
    })?;
    events(&script).map_err(|error| Failure::usage(format!("`{}` is not valid: {error}", path.display())))
}

/// Returns the command of a browser whose program exists.
fn program(typed: &str, option: &str) -> Result<Vec<String>, Failure> {
    let words = command::words(typed, option.trim_start_matches('-'))?;
    let mut words: Vec<String> = words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let Some(first) = words.first_mut() else {
        return Err(Failure::usage(format!("`{option}` names no program")));
    };
    let path = Path::new(first.as_str());
    let is_there =
        if path.components().count() > 1 { path.is_file() } else { command::in_path(path).is_some() };
    if !is_there {
        let message = format!("the browser `{first}` of `{option}` was not found");
        return Err(Failure::message(Fault::Oracle, message).hint(install()));
    }
    if path.components().count() > 1 {
        // It starts elsewhere.
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        *first = whole.to_string_lossy().into_owned();
    }
    Ok(words)
}

/// Returns the default browser.
fn found() -> Result<String, Failure> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&paths).collect();
    find(directories).map(str::to_owned).ok_or_else(|| {
        let names = BROWSERS.map(|name| format!("`{name}`")).join(", ");
        Failure::message(Fault::Oracle, format!("no browser was found (tried {names})")).hint(install())
    })
}

fn install() -> &'static str {
    "install Chromium or Firefox, or name a browser with `--browser COMMAND`"
}

/// Returns the label of the test: the command with the options about the failure.
fn label(typed: &BrowserOptions) -> String {
    let mut words: Vec<OsString> = vec!["nubbin".into(), "browser".into()];
    if typed.crash {
        words.push("--crash".into());
    }
    let hang = typed.unresponsive.map(|hang| hang.as_secs_f64().to_string());
    let events = typed.actions.as_ref().map(|path| path.display().to_string());
    let valued = [
        ("--console", &typed.console),
        ("--js", &typed.js),
        ("--unresponsive", &hang),
        ("--looks-different-from", &typed.looks_different_from),
        ("--looks-like-now", &typed.looks_like_now),
        ("--actions", &events),
        ("--browser", &typed.browser),
    ];
    for (option, value) in valued {
        words.extend(value.iter().flat_map(|value| [option.into(), value.into()]));
    }
    text::words(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_has_the_options_about_the_failure() {
        let typed = BrowserOptions {
            crash: true,
            console: Some("a b".to_owned()),
            js: None,
            unresponsive: Some(Duration::from_millis(1500)),
            looks_different_from: None,
            looks_like_now: None,
            actions: None,
            browser: None,
        };
        assert_eq!(label(&typed), "nubbin browser --crash --console 'a b' --unresponsive 1.5");
    }
}
