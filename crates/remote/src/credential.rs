//! The headers of each request: those of the user, the credentials, and the description of this client.
//!
//! A credential helper is a program of the user. It is started only when its last answer has expired or was
//! rejected.

use crate::{Address, Error, Token};
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use prost::Message;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;
use tonic::Request;
use tonic::metadata::{AsciiMetadataKey, AsciiMetadataValue, BinaryMetadataValue, MetadataMap};

/// Tuned constants.
struct Tuning {
    /// The interval at which a token file is read again, because tokens are rotated.
    file_age: Duration,
    /// The time limit for the answer of a credential helper.
    helper: Duration,
    /// A token is replaced this long before it expires.
    early: Duration,
}

const TUNING: Tuning = Tuning {
    file_age: Duration::from_secs(60),
    helper: Duration::from_secs(60),
    early: Duration::from_secs(5),
};

/// The header that describes the client.
const METADATA: &str = "build.bazel.remote.execution.v2.requestmetadata-bin";

/// The source of the headers of requests.
pub(crate) struct Credentials {
    fixed: MetadataMap,
    token: Option<Token>,
    uri: String,
    current: Mutex<Current>,
}

/// The current credentials.
#[derive(Default)]
struct Current {
    /// The number of times that they have been replaced; 0 means that there are none yet.
    generation: u64,
    headers: Vec<Header>,
    expires: Option<SystemTime>,
}

type Header = (AsciiMetadataKey, AsciiMetadataValue);

/// The headers for the requests of one attempt.
#[derive(Clone)]
pub(crate) struct Headers {
    map: MetadataMap,
    generation: u64,
}

/// The answer of a credential helper.
#[derive(serde::Deserialize)]
struct Answer {
    #[serde(default)]
    headers: BTreeMap<String, Vec<String>>,
    expires: Option<String>,
}

impl Credentials {
    /// Creates the source from an address and the name of this invocation.
    ///
    /// # Errors
    ///
    /// Returns an error if a header contains invalid characters.
    pub fn new(address: &Address, invocation: &str) -> Result<Self, Error> {
        let mut fixed = MetadataMap::new();
        let metadata = re::RequestMetadata {
            tool_details: Some(re::ToolDetails {
                tool_name: "nubbin".to_owned(),
                tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            }),
            tool_invocation_id: invocation.to_owned(),
            ..re::RequestMetadata::default()
        };
        fixed.insert_bin(METADATA, BinaryMetadataValue::from_bytes(&metadata.encode_to_vec()));
        for (name, value) in &address.headers {
            let (name, value) = header(name, value)?;
            fixed.append(name, value);
        }
        let uri = address.endpoint.replacen("grpcs://", "https://", 1).replacen("grpc://", "http://", 1);
        Ok(Self { fixed, token: address.token.clone(), uri, current: Mutex::default() })
    }

    /// Returns the headers for the next requests, with credentials that have not expired.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no credentials, because the file cannot be read, or the program fails or
    /// prints a malformed answer.
    pub async fn headers(&self) -> Result<Headers, Error> {
        let Some(token) = &self.token else { return Ok(Headers { map: self.fixed.clone(), generation: 0 }) };
        let mut current = self.current.lock().await;
        let soon = SystemTime::now() + TUNING.early;
        if current.generation == 0 || current.expires.is_some_and(|expires| expires <= soon) {
            self.replace(token, &mut current).await?;
        }
        let mut map = self.fixed.clone();
        for (name, value) in &current.headers {
            map.append(name.clone(), value.clone());
        }
        Ok(Headers { map, generation: current.generation })
    }

    /// Replaces the credentials of rejected headers, unless they have already been replaced. Returns whether
    /// different credentials may now be available.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Self::headers`].
    pub async fn renew(&self, refused: &Headers) -> Result<bool, Error> {
        let Some(token) = &self.token else { return Ok(false) };
        let mut current = self.current.lock().await;
        if current.generation == refused.generation {
            self.replace(token, &mut current).await?;
        }
        Ok(true)
    }

