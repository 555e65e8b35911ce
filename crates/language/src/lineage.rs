//! Merges the folder of a language with the folders of the languages that it inherits from. Queries are not
//! compiled here.

use super::source::{Source, SourcePattern, pieces};
use super::{Error, Folder, Manifest, NAMES};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The keys of a manifest that are never inherited.
const OWN: [&str; 6] = ["name", "title", "extensions", "interpreters", "inherits", "without"];

/// The keys of a manifest whose values are added to the inherited ones. For all other keys, the value of the
/// language replaces the inherited one.
const ADDED: [&str; 7] = ["noise", "opaque", "whole", "empty", "kinds", "constants", "syntax"];

/// The patterns of each query file, by file name. The number is an index into [`Lineage::folders`]: 0 for the
/// patterns of the language itself.
type Files = BTreeMap<String, Vec<(usize, SourcePattern)>>;

/// The folder of a language, followed by the folder of its base, and so on.
#[derive(Debug)]
pub(super) struct Lineage {
    folders: Vec<(Folder, Manifest)>,
}

impl Lineage {
    /// Follows `inherits` from a folder to its bases; `find` returns the folder of a language.
    ///
    /// # Errors
    /// Returns an error if a manifest is invalid, if a base does not exist, or if a language inherits from
    /// itself.
    pub fn of(folder: &Folder, find: impl Fn(&str) -> Option<Folder>) -> Result<Self, Error> {
        let mut folders = vec![(folder.clone(), folder.manifest()?)];
        let mut names: Vec<String> = Vec::new();
        while let Some((last, Manifest { inherits: Some(name), .. })) = folders.last() {
            let (path, name) = (last.manifest_path(), name.clone());
            if names.contains(&name) {
                names.push(name);
                return Err(Error::Circle { path, names: names.join("`, `") });
            }
            let Some(base) = find(&name) else { return Err(Error::Base { path, name }) };
            names.push(name);
            let manifest = base.manifest()?;
            folders.push((base, manifest));
        }
        Ok(Self { folders })
    }

    /// Returns the folder of the language itself.
    pub fn own(&self) -> &Folder {
        &self.folders[0].0
    }

    /// Returns the smallest sentences of the grammar, if the folder of the language itself contains them.
    pub fn sentences(&self) -> Option<&nubbin_syntax::Sentences> {
        self.own().sentences()
    }

    /// Lists the names of the bases, the nearest first.
    pub fn bases(&self) -> impl Iterator<Item = &str> {
        self.folders[1..].iter().map(|(_, manifest)| manifest.name.as_str())
    }

    /// Returns the manifest of the language with inherited values.
    ///
    /// # Errors
    /// Returns an error if a manifest is invalid.
    pub fn manifest(&self) -> Result<Manifest, Error> {
        let merged = self.table(0)?;
        merged.try_into().map_err(|source| self.own().invalid(source))
    }

    /// Returns the error for a kind of node in a key of the manifest that the grammar does not have.
    pub fn unknown_kind(&self, key: &'static str, kind: &str) -> Error {
        let path = self.own().manifest_path();
        let kind = kind.to_owned();
        match self.bases().next() {
            Some(base) if !self.own().names_kind(key, &kind) => {
                Error::InheritedKind { path, kind, key, base: base.to_owned() }
            }
            _ => Error::Kind { path, kind },
        }
    }

    /// Returns the text of each query file by file name. Inherited patterns come first. For names, the patterns
    /// of the language itself come first, and patterns with `last` come at the end.
    ///
    /// # Errors
    /// Returns an error if brackets in a file do not match, or if `without` lists something that no base has.
    pub fn sources(&self) -> Result<BTreeMap<String, Source>, Error> {
        let mut files = Files::new();
        for generation in (0..self.folders.len()).rev() {
            self.leave_out(generation, &mut files)?;
            for (path, text) in self.folders[generation].0.queries() {
                for mut piece in pieces(path, text)? {
                    piece.remedy = self.remedy(generation, &piece);
                    let name = if piece.is_locals() { NAMES } else { piece.file_name() };
                    files.entry(name.to_owned()).or_default().push((generation, piece));
                }
            }
        }
        let source = |(name, mut pieces): (String, Vec<(usize, SourcePattern)>)| {
            // The first pattern that matches an identifier applies. Therefore the patterns of the language
            // itself come first, and in a file that follows the convention for locals, definitions come before
            // references.
            if name == NAMES {
                let order = |piece: &SourcePattern| match (piece.is_locals(), piece.defines()) {
                    (false, _) => 0,
                    (true, true) => 1,
                    (true, false) => 2,
                };
                pieces.sort_by_key(|(generation, piece)| (order(piece), piece.is_last, *generation));
            }
            (name, Source::new(pieces.into_iter().map(|(_, piece)| piece).collect()))
        };
        Ok(files.into_iter().filter(|(_, pieces)| !pieces.is_empty()).map(source).collect())
    }

