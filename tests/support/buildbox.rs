//! A real cluster in one process: `buildbox-casd`, from the directory in `NUBBIN_BUILDBOX` or from the
//! `PATH`.

use crate::alive;
use crate::harness::ignore;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A server, which is ended when this is dropped.
pub struct Buildbox {
    server: Child,
    /// An address of this machine that no other test uses.
    place: SocketAddr,
    programs: PathBuf,
    cache: TempDir,
}

impl Buildbox {
    pub fn start() -> Self {
        let Some(programs) = programs() else {
            ignore("needs buildbox-casd, on the PATH or where NUBBIN_BUILDBOX says")
        };
        let trial = Command::new("bwrap").args(["--ro-bind", "/", "/", "true"]).status();
        if !trial.is_ok_and(|run| run.success()) {
            ignore("needs bubblewrap, and the right to make namespaces");
        }
        let cache = tempfile::tempdir().expect("a directory");
        let free = TcpListener::bind("127.0.0.3:0").expect("a port");
        let place = free.local_addr().expect("an address");
        drop(free);
        let server = serve(place, &programs, cache.path());
        Self { server, place, programs, cache }
    }

    /// Kills the server, and starts another one at the same address with an empty store.
    pub fn restart(&mut self) {
        self.kill();
        self.cache = tempfile::tempdir().expect("a directory");
        self.server = serve(self.place, &self.programs, self.cache.path());
    }

    pub fn address(&self) -> String {
        format!("grpc://{}", self.place)
    }

    /// Kills the server without starting another one.
    pub fn kill(&mut self) {
        self.server.kill().expect("it is running");
        self.server.wait().expect("it is killed");
    }
}

/// Starts a server, and waits until it is ready.
fn serve(place: SocketAddr, programs: &Path, cache: &Path) -> Child {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(programs.join("buildbox-casd"));
    command.env("PATH", format!("{}:{path}", programs.display()));
    command.arg(format!("--bind={place}"));
    command.arg(format!("--buildbox-run={}", programs.join("buildbox-run").display()));
    for (from, to) in [("/usr", "/usr"), ("/usr/lib", "/lib"), ("/usr/lib64", "/lib64"), ("/usr/bin", "/bin")]
    {
        if Path::new(from).exists() {
            command.arg(format!("--runner-arg=--ro-bind-mount={from}:{to}"));
        }
    }
    command.arg("--runner-arg=--staging-mode=copy-or-link");
    command.arg("--jobs=4").arg(cache).stdout(Stdio::null()).stderr(Stdio::null());
    let server = command.spawn().expect("the server");
    alive::wait_until("its port", || TcpStream::connect(place).is_ok());
    server
}

/// Returns the directory of the programs.
fn programs() -> Option<PathBuf> {
    let named = std::env::var_os("NUBBIN_BUILDBOX").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = named.into_iter().chain(std::env::split_paths(&path));
    places.find(|place| ["buildbox-casd", "buildbox-run"].iter().all(|name| place.join(name).is_file()))
}

impl Drop for Buildbox {
    fn drop(&mut self) {
        let server = rustix::process::Pid::from_child(&self.server);
        let _ = rustix::process::kill_process(server, rustix::process::Signal::TERM);
        let _ = self.server.wait();
    }
}
