//! Decides which responses of a cluster are results of the command.

use crate::action::End;
use crate::fault::Fault;
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::protobuf;
use std::time::Duration;
use tonic::Code;

/// Tuned constants.
struct Tuning {
    /// The assumed accuracy of the clock of a worker.
    clock: Duration,
}

const TUNING: Tuning = Tuning { clock: Duration::from_millis(10) };

/// Returns how the command ended. This is known only if the status is OK, or if the command reached its
/// limit.
///
/// The status for an exceeded limit is also used for an action that was not started in time. They are
/// distinguished by the times of the worker, or otherwise by the time since the start was reported (`seen`).
pub(crate) fn judge(
    response: re::ExecuteResponse,
    limit: Duration,
    seen: Option<Duration>,
) -> Result<(End, re::ActionResult), Fault> {
    let status = response.status.unwrap_or_default();
    match Code::from_i32(status.code) {
        Code::Ok => {
            let nothing = || Fault::Passing("the operation ended without a result".to_owned());
            let result = response.result.ok_or_else(nothing)?;
            Ok((End::Exit(result.exit_code), result))
        }
        Code::DeadlineExceeded => {
            let result = response.result.unwrap_or_default();
            let ran = result.execution_metadata.as_ref().and_then(time_of).or(seen);
            if ran.is_some_and(|ran| ran + TUNING.clock >= limit) {
                return Ok((End::TimedOut, result));
            }
            Err(Fault::of_status(&status))
        }
        _ => Err(Fault::of_status(&status)),
    }
}

/// Returns the duration of the command by the clock of the worker.
pub(crate) fn time_of(metadata: &re::ExecutedActionMetadata) -> Option<Duration> {
    let nanos =
        |time: &protobuf::Timestamp| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
    let began = nanos(metadata.execution_start_timestamp.as_ref()?);
    let ended = nanos(metadata.execution_completed_timestamp.as_ref()?);
    u64::try_from(ended - began).ok().map(Duration::from_nanos)
}

/// Returns the last `most` bytes of an output.
pub(crate) fn last(mut output: Vec<u8>, most: u64) -> Vec<u8> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if output.len() > most {
        output.drain(..output.len() - most);
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use bazel_remote_apis::google::rpc;

    fn response(code: Code, ran: Option<Duration>) -> re::ExecuteResponse {
        let time = |time: Duration| protobuf::Timestamp {
            seconds: time.as_secs().cast_signed(),
            nanos: time.subsec_nanos().cast_signed(),
        };
        let metadata = ran.map(|ran| re::ExecutedActionMetadata {
            execution_start_timestamp: Some(time(Duration::from_millis(900))),
            execution_completed_timestamp: Some(time(Duration::from_millis(900) + ran)),
            ..re::ExecutedActionMetadata::default()
        });
        let result =
            re::ActionResult { exit_code: 137, execution_metadata: metadata, ..re::ActionResult::default() };
        let status = rpc::Status { code: code as i32, ..rpc::Status::default() };
        re::ExecuteResponse { result: Some(result), status: Some(status), ..re::ExecuteResponse::default() }
    }

    #[test]
    fn a_deadline_is_a_timeout_only_if_the_command_ran_as_long_as_it_may() {
        let limit = Duration::from_secs(2);
        for (ran, seen, timed_out) in [
            (Some(2050), None, true),
            (Some(300), None, false),
            (Some(300), Some(2500), false),
            (None, Some(2500), true),
            (None, Some(300), false),
            (None, None, false),
        ] {
            let millis = |time: Option<u64>| time.map(Duration::from_millis);
            let judged = judge(response(Code::DeadlineExceeded, millis(ran)), limit, millis(seen));
            let is_timeout = matches!(judged, Ok((End::TimedOut, _)));
            assert_eq!(is_timeout, timed_out, "{ran:?} {seen:?}");
            assert!(is_timeout || matches!(judged, Err(Fault::Passing(_))));
        }
    }

    #[test]
    fn only_a_good_status_gives_an_exit_status() {
        let ran = Some(Duration::from_millis(1));
        let judged = judge(response(Code::Ok, ran), Duration::from_secs(1), None);
        assert!(matches!(judged, Ok((End::Exit(137), _))));
        for code in (1..=16).filter(|code| *code != Code::DeadlineExceeded as i32) {
            assert!(
                judge(response(Code::from_i32(code), ran), Duration::from_secs(1), None).is_err(),
                "{code}"
            );
        }
        let nothing = re::ExecuteResponse::default();
        assert!(matches!(judge(nothing, Duration::ZERO, None), Err(Fault::Passing(_))));
    }

    #[test]
    fn the_end_of_an_output_is_kept() {
        assert_eq!(last(b"abcdef".to_vec(), 4), b"cdef");
        assert_eq!(last(b"abc".to_vec(), 4), b"abc");
    }
}
