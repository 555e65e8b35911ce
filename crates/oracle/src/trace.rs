//! Records which files a run opens.
//!
//! This module contains only values: a warden records the files in `warden/tracer.rs`, and the callers
//! interpret them.

use super::work_directory;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Specifies which files of a run are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracing {
    /// Files that are opened below this directory are recorded.
    #[serde(with = "as_bytes")]
    pub reads: PathBuf,
    /// Paths directly in this directory are recorded as read even if they do not exist.
    #[serde(with = "as_bytes")]
    pub marks: Option<PathBuf>,
    /// All changes below this directory are undone after the run.
    #[serde(with = "as_bytes")]
    pub undone: Option<PathBuf>,
    /// Files and directories that the run cannot change.
    #[serde(with = "as_bytes")]
    pub protected: Vec<PathBuf>,
}

/// How a run used a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Act {
    /// It opened, executed or queried an existing file.
    Read,
    /// It opened, created, moved or removed the path in order to change it.
    Write,
}

/// A path that a run used, and the program that used it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The absolute path, resolved through the directories that exist.
    #[serde(with = "as_bytes")]
    pub path: PathBuf,
    /// How the path was used.
    pub act: Act,
    /// The name of the process.
    pub program: String,
}

/// The records of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Each combination of path and act once, in order of first use.
    pub opened: Vec<Opened>,
}

impl Trace {
    /// Returns the files that were read.
    pub fn reads(&self) -> impl Iterator<Item = &Path> {
        self.opened.iter().filter(|one| one.act == Act::Read).map(|one| one.path.as_path())
    }

    /// Returns the paths that the run tried to change outside the directory of the probe and outside
    /// `places`. Devices and everything in `/proc` are omitted.
    pub fn writes_outside<'t>(&'t self, places: &'t [PathBuf]) -> impl Iterator<Item = &'t Opened> {
        let is_free = |path: &Path| {
            let is_device = path.starts_with("/dev") && !path.starts_with("/dev/shm");
            is_device
                || path.starts_with("/proc")
                || work_directory::is_inside(path)
                || places.iter().any(|place| path.starts_with(place))
        };
        self.opened.iter().filter(move |one| one.act == Act::Write && !is_free(&one.path))
    }
}

/// Serializes paths as bytes, because a path need not be UTF-8.
pub(crate) mod as_bytes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    /// A value with paths that can be converted to a form with bytes.
    pub trait ByteForm: Clone {
        /// The form with bytes.
        type Form: Serialize + for<'d> Deserialize<'d>;
        /// Converts the value to bytes.
        fn form(self) -> Self::Form;
        /// Converts bytes to the value.
        fn of(form: Self::Form) -> Self;
    }

    impl ByteForm for PathBuf {
        type Form = Vec<u8>;
        fn form(self) -> Vec<u8> {
            self.into_os_string().into_vec()
        }
        fn of(form: Vec<u8>) -> Self {
            OsString::from_vec(form).into()
        }
    }

    impl<T: ByteForm> ByteForm for Option<T> {
        type Form = Option<T::Form>;
        fn form(self) -> Self::Form {
            self.map(T::form)
        }
        fn of(form: Self::Form) -> Self {
            form.map(T::of)
        }
    }

    impl<T: ByteForm> ByteForm for Vec<T> {
        type Form = Vec<T::Form>;
        fn form(self) -> Self::Form {
            self.into_iter().map(T::form).collect()
        }
        fn of(form: Self::Form) -> Self {
            form.into_iter().map(T::of).collect()
        }
    }

    impl<A: ByteForm, B: ByteForm> ByteForm for (A, B) {
        type Form = (A::Form, B::Form);
        fn form(self) -> Self::Form {
            (self.0.form(), self.1.form())
        }
        fn of(form: Self::Form) -> Self {
            (A::of(form.0), B::of(form.1))
        }
    }

    pub fn serialize<T: ByteForm, S: Serializer>(paths: &T, serializer: S) -> Result<S::Ok, S::Error> {
        paths.clone().form().serialize(serializer)
    }

    pub fn deserialize<'d, T: ByteForm, D: Deserializer<'d>>(deserializer: D) -> Result<T, D::Error> {
        T::Form::deserialize(deserializer).map(T::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn paths_need_not_be_text() {
        let path = PathBuf::from(OsStr::from_bytes(b"/a/\xff"));
        let tracing = Tracing {
            reads: path.clone(),
            undone: Some(path.clone()),
            protected: vec![path.clone()],
            marks: None,
        };
        let text = serde_json::to_string(&tracing).expect("it can be written");
        assert_eq!(serde_json::from_str::<Tracing>(&text).expect("it can be read"), tracing);
    }

    #[test]
    fn devices_and_a_probes_own_directory_are_not_outside() {
        let opened = |path: &str, act| Opened { path: path.into(), act, program: "sh".to_owned() };
        let trace = Trace {
            opened: vec![
                opened("/dev/null", Act::Write),
                opened("/dev/shm/nubbin-lab-1-0123456789abcdef/work/a.o", Act::Write),
                opened("/allowed/x", Act::Write),
                opened("/home/x", Act::Read),
                opened("/home/y", Act::Write),
            ],
        };
        let places = ["/allowed".into()];
        let outside: Vec<&Path> = trace.writes_outside(&places).map(|one| one.path.as_path()).collect();
        assert_eq!(outside, [Path::new("/home/y")]);
    }
}
