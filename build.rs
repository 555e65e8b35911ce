//! Tells cargo that the folders under `grammars/` are part of the program.

fn main() {
    println!("cargo:rerun-if-changed=grammars");
}
