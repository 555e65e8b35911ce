//! A cluster for tests: it keeps blobs in memory, runs actions as processes in directories of their own, and has the troubles
//! that a test tells it to have.

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

/// Listens at an address. On a busy machine, that of a cluster before it is not free at once.
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

/// A command that never has a result, only trouble.
pub const UNLUCKY: &str = "this one is unlucky";

/// The fate of an execution that is asked for, or to an operation that is asked about.
#[derive(Clone, Copy, Debug)]
pub enum Trick {
    /// Nothing unusual.
    Nothing,
    /// The call fails.
    Call(Code),
    /// The stream fails after the name of the operation, which goes on.
    Stream(Code),
    /// The stream ends after the name of the operation, which goes on.
    End,
    /// The stream ends after the name of the operation, which is forgotten.
    Lost,
    /// The operation is over with this status, and with the exit status of something else.
    Status(Code, i32),
    /// The operation is over with an error in place of a response.
    Error(Code),
    /// The operation is over and has no result.
    NoResult,
    /// All blobs are gone, which the status says.
    NoBlobs,
    /// All blobs are gone, which another status says.
    NoBlobsInOtherWords,
    /// Nothing more comes after the name of the operation, until it is asked about.
    Silence,
    /// The outputs come by their digests.
    Digests,
    /// The outputs come by digests of blobs that are not there.
    LostOutputs,
    /// The name of the operation is told only when the test says so.
    LateName,
}

/// The numbers of questions of each kind.
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
    /// Commands that were started.
    pub runs: AtomicU64,
}

/// All that a cluster knows.
pub struct State {
    pub blobs: Mutex<HashMap<String, Vec<u8>>>,
    /// The fates of the next executions.
    pub tricks: Mutex<VecDeque<Trick>>,
    /// The fates of the next questions about operations.
    pub wait_tricks: Mutex<VecDeque<Trick>>,
    /// With what the next requests to the store fail.
    pub store: Mutex<VecDeque<Code>>,
    pub operations: Mutex<HashMap<String, Arc<Running>>>,
    pub capabilities: Mutex<re::ServerCapabilities>,
    /// The only value of the header `authorization` that is accepted.
    pub accepted: Mutex<Option<String>>,
    /// Is true if late names are told by now.
    pub names_are_told: watch::Sender<bool>,
    pub counts: Counts,
    /// The last action that was asked for.
    pub last: Mutex<Option<(re::Action, re::Command)>>,
    /// The headers of the last request.
    pub headers: Mutex<HashMap<String, String>>,
}

/// An operation.
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
    /// Starts a cluster.
    pub fn start() -> Self {
        Self::start_on("127.0.0.1:0".parse().expect("an address"), State::new(), None)
    }

    /// Starts a cluster at an address that no other test's gets while this one is started anew.
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
            // What is open when it stops is closed with the runtime.
            tokio::select! {
                ended = routes.serve_with_incoming(incoming) => ended.expect("it serves"),
                _ = stopped => {}
            }
        });
        Self { state, place, runtime: Some(runtime), stop: Some(stop) }
    }

    /// Ends the cluster with all that it runs, and starts another one at the same place, without operations and blobs.
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

    /// The address of this cluster.
    pub fn address(&self) -> Address {
        Address::new(format!("grpc://{}", self.place))
    }

    /// Tells what happens to the next executions.
    pub fn expect(&self, tricks: impl IntoIterator<Item = Trick>) {
        self.state.tricks.lock().expect("no panic").extend(tricks);
    }

    /// Returns a count.
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

    /// Returns a blob that is there.
    pub fn blob(&self, digest: Option<&re::Digest>) -> Option<Vec<u8>> {
        let digest = digest?;
        if digest.size_bytes == 0 {
            return Some(Vec::new());
        }
        self.blobs.lock().expect("no panic").get(&digest.hash).cloned()
    }

    /// Puts a blob into the store, and returns its digest.
    pub fn add(&self, content: &[u8]) -> re::Digest {
        let hash = ring::digest::digest(&ring::digest::SHA256, content);
        let number = |part: &[u8]| u128::from_be_bytes(part.try_into().expect("a half"));
        let (first, second) = hash.as_ref().split_at(16);
        let hash = format!("{:032x}{:032x}", number(first), number(second));
        self.blobs.lock().expect("no panic").insert(hash.clone(), content.to_vec());
        re::Digest { hash, size_bytes: content.len() as i64 }
    }
}

/// Patience with pauses that no test notices.
pub fn patience() -> Patience {
    Patience {
        longest: Duration::from_secs(120),
        start: Duration::from_secs(30),
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(2),
        ..Patience::default()
    }
}
