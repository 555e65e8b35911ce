//! Contents that are sent to a cluster, from memory or from files.

use crate::Error;
use crate::digest::{Digest, Function};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Blob {
    pub digest: Digest,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Memory(Arc<[u8]>),
    File(Arc<PathBuf>),
}

/// The number of bytes that are read at a time.
const PIECE: usize = 256 << 10;

impl Blob {
    /// Creates a blob from bytes.
    pub fn of(content: &[u8], function: Function) -> Self {
        Self { digest: function.of(content), source: Source::Memory(content.into()) }
    }

    /// Creates a blob from a file, which is read now to compute its digest, and again when it is sent.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn of_file(path: PathBuf, function: Function) -> Result<Self, Error> {
        let mut digesting = function.begin();
        read(&path, &mut |piece| {
            digesting.add(piece);
            true
        })?;
        Ok(Self { digest: digesting.end(), source: Source::File(Arc::new(path)) })
    }

    /// Passes the content to `take` in pieces, at least one, until `take` returns `false`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or has changed; all pieces may have been passed by then.
    pub fn pieces(&self, function: Function, take: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), Error> {
        match &self.source {
            Source::Memory(content) => {
                let mut pieces = content.chunks(PIECE);
                let _ = pieces.all(take);
                Ok(())
            }
            Source::File(path) => {
                let mut digesting = function.begin();
                let mut whole = true;
                read(path, &mut |piece| {
                    digesting.add(piece);
                    whole = take(piece);
                    whole
                })?;
                if whole && digesting.end() != self.digest {
                    return Err(Error::Changed { path: path.to_path_buf() });
                }
                Ok(())
            }
        }
    }

    /// Returns the whole content.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Self::pieces`].
    pub fn content(&self, function: Function) -> Result<Vec<u8>, Error> {
        let mut content = Vec::with_capacity(self.digest.size as usize);
        self.pieces(function, &mut |piece| {
            content.extend_from_slice(piece);
            true
        })?;
        Ok(content)
    }
}

fn read(path: &PathBuf, take: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), Error> {
    let wrong = |source| Error::File { path: path.clone(), source };
    let mut file = File::open(path).map_err(wrong)?;
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) if take(&piece[..read]) => {}
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(wrong(error)),
        }
    }
}
