//! Converts the answers of Python tests to verdicts.

use nubbin_search::{Cause, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// Converts the answer of a test: a truth value or a `Verdict`; `None` or the exception `Unresolved` mean
/// unresolved.
///
/// # Errors
/// Returns any other exception of the test, and an exception if the answer is invalid.
pub fn read(answer: PyResult<Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Verdict> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            let unresolved = py.import("nubbin._verdict")?.getattr("Unresolved")?;
            return if error.is_instance(py, &unresolved) {
                Ok(Verdict::Unresolved(Cause::Test))
            } else {
                Err(error)
            };
        }
    };
    if let Ok(is_there) = answer.cast::<PyBool>() {
        return Ok(Verdict::from(is_there.is_true()));
    }
    if answer.is_none() {
        return Ok(Verdict::Unresolved(Cause::Test));
    }
    let code: u8 = py.import("nubbin._verdict")?.call_method1("code", (answer,))?.extract()?;
    Ok(decode(code))
}

/// Decodes a worker's byte.
pub fn decode(code: u8) -> Verdict {
    match code {
        b'+' => Verdict::Interesting,
        b'-' => Verdict::Uninteresting,
        _ => Verdict::Unresolved(Cause::Test),
    }
}

/// Returns a verdict as a Python object.
pub fn show(py: Python<'_>, verdict: Verdict) -> PyResult<Bound<'_, PyAny>> {
    let name = match verdict {
        Verdict::Interesting => "INTERESTING",
        Verdict::Uninteresting => "UNINTERESTING",
        Verdict::Unresolved(_) => "UNRESOLVED",
    };
    py.import("nubbin._verdict")?.getattr("Verdict")?.getattr(name)
}
