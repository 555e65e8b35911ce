//! The files that a run opens: the request to note them, and the notes, as plain values.
//!
//! A warden notes them, in `warden/tracer.rs`; other modules decide what the notes mean.

use super::work_directory;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The request for notes about a run's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracing {
    /// Files that are opened below this directory are noted.
    #[serde(with = "as_bytes")]
    pub reads: PathBuf,
    /// Paths in this directory are noted as read whatever is there, if it is given.
    #[serde(with = "as_bytes")]
    pub marks: Option<PathBuf>,
    /// All that the run changes below this directory is taken back after it.
    #[serde(with = "as_bytes")]
    pub undone: Option<PathBuf>,
    /// The files and directories that the run cannot change at all.
    #[serde(with = "as_bytes")]
    pub protected: Vec<PathBuf>,
}

/// The way in which a run used a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Act {
    /// It opened the file that is there, executed it, or asked for it.
    Read,
    /// It opened, made, moved or removed it, to change something.
    Write,
}

/// A path that a run used, and the program that did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The absolute path, as far as it leads through directories that are there.
    #[serde(with = "as_bytes")]
    pub path: PathBuf,
    /// The way in which it was used.
    pub act: Act,
    /// The name of the process.
    pub program: String,
}

/// The notes about a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Each path and act once, in the order of the first time.
    pub opened: Vec<Opened>,
}

impl Trace {
    /// The files that were read.
    pub fn reads(&self) -> impl Iterator<Item = &Path> {
        self.opened.iter().filter(|one| one.act == Act::Read).map(|one| one.path.as_path())
    }

    /// Returns the paths that were to be changed outside of a probe's directory and these places; devices are left out,
    /// and all that is in `/proc`.
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

/// Paths as their bytes, since they need not be text.
pub(crate) mod as_bytes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    /// A value that holds paths, and has a form with bytes instead.
    pub trait ByteForm: Clone {
        /// The same with bytes.
        type Form: Serialize + for<'d> Deserialize<'d>;
        /// Makes the other form.
        fn form(self) -> Self::Form;
        /// Makes it of the other form.
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
