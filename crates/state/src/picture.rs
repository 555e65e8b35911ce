//! Draws a memory graph: a box for each frame and each referenced object, with a row for each value.
//!
//! The output is text for Graphviz, and SVG with a built-in layout that places boxes in columns by their
//! distance from the variables.

use crate::delta::{Delta, Difference};
use crate::graph::Graph;
use crate::matching::are_equal;
use crate::protocol::{Edge, Kind};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt::Write;

/// Tuned constants.
struct Tuning {
    /// The maximum number of boxes.
    boxes: usize,
    /// The maximum number of rows of a box.
    rows: usize,
    /// The maximum number of displayed characters of a value.
    value: usize,
    /// The width of a character, and the height of a row.
    character: usize,
    row: usize,
    /// The space between columns, and between the boxes of a column.
    gap: [usize; 2],
}

const TUNING: Tuning = Tuning { boxes: 60, rows: 20, value: 24, character: 7, row: 18, gap: [48, 14] };

/// A picture of a failing state, in which the differences from the passing state are highlighted and the
/// cause most of all.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The text for Graphviz.
    pub dot: String,
    /// The SVG document.
    pub svg: String,
}

impl Picture {
    /// Draws the failing state. `chosen` contains the numbers of the deltas that are the cause.
    #[must_use]
    pub fn of(passing: &Graph, failing: &Graph, difference: &Difference<'_>, chosen: &[usize]) -> Self {
        let mut drawing =
            Drawing { passing, failing, difference, causes: BTreeSet::new(), places: BTreeSet::new() };
        for &number in chosen {
            match &difference.deltas()[number] {
                Delta::Value { failing, .. } | Delta::New { failing, .. } => {
                    drawing.causes.insert(*failing);
                }
                Delta::More { edge, .. } => {
                    drawing.causes.insert(edge.to);
                }
                other => {
                    drawing.places.insert(other.place().text.clone());
                }
            }
        }
        let boxes = drawing.boxes();
        Self { dot: dot(&boxes), svg: svg(&boxes) }
    }
}

/// The colour of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Same,
    Other,
    Cause,
}

impl Look {
    fn colour(self) -> &'static str {
        match self {
            Self::Same => "#eef1f5",
            Self::Other => "#fff3c4",
            Self::Cause => "#ffd7d5",
        }
    }
}

/// A value in a box.
#[derive(Debug)]
struct Row {
    label: String,
    value: String,
    look: Look,
    /// The index of the box to which it refers.
    to: Option<usize>,
}

/// A box: a frame, or a referenced object.
#[derive(Debug)]
struct Shape {
    title: String,
    rows: Vec<Row>,
    column: usize,
}

struct Drawing<'d> {
    passing: &'d Graph,
    failing: &'d Graph,
    difference: &'d Difference<'d>,
    causes: BTreeSet<u32>,
    places: BTreeSet<String>,
}

/// The content of a box.
enum Content<'g> {
    Frame(Option<u32>),
    /// The edges of a pointer to an array of objects.
    Things(Vec<&'g Edge>),
    Thing(u32),
}

