//! The cluster as its users see it: calls that block, over a runtime of its own.

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

/// The numbers of this module.
struct Tuning {
    /// The threads that speak with the cluster. One is enough for hundreds of actions; a second one keeps large uploads from
    /// delaying the others.
    threads: usize,
    /// The time between two questions whether an action is still wanted.
    look: Duration,
    /// At the end, cancellations under way are waited for so long.
    farewell: Duration,
    /// The first answer of a cluster may take so long.
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
/// Any number of threads may use it at once. It must not be used or dropped within an asynchronous runtime.
pub struct Cluster {
    address: Address,
    shared: Arc<Shared>,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    farewells: Option<(mpsc::Sender<()>, mpsc::Receiver<()>)>,
}

impl Cluster {
    /// Connects to a cluster, and asks whether it runs actions and what it takes.
    ///
    /// # Errors
    ///
    /// The address, a certificate or the proof of identity does not do, the cluster refuses or runs no actions, or it gives no
    /// answer for as long as `patience.start` says.
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

    /// Reads a file or directory of this machine, and sends what of it the cluster does not have.
    ///
    /// A link that stays within the directory is kept as a link, and any other is followed; a relative link that leads nowhere
    /// is kept.
    ///
    /// # Errors
    ///
    /// A file cannot be read, is none that can be sent, or changes meanwhile; or the cluster has trouble.
    pub fn keep(&self, path: &Path) -> Result<Kept, Error> {
        let kept = Kept::read(path, self.shared.facts.function)?;
        self.runtime().block_on(self.send(&kept))?;
        Ok(kept)
    }

    /// Runs an action, and waits for its result. `unwanted` is asked on this thread every few milliseconds; once it says
    /// `true`, the operation is cancelled in the background.
    ///
    /// # Errors
    ///
    /// The action cannot be sent, is no longer wanted, or has had nothing but trouble for as long as is allowed.
    ///
    /// # Panics
    ///
    /// If this crate has an error that ends one of its own threads.
    pub fn run(&self, action: &Action<'_>, unwanted: &(dyn Fn() -> bool + Sync)) -> Result<Done, Error> {
        let job = action.job(&self.address, self.shared.facts.function)?;
        if unwanted() {
            return Err(Error::Unwanted);
        }
        let (tell, told) = sync_channel(1);
        let (stop, stopped) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        // From here to the end of a cancellation, the cluster is not left.
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

    /// Returns what the cluster said of itself at the start.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.shared.facts
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.shared.tally.read()
    }

    /// Sends what is kept, again after trouble.
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
    /// Waits shortly for cancellations under way.
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        if let Some((own, mut rest)) = self.farewells.take() {
            drop(own);
            let _ = runtime.block_on(async { tokio::time::timeout(TUNING.farewell, rest.recv()).await });
        }
        runtime.shutdown_background();
    }
}

/// Asks a cluster for what it can do, until it answers or `patience.start` is over.
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
            Err(_) => Fault::Silent("the cluster gives no sign of life".to_owned()),
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

/// Takes what is needed of what a cluster says of itself.
fn facts(address: &Address, said: &re::ServerCapabilities) -> Result<Facts, Error> {
    let refused =
        |status: &str| Error::Refused { endpoint: address.endpoint.clone(), status: status.to_owned() };
    let execution = said.execution_capabilities.as_ref().filter(|execution| execution.exec_enabled);
    let execution = execution.ok_or_else(|| refused("it runs no actions, or not for this instance"))?;
    let cache = said.cache_capabilities.clone().unwrap_or_default();
    let function = Function::choose(&offered(&cache.digest_functions, execution));
    let function = function.ok_or_else(|| refused("it has neither SHA256 nor BLAKE3 for digests"))?;
    let batch = match u64::try_from(cache.max_batch_total_size_bytes) {
        Ok(stated) if stated > 0 => stated.min(STORE.batch),
        _ => STORE.batch,
    };
    let version =
        said.high_api_version.as_ref().map(|version| format!("{}.{}", version.major, version.minor));
    if said.low_api_version.as_ref().is_some_and(|version| version.major > 2)
        || said.high_api_version.as_ref().is_some_and(|version| version.major < 2)
    {
        return Err(refused("it does not speak version 2 of the protocol"));
    }
    Ok(Facts { function, batch, version: version.unwrap_or_default() })
}

/// Returns the digest functions that the store and the workers both have.
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

/// Returns a name for this invocation that no other has.
fn invocation() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    unique(&[&now.as_nanos().to_le_bytes(), &std::process::id().to_le_bytes()])
}
