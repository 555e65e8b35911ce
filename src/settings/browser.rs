//! The meaning of the options of `nubbin browser`: the page, the browser, and what is looked for.

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

/// A run that waits for a hang may take so many times as long as the hang, and this time more.
const HANG: (u32, Duration) = (3, Duration::from_secs(10));

/// Resolves `nubbin browser PAGE FILE…`.
///
/// # Errors
/// Returns an error when the options make no sense together, or there is no browser.
pub(super) fn reduce(typed: Browser, context: Context) -> Result<Asked, Failure> {
    reduction::suit(&typed.result, &typed.whole)?;
    refuse(&typed)?;
    let label = label(&typed.failure);
    let plan = plan(typed.failure, &typed.files)?;
    let input = Input::all(typed.files)?;
    let mut test = TestCommand::script(label, nubbin_browser::words(&plan));
    test.serving = Serving::Own;
    let unlimited = Unlimited {
        memory: typed.whole.house.limits.memory.is_none(),
        output: typed.whole.house.limits.output_size.is_none(),
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

/// Refuses what a browser cannot do.
fn refuse(typed: &Browser) -> Result<(), Failure> {
    let limits = &typed.whole.house.limits;
    if limits.memory.is_some_and(|most| most.0.is_some()) {
        return Err(Failure::usage(
            "`--memory` limits the address space, of which a browser reserves far more than it takes",
        )
        .hint("leave it out; a browser that has grown is replaced"));
    }
    if limits.cpu_time.is_some() {
        return Err(Failure::usage("`--cpu-time` would end the browser, which stays open")
            .hint("`--timeout SECONDS` limits how long one page may take"));
    }
    let Some(first) = typed.files.first() else {
        return Err(Failure::usage("no page is given").hint("nubbin browser PAGE"));
    };
    if first == "-" || Path::new(first).is_dir() {
        let message = format!("`{}` is no file", first.display());
        return Err(Failure::usage(message)
            .hint("name the page, and after it the files that are to be reduced with it"));
    }
    if let Some(name) = typed.files.iter().find(|name| name.to_str().is_none()) {
        let message = format!("`{}` is not UTF-8, so a browser cannot ask for it", name.display());
        return Err(Failure::usage(message).hint("give the file another name"));
    }
    Ok(())
}

/// Returns what a page is put through, and looked at for.
fn plan(typed: BrowserOptions, files: &[OsString]) -> Result<Plan, Failure> {
    if let Some(regex) = &typed.console {
        regex::Regex::new(regex).map_err(|error| {
            Failure::usage(format!("`--console {}` is no regular expression", text::quote(regex.as_ref())))
                .details(format!("{error}\n"))
                .hint("a bracket, a dot or a star that is meant as it is has a `\\` before it")
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
        events: typed.events.as_deref().map(script).transpose()?.unwrap_or_default(),
        checks: Checks {
            crash: typed.crash,
            console: typed.console,
            script: typed.js,
            hang: typed.hang,
            region,
            other,
        },
        ..Plan::default()
    })
}

/// Reads a script of events.
fn script(path: &Path) -> Result<Vec<Event>, Failure> {
    let script = std::fs::read_to_string(path).map_err(|error| {
        Failure::message(Fault::Input, format!("`{}` cannot be read: {error}", path.display()))
    })?;
    events(&script).map_err(|error| Failure::usage(format!("`{}` makes no sense, {error}", path.display())))
}

/// Returns the words of a browser, whose program is there.
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
        let message = format!("there is no browser `{first}`, which `{option}` names");
        return Err(Failure::message(Fault::Oracle, message).hint(install()));
    }
    if path.components().count() > 1 {
        // It starts elsewhere.
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        *first = whole.to_string_lossy().into_owned();
    }
    Ok(words)
}

/// Returns the browser that is used if none is named.
fn found() -> Result<String, Failure> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&paths).collect();
    find(directories).map(str::to_owned).ok_or_else(|| {
        let names = BROWSERS.map(|name| format!("`{name}`")).join(", ");
        Failure::message(Fault::Oracle, format!("no browser is found: there is none of {names}"))
            .hint(install())
    })
}

fn install() -> &'static str {
    "install one of the Chromium family or Firefox, or name its program with `--browser COMMAND`"
}

/// Returns the test for people: the command without what is the same each time.
fn label(typed: &BrowserOptions) -> String {
    let mut words: Vec<OsString> = vec!["nubbin".into(), "browser".into()];
    if typed.crash {
        words.push("--crash".into());
    }
    let hang = typed.hang.map(|hang| hang.as_secs_f64().to_string());
    let events = typed.events.as_ref().map(|path| path.display().to_string());
    let valued = [
        ("--console", &typed.console),
        ("--js", &typed.js),
        ("--hang", &hang),
        ("--looks-different-from", &typed.looks_different_from),
        ("--looks-like-now", &typed.looks_like_now),
        ("--events", &events),
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
    fn the_label_has_the_options_that_matter() {
        let typed = BrowserOptions {
            crash: true,
            console: Some("a b".to_owned()),
            js: None,
            hang: Some(Duration::from_millis(1500)),
            looks_different_from: None,
            looks_like_now: None,
            events: None,
            browser: None,
        };
        assert_eq!(label(&typed), "nubbin browser --crash --console 'a b' --hang 1.5");
    }
}