impl<'d> Drawing<'d> {
    fn boxes(&self) -> Vec<Shape> {
        let mut queue: VecDeque<(Content<'d>, String, usize)> = VecDeque::new();
        for (number, frame) in self.failing.frames().iter().enumerate() {
            queue.push_back((Content::Frame(Some(number as u32)), frame.function.clone(), 0));
        }
        queue.push_back((Content::Frame(None), "static".to_owned(), 0));
        // Box numbers are assigned in the order in which boxes are discovered, which is also the order in
        // which they are created.
        let mut numbers: HashMap<u32, usize> = HashMap::new();
        let mut count = queue.len();
        let mut shapes = Vec::new();
        while let Some((content, title, column)) = queue.pop_front() {
            let (rows, left) = self.rows(&content);
            let mut shape = Shape { title, rows: Vec::new(), column };
            for (edge, label) in rows {
                let (mut row, target) = self.row(edge, &label);
                if let Some((thing, content, title)) = target {
                    let is_known = numbers.contains_key(&thing);
                    if is_known || count < TUNING.boxes {
                        row.to = Some(*numbers.entry(thing).or_insert_with(|| {
                            queue.push_back((content, title, column + 1));
                            count += 1;
                            count - 1
                        }));
                    }
                }
                shape.rows.push(row);
            }
            if left > 0 {
                shape.rows.push(Row {
                    label: format!("{left} more"),
                    value: String::new(),
                    look: Look::Same,
                    to: None,
                });
            }
            shapes.push(shape);
        }
        shapes
    }

    /// Returns the values in a box, including nested ones, and the number of omitted values. If there is not
    /// enough space, values that differ have priority.
    fn rows(&self, content: &Content<'d>) -> (Vec<(&'d Edge, String)>, usize) {
        let mut stack: Vec<(&Edge, String)> = match content {
            Content::Frame(frame) => self
                .failing
                .out(None)
                .filter(|edge| edge.frame == *frame)
                .map(|edge| (edge, edge.op.clone()))
                .collect(),
            Content::Things(edges) => edges.iter().map(|edge| (*edge, edge.op.clone())).collect(),
            Content::Thing(thing) => {
                self.failing.out(Some(*thing)).map(|edge| (edge, edge.op.clone())).collect()
            }
        };
        stack.reverse();
        let mut rows = Vec::new();
        while let Some((edge, label)) = stack.pop() {
            let is_inside = !self.failing.is_reference(edge)
                || matches!(content, Content::Things(_)) && rows.len() < TUNING.rows;
            let has_rows =
                self.failing.has_parts(edge.to) && self.failing.out(Some(edge.to)).next().is_some();
            if has_rows && is_inside && edge.from.is_none_or(|from| from != edge.to) {
                let parts: Vec<_> = self
                    .failing
                    .out(Some(edge.to))
                    .map(|part| (part, format!("{label}{}", part.op)))
                    .collect();
                stack.extend(parts.into_iter().rev());
                continue;
            }
            rows.push((edge, label));
        }
        let left = rows.len().saturating_sub(TUNING.rows);
        if left > 0 {
            rows.sort_by_key(|(edge, _)| self.look(edge) == Look::Same);
            rows.truncate(TUNING.rows);
        }
        (rows, left)
    }

    fn look(&self, edge: &Edge) -> Look {
        let f = edge.to;
        let is_place = self.failing.name(f).is_some_and(|name| self.places.contains(&name.text));
        let target = self.failing.target(f).filter(|_| self.failing.vertex(f).kind == Kind::Pointer);
        if self.causes.contains(&f) || is_place || target.is_some_and(|to| self.causes.contains(&to)) {
            return Look::Cause;
        }
        match self.difference.matching().passing[f as usize] {
            Some(p) if are_equal(self.passing, p, self.failing, f) => Look::Same,
            _ => Look::Other,
        }
    }

    /// Returns a row, and the box to which it refers: its first object, its content and its title.
    fn row(&self, edge: &'d Edge, label: &str) -> (Row, Option<(u32, Content<'d>, String)>) {
        let vertex = self.failing.vertex(edge.to);
        let label = label.trim_start_matches('*').trim_start_matches('.');
        let look = self.look(edge);
        let target = match vertex.kind {
            Kind::Pointer => {
                let edges: Vec<&Edge> = self.failing.out(Some(edge.to)).collect();
                edges
                    .first()
                    .map(|first| (first.to, self.failing.vertex(first.to).type_name.clone()))
                    .map(|(first, title)| (first, Content::Things(edges), title))
            }
            Kind::Record | Kind::Array | Kind::Tuple | Kind::Map => {
                let title = vertex.type_name.rsplit('.').next().unwrap_or_default().to_owned();
                Some((edge.to, Content::Thing(edge.to), title))
            }
            _ => None,
        };
        let value = match vertex.kind {
            Kind::Pointer | Kind::Record | Kind::Array | Kind::Tuple | Kind::Map => String::new(),
            Kind::Null => "0".to_owned(),
            _ => short(&vertex.value),
        };
        (Row { label: short(label), value, look, to: None }, target)
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(TUNING.value) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the text of a row.
fn line(row: &Row) -> String {
    if row.value.is_empty() { row.label.clone() } else { format!("{} = {}", row.label, row.value) }
}

fn dot(shapes: &[Shape]) -> String {
    let mut out =
        "digraph state {\n  rankdir = LR;\n  node [shape = plain, fontname = monospace];\n".to_owned();
    for (number, shape) in shapes.iter().enumerate().filter(|(_, shape)| !shape.rows.is_empty()) {
        let _ = write!(
            out,
            "  b{number} [label = <<table border=\"0\" cellborder=\"1\" cellspacing=\"0\"><tr><td><b>{}</b></td></tr>",
            escape(&shape.title)
        );
        for (at, row) in shape.rows.iter().enumerate() {
            let _ = write!(
                out,
                "<tr><td port=\"r{at}\" align=\"left\" bgcolor=\"{}\">{}</td></tr>",
                row.look.colour(),
                escape(&line(row))
            );
        }
        out += "</table>>];\n";
    }
    for (number, shape) in shapes.iter().enumerate() {
        for (at, to) in shape.rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.to?))) {
            let _ = writeln!(out, "  b{number}:r{at} -> b{to};");
        }
    }
    out + "}\n"
}

