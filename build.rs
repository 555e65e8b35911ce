//! Declares the directories under `grammars/` as inputs of the build, and passes the versions of the parsers
//! to the program, and to its tests whether the kernel reports referenced pages (`tells_pages`).

fn main() {
    println!("cargo:rerun-if-changed=grammars");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    let manifests = ["crates/language/Cargo.toml", "Cargo.toml"].map(std::fs::read_to_string);
    let features: String = manifests.into_iter().flatten().collect();
    println!("cargo:rustc-env=NUBBIN_PARSERS={}", parsers(&lock, &features).join(", "));
    println!("cargo:rustc-check-cfg=cfg(tells_pages)");
    if tells_pages() {
        println!("cargo:rustc-cfg=tells_pages");
    }
}

/// Returns whether this kernel reports which pages of a process were referenced.
fn tells_pages() -> bool {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    std::fs::write("/proc/self/clear_refs", "1").is_ok() && maps.contains("Referenced:")
}

/// Returns whether a grammar is part of the program, that is, whether a feature that requires it is enabled.
fn is_wanted(features: &str, grammar: &str) -> bool {
    // A package does not contain `crates/language/Cargo.toml`; there, the feature with the name of the grammar decides.
    let language = grammar.trim_start_matches("tree-sitter-");
    let enabling = [format!("\"dep:{grammar}\""), format!("= [\"nubbin-language/{language}\"]")];
    let asks = |line: &&str| enabling.iter().any(|feature| line.contains(feature));
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_uppercase().replace('-', "_");
    let mut asking = features.lines().filter(asks).map(name).peekable();
    asking.peek().is_none() || asking.any(|name| std::env::var_os(format!("CARGO_FEATURE_{name}")).is_some())
}

/// Returns the names and versions of the parser library and the grammars.
fn parsers(lock: &str, features: &str) -> Vec<String> {
    let value =
        |line: &str, key: &str| Some(line.strip_prefix(key)?.trim_matches([' ', '=', '"']).to_owned());
    let mut lines = lock.lines();
    let mut parsers = Vec::new();
    while let Some(line) = lines.next() {
        let Some(name) = value(line, "name").filter(|name| name.starts_with("tree-sitter")) else { continue };
        let version = lines.next().and_then(|line| value(line, "version"));
        if name != "tree-sitter-language" && is_wanted(features, &name) {
            parsers.extend(version.map(|version| format!("{name} {version}")));
        }
    }
    parsers
}
