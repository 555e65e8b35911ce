//! The way to a cluster, and the time for which it is waited for.

use crate::Error;
use std::path::PathBuf;
use std::time::Duration;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

/// The way to a cluster.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// The address: `grpc://HOST[:PORT]`, or `grpcs://HOST[:PORT]` with TLS; `http` and `https` are the same two.
    /// Without a port it is 80 or 443.
    pub endpoint: String,
    /// The instance of the cluster; most have one without a name.
    pub instance: String,
    /// Properties of the workers that may run the actions, such as `OSFamily` and `container-image`, in any order.
    pub platform: Vec<(String, String)>,
    /// Headers that are sent with each request.
    pub headers: Vec<(String, String)>,
    /// Certificates.
    pub tls: Tls,
    /// The source of the proof of identity.
    pub token: Option<Token>,
    /// Is true if results may come from the action cache of the cluster, and go into it.
    pub cache: bool,
}

/// The certificates of an encrypted connection, as PEM files.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// Authorities that are trusted in place of those of the machine.
    pub ca: Option<PathBuf>,
    /// The client's certificate, with its chain.
    pub certificate: Option<PathBuf>,
    /// The key of the client's certificate.
    pub key: Option<PathBuf>,
}

/// The source of the proof of identity.
#[derive(Clone, Debug)]
pub enum Token {
    /// A file whose content is sent as `authorization: Bearer …`. It is read again each minute, and when the cluster
    /// does not accept it.
    File(PathBuf),
    /// A program as Bazel's `--credential_helper` takes it: it is started as `PROGRAM get`, reads `{"uri": …}`, and writes
    /// `{"headers": {NAME: [VALUE, …]}, "expires": TIME}`. It is asked again when its answer has expired or is not accepted.
    Helper(PathBuf),
}

/// The times for which a cluster is waited for.
#[derive(Clone, Debug)]
pub struct Patience {
    /// After so much time with nothing but trouble there is an error.
    pub longest: Duration,
    /// The same when the connection is made first.
    pub start: Duration,
    /// So long may an action wait for a worker, in addition to its own limit. Then it is cancelled and asked for again.
    pub queue: Duration,
    /// After so long without news of an action the cluster is asked whether it is still there.
    pub silence: Duration,
    /// The pause after the first trouble. Each one is twice as long as the one before.
    pub first_pause: Duration,
    /// No pause is longer.
    pub longest_pause: Duration,
}

/// The numbers of this module.
struct Tuning {
    patience: Patience,
    /// Making a connection may take so long.
    connecting: Duration,
    /// An idle connection is looked after so often by the kernel. The protocol's own pings are not used: servers close
    /// connections with more than one ping in five minutes.
    keepalive: Duration,
}

const TUNING: Tuning = Tuning {
    patience: Patience {
        longest: Duration::from_secs(300),
        start: Duration::from_secs(10),
        queue: Duration::from_secs(900),
        silence: Duration::from_secs(20),
        first_pause: Duration::from_millis(100),
        longest_pause: Duration::from_secs(10),
    },
    connecting: Duration::from_secs(10),
    keepalive: Duration::from_secs(30),
};

impl Default for Patience {
    fn default() -> Self {
        TUNING.patience
    }
}

