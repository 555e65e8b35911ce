use super::*;
use nubbin_reduce::event::{Counts, Event, Size};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use std::sync::{Arc, LazyLock};

fn board(best: &[u8]) -> (Board, Setup) {
    let setup = Setup {
        title: "bug.c".to_owned(),
        test: "./oracle.sh\x1b[2J".to_owned(),
        place: "bug.reduced.c".to_owned(),
        jobs: 2,
        plan: vec![("delete-nodes", 1), ("hoist", 1), ("delete-tokens", 2)],
        sweeps: vec!["delete-nodes", "delete-tokens"],
        ..Setup::default()
    };
    let mut board = Board::new(best.into());
    let size = |tokens| Size { tokens, bytes: 4 * tokens, lines: tokens / 4 };
    board.event(Event::Started { size: size(1234) }, &setup);
    board.event(Event::Pass { name: "delete-nodes", deltas: 30 }, &setup);
    board.event(Event::Accepted { pass: "delete-nodes", edits: &[], size: size(321), best }, &setup);
    (board, setup)
}

static WORDS: LazyLock<Keywords> = LazyLock::new(|| Keywords::from(["int".to_owned()]));

fn frame_of<'f>(board: &'f Board, setup: &'f Setup, switches: &'f Switches) -> Frame<'f> {
    Frame {
        board,
        setup,
        words: &WORDS,
        heard: None,
        switches,
        elapsed: Duration::from_secs(83),
        under_way: 2,
        is_held: false,
        is_ending: false,
        palette: COLOURS,
    }
}

fn frame(board: &Board, setup: &Setup, look: &mut Look, size: (u16, u16), palette: Palette) -> Buffer {
    let switches = Switches::default();
    switches.switch("hoist", false);
    let frame = Frame { palette, ..frame_of(board, setup, &switches) };
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("a test has a screen");
    terminal.draw(|to| frame.paint(look, to)).expect("it can be drawn on");
    terminal.backend().buffer().clone()
}

fn shown(buffer: &Buffer) -> String {
    let rows = buffer.content().chunks(buffer.area.width.max(1) as usize);
    rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>() + "\n").collect()
}

const COLOURS: Palette = Palette { has_colours: true };
const CODE: &[u8] = b"int main(void) {\n  return 12; // it\n}\n";

#[test]
fn a_frame_shows_the_parts_that_fit() {
    let (board, setup) = board(CODE);
    for (size, parts) in [
        (
            (200, 60),
            &[
                "1,234 → 321 tokens",
                "return 12",
                "removed in 1 step",
                "passes",
                "  hoist        off",
                "▸ delete-nodes ",
                "1:23",
                "bug.reduced.c",
                "2 jobs, 2 running",
                "delete-nodes: ",
                "about ",
            ][..],
        ),
        (
            (80, 24),
            &["1,234 → 321 tokens", "return 12", "removed", "  hoist        off", "running 1:23", "q quit"],
        ),
        ((40, 12), &["1,234 → 321 tokens", "int main", "q quit"]),
        ((10, 5), &["321 -74.0%", "0 candida", "1:23 runni", "delete-no"]),
        ((3, 1), &["321"]),
    ] {
        let all = shown(&frame(&board, &setup, &mut Look::default(), size, COLOURS));
        for part in parts {
            assert!(all.contains(part), "`{part}` at {size:?}:\n{all}");
        }
    }
}

/// Adds candidates to a board.
fn count(board: &mut Board, setup: &Setup, counts: Counts) {
    board.event(Event::Probed { verdict: Verdict::Uninteresting, counts }, setup);
}

