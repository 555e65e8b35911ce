//! Executes one action on the cluster: sends it, follows its operation, repeats it after failures, and
//! cancels it when the result is no longer needed.

use crate::Error;
use crate::action::{Done, End, Job};
use crate::credential::Headers;
use crate::ending::{judge, last, time_of};
use crate::fault::{Fault, Final, chain};
use crate::line::Seat;
use crate::operation::{Asked, Watched, outcome};
use crate::shared::{Limit, Shared, Troubles};
use crate::store::Access;
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::longrunning;
use longrunning::operations_client::OperationsClient as Operations;
use re::capabilities_client::CapabilitiesClient as Capabilities;
use re::execution_client::ExecutionClient as Execution;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tonic::Response;

/// Tuned constants.
struct Tuning {
    /// How many times in a row an operation is queried before it is requested again.
    waits: u32,
    /// The number of attempts to cancel an operation, the pause between them, and the time limit of each.
    cancels: u32,
    cancel_pause: Duration,
    cancel: Duration,
    /// The time limit for the response of a cluster that has been silent.
    sign_of_life: Duration,
    /// The minimum number of attempts before an action fails, because each attempt can take long.
    fewest: u32,
}

const TUNING: Tuning = Tuning {
    waits: 3,
    cancels: 3,
    cancel_pause: Duration::from_millis(100),
    cancel: Duration::from_secs(5),
    sign_of_life: Duration::from_secs(10),
    fewest: 4,
};

/// A running action.
struct Execute {
    shared: Arc<Shared>,
    job: Job,
    seat: Seat,
    headers: Option<Headers>,
    watched: Watched,
    troubles: Troubles,
    /// Whether the store must be asked for all blobs before the next attempt, including those that it is
    /// known to have.
    look: bool,
    /// Whether the last attempt failed a precondition although no blob was missing.
    unmet: bool,
    /// Whether the credentials were replaced after they were rejected.
    renewed: bool,
    began: Instant,
}

/// Runs an action until it has a result. If `unwanted` is signalled first, the operation is cancelled in the
/// background.
pub(crate) async fn run(
    shared: Arc<Shared>,
    job: Job,
    unwanted: oneshot::Receiver<()>,
) -> Result<Done, Error> {
    let seat = shared.lines.seat();
    let mut execute = Execute {
        shared,
        job,
        seat,
        headers: None,
        watched: Watched::default(),
        troubles: Troubles::default(),
        look: false,
        unmet: false,
        renewed: false,
        began: Instant::now(),
    };
    let result = tokio::select! {
        result = execute.complete() => result,
        _ = unwanted => Err(Error::Unwanted),
    };
    if result.is_err() {
        execute.leave();
    }
    result
}

impl Execute {
    async fn complete(&mut self) -> Result<Done, Error> {
        loop {
            let fault = match self.attempt().await {
                Ok(done) => {
                    self.shared.has_answered();
                    return Ok(done);
                }
                Err(fault) => fault,
            };
            let words = fault.words();
            self.after(fault).await?;
            self.shared.tally.trouble(&words);
            let seed = self.job.action.seed();
            let limit = Limit { longest: self.shared.patience.longest, fewest: TUNING.fewest };
            match self.troubles.pause(&self.shared.patience, limit, seed) {
                Ok(pause) => tokio::time::sleep(pause).await,
                Err(since) => return Err(self.given_up(since, words)),
            }
        }
    }

    /// Prepares the next attempt, or returns the error if a retry is not useful.
    async fn after(&mut self, fault: Fault) -> Result<(), Error> {
        let endpoint = &self.shared.endpoint;
        match fault {
            Fault::Final(reason) => return Err(reason.error(endpoint)),
            Fault::Unknown(text) => {
                let Some(headers) = self.headers.as_ref().filter(|_| !self.renewed) else {
                    return Err(Final::Refused(text).error(endpoint));
                };
                match self.shared.credentials.renew(headers).await {
                    Ok(true) => self.renewed = true,
                    Ok(false) => return Err(Final::Refused(text).error(endpoint)),
                    // The helper can be affected by the same failure as the cluster; valid credentials
                    // existed before.
                    Err(error) => self.shared.tally.trouble(&chain(&error)),
                }
            }
            // A missing blob can be reported with other words. If no blob is missing, the reason is
            // permanent, such as a platform that no worker has, unless there were results before.
            Fault::Unmet(text) => {
                if self.unmet && self.shared.last_answer().is_none() {
                    return Err(Final::Refused(text).error(endpoint));
                }
                (self.look, self.watched) = (true, Watched::default());
            }
            Fault::Missing(_) => (self.look, self.watched) = (true, Watched::default()),
            Fault::NoOperation(_) => self.watched = Watched::default(),
            Fault::Silent(_) => {
                self.seat.give_up();
                self.seat = self.shared.lines.seat();
                self.watched.drop_stream();
            }
            Fault::Passing(_) => self.watched.drop_stream(),
        }
        Ok(())
    }

