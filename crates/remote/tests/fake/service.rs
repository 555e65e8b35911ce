//! The services of the cluster that this client uses.

use super::{Running, State, Trick, UNLUCKY, worker};
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::{bytestream as stream, longrunning, protobuf, rpc};
use longrunning::Operation;
use longrunning::operation::Result as Outcome;
use longrunning::operations_server::{Operations, OperationsServer};
use prost::Message;
use re::capabilities_server::{Capabilities, CapabilitiesServer};
use re::content_addressable_storage_server::{
    ContentAddressableStorage, ContentAddressableStorageServer as StorageServer,
};
use re::execution_server::{Execution, ExecutionServer};
use re::execution_stage::Value as Stage;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use stream::byte_stream_server::{ByteStream, ByteStreamServer};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Server;
use tonic::transport::server::Router;
use tonic::{Code, Request, Response, Status, Streaming, async_trait};

type Answer<T> = Result<Response<T>, Status>;
type Answers<T> = ReceiverStream<Result<T, Status>>;

/// The implementation of all services, which share the state.
#[derive(Clone)]
struct Service(Arc<State>);

/// Adds all services to a server.
pub fn all(server: &mut Server, state: &Arc<State>) -> Router {
    let service = Service(Arc::clone(state));
    let guard = |state: &Arc<State>| {
        let state = Arc::clone(state);
        move |request: Request<()>| admit(&state, request)
    };
    server
        .add_service(ExecutionServer::with_interceptor(service.clone(), guard(state)))
        .add_service(StorageServer::with_interceptor(service.clone(), guard(state)))
        .add_service(ByteStreamServer::with_interceptor(service.clone(), guard(state)))
        .add_service(OperationsServer::with_interceptor(service.clone(), guard(state)))
        .add_service(CapabilitiesServer::with_interceptor(service, guard(state)))
}

fn admit(state: &State, request: Request<()>) -> Result<Request<()>, Status> {
    let mut headers = state.headers.lock().expect("no panic");
    headers.clear();
    for entry in request.metadata().iter() {
        let (name, value) = match entry {
            tonic::metadata::KeyAndValueRef::Ascii(name, value) => {
                (name.to_string(), value.to_str().unwrap_or(""))
            }
            tonic::metadata::KeyAndValueRef::Binary(name, _) => (name.to_string(), "binary"),
        };
        headers.insert(name, value.to_owned());
    }
    let accepted = state.accepted.lock().expect("no panic");
    if accepted.is_some() && headers.get("authorization") != accepted.as_ref() {
        return Err(Status::unauthenticated("who is this?"));
    }
    Ok(request)
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::SeqCst);
}

/// Returns a stream with these items.
fn ended<T: Send + 'static>(answers: Vec<Result<T, Status>>) -> Answers<T> {
    let (sender, receiver) = mpsc::channel(answers.len().max(1));
    for answer in answers {
        assert!(sender.try_send(answer).is_ok(), "there is room");
    }
    ReceiverStream::new(receiver)
}

fn news(name: &str, stage: Stage) -> Operation {
    let metadata =
        re::ExecuteOperationMetadata { stage: stage as i32, ..re::ExecuteOperationMetadata::default() };
    let metadata = protobuf::Any { type_url: String::new(), value: metadata.encode_to_vec() };
    Operation { name: name.to_owned(), metadata: Some(metadata), ..Operation::default() }
}

fn over(name: &str, result: Option<Outcome>) -> Operation {
    Operation { name: name.to_owned(), done: true, result, ..Operation::default() }
}

fn response(response: &re::ExecuteResponse) -> Outcome {
    Outcome::Response(protobuf::Any { type_url: String::new(), value: response.encode_to_vec() })
}

