//! The example of Zeller's paper on states (FSE 2002, section 4): the lists 14, 18, 20, 22 and 14, 15, 18,
//! 22.

use nubbin_state::debugger::{self, Debugger};
use nubbin_state::delta::{Delta, Difference};
use nubbin_state::graph::Graph;
use nubbin_state::matching::{Matching, Method};
use nubbin_state::protocol::{Edge, Kind, State, Vertex};
use std::ffi::OsString;

/// Returns the state of a program with one variable, a list.
fn list(values: &[u32]) -> State {
    let mut state = State { is_whole: true, ..State::default() };
    let mut add = |type_name: &str, kind, value: String, size| {
        state.vertices.push(Vertex { type_name: type_name.to_owned(), kind, value, size });
        state.vertices.len() as u32 - 1
    };
    let mut pointer = add("List *", Kind::Pointer, String::new(), 8);
    state.edges.push(Edge { from: None, frame: Some(0), op: "list".to_owned(), to: pointer });
    for (at, value) in values.iter().enumerate() {
        let kind = if at + 1 == values.len() { Kind::Null } else { Kind::Pointer };
        let record = add("List", Kind::Record, String::new(), 16);
        let number = add("int", Kind::Atom, value.to_string(), 4);
        let next = add("List *", kind, String::new(), 8);
        let edges = [(pointer, "*", record), (record, ".value", number), (record, ".next", next)];
        let edge =
            |(from, op, to): (u32, &str, u32)| Edge { from: Some(from), frame: None, op: op.to_owned(), to };
        state.edges.extend(edges.map(edge));
        pointer = next;
    }
    state
}

fn gdb() -> Box<dyn Debugger> {
    debugger::of(&[OsString::from("./list")]).expect("a program").0
}

/// Returns the commands of all deltas, of the one that adds 15, and of the one that removes 20.
fn commands(method: Method) -> (Vec<String>, [Vec<String>; 3]) {
    let debugger = gdb();
    let [passing, failing] =
        [[14, 18, 20, 22], [14, 15, 18, 22]].map(|values| Graph::new(list(&values), debugger.as_ref()));
    let matching = Matching::new(&passing, &failing, method);
    let difference = Difference::new(&passing, &failing, matching, debugger.as_ref());
    let all: Vec<usize> = (0..difference.deltas().len()).collect();
    let is_new = |number: &&usize| matches!(difference.deltas()[**number], Delta::New { .. });
    let new: Vec<usize> = all.iter().filter(is_new).copied().collect();
    let old: Vec<usize> = all.iter().filter(|number| !is_new(number)).copied().collect();
    let words = all.iter().map(|&number| difference.words(number)).collect();
    (words, [&all, &new, &old].map(|set| difference.commands(set)))
}

#[test]
fn the_parallel_traversal_finds_two_changed_values() {
    let (words, [all, ..]) = commands(Method::Parallel);
    assert_eq!(words, ["list->next->value = 15, not 18", "list->next->next->value = 18, not 20"]);
    assert_eq!(all, ["set variable list->next->value = 15", "set variable list->next->next->value = 18"]);
}

#[test]
fn the_largest_common_subgraph_finds_an_added_and_a_removed_node() {
    let (words, [all, new, old]) = commands(Method::Largest);
    assert_eq!(words.len(), 2, "{words:?}");
    // 14, 15, 18, 20, 22.
    assert_eq!(
        new,
        [
            "set variable $m1 = (List *)((void *(*)(unsigned long))malloc)(16)",
            "set variable $m1->value = 15",
            "set variable $m1->next = list->next",
            "set variable list->next = $m1",
        ]
    );
    // 14, 18, 22.
    assert_eq!(old, ["set variable list->next->next = list->next->next->next"]);
    // 14, 15, 18, 22.
    assert_eq!(
        all,
        [
            "set variable $m1 = (List *)((void *(*)(unsigned long))malloc)(16)",
            "set variable $m1->value = 15",
            "set variable $m1->next = list->next",
            "set variable $m2 = list->next->next->next",
            "set variable list->next->next = $m2",
            "set variable list->next = $m1",
        ]
    );
}
