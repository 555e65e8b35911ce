//! Programs with debug information, examined by gdb.

use super::{Debugger, file_name};
use crate::protocol::Vertex;
use std::ffi::OsString;
use std::path::Path;

/// The GNU debugger.
#[derive(Clone, Copy, Debug)]
pub struct Gdb;

impl Debugger for Gdb {
    fn name(&self) -> &'static str {
        "gdb"
    }

    fn agent(&self) -> &'static str {
        include_str!("gdb.py")
    }

    fn origins(&self) -> &'static str {
        include_str!("gdb_origins.py")
    }

    fn words(&self, agent: &Path) -> Vec<OsString> {
        let words = ["env", "NUBBIN_REQUEST={}", "gdb", "-nx", "-q", "-batch", "-x"];
        words.into_iter().map(OsString::from).chain([agent.as_os_str().to_owned()]).collect()
    }

    fn expression(&self, of: &str, op: &str) -> String {
        let inner = of.strip_prefix('*');
        match (op, inner) {
            ("*", _) => format!("*{of}"),
            ("", _) => of.to_owned(),
            // An object, accessed by its dynamic type.
            (_, _) if op.starts_with('*') => format!("({op} {of})"),
            (_, Some(pointer)) if op.starts_with('.') => format!("{pointer}->{}", &op[1..]),
            (_, Some(_)) => format!("({of}){op}"),
            _ => format!("{of}{op}"),
        }
    }

    fn nothing(&self) -> &'static str {
        "0"
    }

    fn temporary(&self, number: usize) -> String {
        format!("$m{number}")
    }

    fn assign(&self, place: &str, value: &str) -> String {
        format!("set variable {place} = {value}")
    }

    fn write(&self, place: &str, old: &Vertex, new: &Vertex) -> Option<Vec<String>> {
        let fits = new.size <= old.size;
        let at = self.reference(place);
        fits.then(|| vec![format!("set variable *(char (*)[{}])({at}) = {}", new.size, new.value)])
    }

    fn create(&self, variable: &str, first: &Vertex, count: usize) -> Option<String> {
        let kind = &first.type_name;
        let bytes = first.size.checked_mul(count as u64)?;
        Some(format!("set variable {variable} = ({kind} *)((void *(*)(unsigned long))malloc)({bytes})"))
    }

    fn tuple(&self, _: &Vertex, _: &str) -> Option<String> {
        None
    }

    fn create_text(&self, variable: &str, text: &Vertex) -> Option<Vec<String>> {
        let made =
            format!("set variable {variable} = (char *)((void *(*)(unsigned long))malloc)({})", text.size);
        let written = format!("set variable *(char (*)[{}]){variable} = {}", text.size, text.value);
        Some(vec![made, written])
    }

    fn insert(&self, _: &str, _: &str, _: &str) -> Option<String> {
        None
    }

    fn remove(&self, _: Option<&str>, _: &str) -> Option<String> {
        None
    }

    fn reference(&self, expression: &str) -> String {
        if let Some(pointer) = expression.strip_prefix('*') {
            return pointer.to_owned();
        }
        expression.strip_suffix("[0]").map_or_else(|| format!("&{expression}"), str::to_owned)
    }

    fn refers_to_all(&self) -> bool {
        false
    }

    fn go_to(&self, program: &[String], file: &Path, line: u32, count: u32) -> Vec<String> {
        let name = file_name(file.to_str().unwrap_or_default());
        let mut commands = vec![format!("gdb --args {}", program.join(" ")), format!("break {name}:{line}")];
        if count > 1 {
            commands.push(format!("ignore 1 {}", count - 1));
        }
        commands.push("run".to_owned());
        commands
    }
}