    fn given_up(&self, since: Duration, status: String) -> Error {
        let (endpoint, tries) = (self.shared.endpoint.clone(), self.troubles.number);
        let others = self.shared.last_answer().zip(self.troubles.first());
        if others.is_some_and(|(answer, trouble)| answer > trouble) {
            return Error::Lost { endpoint, since, tries, status };
        }
        Error::Gone { endpoint, since, tries, status }
    }

    /// Makes one attempt: queries the operation if there is one, or otherwise requests the action.
    async fn attempt(&mut self) -> Result<Done, Fault> {
        let shared = Arc::clone(&self.shared);
        let headers = shared.credentials.headers().await;
        let headers = headers.map_err(|error| Fault::Passing(chain(&error)))?;
        self.headers = Some(headers.clone());
        if self.watched.name.is_some() && self.watched.waits >= TUNING.waits {
            // The old operation is cancelled, since both would run unless the cluster merges equal actions.
            if !self.job.cache {
                self.leave();
            }
            self.watched = Watched::default();
        }
        if let Some(name) = self.watched.name.clone() {
            self.watched.waits += 1;
            shared.tally.waits();
            self.watched.asked = Some(self.wait(name, &headers));
        } else {
            self.send(&headers).await?;
            shared.tally.executions();
            self.watched = Watched { asked: Some(self.ask(&headers)), ..Watched::default() };
        }
        let (response, began) = self.follow().await?;
        let cached = response.cached_result;
        let (end, result) = judge(response, self.job.limit, began.map(|began| began.elapsed()))?;
        self.done(end, result, cached, &headers).await
    }

    async fn send(&mut self, headers: &Headers) -> Result<(), Fault> {
        let shared = Arc::clone(&self.shared);
        let access = Access { shared: &shared, channel: self.seat.channel(), headers };
        if !self.look {
            return access.send_new(self.job.own.iter()).await;
        }
        let kept = self.job.kept.iter().flat_map(|blobs| blobs.iter());
        let sent = access.send_again(self.job.own.iter().chain(kept)).await?;
        self.look = false;
        self.unmet = sent == 0;
        Ok(())
    }

    fn ask(&self, headers: &Headers) -> Asked {
        let request = headers.on(re::ExecuteRequest {
            instance_name: self.shared.instance.clone(),
            skip_cache_lookup: !self.job.cache,
            action_digest: Some(self.job.action.message()),
            digest_function: self.shared.facts.function.number(),
            inline_stdout: true,
            inline_stderr: true,
            ..re::ExecuteRequest::default()
        });
        let mut client = Execution::new(self.seat.channel()).max_decoding_message_size(usize::MAX);
        Box::pin(async move { client.execute(request).await })
    }

    fn wait(&self, name: String, headers: &Headers) -> Asked {
        let request = headers.on(re::WaitExecutionRequest { name });
        let mut client = Execution::new(self.seat.channel()).max_decoding_message_size(usize::MAX);
        Box::pin(async move { client.wait_execution(request).await })
    }

