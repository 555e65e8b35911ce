//! Access to the content-addressed store of the cluster: uploads missing blobs, and downloads outputs of
//! actions.

use crate::blob::Blob;
use crate::credential::{Headers, unique};
use crate::digest::Digest;
use crate::fault::Fault;
use crate::shared::Shared;
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::bytestream as stream;
use re::batch_update_blobs_request::Request as Update;
use re::content_addressable_storage_client::ContentAddressableStorageClient as Store;
use std::collections::HashSet;
use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use stream::byte_stream_client::ByteStreamClient as Stream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;

/// Tuned constants.
pub(crate) struct Tuning {
    /// The maximum size of a message: servers accept 4 MiB unless they report another limit, and some report
    /// none.
    pub batch: u64,
    /// The size of a blob in a message, in addition to its content, in bytes.
    overhead: u64,
    /// Up to this total size, blobs are sent without asking whether they are missing, because the question
    /// would take longer.
    unasked: u64,
    /// The maximum number of digests in one question.
    question: usize,
    /// The number of digests in each of the two generations that are remembered.
    remembered: usize,
    /// The time limit of a request, and the additional time for each MiB.
    call: Duration,
    call_for_a_mebibyte: Duration,
}

pub(crate) const TUNING: Tuning = Tuning {
    batch: (4 << 20) - (64 << 10),
    overhead: 160,
    unasked: 64 << 10,
    question: 8192,
    remembered: 4096,
    call: Duration::from_secs(30),
    call_for_a_mebibyte: Duration::from_secs(10),
};

/// The digests of blobs that were sent or used recently, so the cluster has them. The number is limited.
#[derive(Default)]
pub(crate) struct Known {
    sets: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    recent: HashSet<Digest>,
    older: HashSet<Digest>,
}

impl Known {
    /// Returns whether the cluster is known to have the blob.
    fn has(&self, digest: Digest) -> bool {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.recent.contains(&digest) {
            return true;
        }
        let is_there = sets.older.contains(&digest);
        if is_there {
            sets.add(digest);
        }
        is_there
    }

    fn add(&self, digest: Digest) {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner).add(digest);
    }

    fn forget(&self, digest: Digest) {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.recent.remove(&digest);
        sets.older.remove(&digest);
    }
}

impl Generations {
    fn add(&mut self, digest: Digest) {
        if self.recent.len() >= TUNING.remembered {
            self.older = mem::take(&mut self.recent);
        }
        self.recent.insert(digest);
    }
}

/// Access to the store for the requests of one attempt.
pub(crate) struct Access<'a> {
    pub shared: &'a Shared,
    pub channel: Channel,
    pub headers: &'a Headers,
}

