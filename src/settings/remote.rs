//! The meaning of the options about other machines.

use crate::args::group::RemoteOptions;
use crate::args::group::remote::WhenLost;
use nubbin_session::command;
use nubbin_session::failure::Failure;
use nubbin_session::remote::{Address, Remote, Tls, Token, WhenGone};
use nubbin_session::settings::{Serving, Settings};

/// The number of runs that go on at once on a cluster, where nobody says another one.
const JOBS: u16 = 16;

/// Takes the options about other machines into the settings.
///
/// # Errors
/// Returns an error when they make no sense with the others.
pub(super) fn apply(typed: RemoteOptions, jobs: Option<u16>, settings: &mut Settings) -> Result<(), Failure> {
    if let Some(prefix) = &typed.jobs_from {
        return begin_with(prefix, settings);
    }
    let Some(endpoint) = typed.remote else { return Ok(()) };
    if settings.flaky.is_some() || settings.search.is_some() {
        let other = if settings.flaky.is_some() { "--flaky" } else { "--search" };
        return Err(
            Failure::usage(format!("`--remote` does not know `{other}`")).hint("leave out one of the two")
        );
    }
    let cluster = typed.cluster;
    let helper = cluster.remote_helper.map(Token::Helper);
    settings.remote = Some(Remote {
        address: Address {
            endpoint,
            instance: cluster.remote_instance.unwrap_or_default(),
            platform: cluster.remote_platform,
            headers: cluster.remote_header,
            tls: Tls {
                ca: cluster.remote_ca,
                certificate: cluster.remote_certificate,
                key: cluster.remote_key,
            },
            token: cluster.remote_token.map(Token::File).or(helper),
            cache: cluster.remote_cache,
        },
        jobs: cluster.remote_jobs.unwrap_or(JOBS).into(),
        is_alone: jobs == Some(0),
        environment: cluster.remote_env,
        when_gone: match cluster.remote_lost {
            WhenLost::Here => WhenGone::GoOnHere,
            WhenLost::Wait => WhenGone::Wait,
        },
        patience: cluster.remote_patience,
    });
    Ok(())
}

/// Has every run of the test begin with these words.
fn begin_with(prefix: &str, settings: &mut Settings) -> Result<(), Failure> {
    let mut words = command::resolve(&command::words(prefix, "prefix")?, &[]);
    if settings.test.is_server() || settings.test.other.is_some() {
        let other = if settings.test.is_server() { "--server" } else { "--differs-from" };
        return Err(Failure::usage(format!("`--jobs-from` does not know `{other}`"))
            .hint("put the words before the command itself"));
    }
    settings.test.label = format!("{prefix} {}", settings.test.label);
    words.append(&mut settings.test.words);
    settings.test.words = words;
    settings.test.serving = Serving::Never;
    Ok(())
}
