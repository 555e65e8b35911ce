//! An operation of the cluster: its stream, its name and its result.

use crate::fault::Fault;
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::longrunning::Operation;
use bazel_remote_apis::google::longrunning::operation::Result as Outcome;
use prost::Message;
use re::execution_stage::Value as Stage;
use std::pin::Pin;
use std::time::{Duration, Instant};
use tonic::{Response, Status, Streaming};

/// Tuned constants.
struct Tuning {
    /// How long to wait for the name of an operation that must be cancelled.
    name: Duration,
}

const TUNING: Tuning = Tuning { name: Duration::from_secs(20) };

/// A call that requests or queries an operation, before its response.
pub(crate) type Asked = Pin<Box<dyn Future<Output = Result<Response<Streaming<Operation>>, Status>> + Send>>;

/// An operation, from the moment it is requested.
///
/// It is separate from the future that follows it, so that it can be cancelled after the future has been
/// dropped, even if the cluster has not sent its name yet.
#[derive(Default)]
pub(crate) struct Watched {
    pub asked: Option<Asked>,
    pub stream: Option<Streaming<Operation>>,
    pub name: Option<String>,
    /// When the worker started, by the local clock.
    pub began: Option<Instant>,
    /// The number of queries since the last message about the operation.
    pub waits: u32,
}

impl Watched {
    /// Returns the next message about the operation, or `None` at the end of the stream. The future can be
    /// dropped while it waits.
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

    /// Waits for the name of the operation; `None` if it has ended or sends no name in time.
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

    /// Discards the stream, which has ended or failed. The operation can continue.
    pub fn drop_stream(&mut self) {
        (self.asked, self.stream) = (None, None);
    }
}

/// Returns the response of a finished operation.
pub(crate) fn outcome(operation: Operation) -> Result<re::ExecuteResponse, Fault> {
    match operation.result {
        Some(Outcome::Response(any)) => re::ExecuteResponse::decode(any.value.as_slice())
            .map_err(|error| Fault::Passing(format!("the result cannot be read: {error}"))),
        Some(Outcome::Error(status)) => Err(Fault::of_status(&status)),
        None => Err(Fault::Passing("the operation ended without a result".to_owned())),
    }
}
