//! Tells cargo that the folders under `grammars/` are part of the program, and the program which parsers it has.

fn main() {
    println!("cargo:rerun-if-changed=grammars");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    println!("cargo:rustc-env=NUBBIN_PARSERS={}", parsers(&lock).join(", "));
}

/// The names and versions of the parser library and the grammars.
fn parsers(lock: &str) -> Vec<String> {
    let value =
        |line: &str, key: &str| Some(line.strip_prefix(key)?.trim_matches([' ', '=', '"']).to_owned());
    let mut lines = lock.lines();
    let mut parsers = Vec::new();
    while let Some(line) = lines.next() {
        let Some(name) = value(line, "name").filter(|name| name.starts_with("tree-sitter")) else { continue };
        let version = lines.next().and_then(|line| value(line, "version"));
        if name != "tree-sitter-language" {
            parsers.extend(version.map(|version| format!("{name} {version}")));
        }
    }
    parsers
}
