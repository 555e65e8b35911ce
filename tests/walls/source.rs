//! A source file as tokens and paths, without comments and without code that is compiled for tests only.
//!
//! It does not depend on the walls, and parses only the necessary part of Rust.

/// A file, without comments and tests.
pub struct Source {
    /// The path from the root of the repository.
    pub path: String,
    /// The module path.
    pub module: Vec<String>,
    pub tokens: Vec<Token>,
    pub mentions: Vec<Mention>,
    /// Its submodules in other files that are compiled for tests only.
    pub tests: Vec<Vec<String>>,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        let inner = path.strip_suffix(".rs").unwrap_or(path);
        let module = inner.strip_suffix("/mod").unwrap_or(inner);
        let module = module.split('/').filter(|part| !["lib", "main"].contains(part));
        let module: Vec<String> = module.map(str::to_owned).collect();
        let (tokens, tests) = without_tests(&tokens(text));
        let tests = tests.into_iter().map(|test| [module.clone(), vec![test]].concat()).collect();
        let mentions = mentions(&tokens);
        Self { path: path.to_owned(), module, tokens, mentions, tests }
    }

    /// Formats a breach of a wall.
    pub fn breach(&self, line: usize, word: &str, wall: &str) -> String {
        format!("{}:{line}: `{word}`: {wall}", self.path)
    }
}

/// A path, a macro or a single word, as written.
pub struct Mention {
    pub line: usize,
    pub path: Vec<String>,
}

impl Mention {
    /// Returns it as written.
    pub fn text(&self) -> String {
        self.path.join("::")
    }

    /// Returns whether it is `word` or a path through it.
    pub fn is(&self, word: &str) -> bool {
        let wanted: Vec<&str> = word.split("::").collect();
        if let [single] = wanted[..] {
            return match single.strip_suffix('*') {
                Some(start) => self.path[0].starts_with(start),
                None if single.ends_with('!') => self.path.last().is_some_and(|last| last == single),
                None => self.path[0].trim_end_matches('!') == single,
            };
        }
        self.path.windows(wanted.len()).any(|part| part.iter().eq(&wanted))
    }
}

/// A word, a literal or a sign, and its line, from 1.
#[derive(Debug, Clone)]
pub struct Token {
    pub line: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Word(String),
    /// The contents of a string literal.
    Text(String),
    Sign(char),
    /// `::`
    Path,
}

impl Token {
    pub fn word(&self) -> Option<&str> {
        if let Kind::Word(word) = &self.kind { Some(word) } else { None }
    }

    pub fn is(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// Returns the tokens of a source, without comments and character literals.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let (length, kind) = match first {
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), None),
            '/' if rest.starts_with("/*") => (comment(rest), None),
            '"' => text_token(rest, 0),
            'b' | 'c' | 'r' if prefix(rest).is_some() => text_token(rest, prefix(rest).unwrap_or(0)),
            '\'' => (character(rest), None),
            ':' if rest.starts_with("::") => (2, Some(Kind::Path)),
            _ if is_part(first) => {
                let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
                (word.len(), Some(Kind::Word(word.to_owned())))
            }
            _ if first.is_whitespace() => (first.len_utf8(), None),
            _ => (first.len_utf8(), Some(Kind::Sign(first))),
        };
        tokens.extend(kind.map(|kind| Token { line, kind }));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the length of the prefix of a string literal: `b`, `r`, `br##`, …
fn prefix(rest: &str) -> Option<usize> {
    let letters = rest.find(|c| !"bcr".contains(c))?;
    let hashes = rest[letters..].find(|c| c != '#')?;
    let raw = rest[..letters].contains('r');
    (letters <= 2 && (raw || hashes == 0) && rest[letters + hashes..].starts_with('"'))
        .then_some(letters + hashes)
}

/// Parses a string literal whose quotation mark is at `start`.
fn text_token(rest: &str, start: usize) -> (usize, Option<Kind>) {
    let raw = rest[..start].contains('r');
    let close = format!("\"{}", "#".repeat(rest[..start].matches('#').count()));
    let mut end = start + 1;
    while !rest[end..].starts_with(&close) {
        let Some(next) = rest[end..].chars().next() else { break };
        end += next.len_utf8();
        if next == '\\' && !raw {
            end += rest[end..].chars().next().map_or(0, char::len_utf8);
        }
    }
    let inner = rest[start + 1..end].to_owned();
    ((end + close.len()).min(rest.len()), Some(Kind::Text(inner)))
}

