//! Loads a custom parser: a shared library, which is compiled from the sources of the grammar if necessary.

use super::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use tree_sitter_language::LanguageFn;

/// True if this program is linked statically, and therefore cannot load a library.
const IS_STATIC: bool = cfg!(target_feature = "crt-static");

/// Returns whether a grammar folder contains a parser, as a library or as source code.
pub(super) fn is_in(folder: &Path) -> bool {
    folder.join("parser.so").exists() || folder.join("src/parser.c").exists()
}

/// The names of subfolders of a package that never contain its grammar.
const OTHERS: [&str; 6] = ["node_modules", "target", "examples", "test", "bindings", "build"];
/// The maximum depth of the folder of a grammar in a package.
const DEPTH: usize = 2;

/// Returns the folder of the grammar at a path, which is that folder or a package that contains it.
pub(super) fn place(path: &Path) -> Result<PathBuf, Error> {
    if is_in(path) || path.join("language.toml").exists() {
        return Ok(path.to_owned());
    }
    let mut folders = inside(path, DEPTH);
    folders.sort();
    match folders.len() {
        0 => Ok(path.to_owned()),
        1 => Ok(folders.remove(0)),
        _ => Err(Error::Several { path: path.to_owned(), folders }),
    }
}

/// Lists the subfolders with a parser, down to a depth.
fn inside(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let is_other = |path: &PathBuf| {
        path.file_name().is_some_and(|name| {
            OTHERS.iter().any(|other| name == *other) || name.as_encoded_bytes().starts_with(b".")
        })
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = entries.filter(|path| path.is_dir() && !is_other(path));
    let found = folders.flat_map(|path| match (is_in(&path), depth > 1) {
        (true, _) => vec![path],
        (false, true) => inside(&path, depth - 1),
        (false, false) => Vec::new(),
    });
    found.collect()
}

/// Loads the parser of a grammar folder; `name` is the name of the language.
pub(super) fn load(folder: &Path, name: &str) -> Result<LanguageFn, Error> {
    let ready = folder.join("parser.so");
    let source = folder.join("src/parser.c");
    if IS_STATIC && (ready.exists() || source.exists()) {
        return Err(Error::Static { path: folder.to_owned() });
    }
    if ready.exists() {
        return open(folder, &ready, &name.replace('-', "_"));
    }
    if !source.exists() {
        return Err(Error::NoParser { path: folder.to_owned() });
    }
    let text = std::fs::read(&source).map_err(|error| Error::Read { path: source.clone(), source: error })?;
    let symbol =
        exported(&text).ok_or_else(|| wrong(folder, "`src/parser.c` does not export `tree_sitter_…`"))?;
    let library = tempfile::tempdir().map_err(|error| wrong(folder, &error.to_string()))?;
    let path = library.path().join("parser.so");
    compile(folder, &path)?;
    open(folder, &path, &symbol)
}

/// Compiles the sources of a grammar.
fn compile(folder: &Path, library: &Path) -> Result<(), Error> {
    let sources = folder.join("src");
    let files: Vec<PathBuf> = ["parser.c", "scanner.c"]
        .iter()
        .map(|file| sources.join(file))
        .filter(|file| file.exists())
        .collect();
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = Command::new(&compiler)
        .args(["-shared", "-fPIC", "-O1", "-w", "-I"])
        .arg(&sources)
        .args(&files)
        .arg("-o")
        .arg(library)
        .output()
        .map_err(|error| wrong(folder, &format!("cannot run `{}`: {error}", compiler.display())))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(wrong(folder, said.lines().find(|line| line.contains("error")).unwrap_or("compilation failed")))
}

/// Returns the name of the function that a generated parser exports, without its `tree_sitter_`.
fn exported(parser: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(parser);
    let line = text.lines().rev().find(|line| line.contains("TSLanguage *tree_sitter_"))?;
    let name = line.split("tree_sitter_").nth(1)?;
    Some(name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

fn open(folder: &Path, library: &Path, symbol: &str) -> Result<LanguageFn, Error> {
    let failed = |error: libloading::Error| wrong(folder, &error.to_string());
    // SAFETY: the user requests this library. Loading it runs its initialisers, as for any parser.
    let library = unsafe { libloading::Library::new(library) }.map_err(failed)?;
    let name = format!("tree_sitter_{symbol}\0");
    // SAFETY: every generated parser exports its language under this name with this signature.
    let function = unsafe { library.get::<unsafe extern "C" fn() -> *const ()>(name.as_bytes()) };
    let function = *function.map_err(failed)?;
    // The library contains the tables of the language, which are needed until the program exits.
    std::mem::forget(library);
    // SAFETY: as above, it is a function that returns a language.
    Ok(unsafe { LanguageFn::from_raw(function) })
}

fn wrong(folder: &Path, message: &str) -> Error {
    Error::Parser { path: folder.to_owned(), message: message.to_owned() }
}
