//! The options about runs on other machines: a cluster, or a command that starts a run elsewhere.

use super::values::Offered;
use clap::Args;
use clap::builder::TypedValueParser;
use std::path::PathBuf;
use std::time::Duration;

const HEADING: &str = "Other machines";

/// The options about other machines.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct RemoteOptions {
    /// Run candidates on a cluster (grpc://HOST:PORT), or through a launcher command
    ///
    /// An address (grpc://HOST:PORT, or grpcs:// for TLS) is a cluster with Bazel's Remote Execution API, used in
    /// addition to this machine. It must have the programs that the command needs; files are uploaded.
    ///
    /// Any other value, such as 'srun -Q -n1' or 'ssh build7', is a command that starts each run on a machine with the
    /// same files; --work-dir must be shared as well.
    #[arg(long, value_name = "ADDRESS|COMMAND", value_hint = clap::ValueHint::CommandString, help_heading = HEADING)]
    pub remote: Option<String>,

    /// Number of parallel runs on the cluster [default: 16]
    ///
    /// They run in addition to those of --jobs. With --jobs 0, all candidates run on the cluster.
    #[arg(long, value_name = "N", requires = "remote", value_parser = clap::value_parser!(u16).range(1..=4096), help_heading = HEADING)]
    pub remote_jobs: Option<u16>,

    /// An HTTP header for each request to the cluster; repeatable
    #[arg(long, value_name = "NAME=VALUE", requires = "remote", value_parser = pair, help_heading = HEADING)]
    pub remote_header: Vec<(String, String)>,

    /// A setting for the cluster; repeatable
    ///
    /// instance=NAME           instance name
    /// platform=KEY=VALUE      platform property of the workers, such as OSFamily=linux
    /// env=NAME[=VALUE]        environment variable; without a value, the local one
    /// ca=FILE                 certificates of the authority [default: those of the system]
    /// certificate=FILE        client certificate, with key=FILE
    /// token=FILE              bearer token; the file is read again when the cluster rejects it
    /// credential-helper=PATH  Bazel credential helper
    /// cache=on                allow cached results of earlier runs, and store new ones
    /// lost=here|wait          when the cluster stops responding: continue locally, or wait [default: here]
    /// patience=TIME           time without a response until it counts as lost [default: 120s]
    #[arg(long, value_name = "KEY=VALUE", requires = "remote", value_parser = settings(), hide_possible_values = true, hide_possible_values = true, help_heading = HEADING, verbatim_doc_comment)]
    pub remote_option: Vec<RemoteSetting>,
}

/// One setting of `--remote-option`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteSetting {
    Instance(String),
    Platform(String, String),
    Env(String, String),
    Ca(PathBuf),
    Certificate(PathBuf),
    Key(PathBuf),
    Token(PathBuf),
    CredentialHelper(PathBuf),
    Cache(bool),
    Lost(WhenLost),
    Patience(Duration),
}

/// What to do when the cluster stops responding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenLost {
    #[default]
    Here,
    Wait,
}

/// The keys of `--remote-option`.
const KEYS: [&str; 11] = [
    "instance=",
    "platform=",
    "env=",
    "ca=",
    "certificate=",
    "key=",
    "token=",
    "credential-helper=",
    "cache=",
    "lost=",
    "patience=",
];

/// Parses `KEY=VALUE`, and offers the keys for completion.
fn settings() -> impl TypedValueParser<Value = RemoteSetting> {
    Offered::new(KEYS).try_map(|text: String| setting(&text))
}

fn setting(text: &str) -> Result<RemoteSetting, String> {
    let unknown = || {
        let names: Vec<&str> = KEYS.iter().map(|key| key.trim_end_matches('=')).collect();
        format!("not a setting of a cluster; write KEY=VALUE, where KEY is {}", names.join(", "))
    };
    let (key, value) = text.split_once('=').ok_or_else(unknown)?;
    Ok(match key {
        "instance" => RemoteSetting::Instance(value.to_owned()),
        "platform" => pair(value).map(|(name, value)| RemoteSetting::Platform(name, value))?,
        "env" => variable(value).map(|(name, value)| RemoteSetting::Env(name, value))?,
        "ca" => RemoteSetting::Ca(value.into()),
        "certificate" => RemoteSetting::Certificate(value.into()),
        "key" => RemoteSetting::Key(value.into()),
        "token" => RemoteSetting::Token(value.into()),
        "credential-helper" => RemoteSetting::CredentialHelper(value.into()),
        "cache" => match value {
            "on" | "true" => RemoteSetting::Cache(true),
            "off" | "false" => RemoteSetting::Cache(false),
            _ => return Err("`cache` is `on` or `off`".to_owned()),
        },
        "lost" => match value {
            "here" => RemoteSetting::Lost(WhenLost::Here),
            "wait" => RemoteSetting::Lost(WhenLost::Wait),
            _ => return Err("`lost` is `here` or `wait`".to_owned()),
        },
        "patience" => RemoteSetting::Patience(super::control::duration(value)?.time),
        _ => return Err(unknown()),
    })
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("not NAME=VALUE".to_owned()),
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    if text.contains('=') {
        return pair(text);
    }
    let value = std::env::var(text)
        .map_err(|_| format!("the environment variable `{text}` is not set; use `{text}=VALUE`"))?;
    Ok((text.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_the_given_value_or_the_local_one() {
        assert_eq!(variable("A=b=c"), Ok(("A".to_owned(), "b=c".to_owned())));
        assert_eq!(variable("PATH"), Ok(("PATH".to_owned(), std::env::var("PATH").expect("it is set"))));
        for text in ["=x", "NUBBIN_IS_NOT_SET"] {
            assert!(variable(text).is_err(), "{text}");
        }
    }
}
