//! The blocking interface to a cluster, which uses an asynchronous runtime internally.

use crate::action::{Action, Done};
use crate::credential::{Credentials, unique};
use crate::digest::Function;
use crate::execution::{self, capabilities};
use crate::fault::{Fault, Final};
use crate::kept::Kept;
use crate::line::Lines;
use crate::shared::{Counts, Facts, Limit, Shared, Tally, Troubles};
use crate::store::{Access, Known, TUNING as STORE};
use crate::{Address, Error, Patience};
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};

/// Tuned constants.
struct Tuning {
    /// The threads for communication with the cluster. One is sufficient for hundreds of actions; the second
    /// one prevents large uploads from delaying other requests.
    threads: usize,
    /// The time between two checks whether the result of an action is still needed.
    look: Duration,
    /// How long running cancellations are waited for at the end.
    farewell: Duration,
    /// The time limit for the first response of a cluster.
    first_answer: Duration,
}

const TUNING: Tuning = Tuning {
    threads: 2,
    look: Duration::from_millis(8),
    farewell: Duration::from_secs(2),
    first_answer: Duration::from_secs(10),
};

/// A connection to a cluster.
///
/// It can be used by any number of threads. It must not be used or dropped within an asynchronous runtime.
pub struct Cluster {
    address: Address,
    shared: Arc<Shared>,
    /// `None` only during `drop`.
    runtime: Option<Runtime>,
    farewells: Option<(mpsc::Sender<()>, mpsc::Receiver<()>)>,
}

impl Cluster {
    /// Connects to a cluster, and queries its capabilities.
    ///
    /// # Errors
    ///
    /// Returns an error if the address, a certificate or the credentials are invalid, if the cluster rejects
    /// the request or does not execute actions, or if it does not respond within `patience.start`.
    pub fn connect(address: &Address, patience: &Patience) -> Result<Self, Error> {
        let lines = Lines::new(address.endpoint()?);
        let invocation = invocation();
        let credentials = Credentials::new(address, &invocation)?;
        let mut builder = Builder::new_multi_thread();
        let builder = builder.worker_threads(TUNING.threads).thread_name("remote").enable_all();
        let runtime = builder.build().map_err(Error::Start)?;
        let facts = runtime.block_on(introduce(address, patience, &lines, &credentials))?;
        let farewells = mpsc::channel(1);
        let shared = Arc::new(Shared {
            endpoint: address.endpoint.clone(),
            instance: address.instance.clone(),
            invocation,
            facts,
            patience: patience.clone(),
            lines,
            credentials,
            known: Known::default(),
            tally: Counts::default(),
            answered: Mutex::default(),
            farewell: farewells.0.downgrade(),
        });
        Ok(Self { address: address.clone(), shared, runtime: Some(runtime), farewells: Some(farewells) })
    }

    /// Reads a local file or directory, and sends the parts that the cluster does not have.
    ///
    /// A symbolic link is kept as a link if its target is within the directory, or if it is relative and its
    /// target does not exist; other links are followed.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, has an unsupported type or changes while it is sent, or if
    /// the cluster fails.
    pub fn keep(&self, path: &Path) -> Result<Kept, Error> {
        let kept = Kept::read(path, self.shared.facts.function)?;
        self.runtime().block_on(self.send(&kept))?;
        Ok(kept)
    }

    /// Runs an action, and waits for its result. `unwanted` is called on this thread every few milliseconds;
    /// when it returns `true`, the operation is cancelled in the background.
    ///
    /// # Errors
    ///
    /// Returns an error if the action cannot be sent, if its result is no longer needed, or if all attempts
    /// fail for as long as [`Patience`] allows.
    ///
    /// # Panics
    ///
    /// Panics if a background task of this crate ends without a result, which is a bug.
    pub fn run(&self, action: &Action<'_>, unwanted: &(dyn Fn() -> bool + Sync)) -> Result<Done, Error> {
        let job = action.job(&self.address, self.shared.facts.function)?;
        if unwanted() {
            return Err(Error::Unwanted);
        }
        let (tell, told) = sync_channel(1);
        let (stop, stopped) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        // The cluster is not disconnected until the cancellation has ended.
        let farewell = self.farewells.as_ref().map(|(own, _)| own.clone());
        self.runtime().spawn(async move {
            let _held = farewell;
            let _ = tell.send(execution::run(shared, job, stopped).await);
        });
        loop {
            match told.recv_timeout(TUNING.look) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) if unwanted() => {
                    let _ = stop.send(());
                    return Err(Error::Unwanted);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the task of an action ends with its result"),
            }
        }
    }

    /// Returns the capabilities that the cluster reported when the connection was made.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.shared.facts
    }

    /// Returns the counters of requests and failures.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.shared.tally.read()
    }

    /// Sends the blobs of `kept`, and retries after failures.
    async fn send(&self, kept: &Kept) -> Result<(), Error> {
        let shared = &self.shared;
        let mut troubles = Troubles::default();
        let mut renewed = false;
        loop {
            let headers = shared.credentials.headers().await?;
            let seat = shared.lines.seat();
            let access = Access { shared, channel: seat.channel(), headers: &headers };
            let Err(fault) = access.send_again(kept.blobs.iter()).await else { return Ok(()) };
            let words = fault.words();
            match fault {
                Fault::Final(reason) => return Err(reason.error(&shared.endpoint)),
                Fault::Unknown(_) if !renewed && shared.credentials.renew(&headers).await? => renewed = true,
                Fault::Unknown(text) => return Err(Final::Refused(text).error(&shared.endpoint)),
                Fault::Silent(_) => seat.give_up(),
                _ => {}
            }
            shared.tally.trouble(&words);
            let limit = Limit { longest: shared.patience.longest, fewest: 1 };
            match troubles.pause(&shared.patience, limit, 0) {
                Ok(pause) => tokio::time::sleep(pause).await,
                Err(since) => {
                    let (endpoint, tries) = (shared.endpoint.clone(), troubles.number);
                    return Err(Error::Gone { endpoint, since, tries, status: words });
                }
            }
        }
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it is there until the end")
    }
}

