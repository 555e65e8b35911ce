//! The address of a cluster and the settings of the connection, and how long failures are retried.

use crate::Error;
use std::path::PathBuf;
use std::time::Duration;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

/// The address of a cluster and the settings of the connection.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// The address: `grpc://HOST[:PORT]`, or `grpcs://HOST[:PORT]` with TLS; `http` and `https` have the same
    /// meaning. The default port is 80 or 443.
    pub endpoint: String,
    /// The instance name of the cluster; usually empty.
    pub instance: String,
    /// Required properties of the workers, such as `OSFamily` and `container-image`, in any order.
    pub platform: Vec<(String, String)>,
    /// Headers sent with each request.
    pub headers: Vec<(String, String)>,
    /// Certificates.
    pub tls: Tls,
    /// The source of credentials.
    pub token: Option<Token>,
    /// Whether the cluster can take results from its action cache, and store them in it.
    pub cache: bool,
}

/// The certificates of an encrypted connection, as PEM files.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// Trusted certificate authorities, in place of those of the machine.
    pub ca: Option<PathBuf>,
    /// The client's certificate, with its chain.
    pub certificate: Option<PathBuf>,
    /// The key of the client's certificate.
    pub key: Option<PathBuf>,
}

/// The source of credentials.
#[derive(Clone, Debug)]
pub enum Token {
    /// A file whose content is sent as `authorization: Bearer …`. It is read again each minute, and when the
    /// cluster rejects it.
    File(PathBuf),
    /// A program like Bazel's `--credential_helper`: it is started as `PROGRAM get`, reads `{"uri": …}`, and
    /// writes `{"headers": {NAME: [VALUE, …]}, "expires": TIME}`. It is started again when its answer has
    /// expired or is rejected.
    Helper(PathBuf),
}

/// How long failures of a cluster are retried.
#[derive(Clone, Debug)]
pub struct Patience {
    /// An error is returned after failures for this time.
    pub longest: Duration,
    /// The same for the first connection.
    pub start: Duration,
    /// How long an action can wait for a worker, in addition to its own limit. It is then cancelled and
    /// requested again.
    pub queue: Duration,
    /// After this time without a message about an action, the cluster is asked for any response.
    pub silence: Duration,
    /// The pause after the first failure. Each pause is twice as long as the previous one.
    pub first_pause: Duration,
    /// The maximum pause.
    pub longest_pause: Duration,
}

/// Tuned constants.
struct Tuning {
    patience: Patience,
    /// The time limit for connecting.
    connecting: Duration,
    /// The interval of keep-alive probes for idle connections, which the kernel sends. Pings of the protocol
    /// are not used: servers close connections with more than one ping in five minutes.
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
    /// Creates an address with default settings.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self { endpoint: endpoint.into(), ..Self::default() }
    }

    /// Converts the address, with its certificates, to the type of the gRPC library.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is invalid, or a certificate file cannot be read or used.
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
            return Err(self.wrong("it has no host"));
        }
        if !encrypted {
            return Ok(endpoint);
        }
        endpoint.tls_config(self.certificates()?).map_err(|error| Error::Tls {
            endpoint: self.endpoint.clone(),
            reason: crate::fault::chain(&error),
        })
    }

    /// Returns whether the connection is encrypted, and the host with the port.
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
            return Err(self.wrong("it has more than a host and a port"));
        }
        if !encrypted && (self.tls.ca.is_some() || self.tls.certificate.is_some() || self.tls.key.is_some()) {
            return Err(self.wrong("certificates require `grpcs://`"));
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
                reason: "a client certificate requires its key, and a key requires its certificate"
                    .to_owned(),
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
            // The reason is from the library and can change.
            ("grpc://build example", "is not a cluster address"),
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