/// Returns the length of a character literal, or of a lifetime.
fn character(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    let first = letters.next().map_or('\'', |(_, letter)| letter);
    if first == '\\' {
        return rest[3..].find('\'').map_or(rest.len(), |at| at + 4);
    }
    match letters.next() {
        Some((at, '\'')) => at + 1,
        _ => 1 + rest[1..].find(|c| !is_part(c)).unwrap_or(rest.len() - 1),
    }
}

/// Returns the length of a block comment, including nested ones.
fn comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        if rest[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            let Some(next) = rest[at..].chars().next() else { return at };
            at += next.len_utf8();
        }
    }
}

/// Removes items under `#[cfg(test)]`. Returns the remaining tokens, and the removed modules that are in
/// other files.
fn without_tests(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let shape: Vec<Kind> = self::tokens("#[cfg(test)]").into_iter().map(|token| token.kind).collect();
    let (mut kept, mut modules, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        let here = tokens[at..].iter().map(|token| &token.kind);
        if !here.take(shape.len()).eq(&shape) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let start = at + shape.len();
        at = end_of_item(tokens, start);
        let words: Vec<&str> = tokens[start..at].iter().filter_map(Token::word).collect();
        if let Some(i) = words.iter().position(|word| *word == "mod").filter(|_| tokens[at - 1].is(';')) {
            modules.extend(words.get(i + 1).map(|name| (*name).to_owned()));
        }
    }
    (kept, modules)
}

/// Returns the position after the item that starts at `at`: after its `;` or its braces.
fn end_of_item(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.kind {
            Kind::Sign('(' | '[' | '{') => depth += 1,
            Kind::Sign(close @ (')' | ']' | '}')) => {
                depth -= 1;
                if depth == 0 && close == '}' {
                    break;
                }
            }
            Kind::Sign(';') if depth == 0 => break,
            _ => {}
        }
    }
    at
}

/// Returns all paths, macros and words of a file, with the full paths of `use` trees.
fn mentions(tokens: &[Token]) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let next = tokens.get(at + 1);
        match &tokens[at].kind {
            Kind::Word(word) if word == "use" && next.is_some_and(|next| !next.is('<')) => {
                at += 1;
                use_tree(tokens, &mut at, &[], &mut |line, path| {
                    mentions.push(Mention { line, path });
                });
                continue;
            }
            Kind::Word(word) => {
                let mut path = vec![word.clone()];
                let mut end = at + 1;
                while let [Token { kind: Kind::Path, .. }, Token { kind: Kind::Word(part), .. }, ..] =
                    &tokens[end..]
                {
                    path.push(part.clone());
                    end += 2;
                }
                if tokens.get(end).is_some_and(|t| t.is('!'))
                    && !tokens.get(end + 1).is_some_and(|t| t.is('='))
                {
                    path.last_mut().expect("a path has a word").push('!');
                }
                mentions.push(Mention { line: tokens[at].line, path });
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    mentions
}

/// Parses a `use` tree from `at` on, and calls `tell` with the full path of each leaf.
fn use_tree(tokens: &[Token], at: &mut usize, before: &[String], tell: &mut impl FnMut(usize, Vec<String>)) {
    let mut path = before.to_vec();
    let mut line = 0;
    while let Some(token) = tokens.get(*at) {
        match &token.kind {
            Kind::Sign('{') => {
                while tokens.get(*at).is_some_and(|token| !token.is('}')) {
                    *at += 1;
                    use_tree(tokens, at, &path, tell);
                }
                *at += 1;
                return;
            }
            Kind::Word(word) if word == "as" => *at += 1,
            Kind::Word(word) => (path, line) = ([&path[..], std::slice::from_ref(word)].concat(), token.line),
            Kind::Sign('*') => (path, line) = ([&path[..], &["*".to_owned()]].concat(), token.line),
            Kind::Path => {}
            _ => break,
        }
        *at += 1;
    }
    if path.len() > before.len() {
        tell(line, path);
    }
}