impl Access<'_> {
    /// Sends the blobs that the cluster is not known to have.
    pub async fn send_new<'b>(&self, blobs: impl Iterator<Item = &'b Blob>) -> Result<(), Fault> {
        let new: Vec<&Blob> =
            blobs.filter(|blob| blob.digest.size > 0 && !self.shared.known.has(blob.digest)).collect();
        let bytes: u64 = new.iter().map(|blob| blob.digest.size).sum();
        if bytes <= TUNING.unasked {
            self.send(&new).await
        } else {
            self.send_missing(&new).await.map(|_| ())
        }
    }

    /// Asks which of the blobs are missing, including known ones, and sends those. Returns their number.
    pub async fn send_again<'b>(&self, blobs: impl Iterator<Item = &'b Blob>) -> Result<usize, Fault> {
        let blobs: Vec<&Blob> = blobs.filter(|blob| blob.digest.size > 0).collect();
        for blob in &blobs {
            self.shared.known.forget(blob.digest);
        }
        self.send_missing(&blobs).await
    }

    async fn send_missing(&self, blobs: &[&Blob]) -> Result<usize, Fault> {
        let mut missing = HashSet::new();
        for part in blobs.chunks(TUNING.question) {
            missing.extend(self.missing(part).await?);
        }
        let (send, there): (Vec<&Blob>, Vec<&Blob>) =
            blobs.iter().partition(|blob| missing.contains(&blob.digest.hash()));
        for blob in there {
            self.shared.known.add(blob.digest);
        }
        self.send(&send).await?;
        Ok(send.len())
    }

    /// Returns the hashes of the missing blobs.
    async fn missing(&self, blobs: &[&Blob]) -> Result<Vec<String>, Fault> {
        self.shared.tally.questions();
        let question = re::FindMissingBlobsRequest {
            instance_name: self.shared.instance.clone(),
            blob_digests: blobs.iter().map(|blob| blob.digest.message()).collect(),
            digest_function: self.shared.facts.function.number(),
        };
        let mut store = Store::new(self.channel.clone());
        let answer = self.limited(0, store.find_missing_blobs(self.headers.on(question))).await?;
        Ok(answer.into_inner().missing_blob_digests.into_iter().map(|digest| digest.hash).collect())
    }

    /// Sends blobs: small ones in batches, large ones as streams.
    async fn send(&self, blobs: &[&Blob]) -> Result<(), Fault> {
        let most = self.shared.facts.batch;
        let (mut batch, mut length): (Vec<&Blob>, u64) = (Vec::new(), 0);
        for blob in blobs {
            let size = blob.digest.size + TUNING.overhead;
            if size > most {
                self.send_stream(blob).await?;
                continue;
            }
            if length + size > most {
                self.send_batch(&mem::take(&mut batch)).await?;
                length = 0;
            }
            batch.push(blob);
            length += size;
        }
        if batch.is_empty() { Ok(()) } else { self.send_batch(&batch).await }
    }

    async fn send_batch(&self, blobs: &[&Blob]) -> Result<(), Fault> {
        let function = self.shared.facts.function;
        let mut requests = Vec::with_capacity(blobs.len());
        for blob in blobs {
            let data = blob.content(function)?;
            requests.push(Update { digest: Some(blob.digest.message()), data, compressor: 0 });
        }
        let bytes = blobs.iter().map(|blob| blob.digest.size).sum();
        let update = re::BatchUpdateBlobsRequest {
            instance_name: self.shared.instance.clone(),
            requests,
            digest_function: function.number(),
        };
        let mut store = Store::new(self.channel.clone()).max_decoding_message_size(usize::MAX);
        let answer = self.limited(bytes, store.batch_update_blobs(self.headers.on(update))).await?;
        for response in answer.into_inner().responses {
            let status = response.status.unwrap_or_default();
            if status.code != 0 && status.code != tonic::Code::AlreadyExists as i32 {
                return Err(Fault::of_status(&status));
            }
        }
        for blob in blobs {
            self.sent(blob);
        }
        Ok(())
    }

    async fn send_stream(&self, blob: &Blob) -> Result<(), Fault> {
        let shared = self.shared;
        let number = shared.tally.streams();
        let name = format!(
            "{}uploads/{}/blobs/{}{}/{}",
            shared.prefix(),
            unique(&[shared.invocation.as_bytes(), &number.to_le_bytes()]),
            shared.facts.function.segment(),
            blob.digest.hash(),
            blob.digest.size
        );
        let (sender, receiver) = mpsc::channel(4);
        let (function, content) = (shared.facts.function, blob.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let mut offset = 0_i64;
            content.pieces(function, &mut |piece| {
                let resource_name = if offset == 0 { name.clone() } else { String::new() };
                let write_offset = offset;
                offset += piece.len() as i64;
                let finish_write = offset == content.digest.size.cast_signed();
                let data = piece.to_vec();
                sender
                    .blocking_send(stream::WriteRequest { resource_name, write_offset, finish_write, data })
                    .is_ok()
            })
        });
        let mut client = Stream::new(self.channel.clone());
        let request = self.headers.on(ReceiverStream::new(receiver));
        let answer = self.limited(blob.digest.size, client.write(request)).await;
        // An unreadable or changed file is the cause of the reported failure.
        if let Ok(Err(error)) = reading.await {
            return Err(error.into());
        }
        let committed = answer?.into_inner().committed_size;
        if committed != blob.digest.size.cast_signed() {
            let text = format!("the store received {committed} of {} bytes of a blob", blob.digest.size);
            return Err(Fault::Passing(text));
        }
        self.sent(blob);
        Ok(())
    }

    fn sent(&self, blob: &Blob) {
        self.shared.known.add(blob.digest);
        self.shared.tally.sent(blob.digest.size);
    }

    /// Returns the last `most` bytes of a blob.
    pub async fn fetch(&self, digest: &re::Digest, most: u64) -> Result<Vec<u8>, Fault> {
        let size = u64::try_from(digest.size_bytes).unwrap_or(0);
        let length = size.min(most);
        if length == 0 {
            return Ok(Vec::new());
        }
        let request = stream::ReadRequest {
            resource_name: format!(
                "{}blobs/{}{}/{size}",
                self.shared.prefix(),
                self.shared.facts.function.segment(),
                digest.hash
            ),
            read_offset: (size - length).cast_signed(),
            read_limit: 0,
        };
        let mut client = Stream::new(self.channel.clone()).max_decoding_message_size(usize::MAX);
        let mut pieces = self.limited(0, client.read(self.headers.on(request))).await?.into_inner();
        let mut content = Vec::with_capacity(length as usize);
        while let Some(piece) = self.limited(0, pieces.message()).await? {
            content.extend_from_slice(&piece.data);
        }
        if content.len() as u64 != length {
            return Err(Fault::Passing(format!("received {} of {length} bytes of an output", content.len())));
        }
        Ok(content)
    }

    /// Waits for a call that transfers `bytes` bytes, with a time limit.
    async fn limited<T>(
        &self,
        bytes: u64,
        call: impl Future<Output = Result<T, tonic::Status>>,
    ) -> Result<T, Fault> {
        let limit = TUNING.call + TUNING.call_for_a_mebibyte.mul_f64(bytes as f64 / f64::from(1 << 20));
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(status)) => Err(Fault::of_call(&status)),
            Err(_) => Err(Fault::Silent(format!("the store did not respond within {} s", limit.as_secs()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Function;

    #[test]
    fn what_is_used_stays_known_and_the_rest_is_forgotten_in_time() {
        let known = Known::default();
        let digest = |number: usize| Function::Sha256.of(&number.to_le_bytes());
        known.add(digest(0));
        known.add(digest(1));
        for number in 2..5 * TUNING.remembered {
            known.add(digest(number));
            assert!(known.has(digest(0)), "{number}");
        }
        assert!(!known.has(digest(1)));
        let sets = known.sets.lock().expect("one thread");
        assert!(sets.recent.len() + sets.older.len() <= 2 * TUNING.remembered);
    }
}
