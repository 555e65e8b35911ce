//! A cluster for tests: it stores blobs in memory, runs actions as processes in separate directories, and
//! fails as a test specifies.

mod service;
mod worker;

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use nubbin_remote::{Address, Patience};
use std::collections::{HashMap, VecDeque};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{oneshot, watch};
use tonic::Code;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Server, ServerTlsConfig};

/// Listens at an address. On a busy machine, the address of the previous cluster is not available
/// immediately.
async fn listener(address: SocketAddr) -> TcpListener {
    for _ in 0..1000 {
        match TcpListener::bind(address).await {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            bound => return bound.expect("a port"),
        }
    }
    panic!("{address} is in use");
}

/// A command that always fails without a result.
pub const UNLUCKY: &str = "this one is unlucky";

/// What happens to a requested execution, or to a queried operation.
#[derive(Clone, Copy, Debug)]
pub enum Trick {
    Nothing,
    /// The call fails.
    Call(Code),
    /// The stream fails after the name of the operation, which continues.
    Stream(Code),
    /// The stream ends after the name of the operation, which continues.
    End,
    /// The stream ends after the name of the operation, which is lost.
    Lost,
    /// The operation ends with this status, and with an unrelated exit status.
    Status(Code, i32),
    /// The operation ends with an error instead of a response.
    Error(Code),
    /// The operation ends without a result.
    NoResult,
    /// All blobs are deleted, and the status reports it.
    NoBlobs,
    /// All blobs are deleted, and another status is reported.
    NoBlobsInOtherWords,
    /// No message follows the name of the operation until it is queried.
    Silence,
    /// The outputs are returned as digests.
    Digests,
    /// The outputs are returned as digests of missing blobs.
    LostOutputs,
    /// The name of the operation is sent only when the test requests it.
    LateName,
}

/// The number of requests of each kind.
#[derive(Default)]
pub struct Counts {
    pub executions: AtomicU64,
    pub waits: AtomicU64,
    pub cancels: AtomicU64,
    pub questions: AtomicU64,
    pub batches: AtomicU64,
    pub blobs: AtomicU64,
    pub streams: AtomicU64,
    pub reads: AtomicU64,
    pub read_bytes: AtomicU64,
    pub introductions: AtomicU64,
    /// The number of started commands.
    pub runs: AtomicU64,
}

/// The state of a cluster.
pub struct State {
    pub blobs: Mutex<HashMap<String, Vec<u8>>>,
    /// What happens to the next executions.
    pub tricks: Mutex<VecDeque<Trick>>,
    /// What happens to the next queries about operations.
    pub wait_tricks: Mutex<VecDeque<Trick>>,
    /// The failures of the next requests to the store.
    pub store: Mutex<VecDeque<Code>>,
    pub operations: Mutex<HashMap<String, Arc<Running>>>,
    pub capabilities: Mutex<re::ServerCapabilities>,
    /// The only accepted value of the header `authorization`.
    pub accepted: Mutex<Option<String>>,
    /// Whether late names have been sent.
    pub names_are_told: watch::Sender<bool>,
    pub counts: Counts,
    /// The last requested action.
    pub last: Mutex<Option<(re::Action, re::Command)>>,
    /// The headers of the last request.
    pub headers: Mutex<HashMap<String, String>>,
}

pub struct Running {
    pub result: watch::Sender<Option<re::ExecuteResponse>>,
    pub cancel: watch::Sender<bool>,
}

/// A cluster, which ends when this is dropped.
pub struct Fake {
    pub state: Arc<State>,
    pub place: SocketAddr,
    runtime: Option<Runtime>,
    stop: Option<oneshot::Sender<()>>,
}

impl Fake {
    pub fn start() -> Self {
        Self::start_on("127.0.0.1:0".parse().expect("an address"), State::new(), None)
    }

    /// Starts a cluster at an address that no other test uses while this cluster is restarted.
    pub fn start_apart() -> Self {
        Self::start_on("127.0.0.2:0".parse().expect("an address"), State::new(), None)
    }

