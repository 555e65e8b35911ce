//! Compiles the library that runs Node programs as servers. If the compilation fails, the library is empty,
//! and each run of a Node program starts a new process.

use base64::prelude::{BASE64_STANDARD as STANDARD, Engine};
use std::path::{Path, PathBuf};
use std::{env, fs};

const SOURCE: &str = "src/node/fork.c";

/// The library is not linked with other libraries; it calls functions of the program into which it is loaded.
const OPTIONS: [&str; 8] =
    ["-shared", "-fPIC", "-O2", "-s", "-nostdlib", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-w"];

fn main() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let output = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("fork.so");
    let library = if compile(&output) { fs::read(&output).unwrap_or_default() } else { Vec::new() };
    if library.is_empty() {
        println!(
            "cargo::warning=cannot compile the library for Node; Node programs will run without a server"
        );
    }
    let text = output.with_extension("base64");
    fs::write(&text, STANDARD.encode(library))
        .unwrap_or_else(|error| panic!("`{}`: {error}", text.display()));
}

fn compile(output: &Path) -> bool {
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return false;
    }
    // Node uses the usual C library, even if this program is built with another one.
    let target = env::var("TARGET").unwrap_or_default().replace("-musl", "-gnu");
    let Ok(compiler) = cc::Build::new().cargo_metadata(false).target(&target).try_get_compiler() else {
        return false;
    };
    let mut command = compiler.to_command();
    command.args(OPTIONS).arg(SOURCE).arg("-o").arg(output);
    command.status().is_ok_and(|status| status.success())
}
