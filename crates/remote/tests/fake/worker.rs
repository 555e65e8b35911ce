//! Runs an action as a process in a directory with the files of the action.

use super::{State, Trick};
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::{protobuf, rpc};
use prost::Message;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};
use tokio::process::Command;
use tokio::sync::watch;
use tonic::Code;

/// An action with its blobs, independent of later changes to the store.
#[derive(Clone)]
pub struct Task {
    pub action: re::Action,
    pub command: re::Command,
    blobs: HashMap<String, Vec<u8>>,
}

/// Returns an action with its blobs, or the hash of a missing blob.
pub fn find(state: &State, action: &re::Digest) -> Result<Task, String> {
    let mut blobs = HashMap::new();
    let mut get = |digest: Option<&re::Digest>| {
        let hash = digest.map(|digest| digest.hash.clone()).unwrap_or_default();
        let blob = state.blob(digest).ok_or_else(|| hash.clone())?;
        blobs.insert(hash, blob.clone());
        Ok::<_, String>(blob)
    };
    let action = re::Action::decode(&get(Some(action))?[..]).expect("an action");
    let command = re::Command::decode(&get(action.command_digest.as_ref())?[..]).expect("a command");
    let mut waiting = vec![action.input_root_digest.clone()];
    while let Some(digest) = waiting.pop() {
        let directory = re::Directory::decode(&get(digest.as_ref())?[..]).expect("a directory");
        for file in &directory.files {
            get(file.digest.as_ref())?;
        }
        waiting.extend(directory.directories.into_iter().map(|directory| directory.digest));
    }
    Ok(Task { action, command, blobs })
}

/// Runs an action until it ends, reaches its limit, or is cancelled.
pub async fn run(
    state: &State,
    task: Task,
    trick: Trick,
    mut cancel: watch::Receiver<bool>,
) -> re::ExecuteResponse {
    state.counts.runs.fetch_add(1, Ordering::SeqCst);
    let root = tempfile::tempdir().expect("a directory");
    let Task { action, command, blobs } = task;
    write(&blobs, action.input_root_digest.as_ref(), root.path());
    let mut words = command.arguments.iter();
    let mut process = Command::new(words.next().expect("a program"));
    process.args(words).env_clear().current_dir(root.path().join(&command.working_directory));
    process.envs(command.environment_variables.iter().map(|variable| (&variable.name, &variable.value)));
    process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.process_group(0).kill_on_drop(true);
    let began = SystemTime::now();
    let child = process.spawn().expect("the program of the test");
    let group = child.id().expect("it is not waited for yet");
    let limit = action.timeout.map_or(Duration::MAX, |limit| {
        Duration::new(limit.seconds.cast_unsigned(), limit.nanos.cast_unsigned())
    });
    let ended = tokio::select! {
        output = child.wait_with_output() => Ok(output.expect("its output")),
        () = tokio::time::sleep(limit) => Err((Code::DeadlineExceeded, 137)),
        _ = cancel.wait_for(|cancel| *cancel) => Err((Code::Cancelled, 143)),
    };
    let mut result = re::ActionResult {
        execution_metadata: Some(metadata(began, SystemTime::now())),
        ..re::ActionResult::default()
    };
    let code = match ended {
        Ok(output) => {
            let signal = || output.status.signal().map_or(-1, |signal| 128 + signal);
            result.exit_code = output.status.code().unwrap_or_else(signal);
            (result.stdout_raw, result.stderr_raw) = (output.stdout, output.stderr);
            Code::Ok
        }
        Err((code, exit)) => {
            let _ = rustix::process::kill_process_group(
                rustix::process::Pid::from_raw(group.cast_signed()).expect("a number"),
                rustix::process::Signal::KILL,
            );
            result.exit_code = exit;
            code
        }
    };
    respond(state, result, code, trick)
}

/// Creates the response, as modified by the trick.
fn respond(state: &State, mut result: re::ActionResult, code: Code, trick: Trick) -> re::ExecuteResponse {
    let by_digest = |output: &mut Vec<u8>| Some(state.add(&std::mem::take(output)));
    let mut status = rpc::Status { code: code as i32, ..rpc::Status::default() };
    match trick {
        Trick::Status(code, exit) => {
            status = rpc::Status { code: code as i32, message: "a trick".to_owned(), details: Vec::new() };
            result.exit_code = exit;
        }
        Trick::Digests => {
            result.stdout_digest = by_digest(&mut result.stdout_raw);
            result.stderr_digest = by_digest(&mut result.stderr_raw);
        }
        Trick::LostOutputs => {
            result.stdout_raw.clear();
            result.stdout_digest = Some(re::Digest { hash: "0".repeat(64), size_bytes: 3 });
        }
        _ => {}
    }
    re::ExecuteResponse { result: Some(result), status: Some(status), ..re::ExecuteResponse::default() }
}

fn metadata(began: SystemTime, ended: SystemTime) -> re::ExecutedActionMetadata {
    let time = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).expect("it is later");
        protobuf::Timestamp {
            seconds: since.as_secs().cast_signed(),
            nanos: since.subsec_nanos().cast_signed(),
        }
    };
    re::ExecutedActionMetadata {
        worker: "fake".to_owned(),
        execution_start_timestamp: Some(time(began)),
        execution_completed_timestamp: Some(time(ended)),
        ..re::ExecutedActionMetadata::default()
    }
}

/// Writes a directory of the store to disk.
fn write(blobs: &HashMap<String, Vec<u8>>, digest: Option<&re::Digest>, place: &Path) {
    let blob = |digest: Option<&re::Digest>| &blobs[&digest.expect("each has one").hash];
    let directory = re::Directory::decode(&blob(digest)[..]).expect("a directory");
    for file in &directory.files {
        let path = place.join(&file.name);
        fs::write(&path, blob(file.digest.as_ref())).expect("a file");
        let mode = if file.is_executable { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its own file");
    }
    for link in &directory.symlinks {
        symlink(&link.target, place.join(&link.name)).expect("a link");
    }
    for below in &directory.directories {
        let path = place.join(&below.name);
        fs::create_dir(&path).expect("a directory");
        write(blobs, below.digest.as_ref(), &path);
    }
}