    /// Starts a cluster with encrypted connections.
    pub fn start_encrypted(tls: ServerTlsConfig) -> Self {
        Self::start_on("127.0.0.1:0".parse().expect("an address"), State::new(), Some(tls))
    }

    fn start_on(address: SocketAddr, state: Arc<State>, tls: Option<ServerTlsConfig>) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(listener(address));
        let place = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let services = Arc::clone(&state);
        runtime.spawn(async move {
            let mut server = Server::builder();
            if let Some(tls) = tls {
                server = server.tls_config(tls).expect("certificates");
            }
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            let routes = service::all(&mut server, &services);
            // Open connections are closed together with the runtime.
            tokio::select! {
                ended = routes.serve_with_incoming(incoming) => ended.expect("it serves"),
                _ = stopped => {}
            }
        });
        Self { state, place, runtime: Some(runtime), stop: Some(stop) }
    }

    /// Ends the cluster with all its processes, and starts another one at the same address, without
    /// operations and blobs.
    pub fn restart(&mut self) {
        self.end();
        self.state.operations.lock().expect("no panic").clear();
        self.state.blobs.lock().expect("no panic").clear();
        let mut other = Self::start_on(self.place, Arc::clone(&self.state), None);
        (self.runtime, self.stop) = (other.runtime.take(), other.stop.take());
    }

    fn end(&mut self) {
        if let (Some(stop), Some(runtime)) = (self.stop.take(), self.runtime.take()) {
            let _ = stop.send(());
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }

    pub fn address(&self) -> Address {
        Address::new(format!("grpc://{}", self.place))
    }

    /// Specifies what happens to the next executions.
    pub fn expect(&self, tricks: impl IntoIterator<Item = Trick>) {
        self.state.tricks.lock().expect("no panic").extend(tricks);
    }

    pub fn count(&self, of: impl Fn(&Counts) -> &AtomicU64) -> u64 {
        of(&self.state.counts).load(Ordering::SeqCst)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.end();
    }
}

impl State {
    fn new() -> Arc<Self> {
        let capabilities = re::ServerCapabilities {
            execution_capabilities: Some(re::ExecutionCapabilities {
                exec_enabled: true,
                ..re::ExecutionCapabilities::default()
            }),
            cache_capabilities: Some(re::CacheCapabilities {
                digest_functions: vec![re::digest_function::Value::Sha256 as i32],
                ..re::CacheCapabilities::default()
            }),
            ..re::ServerCapabilities::default()
        };
        Arc::new(Self {
            blobs: Mutex::default(),
            tricks: Mutex::default(),
            wait_tricks: Mutex::default(),
            store: Mutex::default(),
            operations: Mutex::default(),
            capabilities: Mutex::new(capabilities),
            accepted: Mutex::default(),
            names_are_told: watch::Sender::new(false),
            counts: Counts::default(),
            last: Mutex::default(),
            headers: Mutex::default(),
        })
    }

    /// Returns a blob from the store.
    pub fn blob(&self, digest: Option<&re::Digest>) -> Option<Vec<u8>> {
        let digest = digest?;
        if digest.size_bytes == 0 {
            return Some(Vec::new());
        }
        self.blobs.lock().expect("no panic").get(&digest.hash).cloned()
    }

    /// Adds a blob to the store, and returns its digest.
    pub fn add(&self, content: &[u8]) -> re::Digest {
        let hash = ring::digest::digest(&ring::digest::SHA256, content);
        let number = |part: &[u8]| u128::from_be_bytes(part.try_into().expect("a half"));
        let (first, second) = hash.as_ref().split_at(16);
        let hash = format!("{:032x}{:032x}", number(first), number(second));
        self.blobs.lock().expect("no panic").insert(hash.clone(), content.to_vec());
        re::Digest { hash, size_bytes: content.len() as i64 }
    }
}

/// Retry settings with short pauses.
pub fn patience() -> Patience {
    Patience {
        longest: Duration::from_secs(120),
        start: Duration::from_secs(30),
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(2),
        ..Patience::default()
    }
}
