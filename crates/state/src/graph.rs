//! Memory graphs (Zeller, FSE 2002, section 3): the memory of a program at a point, and how its parts are
//! reached.
//!
//! G = (V, E, root). A vertex has a type and a value. An edge has an operation that turns the expression of
//! its source into that of its target. The name of a vertex is the expression along a shortest path from the
//! root.

use crate::debugger::Debugger;
use crate::protocol::{Edge, Frame, Kind, State, Vertex};
use std::collections::VecDeque;

/// Tuned constants.
struct Tuning {
    /// Vertices that are further from the variables have no name; otherwise the last node of a long list
    /// would have a name of a hundred thousand operations.
    far: u32,
    /// The maximum number of operations in an alias.
    length: usize,
    /// The maximum number of steps in the search for aliases.
    steps: usize,
}

const TUNING: Tuning = Tuning { far: 300, length: 9, steps: 400 };

/// An expression in a frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// The frame of its variable, where 0 is the innermost; `None` for a static variable.
    pub frame: Option<u32>,
    /// The expression.
    pub text: String,
    /// The number of operations.
    pub length: u32,
}

/// A memory graph.
#[derive(Debug)]
pub struct Graph {
    state: State,
    /// The edges of the root, and of each vertex.
    roots: Vec<u32>,
    out: Vec<Vec<u32>>,
    /// The edges to each vertex.
    into: Vec<Vec<u32>>,
    names: Vec<Option<Name>>,
    refers_to_all: bool,
}

impl Graph {
    /// Creates the graph of a state. Edges of missing vertices are ignored.
    #[must_use]
    pub fn new(mut state: State, debugger: &dyn Debugger) -> Self {
        let count = state.vertices.len() as u32;
        state.edges.retain(|edge| edge.to < count && edge.from.is_none_or(|from| from < count));
        let mut roots = Vec::new();
        let mut out = vec![Vec::new(); state.vertices.len()];
        let mut into = vec![Vec::new(); state.vertices.len()];
        for (number, edge) in state.edges.iter().enumerate() {
            into[edge.to as usize].push(number as u32);
            match edge.from {
                None => roots.push(number as u32),
                Some(from) => out[from as usize].push(number as u32),
            }
        }
        // Variables of inner frames precede those of outer ones, and static ones are last.
        roots.sort_by_key(|&edge| state.edges[edge as usize].frame.unwrap_or(u32::MAX));
        let refers_to_all = debugger.refers_to_all();
        let names = vec![None; state.vertices.len()];
        let mut graph = Self { state, roots, out, into, names, refers_to_all };
        graph.name_all(debugger);
        graph
    }

    fn name_all(&mut self, debugger: &dyn Debugger) {
        let mut queue: VecDeque<u32> = self.roots.iter().copied().collect();
        while let Some(number) = queue.pop_front() {
            let edge = &self.state.edges[number as usize];
            if self.names[edge.to as usize].is_some() {
                continue;
            }
            let to = edge.to as usize;
            self.names[to] = self.name_of(edge, debugger);
            queue.extend(&self.out[to]);
        }
    }

    /// Returns the name that an edge gives to its target, or `None` if its source has no name or is too far
    /// from the variables.
    #[must_use]
    pub fn name_of(&self, edge: &Edge, debugger: &dyn Debugger) -> Option<Name> {
        let Some(from) = edge.from else {
            return Some(Name { frame: edge.frame, text: edge.op.clone(), length: 1 });
        };
        let parent = self.names[from as usize].as_ref().filter(|parent| parent.length < TUNING.far)?;
        let text = debugger.expression(&parent.text, &edge.op);
        Some(Name { frame: parent.frame, text, length: parent.length + 1 })
    }

    /// Returns the active frames, innermost first.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.state.frames
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.vertices.len()
    }

    /// Returns whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.vertices.is_empty()
    }

    /// Returns whether the graph contains the complete memory of the program.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.state.is_whole
    }

    /// Returns a vertex.
    #[must_use]
    pub fn vertex(&self, number: u32) -> &Vertex {
        &self.state.vertices[number as usize]
    }

    /// Returns all edges.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.state.edges
    }

    /// Returns the edges of a vertex, or of the root.
    pub fn out(&self, from: Option<u32>) -> impl Iterator<Item = &Edge> {
        let numbers = from.map_or(&self.roots, |from| &self.out[from as usize]);
        numbers.iter().map(|&number| &self.state.edges[number as usize])
    }

    /// Returns the name of a vertex.
    #[must_use]
    pub fn name(&self, number: u32) -> Option<&Name> {
        self.names[number as usize].as_ref()
    }

    /// Returns at most `most` names of a vertex, the shortest paths first.
    #[must_use]
    pub fn aliases(&self, number: u32, most: usize, debugger: &dyn Debugger) -> Vec<Name> {
        // Paths are followed backwards from the vertex; cycles end at the length limit.
        let mut queue = VecDeque::from([(number, Vec::new())]);
        let mut names = Vec::new();
        let mut steps = 0;
        while let Some((vertex, ops)) = queue.pop_front() {
            steps += 1;
            if names.len() >= most || steps > TUNING.steps {
                break;
            }
            for edge in self.into[vertex as usize].iter().map(|&edge| &self.state.edges[edge as usize]) {
                let mut ops: Vec<&str> = ops.clone();
                ops.push(&edge.op);
                match edge.from {
                    Some(from) if ops.len() < TUNING.length => queue.push_back((from, ops)),
                    Some(_) => {}
                    None => {
                        let length = ops.len() as u32;
                        let text = ops
                            .iter()
                            .rev()
                            .skip(1)
                            .fold(edge.op.clone(), |text, op| debugger.expression(&text, op));
                        names.push(Name { frame: edge.frame, text, length });
                    }
                }
            }
        }
        names
    }

    /// Returns the edges to a vertex.
    pub fn into(&self, to: u32) -> impl Iterator<Item = &Edge> {
        self.into[to as usize].iter().map(|&number| &self.state.edges[number as usize])
    }

    /// Returns whether a vertex is a compound value, such as a record, an array or a map.
    #[must_use]
    pub fn has_parts(&self, number: u32) -> bool {
        matches!(self.vertex(number).kind, Kind::Record | Kind::Array | Kind::Tuple | Kind::Map | Kind::Set)
    }

    /// Returns whether the target of an edge is a separate object, and not part of its source.
    #[must_use]
    pub fn is_reference(&self, edge: &Edge) -> bool {
        match edge.from {
            _ if self.refers_to_all => self.has_parts(edge.to),
            None => false,
            Some(from) => self.vertex(from).kind == Kind::Pointer,
        }
    }

    /// Returns the first target of a pointer.
    #[must_use]
    pub fn target(&self, pointer: u32) -> Option<u32> {
        self.out(Some(pointer)).next().map(|edge| edge.to)
    }

    /// Returns the objects at the target of a reference: a single one, or the elements of an array that fills
    /// its memory block.
    #[must_use]
    pub fn row(&self, first: u32) -> Vec<u32> {
        let mut edges = self.into(first).filter(|edge| self.is_reference(edge));
        match edges.find(|edge| edge.op.starts_with('[')).and_then(|edge| edge.from) {
            Some(pointer) if !self.refers_to_all => self.out(Some(pointer)).map(|edge| edge.to).collect(),
            _ => vec![first],
        }
    }
}