    /// Removes the inherited patterns in `without` of the manifest of a folder.
    fn leave_out(&self, generation: usize, files: &mut Files) -> Result<(), Error> {
        let (folder, manifest) = &self.folders[generation];
        let keys = if manifest.without.is_empty() { Table::new() } else { self.table(generation + 1)? };
        for name in &manifest.without {
            let is_it = |piece: &SourcePattern| {
                [piece.rule.as_deref(), piece.part.as_deref(), Some(piece.file_name())].contains(&Some(name))
            };
            let is_key = keys.contains_key(name) && !OWN.contains(&name.as_str());
            let mut is_known = is_key;
            for pieces in files.values_mut() {
                let before = pieces.len();
                pieces.retain(|(_, piece)| !is_it(piece));
                is_known |= pieces.len() < before;
            }
            if !is_known {
                let base = manifest.inherits.clone();
                return Err(Error::Without { path: folder.manifest_path(), name: name.clone(), base });
            }
        }
        Ok(())
    }

    /// Returns advice for the error message if a pattern of a base does not fit this grammar.
    fn remedy(&self, generation: usize, piece: &SourcePattern) -> Option<String> {
        let (_, base) = self.folders[1..].get(generation.checked_sub(1)?)?;
        let (own, manifest) = &self.folders[0];
        let name = piece.part.as_deref().or(piece.rule.as_deref()).unwrap_or(piece.file_name());
        Some(format!(
            "`{}` inherits this pattern from `{}`; add `without = [\"{name}\"]` to `{}` to leave it out",
            manifest.name,
            base.name,
            own.manifest_path().display()
        ))
    }

    /// Returns the manifest of a folder with inherited values as a table, without checking its keys.
    fn table(&self, generation: usize) -> Result<Table, Error> {
        let mut merged = Table::new();
        for (folder, manifest) in self.folders.iter().skip(generation).rev() {
            merged.retain(|key, _| !OWN.contains(&key) && !manifest.without.iter().any(|name| name == key));
            for (key, value) in folder.table()? {
                let is_added = ADDED.contains(&key.as_str());
                match (merged.get_mut(&key).filter(|_| is_added), value) {
                    (Some(Value::Array(all)), Value::Array(own)) => all.extend(own),
                    (Some(Value::Table(all)), Value::Table(own)) => join(all, own),
                    (_, value) => _ = merged.insert(key, value),
                }
            }
        }
        Ok(merged)
    }
}

