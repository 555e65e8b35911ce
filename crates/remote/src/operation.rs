//! An operation of the cluster: its stream, its name, and what came of it.

use crate::fault::Fault;
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::longrunning::Operation;
use bazel_remote_apis::google::longrunning::operation::Result as Outcome;
use prost::Message;
use re::execution_stage::Value as Stage;
use std::pin::Pin;
use std::time::{Duration, Instant};
use tonic::{Response, Status, Streaming};

/// The numbers of this module.
struct Tuning {
    /// The name of an operation that is to be cancelled is waited for so long.
    name: Duration,
}

const TUNING: Tuning = Tuning { name: Duration::from_secs(20) };

/// A call that asks for an operation or about one, and has no answer yet.
pub(crate) type Asked = Pin<Box<dyn Future<Output = Result<Response<Streaming<Operation>>, Status>> + Send>>;

/// An operation, from the moment that it is asked for.
///
/// It is kept apart from the future that follows it, so that it can be cancelled after that has been dropped, also when
/// the cluster has not told its name yet.
#[derive(Default)]
pub(crate) struct Watched {
    pub asked: Option<Asked>,
    pub stream: Option<Streaming<Operation>>,
    pub name: Option<String>,
    /// The time at which the worker began, by this machine's clock.
    pub began: Option<Instant>,
    /// Asked about, and not yet heard of since.
    pub waits: u32,
}

impl Watched {
    /// Returns the next news of the operation, or `None` at the end of the stream. It may be dropped while it waits.
    pub async fn next(&mut self) -> Result<Option<Operation>, Status> {
        if let Some(asked) = &mut self.asked {
            let response = asked.as_mut().await;
            self.asked = None;
            self.stream = Some(response?.into_inner());
        }
        let Some(stream) = &mut self.stream else { return Ok(None) };
        let operation = stream.message().await?;
        if let Some(operation) = &operation {
            if !operation.name.is_empty() {
                self.name = Some(operation.name.clone());
            }
            let metadata = operation.metadata.as_ref();
            let metadata =
                metadata.and_then(|any| re::ExecuteOperationMetadata::decode(any.value.as_slice()).ok());
            if metadata.is_some_and(|metadata| metadata.stage == Stage::Executing as i32) {
                self.began.get_or_insert_with(Instant::now);
            }
        }
        Ok(operation)
    }

    /// Waits for the name of the operation, which is `None` if it is over or never comes.
    pub async fn told(&mut self) -> Option<String> {
        let telling = async {
            while self.name.is_none() {
                match self.next().await {
                    Ok(Some(operation)) if !operation.done => {}
                    _ => return,
                }
            }
        };
        let _ = tokio::time::timeout(TUNING.name, telling).await;
        self.name.clone()
    }

    /// Forgets the stream, which has ended or leads nowhere. The operation may go on.
    pub fn drop_stream(&mut self) {
        (self.asked, self.stream) = (None, None);
    }
}

/// Returns the response of an operation that is over.
pub(crate) fn outcome(operation: Operation) -> Result<re::ExecuteResponse, Fault> {
    match operation.result {
        Some(Outcome::Response(any)) => re::ExecuteResponse::decode(any.value.as_slice())
            .map_err(|error| Fault::Passing(format!("the result cannot be read: {error}"))),
        Some(Outcome::Error(status)) => Err(Fault::of_status(&status)),
        None => Err(Fault::Passing("the operation ended without a result".to_owned())),
    }
}
