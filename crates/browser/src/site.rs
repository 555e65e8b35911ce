//! Serves the files of a page under one origin, and rejects all other requests.

use percent_encoding::percent_decode_str;
use std::path::{Path, PathBuf};

/// The origin of pages. Browsers treat it as a secure context, so all functions are available.
const ORIGIN: &str = "http://localhost/";

/// The page and its files.
#[derive(Debug)]
pub(crate) struct Site<'s> {
    /// The paths in addresses, in the order of the files.
    names: &'s [String],
    files: &'s [PathBuf],
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Response {
    /// The content of a file and its type.
    File(Vec<u8>, String),
    /// There is no file with this path.
    Missing(String),
    /// The address has another origin, which is not accessible.
    Elsewhere,
}

impl<'s> Site<'s> {
    pub fn new(names: &'s [String], files: &'s [PathBuf]) -> Self {
        Self { names, files }
    }

    /// Returns the address of the page.
    pub fn address(&self) -> String {
        address(self.names.first().map_or("", String::as_str))
    }

    pub fn response(&self, url: &str) -> Response {
        let Some(path) = url.strip_prefix(ORIGIN) else { return Response::Elsewhere };
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let path = percent_decode_str(path).decode_utf8_lossy();
        let at = self.names.iter().position(|name| *name == path);
        let content = at.and_then(|at| std::fs::read(self.files.get(at)?).ok());
        match content {
            Some(content) => Response::File(content, kind(&path, at == Some(0))),
            None => Response::Missing(path.into_owned()),
        }
    }
}

fn address(path: &str) -> String {
    const PLAIN: &percent_encoding::AsciiSet =
        &percent_encoding::NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');
    format!("{ORIGIN}{}", percent_encoding::utf8_percent_encode(path, PLAIN))
}

/// Returns the type of a file from its name. A page with an unknown extension is HTML.
fn kind(path: &str, is_page: bool) -> String {
    let found = mime_guess::from_path(Path::new(path)).first();
    let found = found.unwrap_or(if is_page {
        mime_guess::mime::TEXT_HTML
    } else {
        mime_guess::mime::APPLICATION_OCTET_STREAM
    });
    found.essence_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_the_page_are_served() {
        let folder = tempfile::tempdir().expect("a directory");
        let files = [folder.path().join("a b.html"), folder.path().join("look.css")];
        for file in &files {
            std::fs::write(file, "x").expect("a file");
        }
        let names = ["a b.html".to_owned(), "a_files/look.css".to_owned()];
        let site = Site::new(&names, &files);
        assert_eq!(site.address(), "http://localhost/a%20b.html");
        assert_eq!(site.response(&site.address()), Response::File(b"x".to_vec(), "text/html".to_owned()));
        let style = site.response("http://localhost/a_files/look.css?v=2");
        assert_eq!(style, Response::File(b"x".to_vec(), "text/css".to_owned()));
        assert_eq!(site.response("http://localhost/look%20.css"), Response::Missing("look .css".to_owned()));
        assert_eq!(site.response("http://localhost/../passwd"), Response::Missing("../passwd".to_owned()));
        assert_eq!(site.response("https://cdn.example/x.js"), Response::Elsewhere);
        assert_eq!(site.response("http://localhost:8000/a b.html"), Response::Elsewhere);
    }

    #[test]
    fn a_page_without_a_known_ending_is_a_page() {
        assert_eq!(kind("page", true), "text/html");
        assert_eq!(kind("data", false), "application/octet-stream");
        assert_eq!(kind("drawing.svg", true), "image/svg+xml");
    }
}