#[test]
fn texts_of_the_second_column_are_whole_while_the_first_has_room() {
    let (mut board, setup) = board(CODE);
    let counts = Counts { probes: 20, cached: 60, alike: 28, rejected: 67, ..Counts::default() };
    count(&mut board, &setup, counts);
    for (tick, probes) in [(0, 20), (10, 120)] {
        count(&mut board, &setup, Counts { probes, ..counts });
        board.tick(Duration::from_secs(tick));
    }
    for size in [(80, 24), (100, 30), (160, 50)] {
        let all = shown(&frame(&board, &setup, &mut Look::default(), size, COLOURS));
        let left = all.split_once(" left ").and_then(|(_, left)| left.lines().next()).expect(&all);
        let left: String = left.trim().chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(left, "about 000 candidates (000–000), 0:00", "{all}");
        for part in ["60 cached, 28 same up to", "67 unparsable", "candidates 120, 10/s", "bug.reduced.c\n"] {
            let is_whole = all.lines().any(|line| (line.trim_end().to_owned() + "\n").contains(part));
            assert!(is_whole, "`{part}` at {size:?}:\n{all}");
        }
    }
    // The lines of the first column are whole as well.
    let wide = [&b"int x = 12345678901234567890; // a comment\n"[..], CODE].concat();
    let (board, setup) = self::board(&wide);
    let all = shown(&frame(&board, &setup, &mut Look::default(), (100, 30), COLOURS));
    assert!(all.contains("// a comment"), "{all}");
}

#[test]
fn rows_of_zeros_are_hidden_unless_a_pass_is_chosen() {
    let (mut board, setup) = board(CODE);
    let all = |board: &Board, look: &mut Look| {
        let switches = Switches::default();
        let frame = frame_of(board, &setup, &switches);
        let mut terminal = Terminal::new(TestBackend::new(100, 30)).expect("a test has a screen");
        terminal.draw(|to| frame.paint(look, to)).expect("it can be drawn on");
        shown(terminal.backend().buffer())
    };
    let before = all(&board, &mut Look::default());
    assert!(before.contains("▸ delete-nodes ") && !before.contains("hoist"), "{before}");
    assert!(!before.contains("not run"), "{before}");
    let chosen = all(&board, &mut Look { chosen: Some(1), ..Look::default() });
    assert!(chosen.contains("  hoist ") && chosen.contains("  delete-tokens "), "{chosen}");
    board.event(Event::Pass { name: "hoist", deltas: 3 }, &setup);
    let after = all(&board, &mut Look::default());
    assert!(after.contains("  delete-nodes ") && after.contains("▸ hoist "), "{after}");
}

#[test]
fn every_size_can_be_drawn_in_every_state_and_hostile_bytes_move_nothing() {
    let hostile: Vec<u8> =
        (0..=255).chain("漢字\u{202e}\u{200d}\r\n\t\x1b[2J".bytes()).cycle().take(3000).collect();
    for best in [&hostile[..], b"", &[b'x'; 10_000]] {
        let (board, setup) = board(best);
        for (width, height) in
            [(1, 1), (2, 30), (10, 5), (24, 8), (25, 9), (59, 20), (75, 11), (76, 10), (120, 8), (200, 60)]
        {
            let mut look = Look::default();
            for code in
                [KeyCode::PageDown, KeyCode::Tab, KeyCode::Char('o'), KeyCode::Char('?'), KeyCode::End]
            {
                let buffer = frame(&board, &setup, &mut look, (width, height), COLOURS);
                let is_tame = |cell: &ratatui::buffer::Cell| !cell.symbol().chars().any(char::is_control);
                assert!(buffer.content().iter().all(is_tame), "{width} {height}");
                look.key(
                    KeyEvent::new(code, KeyModifiers::NONE),
                    best,
                    &names(&board, &setup),
                    "delete-nodes",
                );
            }
        }
    }
}

