//! Encrypted connections, certificates and credentials.

use crate::fake::{Fake, patience};
use crate::shell;
use nubbin_remote::{Cluster, End, Error, Tls, Token};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

/// A certificate authority with certificates for a server and a client, as files.
struct Authority {
    home: TempDir,
}

impl Authority {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer =
            CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
        fs::write(home.path().join("ca"), issuer.pem()).expect("a file");
        for name in ["server", "client"] {
            let key = KeyPair::generate().expect("a key");
            let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
            let certificate = params.signed_by(&key, &issuer).expect("a certificate");
            fs::write(home.path().join(name), certificate.pem()).expect("a file");
            fs::write(home.path().join(format!("{name}-key")), key.serialize_pem()).expect("a file");
        }
        Self { home }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).expect("it is written")
    }

    fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(Identity::from_pem(self.text("server"), self.text("server-key")))
    }
}

fn connect(fake: &Fake, tls: Tls) -> Result<Cluster, Error> {
    let mut address = fake.address();
    address.endpoint = format!("grpcs://{}", fake.place);
    address.tls = tls;
    Cluster::connect(&address, &patience())
}

#[apply(test)]
fn a_server_is_trusted_by_its_authority_only() {
    let (own, other) = (Authority::new(), Authority::new());
    let fake = Fake::start_encrypted(own.server());
    let cluster = connect(&fake, Tls { ca: Some(own.file("ca")), ..Tls::default() }).expect("it is trusted");
    assert_eq!(cluster.run(&shell("exit 7", &[]), &|| false).expect("a result").end, End::Exit(7));
    for ca in [None, Some(other.file("ca"))] {
        let error = connect(&fake, Tls { ca, ..Tls::default() }).err().expect("nobody knows it");
        assert!(matches!(error, Error::Tls { .. }), "{error}");
    }
}

#[apply(test)]
fn a_client_is_known_by_its_certificate() {
    let authority = Authority::new();
    let server = authority.server().client_ca_root(Certificate::from_pem(authority.text("ca")));
    let fake = Fake::start_encrypted(server);
    let ca = Some(authority.file("ca"));
    let certificate = Some(authority.file("client"));
    let key = Some(authority.file("client-key"));
    let cluster = connect(&fake, Tls { ca: ca.clone(), certificate, key }).expect("it is known");
    assert_eq!(cluster.run(&shell("exit 7", &[]), &|| false).expect("a result").end, End::Exit(7));
    let error = connect(&fake, Tls { ca, ..Tls::default() }).err().expect("it is not known");
    assert!(matches!(error, Error::Tls { .. }), "{error}");
}

#[apply(test)]
fn a_token_is_read_again_when_it_is_not_accepted() {
    let fake = Fake::start();
    let accept = |token: &str| {
        *fake.state.accepted.lock().expect("no panic") = Some(format!("Bearer {token}"));
    };
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("token");
    fs::write(&file, "one\n").expect("a file");
    accept("one");
    let mut address = fake.address();
    address.token = Some(Token::File(file.clone()));
    let cluster = Cluster::connect(&address, &patience()).expect("it is accepted");
    accept("two");
    let error = cluster.run(&shell("exit 7", &[]), &|| false).expect_err("it is not accepted any more");
    assert!(matches!(&error, Error::Refused { status, .. } if status.contains("who is this?")), "{error}");
    fs::write(&file, "two\n").expect("a file");
    assert_eq!(cluster.run(&shell("exit 7", &[]), &|| false).expect("a result").end, End::Exit(7));
    fs::write(&file, "\n").expect("a file");
    let error = Cluster::connect(&address, &patience()).err().expect("there is no token");
    assert!(matches!(error, Error::Credential { .. }), "{error}");
}

/// Writes a credential helper that logs each request.
fn helper(home: &Path, answer: &str) -> PathBuf {
    let path = home.join("helper");
    let log = home.join("log").display().to_string();
    fs::write(&path, format!("#!/bin/sh\necho \"$1 $(cat)\" >> {log}\nn=$(wc -l < {log})\n{answer}\n"))
        .expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its own file");
    path
}

#[apply(test)]
fn a_credential_helper_is_asked_when_its_answer_expires_or_is_not_accepted() {
    let home = tempfile::tempdir().expect("a directory");
    let questions = || fs::read_to_string(home.path().join("log")).unwrap_or_default().lines().count();
    let fake = Fake::start();
    let mut address = fake.address();
    let answer = r#"echo "{\"headers\": {\"Authorization\": [\"Bearer $n\"]}, \"expires\": \"2199-01-01T00:00:00Z\"}""#;
    address.token = Some(Token::Helper(helper(home.path(), answer)));
    *fake.state.accepted.lock().expect("no panic") = Some("Bearer 1".to_owned());
    let cluster = Cluster::connect(&address, &patience()).expect("it is accepted");
    for _ in 0..3 {
        cluster.run(&shell("exit 7", &[]), &|| false).expect("a result");
    }
    assert_eq!(questions(), 1);
    let question = fs::read_to_string(home.path().join("log")).expect("it was asked");
    assert_eq!(question, format!("get {{\"uri\":\"http://{}\"}}\n", fake.place));
    *fake.state.accepted.lock().expect("no panic") = Some("Bearer 2".to_owned());
    cluster.run(&shell("exit 7", &[]), &|| false).expect("a result");
    assert_eq!(questions(), 2);
    // An expired answer is not used again.
    helper(home.path(), &answer.replace("2199", "1999"));
    *fake.state.accepted.lock().expect("no panic") = None;
    let cluster = Cluster::connect(&address, &patience()).expect("it is accepted");
    cluster.run(&shell("exit 7", &[]), &|| false).expect("a result");
    assert_eq!(questions(), 4);
}

#[apply(test)]
fn a_credential_helper_that_fails_is_an_error_with_its_words() {
    let home = tempfile::tempdir().expect("a directory");
    let fake = Fake::start();
    let mut address = fake.address();
    for (answer, reason) in [
        ("echo 'log in first' >&2; exit 3", "log in first"),
        ("echo no", "malformed answer"),
        (r#"echo '{"headers": {}, "expires": "tomorrow"}'"#, "tomorrow"),
        (r#"echo '{"headers": {"a b": ["c"]}}'"#, "a b"),
    ] {
        address.token = Some(Token::Helper(helper(home.path(), answer)));
        let error = Cluster::connect(&address, &patience()).err().expect("it fails");
        assert!(matches!(error, Error::Credential { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
    address.token = Some(Token::Helper("/there/is/no/helper".into()));
    let error = Cluster::connect(&address, &patience()).err().expect("it is not there").to_string();
    assert!(error.contains("/there/is/no/helper") && error.contains("cannot be started"), "{error}");
}