/// The position of a box.
#[derive(Clone, Copy)]
struct Frame {
    x: usize,
    y: usize,
    width: usize,
}

fn svg(shapes: &[Shape]) -> String {
    let width = |shape: &Shape| {
        let longest = shape.rows.iter().map(|row| line(row).chars().count()).max().unwrap_or(0);
        (longest.max(shape.title.chars().count()) + 3) * TUNING.character
    };
    let columns = shapes.iter().map(|shape| shape.column).max().unwrap_or(0) + 1;
    let mut widths = vec![0; columns];
    for shape in shapes.iter().filter(|shape| !shape.rows.is_empty()) {
        widths[shape.column] = widths[shape.column].max(width(shape));
    }
    let mut heights = vec![4; columns];
    let mut frames = Vec::new();
    for shape in shapes {
        let x = 4 + widths[..shape.column].iter().map(|width| width + TUNING.gap[0]).sum::<usize>();
        let y = heights[shape.column];
        frames.push(Frame { x, y, width: widths[shape.column] });
        if !shape.rows.is_empty() {
            heights[shape.column] = y + (shape.rows.len() + 1) * TUNING.row + TUNING.gap[1];
        }
    }
    let total = [
        8 + widths.iter().map(|width| width + TUNING.gap[0]).sum::<usize>(),
        heights.iter().copied().max().unwrap_or(0),
    ];
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" \
         font-family=\"monospace\" font-size=\"12\"><defs><marker id=\"tip\" orient=\"auto\" markerWidth=\"8\" \
         markerHeight=\"8\" refX=\"7\" refY=\"4\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#60646c\"/></marker></defs>",
        total[0], total[1]
    );
    for (shape, frame) in shapes.iter().zip(&frames).filter(|(shape, _)| !shape.rows.is_empty()) {
        draw(&mut out, shape, *frame);
    }
    for (shape, frame) in shapes.iter().zip(&frames) {
        for (at, to) in shape.rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.to?))) {
            let Some(end) = frames.get(to).filter(|_| !shapes[to].rows.is_empty()) else { continue };
            let from = [frame.x + frame.width - 6, frame.y + (at + 1) * TUNING.row + TUNING.row / 2];
            let end = [end.x, end.y + TUNING.row / 2];
            let bend = from[0] + TUNING.gap[0] / 2;
            let _ = write!(
                out,
                "<path d=\"M{},{} C{bend},{} {bend},{} {},{}\" fill=\"none\" stroke=\"#60646c\" marker-end=\"url(#tip)\"/>",
                from[0], from[1], from[1], end[1], end[0], end[1]
            );
        }
    }
    out + "</svg>"
}

fn draw(out: &mut String, shape: &Shape, frame: Frame) {
    let Frame { x, y, width } = frame;
    let cell = |out: &mut String, at: usize, colour: &str, text: &str, weight: &str| {
        let top = y + at * TUNING.row;
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{}\" fill=\"{colour}\" stroke=\"#b8bec8\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"#1c2024\" font-weight=\"{weight}\">{}</text>",
            TUNING.row,
            x + 6,
            top + 13,
            escape(text)
        );
    };
    cell(out, 0, "#dfe3e9", &shape.title, "bold");
    for (at, row) in shape.rows.iter().enumerate() {
        cell(out, at + 1, row.look.colour(), &line(row), "normal");
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