    async fn replace(&self, token: &Token, current: &mut Current) -> Result<(), Error> {
        let (headers, expires) = match token {
            Token::File(path) => from_file(path)?,
            Token::Helper(path) => from_helper(path, &self.uri).await?,
        };
        *current = Current { generation: current.generation + 1, headers, expires };
        Ok(())
    }
}

impl Headers {
    /// Returns a request with these headers.
    pub fn on<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        *request.metadata_mut() = self.map.clone();
        request
    }
}

fn header(name: &str, value: &str) -> Result<Header, Error> {
    let wrong =
        |reason: &str| Error::Credential { subject: format!("header `{name}`"), reason: reason.to_owned() };
    let key = AsciiMetadataKey::from_bytes(name.to_ascii_lowercase().as_bytes());
    let key = key.map_err(|_| wrong("the name is invalid"))?;
    let mut value = AsciiMetadataValue::try_from(value).map_err(|_| wrong("the value is invalid"))?;
    value.set_sensitive(true);
    Ok((key, value))
}

type Proof = (Vec<Header>, Option<SystemTime>);

fn from_file(path: &PathBuf) -> Result<Proof, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::File { path: path.clone(), source })?;
    let token = text.trim();
    if token.is_empty() {
        let subject = format!("`{}`", path.display());
        return Err(Error::Credential { subject, reason: "the token file is empty".to_owned() });
    }
    let header = header("authorization", &format!("Bearer {token}"))?;
    Ok((vec![header], Some(SystemTime::now() + TUNING.file_age)))
}

async fn from_helper(program: &Path, uri: &str) -> Result<Proof, Error> {
    let wrong = |reason: String| Error::Credential {
        subject: format!("credential helper `{}`", program.display()),
        reason,
    };
    let output = ask(program, uri).await.map_err(wrong)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output");
        return Err(wrong(format!("it failed ({}): {last}", output.status)));
    }
    let answer: Answer = serde_json::from_slice(&output.stdout)
        .map_err(|error| wrong(format!("malformed answer: {error}")))?;
    let pairs =
        answer.headers.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
    let headers = pairs.map(|(name, value)| header(name, value)).collect::<Result<_, _>>()?;
    let expires = answer.expires.map(|text| {
        let time =
            text.parse::<prost_types::Timestamp>().ok().and_then(|time| SystemTime::try_from(time).ok());
        time.ok_or_else(|| wrong(format!("`{text}` is not a time of the form 2006-01-02T15:04:05Z")))
    });
    Ok((headers, expires.transpose()?))
}

/// Runs a credential helper. If it takes too long, it is killed together with all processes that it started.
async fn ask(program: &Path, uri: &str) -> Result<Output, String> {
    let mut child = start(program).map_err(|error| format!("it cannot be started: {error}"))?;
    let group = Pid::from_child(&child);
    let question =
        serde_json::to_string(&BTreeMap::from([("uri", uri)])).map_err(|error| error.to_string())?;
    let answer = tokio::task::spawn_blocking(move || {
        if let Some(mut stdin) = child.stdin.take() {
            // A helper need not read the question.
            let _ = stdin.write_all(question.as_bytes());
        }
        child.wait_with_output()
    });
    match tokio::time::timeout(TUNING.helper, answer).await {
        Ok(Ok(Ok(output))) => Ok(output),
        Ok(Ok(Err(error))) => Err(format!("its answer cannot be read: {error}")),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => {
            // The process has not been reaped, so its number has not been reused.
            let _ = kill_process_group(group, Signal::KILL);
            Err(format!("it gave no answer within {} s", TUNING.helper.as_secs()))
        }
    }
}

fn start(program: &Path) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.arg("get").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// Returns a name in the usual form for an invocation or an upload: a UUID derived from a digest.
pub(crate) fn unique(of: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in of {
        hasher.update(part);
    }
    let hex = hasher.finalize().to_hex();
    format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}
