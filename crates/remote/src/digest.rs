//! Digests of contents, with the function that the cluster supports.

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use re::digest_function::Value;
use std::fmt::Write as _;

/// The digest of a content: its hash and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Digest {
    hash: [u8; 32],
    pub size: u64,
}

impl Digest {
    /// Returns the hash in hexadecimal digits.
    pub fn hash(&self) -> String {
        let mut text = String::with_capacity(64);
        for byte in self.hash {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// Returns a number derived from the hash.
    pub fn seed(&self) -> u64 {
        self.hash[..8].iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte))
    }

    /// Returns the digest as a message of the protocol.
    pub fn message(&self) -> re::Digest {
        re::Digest { hash: self.hash(), size_bytes: self.size.cast_signed() }
    }
}

/// A digest function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Sha256,
    Blake3,
}

/// An incremental digest.
pub(crate) enum Digesting {
    Sha256(Box<ring::digest::Context>, u64),
    Blake3(Box<blake3::Hasher>, u64),
}

impl Function {
    /// Returns the function to use with a cluster that supports these, or `None` if this crate supports none
    /// of them. A cluster that reports no functions supports SHA-256.
    pub fn choose(offered: &[i32]) -> Option<Self> {
        if offered.is_empty() || offered.contains(&(Value::Sha256 as i32)) {
            return Some(Self::Sha256);
        }
        offered.contains(&(Value::Blake3 as i32)).then_some(Self::Blake3)
    }

    /// Returns the number of the function in messages.
    pub fn number(self) -> i32 {
        match self {
            Self::Sha256 => Value::Sha256 as i32,
            Self::Blake3 => Value::Blake3 as i32,
        }
    }

    /// Returns the function's part of a resource name; it is empty for older functions.
    pub fn segment(self) -> &'static str {
        match self {
            Self::Sha256 => "",
            Self::Blake3 => "blake3/",
        }
    }

    /// Returns the displayed name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "SHA256",
            Self::Blake3 => "BLAKE3",
        }
    }

    pub fn of(self, content: &[u8]) -> Digest {
        let mut digesting = self.begin();
        digesting.add(content);
        digesting.end()
    }

    /// Starts an incremental digest.
    pub fn begin(self) -> Digesting {
        match self {
            Self::Sha256 => Digesting::Sha256(Box::new(ring::digest::Context::new(&ring::digest::SHA256)), 0),
            Self::Blake3 => Digesting::Blake3(Box::default(), 0),
        }
    }
}

impl Digesting {
    pub fn add(&mut self, piece: &[u8]) {
        match self {
            Self::Sha256(context, size) => {
                context.update(piece);
                *size += piece.len() as u64;
            }
            Self::Blake3(hasher, size) => {
                hasher.update(piece);
                *size += piece.len() as u64;
            }
        }
    }

    pub fn end(self) -> Digest {
        let mut hash = [0; 32];
        let size = match self {
            Self::Sha256(context, size) => {
                hash.copy_from_slice(context.finish().as_ref());
                size
            }
            Self::Blake3(hasher, size) => {
                hash.copy_from_slice(hasher.finalize().as_bytes());
                size
            }
        };
        Digest { hash, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_that_everybody_has() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Function::Sha256.of(b"").hash(), empty);
        let blake = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(Function::Blake3.of(b"").hash(), blake);
    }

    #[test]
    fn sha256_is_taken_unless_only_blake3_is_offered() {
        let [sha1, sha256, blake3] = [Value::Sha1 as i32, Value::Sha256 as i32, Value::Blake3 as i32];
        for (offered, chosen) in [
            (&[][..], Some(Function::Sha256)),
            (&[blake3, sha256], Some(Function::Sha256)),
            (&[sha1, blake3], Some(Function::Blake3)),
            (&[sha1], None),
        ] {
            assert_eq!(Function::choose(offered), chosen);
        }
    }
}
