//! Resolves the options about other machines.

use crate::args::group::RemoteOptions;
use crate::args::group::remote::{RemoteSetting, WhenLost};
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::remote::{Address, Remote, Tls, Token, WhenGone};
use nubbin_session::settings::{Serving, Settings};
use nubbin_session::{command, program};
use std::time::Duration;

/// The default number of parallel runs on a cluster.
const JOBS: u16 = 16;
/// The default time without a response after which a cluster counts as lost.
const PATIENCE: Duration = Duration::from_secs(120);

/// Adds the options about other machines to the settings.
///
/// # Errors
/// Returns an error if they conflict with other options.
pub(super) fn apply(typed: RemoteOptions, jobs: Option<u16>, settings: &mut Settings) -> Result<(), Failure> {
    let Some(endpoint) = typed.remote else { return Ok(()) };
    if !endpoint.contains("://") {
        let of_cluster = [
            ("--remote-jobs", typed.remote_jobs.is_some()),
            ("--remote-header", !typed.remote_header.is_empty()),
            ("--remote-option", !typed.remote_option.is_empty()),
        ];
        if let Some((option, _)) = of_cluster.into_iter().find(|(_, is_given)| *is_given) {
            return Err(Failure::usage(format!("`{option}` needs the address of a cluster"))
                .hint("`--remote grpc://HOST:PORT` is a cluster; for a launcher command, use `--jobs`"));
        }
        return launch(&endpoint, settings);
    }
    if settings.flaky.is_some() || settings.search.is_some() {
        let other = if settings.flaky.is_some() { "--flaky" } else { "--search" };
        return Err(Failure::usage(format!("`--remote` cannot be combined with `{other}`"))
            .hint("leave out one of the two"));
    }
    let mut address = Address {
        endpoint,
        instance: String::new(),
        platform: Vec::new(),
        headers: typed.remote_header,
        tls: Tls { ca: None, certificate: None, key: None },
        token: None,
        cache: false,
    };
    let (mut environment, mut when_gone, mut patience) = (Vec::new(), WhenGone::GoOnHere, PATIENCE);
    for setting in typed.remote_option {
        match setting {
            RemoteSetting::Instance(name) => address.instance = name,
            RemoteSetting::Platform(name, value) => address.platform.push((name, value)),
            RemoteSetting::Env(name, value) => environment.push((name, value)),
            RemoteSetting::Ca(path) => address.tls.ca = Some(path),
            RemoteSetting::Certificate(path) => address.tls.certificate = Some(path),
            RemoteSetting::Key(path) => address.tls.key = Some(path),
            RemoteSetting::Token(path) => address.token = Some(Token::File(path)),
            RemoteSetting::CredentialHelper(path) => address.token = Some(Token::Helper(path)),
            RemoteSetting::Cache(is_on) => address.cache = is_on,
            RemoteSetting::Lost(WhenLost::Here) => when_gone = WhenGone::GoOnHere,
            RemoteSetting::Lost(WhenLost::Wait) => when_gone = WhenGone::Wait,
            RemoteSetting::Patience(time) => patience = time,
        }
    }
    if address.tls.certificate.is_some() != address.tls.key.is_some() {
        return Err(Failure::usage("`certificate` and `key` of `--remote-option` need each other")
            .hint("--remote-option certificate=FILE --remote-option key=FILE"));
    }
    settings.remote = Some(Remote {
        address,
        jobs: typed.remote_jobs.unwrap_or(JOBS).into(),
        is_alone: jobs == Some(0),
        environment,
        when_gone,
        patience,
    });
    Ok(())
}

/// Starts every run of the test with this launcher command.
fn launch(prefix: &str, settings: &mut Settings) -> Result<(), Failure> {
    let typed = command::words(prefix, "launcher command")?;
    if let Some(program) = typed.first().filter(|program| program::find(program).is_none()) {
        let message = format!("the launcher `{}` of `--remote` was not found", program.display());
        return Err(Failure::message(Fault::Oracle, message)
            .hint("name an installed program, or the address of a cluster: `--remote grpc://HOST:PORT`"));
    }
    let mut words = command::resolve(&typed, &[]);
    if settings.test.is_server() || settings.test.other.is_some() {
        let other = if settings.test.is_server() { "--server" } else { "--differs-from" };
        return Err(Failure::usage(format!("`--remote COMMAND` cannot be combined with `{other}`"))
            .hint("put the launcher before the command itself"));
    }
    settings.test.label = format!("{prefix} {}", settings.test.label);
    words.append(&mut settings.test.words);
    settings.test.words = words;
    settings.test.serving = Serving::Never;
    Ok(())
}