    /// Follows the operation to its end. Returns the response, and when the worker started, if that was
    /// reported.
    async fn follow(&mut self) -> Result<(re::ExecuteResponse, Option<Instant>), Fault> {
        let deadline = Instant::now() + self.job.limit + self.shared.patience.queue;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.leave();
                return Err(Fault::Passing("the action waited in the queue for too long".to_owned()));
            }
            let next =
                tokio::time::timeout(left.min(self.shared.patience.silence), self.watched.next()).await;
            let operation = match next {
                Ok(Ok(Some(operation))) => operation,
                Ok(Ok(None)) => {
                    return Err(Fault::Passing(
                        "the stream of the operation ended before its result".to_owned(),
                    ));
                }
                Ok(Err(status)) if self.watched.waits > 0 => return Err(Fault::of_wait(&status)),
                Ok(Err(status)) => return Err(Fault::of_call(&status)),
                Err(_) if deadline <= Instant::now() => continue,
                Err(_) => {
                    self.sign_of_life().await?;
                    continue;
                }
            };
            (self.watched.waits, self.renewed) = (0, false);
            if operation.done || operation.result.is_some() {
                let began = mem::take(&mut self.watched).began;
                return Ok((outcome(operation)?, began));
            }
        }
    }

    /// Sends a small request to find out whether the cluster responds at all.
    async fn sign_of_life(&mut self) -> Result<(), Fault> {
        let Some(headers) = &self.headers else { return Ok(()) };
        let question = capabilities(self.seat.channel(), headers, &self.shared.instance);
        match tokio::time::timeout(TUNING.sign_of_life, question).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(fault)) => Err(Fault::Passing(fault.words())),
            Err(_) => Err(Fault::Silent("the cluster does not respond".to_owned())),
        }
    }

    /// Creates the result, and fetches its outputs if they are not included.
    async fn done(
        &mut self,
        end: End,
        result: re::ActionResult,
        cached: bool,
        headers: &Headers,
    ) -> Result<Done, Fault> {
        let shared = Arc::clone(&self.shared);
        let access = Access { shared: &shared, channel: self.seat.channel(), headers };
        let most = self.job.most_output;
        let stdout = output(&access, result.stdout_raw, result.stdout_digest, most).await?;
        let stderr = output(&access, result.stderr_raw, result.stderr_digest, most).await?;
        let metadata = result.execution_metadata.unwrap_or_default();
        let round_trip = self.began.elapsed();
        let elapsed = time_of(&metadata).unwrap_or(round_trip);
        let tries = self.troubles.number + 1;
        Ok(Done { end, stdout, stderr, elapsed, round_trip, worker: metadata.worker, cached, tries })
    }

    /// Cancels the operation in the background, if there is one.
    fn leave(&mut self) {
        let mut watched = mem::take(&mut self.watched);
        if watched.name.is_none() && watched.asked.is_none() && watched.stream.is_none() {
            return;
        }
        let (Some(headers), Some(farewell)) = (self.headers.clone(), self.shared.farewell.upgrade()) else {
            return;
        };
        let (shared, channel) = (Arc::clone(&self.shared), self.seat.channel());
        tokio::spawn(async move {
            let _held = farewell;
            let Some(name) = watched.told().await else { return };
            shared.tally.cancels();
            for _ in 0..TUNING.cancels {
                let request = headers.on(longrunning::CancelOperationRequest { name: name.clone() });
                let mut client = Operations::new(channel.clone());
                let answer = tokio::time::timeout(TUNING.cancel, client.cancel_operation(request)).await;
                let again = match answer {
                    Ok(Err(status)) => matches!(Fault::of_call(&status), Fault::Passing(_)),
                    Ok(Ok(_)) | Err(_) => false,
                };
                if !again {
                    break;
                }
                tokio::time::sleep(TUNING.cancel_pause).await;
            }
        });
    }
}

/// Queries the capabilities of the cluster.
pub(crate) async fn capabilities(
    channel: tonic::transport::Channel,
    headers: &Headers,
    instance: &str,
) -> Result<re::ServerCapabilities, Fault> {
    let request = headers.on(re::GetCapabilitiesRequest { instance_name: instance.to_owned() });
    let answer = Capabilities::new(channel).get_capabilities(request).await;
    answer.map(Response::into_inner).map_err(|status| Fault::of_call(&status))
}

/// Returns the end of an output, which is either included in the result or fetched.
async fn output(
    access: &Access<'_>,
    raw: Vec<u8>,
    digest: Option<re::Digest>,
    most: u64,
) -> Result<Vec<u8>, Fault> {
    match digest {
        Some(digest) if raw.is_empty() => access.fetch(&digest, most).await,
        _ => Ok(last(raw, most)),
    }
}