impl Drop for Cluster {
    /// Waits a short time for running cancellations.
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        if let Some((own, mut rest)) = self.farewells.take() {
            drop(own);
            let _ = runtime.block_on(async { tokio::time::timeout(TUNING.farewell, rest.recv()).await });
        }
        runtime.shutdown_background();
    }
}

/// Queries the capabilities of a cluster until it responds or `patience.start` has passed.
async fn introduce(
    address: &Address,
    patience: &Patience,
    lines: &Arc<Lines>,
    credentials: &Credentials,
) -> Result<Facts, Error> {
    let mut troubles = Troubles::default();
    let mut renewed = false;
    loop {
        let headers = credentials.headers().await?;
        let seat = lines.seat();
        let question = capabilities(seat.channel(), &headers, &address.instance);
        let fault = match tokio::time::timeout(TUNING.first_answer, question).await {
            Ok(Ok(capabilities)) => return facts(address, &capabilities),
            Ok(Err(fault)) => fault,
            Err(_) => Fault::Silent("the cluster does not respond".to_owned()),
        };
        let words = fault.words();
        match fault {
            Fault::Final(reason) => return Err(reason.error(&address.endpoint)),
            Fault::Unknown(_) if !renewed && credentials.renew(&headers).await? => renewed = true,
            Fault::Unknown(text) | Fault::Missing(text) | Fault::Unmet(text) | Fault::NoOperation(text) => {
                return Err(Final::Refused(text).error(&address.endpoint));
            }
            Fault::Silent(_) => seat.give_up(),
            Fault::Passing(_) => {}
        }
        let limit = Limit { longest: patience.start, fewest: 1 };
        match troubles.pause(patience, limit, 0) {
            Ok(pause) => tokio::time::sleep(pause).await,
            Err(since) => {
                let (endpoint, tries) = (address.endpoint.clone(), troubles.number);
                return Err(Error::Gone { endpoint, since, tries, status: words });
            }
        }
    }
}

/// Extracts the required capabilities.
fn facts(address: &Address, said: &re::ServerCapabilities) -> Result<Facts, Error> {
    let refused =
        |status: &str| Error::Refused { endpoint: address.endpoint.clone(), status: status.to_owned() };
    let execution = said.execution_capabilities.as_ref().filter(|execution| execution.exec_enabled);
    let execution =
        execution.ok_or_else(|| refused("it does not execute actions, at least not for this instance"))?;
    let cache = said.cache_capabilities.clone().unwrap_or_default();
    let function = Function::choose(&offered(&cache.digest_functions, execution));
    let function = function.ok_or_else(|| refused("it supports neither SHA256 nor BLAKE3 digests"))?;
    let batch = match u64::try_from(cache.max_batch_total_size_bytes) {
        Ok(stated) if stated > 0 => stated.min(STORE.batch),
        _ => STORE.batch,
    };
    let version =
        said.high_api_version.as_ref().map(|version| format!("{}.{}", version.major, version.minor));
    if said.low_api_version.as_ref().is_some_and(|version| version.major > 2)
        || said.high_api_version.as_ref().is_some_and(|version| version.major < 2)
    {
        return Err(refused("it does not support version 2 of the protocol"));
    }
    Ok(Facts { function, batch, version: version.unwrap_or_default() })
}

/// Returns the digest functions that both the store and the workers support.
fn offered(store: &[i32], execution: &re::ExecutionCapabilities) -> Vec<i32> {
    let mut workers = execution.digest_functions.clone();
    if workers.is_empty() && execution.digest_function != 0 {
        workers.push(execution.digest_function);
    }
    if workers.is_empty() || store.is_empty() {
        return [store, &workers].concat();
    }
    store.iter().copied().filter(|function| workers.contains(function)).collect()
}

/// Returns a unique name for this invocation.
fn invocation() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    unique(&[&now.as_nanos().to_le_bytes(), &std::process::id().to_le_bytes()])
}
