//! Actions: files, a command and its limits, and their conversion to messages of the protocol.

use crate::blob::Blob;
use crate::digest::{Digest, Function};
use crate::kept::Kept;
use crate::tree::{Entry, Folder, names, text};
use crate::{Address, Error};
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::protobuf;
use prost::Message;
use re::command::EnvironmentVariable;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A command for a worker, and the only files in its directory.
pub struct Action<'a> {
    /// The files: relative paths and their contents. The empty path is the directory itself. Files can be
    /// added to directories that are kept, but cannot replace a file in them.
    pub files: Vec<(PathBuf, Content<'a>)>,
    /// The directory in which the command runs, relative to that of the action. It is created if it has no
    /// files.
    pub directory: PathBuf,
    /// The program and its arguments, which must be UTF-8.
    pub words: Vec<OsString>,
    /// Environment variables. The cluster can add others.
    pub environment: Vec<(String, String)>,
    /// The time limit of the command.
    pub limit: Duration,
    /// The number of bytes at the end of each output that are returned.
    pub most_output: u64,
    /// Whether the action must be executed, even if results may be taken from the action cache.
    pub fresh: bool,
}

/// The content at a path of an action.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// A file with these bytes; it is executable if the second value is `true`.
    Bytes(&'a [u8], bool),
    /// A file or directory that has been sent to the cluster.
    Kept(&'a Kept),
    /// A symbolic link with this target.
    Link(&'a Path),
    /// A directory, which is empty unless other files are added to it.
    Directory,
}

/// The result of an action.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Done {
    /// How the command ended.
    pub end: End,
    /// The end of its standard output.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
    /// The duration of the command as reported by the worker, or otherwise the round trip.
    pub elapsed: Duration,
    /// The time from the call to the result, including failed attempts.
    pub round_trip: Duration,
    /// The name of the worker; empty if it is unknown.
    pub worker: String,
    /// Whether the result comes from the action cache.
    pub cached: bool,
    /// The number of attempts; 1 if there was no failure.
    pub tries: u32,
}

impl Done {
    /// Creates the result of a command that ran once, on an unnamed worker.
    #[must_use]
    pub fn new(end: End, [stdout, stderr]: [Vec<u8>; 2], elapsed: Duration, round_trip: Duration) -> Self {
        Self { end, stdout, stderr, elapsed, round_trip, worker: String::new(), cached: false, tries: 1 }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited with this status; most workers report a signal as 128 plus its number.
    Exit(i32),
    /// It reached its time limit.
    TimedOut,
}

/// An action in the form of the protocol.
pub(crate) struct Job {
    pub action: Digest,
    /// The blobs of this action.
    pub own: Vec<Blob>,
    /// The blobs that were already sent by [`Cluster::keep`](crate::Cluster::keep).
    pub kept: Vec<Arc<Vec<Blob>>>,
    pub limit: Duration,
    pub most_output: u64,
    pub cache: bool,
}

impl Action<'_> {
    /// Creates the messages of the action.
    ///
    /// # Errors
    ///
    /// Returns an error if a path is invalid in an action, or an argument is not UTF-8.
    pub(crate) fn job(&self, address: &Address, function: Function) -> Result<Job, Error> {
        let (mut own, mut kept) = (Vec::new(), Vec::new());
        let mut root = Folder::default();
        for (path, content) in &self.files {
            let entry = match content {
                Content::Bytes(bytes, executable) => {
                    let blob = Blob::of(bytes, function);
                    let digest = blob.digest;
                    own.push(blob);
                    Entry::File { digest, executable: *executable }
                }
                Content::Kept(one) => {
                    kept.push(Arc::clone(&one.blobs));
                    one.entry.clone()
                }
                Content::Link(to) => Entry::Link { target: text(to.as_os_str())? },
                Content::Directory => Entry::Folder(Folder::default()),
            };
            root.put(path, entry)?;
        }
        root.put(&self.directory, Entry::Folder(Folder::default()))?;
        let mut add = |message: Vec<u8>| {
            let blob = Blob::of(&message, function);
            let digest = blob.digest;
            own.push(blob);
            digest
        };
        let command = add(self.command(address)?.encode_to_vec());
        let cache = address.cache && !self.fresh;
        let mut directories = Vec::new();
        let action = re::Action {
            command_digest: Some(command.message()),
            input_root_digest: Some(root.seal(function, &mut directories).message()),
            timeout: Some(protobuf::Duration {
                seconds: self.limit.as_secs().cast_signed(),
                nanos: self.limit.subsec_nanos().cast_signed(),
            }),
            do_not_cache: !cache,
            platform: platform(address),
            ..re::Action::default()
        };
        let action = add(action.encode_to_vec());
        own.extend(directories);
        own.sort_by_key(|blob| blob.digest);
        own.dedup_by_key(|blob| blob.digest);
        Ok(Job { action, own, kept, limit: self.limit, most_output: self.most_output, cache })
    }

    fn command(&self, address: &Address) -> Result<re::Command, Error> {
        let mut environment = self.environment.clone();
        environment.sort();
        let variable = |(name, value)| EnvironmentVariable { name, value };
        #[expect(deprecated, reason = "clusters of version 2.1 look for the platform here")]
        let command = re::Command {
            arguments: self.words.iter().map(|word| text(word)).collect::<Result<_, _>>()?,
            environment_variables: environment.into_iter().map(variable).collect(),
            working_directory: names(&self.directory)?.join("/"),
            platform: platform(address),
            ..re::Command::default()
        };
        Ok(command)
    }
}

fn platform(address: &Address) -> Option<re::Platform> {
    let mut properties = address.platform.clone();
    properties.sort();
    let property = |(name, value)| re::platform::Property { name, value };
    let properties: Vec<_> = properties.into_iter().map(property).collect();
    (!properties.is_empty()).then_some(re::Platform { properties })
}
