//! Writes changes as a patch in the format of git.

use super::compare::is_text;
use super::{Changes, File, FileNode, made_in};
use nubbin_archive::Type;
use similar::TextDiff;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const CONTEXT: usize = 3;
/// The number of bytes in a line of a binary patch.
const BINARY_LINE: usize = 52;
/// The largest stored block of a zlib stream, in bytes.
const STORED: usize = 65_535;

/// A file with its path in one version, if it exists there.
type Side<'s> = Option<(&'s Path, &'s FileNode)>;

impl Changes {
    /// Returns the applicable ones of the chosen changes as a patch to the older version.
    #[must_use]
    pub fn patch(&self, chosen: &[u32]) -> Vec<u8> {
        let mut patch = Vec::new();
        for (file, made) in self.by_file(chosen) {
            if !made.is_empty() {
                write_file(&mut patch, file, made_in(file, &made).as_ref());
            }
        }
        patch
    }
}

fn write_file(patch: &mut Vec<u8>, file: &File, made: Option<&(PathBuf, FileNode)>) {
    let old: Side<'_> = file.old.as_ref().map(|(path, node)| (&**path, node));
    let new: Side<'_> = made.map(|(path, node)| (&**path, node));
    match (old, new) {
        // A file is not changed into a link or vice versa: it is deleted and created.
        (Some((_, one)), Some((_, other))) if one.kind != other.kind => {
            section(patch, old, None);
            section(patch, None, new);
        }
        _ => section(patch, old, new),
    }
}

fn section(into: &mut Vec<u8>, old: Side<'_>, new: Side<'_>) {
    let Some((first, _)) = old.or(new) else { return };
    let name = |side: Side<'_>, letter: &str| quoted(letter, side.map_or(first, |(path, _)| path));
    let mut head = vec![format!("diff --git {} {}", name(old.or(new), "a/"), name(new.or(old), "b/"))];
    match (old, new) {
        (None, Some((_, node))) => head.push(format!("new file mode {}", mode(node))),
        (Some((_, node)), None) => head.push(format!("deleted file mode {}", mode(node))),
        (Some((from, one)), Some((to, other))) => {
            if mode(one) != mode(other) {
                head.extend([format!("old mode {}", mode(one)), format!("new mode {}", mode(other))]);
            }
            if from != to {
                let same = if one.content == other.content { "100%" } else { "50%" };
                head.push(format!("similarity index {same}"));
                head.extend([
                    format!("rename from {}", quoted("", from)),
                    format!("rename to {}", quoted("", to)),
                ]);
            }
        }
        (None, None) => {}
    }
    into.extend_from_slice((head.join("\n") + "\n").as_bytes());
    let (before, after) = (content(old), content(new));
    if before == after {
        return;
    }
    let is_shown = |side: Side<'_>| side.is_none_or(|(_, node)| node.kind == Type::Link || is_text(node));
    if is_shown(old) && is_shown(new) {
        TextDiff::configure()
            .diff_lines(before, after)
            .unified_diff()
            .context_radius(CONTEXT)
            .header(&place(old, "a/"), &place(new, "b/"))
            .to_writer(into)
            .expect("memory can be written");
    } else {
        binary(into, old, new);
    }
}

/// Returns the file of a side as in the lines before the hunks.
fn place(side: Side<'_>, letter: &str) -> String {
    let Some((path, _)) = side else { return "/dev/null".to_owned() };
    // A tab marks the end of a name that contains spaces.
    let name = quoted(letter, path);
    if name.contains(' ') && !name.starts_with('"') { name + "\t" } else { name }
}

fn content(side: Side<'_>) -> &[u8] {
    side.map_or(&[], |(_, node)| &node.content)
}

fn mode(node: &FileNode) -> &'static str {
    match node.kind {
        Type::Link => "120000",
        _ if node.mode & 0o111 != 0 => "100755",
        _ => "100644",
    }
}

/// Returns a path, quoted if necessary.
fn quoted(prefix: &str, path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let is_plain = |&byte: &u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    if bytes.iter().all(is_plain) {
        return format!("{prefix}{}", path.display());
    }
    let shown = bytes.iter().map(|&byte| match byte {
        b'"' | b'\\' => format!("\\{}", byte as char),
        _ if is_plain(&byte) => (byte as char).to_string(),
        _ => format!("\\{byte:03o}"),
    });
    format!("\"{prefix}{}\"", shown.collect::<String>())
}

fn binary(patch: &mut Vec<u8>, old: Side<'_>, new: Side<'_>) {
    let name = |side: Side<'_>| side.map_or("0".repeat(40), |(_, node)| blob(&node.content));
    let suffix = match (old, new) {
        (Some((_, one)), Some((_, other))) if mode(one) == mode(other) => format!(" {}", mode(one)),
        _ => String::new(),
    };
    patch.extend_from_slice(
        format!("index {}..{}{suffix}\nGIT binary patch\n", name(old), name(new)).as_bytes(),
    );
    for side in [new, old] {
        literal(patch, content(side));
    }
}

/// Returns git's object name of a content.
fn blob(content: &[u8]) -> String {
    let mut hash = sha1_smol::Sha1::new();
    hash.update(format!("blob {}\0", content.len()).as_bytes());
    hash.update(content);
    hash.digest().to_string()
}

fn literal(patch: &mut Vec<u8>, content: &[u8]) {
    patch.extend_from_slice(format!("literal {}\n", content.len()).as_bytes());
    for line in stored(content).chunks(BINARY_LINE) {
        let length = line.len() as u8;
        patch.push(if length <= 26 { b'A' + length - 1 } else { b'a' + length - 27 });
        for word in line.chunks(4) {
            let mut bytes = [0; 4];
            bytes[..word.len()].copy_from_slice(word);
            patch.extend_from_slice(&base85(u32::from_be_bytes(bytes)));
        }
        patch.push(b'\n');
    }
    patch.push(b'\n');
}

/// Returns a text in zlib format, without compression.
fn stored(content: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = content.chunks(STORED).peekable();
    if content.is_empty() {
        stream.extend_from_slice(&[1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        stream.push(u8::from(blocks.peek().is_none()));
        let length = block.len() as u16;
        stream.extend_from_slice(&length.to_le_bytes());
        stream.extend_from_slice(&(!length).to_le_bytes());
        stream.extend_from_slice(block);
    }
    let (a, b) = content.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    stream.extend_from_slice(&(b << 16 | a).to_be_bytes());
    stream
}

fn base85(mut word: u32) -> [u8; 5] {
    const DIGITS: &[u8; 85] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut text = [0; 5];
    for digit in text.iter_mut().rev() {
        *digit = DIGITS[(word % 85) as usize];
        word /= 85;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::tree;
    use super::*;

    #[test]
    fn a_patch_has_the_chosen_hunks_with_lines_around_them() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let changes =
            Changes::between(&tree(&[("a b", old)]), &tree(&[("a b", "0\n2\n3\n4\n5\n6\n7\n8\n0")]));
        let patch = String::from_utf8(changes.patch(&[1])).expect("text");
        assert_eq!(
            patch,
            "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+0\n\\ No newline at end of file\n"
        );
        assert_eq!(changes.patch(&[]), b"");
    }

    #[test]
    fn odd_names_are_in_quotes() {
        assert_eq!(quoted("a/", Path::new("x\ny\"é")), "\"a/x\\012y\\\"\\303\\251\"");
        assert_eq!(quoted("", Path::new("x y")), "x y");
    }

    #[test]
    fn a_blob_has_the_name_that_git_gives_it() {
        assert_eq!(blob(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
