//! Failures of the other crates as Python exceptions.

use crate::worker::Trouble;
use nubbin_oracle::NoVerdict;
use nubbin_reduce::Error;
use nubbin_session::Failure;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Returns the exception for a failure.
pub fn raise(py: Python<'_>, failure: &Failure) -> PyErr {
    let fault = format!("{:?}", failure.fault());
    make(py, &fault, &failure.text(), failure.lines(), failure.advice())
}

/// Returns the exception for a reduction that ended with an error. An exception of the test is returned
/// unchanged.
pub fn of_reduction(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::Oracle(error) => of_test(py, error),
        Error::NotInteresting(_) => {
            let hint = "the test must return True for the whole input";
            make(py, "NotInteresting", "the test does not find the failure in the input", "", Some(hint))
        }
        Error::EmptyIsInteresting => {
            let hint = "let the test check for the failure itself, or give `allow_empty=True`";
            make(
                py,
                "EmptyIsInteresting",
                "the test also finds the failure in the empty input",
                "",
                Some(hint),
            )
        }
        Error::Flaky { .. } => {
            let hint =
                "make the test deterministic, or give `flaky=0.95`, which runs each candidate several times";
            make(py, "Flaky", &error.to_string(), "", Some(hint))
        }
        other => raise(py, &other.into()),
    }
}

/// Returns the exception for a test that gave no verdict.
pub fn of_test(py: Python<'_>, error: NoVerdict) -> PyErr {
    let NoVerdict::Failed(reason) = error else { return PyKeyboardInterrupt::new_err(()) };
    match reason.downcast::<PyErr>() {
        Ok(raised) => *raised,
        Err(reason) => match reason.downcast::<Trouble>() {
            Ok(trouble) => trouble.raise(py),
            Err(reason) => make(py, "Oracle", &reason.to_string(), "", None),
        },
    }
}

/// Creates the exception for a fault with this name.
pub fn make(py: Python<'_>, fault: &str, text: &str, details: &str, hint: Option<&str>) -> PyErr {
    let made = py.import("nubbin._failure").and_then(|module| module.getattr("make"));
    match made.and_then(|make| make.call1((fault, text, details, hint))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