impl Address {
    /// Makes an address with nothing but the endpoint.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self { endpoint: endpoint.into(), ..Self::default() }
    }

    /// Returns the address as the library of the protocol takes it, with certificates.
    ///
    /// # Errors
    ///
    /// The address is none, or a file with a certificate cannot be read or used.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Error> {
        let (encrypted, host) = self.host()?;
        let scheme = if encrypted { "https" } else { "http" };
        let endpoint = Endpoint::from_shared(format!("{scheme}://{host}"))
            .map_err(|error| self.wrong(error.to_string()))?
            .user_agent(concat!("nubbin/", env!("CARGO_PKG_VERSION")))
            .map_err(|error| self.wrong(error.to_string()))?
            .connect_timeout(TUNING.connecting)
            .tcp_nodelay(true)
            .tcp_keepalive(Some(TUNING.keepalive));
        if endpoint.uri().host().is_none_or(str::is_empty) {
            return Err(self.wrong("it names no host"));
        }
        if !encrypted {
            return Ok(endpoint);
        }
        endpoint.tls_config(self.certificates()?).map_err(|error| Error::Tls {
            endpoint: self.endpoint.clone(),
            reason: crate::fault::chain(&error),
        })
    }

    /// Returns whether the connection is encrypted, and host and port.
    fn host(&self) -> Result<(bool, &str), Error> {
        let Some((scheme, host)) = self.endpoint.split_once("://") else {
            return Err(self.wrong("it does not begin with `grpc://` or `grpcs://`"));
        };
        let encrypted = match scheme {
            "grpc" | "http" => false,
            "grpcs" | "https" => true,
            _ => return Err(self.wrong("it does not begin with `grpc://` or `grpcs://`")),
        };
        let host = host.trim_end_matches('/');
        if host.contains(['/', '?', '#', '@']) {
            return Err(self.wrong("there is more than a host and a port"));
        }
        if !encrypted && (self.tls.ca.is_some() || self.tls.certificate.is_some() || self.tls.key.is_some()) {
            return Err(self.wrong("certificates are for `grpcs://`"));
        }
        Ok((encrypted, host))
    }

    fn certificates(&self) -> Result<ClientTlsConfig, Error> {
        let read =
            |path: &PathBuf| std::fs::read(path).map_err(|source| Error::File { path: path.clone(), source });
        let mut tls = ClientTlsConfig::new();
        tls = match &self.tls.ca {
            Some(path) => tls.ca_certificate(Certificate::from_pem(read(path)?)),
            None => tls.with_native_roots(),
        };
        match (&self.tls.certificate, &self.tls.key) {
            (None, None) => Ok(tls),
            (Some(certificate), Some(key)) => {
                Ok(tls.identity(Identity::from_pem(read(certificate)?, read(key)?)))
            }
            _ => Err(Error::Tls {
                endpoint: self.endpoint.clone(),
                reason: "a client's certificate needs its key, and a key its certificate".to_owned(),
            }),
        }
    }

    fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::Endpoint { endpoint: self.endpoint.clone(), reason: reason.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_none_says_what_is_wrong() {
        for (endpoint, reason) in [
            ("build.example:443", "does not begin with"),
            ("ftp://build.example", "does not begin with"),
            ("grpc://", "invalid URI"),
            ("grpc://build.example/instance", "more than a host"),
            ("grpc://user@build.example", "more than a host"),
            // The library words it in another way from version to version.
            ("grpc://build example", "is no address of a cluster"),
        ] {
            let error = Address::new(endpoint).endpoint().expect_err(endpoint).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn both_schemes_have_two_names() {
        for (endpoint, uri) in [
            ("grpc://build.example:8980", "http://build.example:8980/"),
            ("http://[::1]:8980/", "http://[::1]:8980/"),
        ] {
            let uri_of = Address::new(endpoint).endpoint().expect("an address").uri().to_string();
            assert_eq!(uri_of, uri);
        }
    }

    #[test]
    fn certificates_belong_to_an_encrypted_connection_and_come_with_a_key() {
        let mut address = Address::new("grpc://build.example");
        address.tls.ca = Some("ca.pem".into());
        assert!(matches!(address.endpoint(), Err(Error::Endpoint { .. })));
        let mut address = Address::new("grpcs://build.example");
        address.tls.ca = Some("there-is-no.pem".into());
        assert!(matches!(address.endpoint(), Err(Error::File { .. })));
        address.tls = Tls { certificate: Some("there-is-no.pem".into()), ..Tls::default() };
        assert!(matches!(address.endpoint(), Err(Error::Tls { .. })));
    }
}