/// Creates the status for a missing blob.
fn missing(hash: &str) -> Status {
    // The messages of the error model: a failure with one violation, whose fields are two texts.
    let text = |field: u8, text: &str| [&[field << 3 | 2, text.len() as u8], text.as_bytes()].concat();
    let violation = [text(1, "MISSING"), text(2, &format!("blobs/{hash}/1"))].concat();
    let failure = [&[1 << 3 | 2, violation.len() as u8], &violation[..]].concat();
    let type_url = "type.googleapis.com/google.rpc.PreconditionFailure".to_owned();
    let status = rpc::Status {
        code: Code::FailedPrecondition as i32,
        message: "a blob is missing".to_owned(),
        details: vec![protobuf::Any { type_url, value: failure }],
    };
    Status::with_details(Code::FailedPrecondition, "a blob is missing", status.encode_to_vec().into())
}

impl Service {
    /// Starts an operation.
    fn begin(&self, task: worker::Task, trick: Trick) -> (String, Arc<Running>) {
        let running =
            Arc::new(Running { result: watch::Sender::new(None), cancel: watch::Sender::new(false) });
        let mut operations = self.0.operations.lock().expect("no panic");
        let name = format!("operations/{}", self.0.counts.executions.load(Ordering::SeqCst));
        operations.insert(name.clone(), Arc::clone(&running));
        let (state, told) = (Arc::clone(&self.0), Arc::clone(&running));
        tokio::spawn(async move {
            let cancel = told.cancel.subscribe();
            let response = worker::run(&state, task, trick, cancel).await;
            let _ = told.result.send_replace(Some(response));
        });
        (name, running)
    }

    /// Sends the messages about an operation, with a trick.
    fn follow(&self, name: String, running: Arc<Running>, trick: Trick) -> Answers<Operation> {
        let (sender, receiver) = mpsc::channel(8);
        let state = Arc::clone(&self.0);
        tokio::spawn(async move {
            if matches!(trick, Trick::LateName) {
                let _ = state.names_are_told.subscribe().wait_for(|told| *told).await;
            }
            let _ = sender.send(Ok(news(&name, Stage::Queued))).await;
            let _ = sender.send(Ok(news(&name, Stage::Executing))).await;
            match trick {
                Trick::Stream(code) => {
                    let _ = sender.send(Err(Status::new(code, "a trick"))).await;
                    return;
                }
                Trick::End => return,
                Trick::Lost => {
                    state.operations.lock().expect("no panic").remove(&name);
                    running.cancel.send_replace(true);
                    return;
                }
                Trick::Silence => sender.closed().await,
                _ => {}
            }
            let mut result = running.result.subscribe();
            let last = tokio::select! {
                result = result.wait_for(Option::is_some) => result.expect("it is held").clone(),
                () = sender.closed() => return,
            };
            let result = match trick {
                Trick::Error(code) => {
                    Some(Outcome::Error(rpc::Status { code: code as i32, ..rpc::Status::default() }))
                }
                Trick::NoResult => None,
                _ => last.as_ref().map(response),
            };
            let _ = sender.send(Ok(over(&name, result))).await;
        });
        ReceiverStream::new(receiver)
    }

