//! Compiles the library that makes a server of Node. Where that cannot be done, an empty text stands for it, and programs
//! in Node have a process for each run.

use base64::prelude::{BASE64_STANDARD as STANDARD, Engine};
use std::path::{Path, PathBuf};
use std::{env, fs};

const SOURCE: &str = "src/node/fork.c";

/// Nothing is linked: what the library calls is in the program that it is loaded into.
const OPTIONS: [&str; 8] =
    ["-shared", "-fPIC", "-O2", "-s", "-nostdlib", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-w"];

fn main() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let output = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("fork.so");
    let library = if compile(&output) { fs::read(&output).unwrap_or_default() } else { Vec::new() };
    if library.is_empty() {
        println!("cargo::warning=the library for Node cannot be compiled: its programs will not be served");
    }
    let text = output.with_extension("base64");
    fs::write(&text, STANDARD.encode(library))
        .unwrap_or_else(|error| panic!("`{}`: {error}", text.display()));
}

fn compile(output: &Path) -> bool {
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return false;
    }
    // Node is another program: it has the usual C library also where this one is built with another.
    let target = env::var("TARGET").unwrap_or_default().replace("-musl", "-gnu");
    let Ok(compiler) = cc::Build::new().cargo_metadata(false).target(&target).try_get_compiler() else {
        return false;
    };
    let mut command = compiler.to_command();
    command.args(OPTIONS).arg(SOURCE).arg("-o").arg(output);
    command.status().is_ok_and(|status| status.success())
}