/// Merges a table into another one, recursively.
fn join(all: &mut Table, own: Table) {
    for (key, value) in own {
        match (all.get_mut(&key), value) {
            (Some(Value::Table(all)), Value::Table(own)) => join(all, own),
            (_, value) => _ = all.insert(key, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NameKind, Reach};
    use super::*;

    fn folder(manifest: &str, queries: &[(&str, &str)]) -> Folder {
        Folder::built_in("x", &format!("name = \"x\"\ntitle = \"X\"\n{manifest}"), queries)
    }

    fn find(name: &str) -> Option<Folder> {
        let rules = "((a) @delete (#set! rule \"r\"))\n((b) @delete (#set! rule \"s\") (#set! part \"p\"))\n";
        let names = "((a) @local.reference)\n((b) @local.reference (#set! last))\n";
        match name {
            "base" => Some(folder(
                "extensions = [\"b\"]\nlayout = \"indentation\"\nnoise = [\"x\"]\nopaque = [\"k\"]\n[empty]\nk = \"1\"\n[kinds.function]\nreach = \"outer\"\nconstant = \"0\"\n",
                &[("rule.scm", rules), ("names.scm", names)],
            )),
            "round" => Some(folder("inherits = \"about\"\n", &[])),
            "about" => Some(folder("inherits = \"round\"\n", &[])),
            _ => None,
        }
    }

    fn lineage(manifest: &str, queries: &[(&str, &str)]) -> Result<Lineage, Error> {
        Lineage::of(&folder(manifest, queries), find)
    }

    fn text(lineage: &Lineage, file: &str) -> String {
        let sources = lineage.sources().expect("all is closed");
        sources.get(file).map(|source| source.text().replace('\n', " ")).unwrap_or_default()
    }

    #[test]
    fn rules_are_added_behind_those_of_the_base_and_names_before_them_but_for_the_last() {
        let rule = "((c) @delete (#set! rule \"r\"))";
        let names = "((a) @local.definition)\n((c) @local.reference (#set! last))";
        let both = lineage("inherits = \"base\"\n", &[("rule.scm", rule), ("names.scm", names)])
            .expect("there is a base");
        assert_eq!(
            text(&both, "rule.scm"),
            "((a) @delete (#set! rule \"r\")) ((b) @delete (#set! rule \"s\") (#set! part \"p\")) ((c) @delete (#set! rule \"r\")) "
        );
        assert_eq!(
            text(&both, "names.scm"),
            "((a) @local.definition) ((a) @local.reference) ((c) @local.reference (#set! last)) ((b) @local.reference (#set! last)) "
        );
    }

    #[test]
    fn patterns_for_locals_come_after_those_for_names_and_definitions_first() {
        let locals = "(a) @local.reference\n(b) @local.definition\n";
        let both = lineage("", &[("locals.scm", locals), ("names.scm", "(c) @local.reference\n")]);
        assert_eq!(
            text(&both.expect("no base"), "names.scm"),
            "(c) @local.reference (b) @local.definition (a) @local.reference "
        );
    }

    #[test]
    fn what_a_language_is_without_goes_by_rule_part_file_and_key() {
        for (without, left) in [("r", "(b)"), ("s", "(a)"), ("p", "(a)"), ("rule.scm", "")] {
            let own = lineage(&format!("inherits = \"base\"\nwithout = [\"{without}\"]\n"), &[]);
            let text = text(&own.expect("there is a base"), "rule.scm");
            assert_eq!(text.split_once(" @").map_or("", |(first, _)| &first[1..]), left, "{without}");
        }
        let own = lineage("inherits = \"base\"\nwithout = [\"noise\", \"empty\"]\nopaque = [\"l\"]\n", &[]);
        let own = own.expect("there is a base");
        own.sources().expect("both are known");
        let manifest = own.manifest().expect("a valid one");
        assert!(manifest.noise.is_empty() && manifest.empty.is_empty() && manifest.extensions.is_empty());
        assert_eq!(manifest.opaque, ["k", "l"]);
        assert_eq!(manifest.layout, nubbin_syntax::Layout::Indentation);
    }

    #[test]
    fn what_a_language_says_of_a_kind_is_added_to_what_its_base_says() {
        let manifest = "inherits = \"base\"\n[kinds.function]\nconstant = \"1\"\n[kinds.class]\nown = true\n";
        let kinds = lineage(manifest, &[]).expect("there is a base").manifest().expect("a valid one").kinds;
        let function = &kinds[&NameKind::Function];
        assert_eq!((function.reach, function.constant.as_deref()), (Reach::Outer, Some("1")));
        assert!(kinds[&NameKind::Class].own);
        for (key, message) in
            [("kinds.vairable]", "unknown variant `vairable`"), ("kinds.class]\nx = 1", "unknown field `x`")]
        {
            let error = lineage(&format!("[{key}\n"), &[]).expect_err("there is no such key").to_string();
            assert!(error.contains("grammars/x/language.toml") && error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_base_that_there_is_not_a_circle_and_what_no_base_has_are_errors() {
        let error = lineage("inherits = \"nothing\"\n", &[]).expect_err("there is none");
        assert!(matches!(error, Error::Base { .. }), "{error}");
        let error = lineage("inherits = \"round\"\n", &[]).expect_err("it leads in a circle");
        assert!(error.to_string().contains("`round`, `about`, `round`"), "{error}");
        for manifest in ["inherits = \"base\"\nwithout = [\"title\"]\n", "without = [\"r\"]\n"] {
            let error = lineage(manifest, &[]).expect("a lineage").sources().expect_err("there is none");
            assert!(matches!(error, Error::Without { .. }), "{error}");
        }
    }
}