    /// Returns the failure that the test specified, if there is one.
    fn store(&self) -> Result<(), Status> {
        match self.0.store.lock().expect("no panic").pop_front() {
            Some(code) if code != Code::Ok => Err(Status::new(code, "a trick")),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Execution for Service {
    type ExecuteStream = Answers<Operation>;
    type WaitExecutionStream = Answers<Operation>;

    async fn execute(&self, request: Request<re::ExecuteRequest>) -> Answer<Self::ExecuteStream> {
        count(&self.0.counts.executions);
        let trick = self.0.tricks.lock().expect("no panic").pop_front().unwrap_or(Trick::Nothing);
        match trick {
            Trick::Call(code) => return Err(Status::new(code, "a trick")),
            Trick::NoBlobs => self.0.blobs.lock().expect("no panic").clear(),
            Trick::NoBlobsInOtherWords => {
                self.0.blobs.lock().expect("no panic").clear();
                return Err(Status::failed_precondition("no such thing"));
            }
            _ => {}
        }
        let digest = request.into_inner().action_digest.unwrap_or_default();
        let task = worker::find(&self.0, &digest).map_err(|hash| missing(&hash))?;
        *self.0.last.lock().expect("no panic") = Some((task.action.clone(), task.command.clone()));
        if task.command.arguments.iter().any(|word| word == UNLUCKY) {
            return Err(Status::unavailable("bad luck"));
        }
        let (name, running) = self.begin(task, trick);
        Ok(Response::new(self.follow(name, running, trick)))
    }

    async fn wait_execution(
        &self,
        request: Request<re::WaitExecutionRequest>,
    ) -> Answer<Self::WaitExecutionStream> {
        count(&self.0.counts.waits);
        let trick = self.0.wait_tricks.lock().expect("no panic").pop_front().unwrap_or(Trick::Nothing);
        if let Trick::Call(code) = trick {
            return Err(Status::new(code, "a trick"));
        }
        let name = request.into_inner().name;
        let running = self.0.operations.lock().expect("no panic").get(&name).cloned();
        let running = running.ok_or_else(|| Status::not_found("no such operation"))?;
        Ok(Response::new(self.follow(name, running, trick)))
    }
}

#[async_trait]
impl ContentAddressableStorage for Service {
    type GetTreeStream = Answers<re::GetTreeResponse>;
    type GetChunkMappingStream = Answers<re::GetChunkMappingResponse>;

    async fn find_missing_blobs(
        &self,
        request: Request<re::FindMissingBlobsRequest>,
    ) -> Answer<re::FindMissingBlobsResponse> {
        count(&self.0.counts.questions);
        self.store()?;
        let mut digests = request.into_inner().blob_digests;
        digests.retain(|digest| self.0.blob(Some(digest)).is_none());
        Ok(Response::new(re::FindMissingBlobsResponse { missing_blob_digests: digests }))
    }

    async fn batch_update_blobs(
        &self,
        request: Request<re::BatchUpdateBlobsRequest>,
    ) -> Answer<re::BatchUpdateBlobsResponse> {
        count(&self.0.counts.batches);
        self.store()?;
        let mut responses = Vec::new();
        for blob in request.into_inner().requests {
            count(&self.0.counts.blobs);
            let digest = self.0.add(&blob.data);
            let code = if Some(&digest) == blob.digest.as_ref() { Code::Ok } else { Code::InvalidArgument };
            let status = Some(rpc::Status { code: code as i32, ..rpc::Status::default() });
            responses.push(re::batch_update_blobs_response::Response { digest: blob.digest, status });
        }
        Ok(Response::new(re::BatchUpdateBlobsResponse { responses }))
    }

    async fn batch_read_blobs(
        &self,
        _: Request<re::BatchReadBlobsRequest>,
    ) -> Answer<re::BatchReadBlobsResponse> {
        Err(Status::unimplemented(""))
    }

    async fn get_tree(&self, _: Request<re::GetTreeRequest>) -> Answer<Self::GetTreeStream> {
        Err(Status::unimplemented(""))
    }

    async fn split_blob(&self, _: Request<re::SplitBlobRequest>) -> Answer<re::SplitBlobResponse> {
        Err(Status::unimplemented(""))
    }

    async fn get_chunk_mapping(
        &self,
        _: Request<re::GetChunkMappingRequest>,
    ) -> Answer<Self::GetChunkMappingStream> {
        Err(Status::unimplemented(""))
    }

    async fn splice_blob(&self, _: Request<re::SpliceBlobRequest>) -> Answer<re::SpliceBlobResponse> {
        Err(Status::unimplemented(""))
    }

    async fn register_chunk_mapping(
        &self,
        _: Request<Streaming<re::RegisterChunkMappingRequest>>,
    ) -> Answer<re::RegisterChunkMappingResponse> {
        Err(Status::unimplemented(""))
    }
}

#[async_trait]
impl ByteStream for Service {
    type ReadStream = Answers<stream::ReadResponse>;

    async fn read(&self, request: Request<stream::ReadRequest>) -> Answer<Self::ReadStream> {
        count(&self.0.counts.reads);
        let request = request.into_inner();
        let mut parts = request.resource_name.rsplit('/');
        let (_, hash) = (parts.next(), parts.next().unwrap_or_default().to_owned());
        let blob = self.0.blobs.lock().expect("no panic").get(&hash).cloned();
        let blob = blob.ok_or_else(|| Status::not_found(hash))?;
        let rest = &blob[usize::try_from(request.read_offset).expect("a place")..];
        self.0.counts.read_bytes.fetch_add(rest.len() as u64, Ordering::SeqCst);
        let pieces = rest.chunks(1000).map(|piece| Ok(stream::ReadResponse { data: piece.to_vec() }));
        Ok(Response::new(ended(pieces.collect())))
    }

    async fn write(
        &self,
        request: Request<Streaming<stream::WriteRequest>>,
    ) -> Answer<stream::WriteResponse> {
        count(&self.0.counts.streams);
        self.store()?;
        let mut pieces = request.into_inner();
        let (mut name, mut content, mut finished) = (String::new(), Vec::new(), false);
        while let Some(piece) = pieces.message().await? {
            if name.is_empty() {
                name = piece.resource_name;
            }
            if piece.write_offset != content.len() as i64 {
                return Err(Status::invalid_argument("a hole"));
            }
            content.extend_from_slice(&piece.data);
            finished = piece.finish_write;
        }
        let digest = self.0.add(&content);
        if !finished || !name.ends_with(&format!("/blobs/{}/{}", digest.hash, digest.size_bytes)) {
            return Err(Status::invalid_argument("another content"));
        }
        count(&self.0.counts.blobs);
        Ok(Response::new(stream::WriteResponse { committed_size: digest.size_bytes }))
    }

    async fn query_write_status(
        &self,
        _: Request<stream::QueryWriteStatusRequest>,
    ) -> Answer<stream::QueryWriteStatusResponse> {
        Err(Status::unimplemented(""))
    }
}

#[async_trait]
impl Operations for Service {
    async fn list_operations(
        &self,
        _: Request<longrunning::ListOperationsRequest>,
    ) -> Answer<longrunning::ListOperationsResponse> {
        Err(Status::unimplemented(""))
    }

    async fn get_operation(&self, _: Request<longrunning::GetOperationRequest>) -> Answer<Operation> {
        Err(Status::unimplemented(""))
    }

    async fn delete_operation(
        &self,
        _: Request<longrunning::DeleteOperationRequest>,
    ) -> Answer<protobuf::Empty> {
        Err(Status::unimplemented(""))
    }

    async fn cancel_operation(
        &self,
        request: Request<longrunning::CancelOperationRequest>,
    ) -> Answer<protobuf::Empty> {
        count(&self.0.counts.cancels);
        let name = request.into_inner().name;
        let running = self.0.operations.lock().expect("no panic").get(&name).cloned();
        let running = running.ok_or_else(|| Status::not_found("no such operation"))?;
        running.cancel.send_replace(true);
        Ok(Response::new(protobuf::Empty {}))
    }

    async fn wait_operation(&self, _: Request<longrunning::WaitOperationRequest>) -> Answer<Operation> {
        Err(Status::unimplemented(""))
    }
}

#[async_trait]
impl Capabilities for Service {
    async fn get_capabilities(
        &self,
        _: Request<re::GetCapabilitiesRequest>,
    ) -> Answer<re::ServerCapabilities> {
        count(&self.0.counts.introductions);
        Ok(Response::new(self.0.capabilities.lock().expect("no panic").clone()))
    }
}