/// Returns the luminance of a colour (WCAG 2).
fn luminance(rgb: u32) -> f64 {
    let part = |shift: u32| {
        let share = f64::from(rgb >> shift & 0xff) / 255.0;
        if share <= 0.03928 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
}

fn contrast(one: u32, other: u32) -> f64 {
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

#[test]
fn every_colour_is_readable_on_dark_light_and_solarized_terminals() {
    // The background, red and magenta of four terminals: xterm on black and on white, Solarized dark and light.
    let terminals = [
        ("dark", 0x00_00_00, 0xcd_00_00, 0xcd_00_cd),
        ("light", 0xff_ff_ff, 0xcd_00_00, 0xcd_00_cd),
        ("Solarized dark", 0x00_2b_36, 0xdc_32_2f, 0xd3_36_82),
        ("Solarized light", 0xfd_f6_e3, 0xdc_32_2f, 0xd3_36_82),
    ];
    let (mut board, setup) = board(CODE);
    board.event(Event::Note { text: "a note" }, &setup);
    let mut look = Look::default();
    for code in [KeyCode::End, KeyCode::Tab, KeyCode::Char('o'), KeyCode::Char('?')] {
        for cell in frame(&board, &setup, &mut look, (160, 50), COLOURS).content() {
            assert_eq!(cell.bg, Color::Reset, "{cell:?}");
            for (terminal, background, red, magenta) in terminals {
                let colour = match cell.fg {
                    Color::Reset => continue,
                    Color::Red => red,
                    Color::Magenta => magenta,
                    other => panic!("the contrast of {other:?} is not known"),
                };
                let contrast = contrast(colour, background);
                assert!(contrast >= 3.0, "{:?} on {terminal}: {contrast:.1}", cell.fg);
            }
        }
        look.key(KeyEvent::new(code, KeyModifiers::NONE), CODE, &names(&board, &setup), "delete-nodes");
    }
}

#[test]
fn without_colours_no_cell_has_a_colour() {
    let (board, setup) = board(CODE);
    let has_colour = |palette| {
        let buffer = frame(&board, &setup, &mut Look::default(), (100, 30), palette);
        buffer.content().iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
    };
    assert!(has_colour(Palette::new(None)));
    assert!(has_colour(Palette::new(Some("".as_ref()))));
    assert!(!has_colour(Palette::new(Some("1".as_ref()))));
}

#[test]
#[cfg_attr(not(tells_pages), ignore = "needs a kernel that reports which pages were read")]
fn a_frame_of_200_megabytes_reads_only_the_window() {
    let best: Arc<[u8]> = b"int x = 1;\n".repeat(20 << 20).into();
    let (_, setup) = board(b"");
    let mut board = Board::new(Arc::clone(&best));
    board.place = best.len() / 2;
    let mut look = Look::default();
    let all = shown(&frame(&board, &setup, &mut look, (100, 30), COLOURS));
    assert!(all.contains("int x = 1;") && all.contains("50 %"), "{all}");
    assert!(look.drawn.abs_diff(board.place) < 1000);

    for pane in [KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::Esc] {
        look.key(KeyEvent::new(pane, KeyModifiers::NONE), &best, &[], "");
        let before = looked_at(&best, || ()).expect("the kernel reports it");
        let after = looked_at(&best, || drop(frame(&board, &setup, &mut look, (100, 30), COLOURS)));
        // Pages of memory may have 2 MiB.
        assert!(after.is_some_and(|after| after <= before + (8 << 20)), "{pane:?} {before} {after:?}");
    }
    let all = || assert!(best.iter().step_by(1 << 12).all(|&byte| byte != 0));
    assert!(looked_at(&best, all).is_some_and(|looked| looked > 100 << 20), "the number is wrong");
}

/// Returns the number of bytes on the pages of the mapping of a text that `look` reads; `None` if it is unknown.
fn looked_at(text: &[u8], look: impl FnOnce()) -> Option<usize> {
    std::fs::write("/proc/self/clear_refs", "1").ok()?;
    look();
    let place = text[text.len() / 2..].as_ptr() as usize;
    let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
    let is_head = |line: &str| {
        let (from, to) = line.split_once(' ')?.0.split_once('-')?;
        let number = |hex| usize::from_str_radix(hex, 16).ok();
        Some((number(from)?..number(to)?).contains(&place))
    };
    let mut lines = maps.lines().skip_while(|line| is_head(line) != Some(true));
    let referenced = lines.find_map(|line| line.strip_prefix("Referenced:"))?;
    Some(referenced.trim().strip_suffix(" kB")?.parse::<usize>().ok()? << 10)
}
