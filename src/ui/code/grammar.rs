//! syntect: lines to pieces, each of a [`Kind`], with the parser's state after each line.

use super::super::text;
use super::super::theme::Theme;
use super::kind::{self, Kind};
use ratatui::text::{Line, Span};
use std::sync::{Arc, OnceLock};
use syntect::parsing::{ParseState, ScopeStack, SyntaxSet};

/// Longer lines are not highlighted: the expressions would take too long.
const LONGEST: usize = 1000;

/// Uses every common construct, so that every expression is compiled before the reader needs it.
const SAMPLE: &str = include_str!("sample.rs.txt");

static GRAMMAR: OnceLock<Grammar> = OnceLock::new();

/// The grammar, if it is there.
pub(super) fn loaded() -> Option<&'static Grammar> {
    GRAMMAR.get()
}

/// The grammar; the first call takes some tens of milliseconds.
pub(super) fn load() -> &'static Grammar {
    GRAMMAR.get_or_init(|| {
        let grammar = Grammar { set: SyntaxSet::load_defaults_newlines() };
        grammar.parse(SAMPLE, None);
        grammar
    })
}

/// Rust's grammar within its set.
pub(super) struct Grammar {
    set: SyntaxSet,
}

/// A source that was parsed.
pub(super) struct Parsed {
    pub(super) source: String,
    pub(super) lines: Vec<Arc<ParsedLine>>,
}

/// A line of it.
pub(super) struct ParsedLine {
    raw: String,
    pub(super) pieces: Vec<(String, Kind)>,
    after: State,
}

/// Where the parser is.
#[derive(Clone)]
struct State {
    parser: ParseState,
    scopes: ScopeStack,
}

impl Parsed {
    /// How many lines at the beginning are the same.
    pub(super) fn shared_lines(&self, source: &str) -> usize {
        self.lines.iter().zip(source.lines()).take_while(|(line, other)| line.raw == *other).count()
    }
}

impl ParsedLine {
    /// The line in a theme.
    pub(super) fn styled(&self, theme: &Theme) -> Line<'static> {
        let span = |(text, kind): &(String, Kind)| Span::styled(text.clone(), super::style(*kind, theme));
        Line::from(self.pieces.iter().map(span).collect::<Vec<Span<'static>>>())
    }
}

impl Grammar {
    /// Parses; lines that `before` begins with as well are taken from there.
    pub(super) fn parse(&self, source: &str, before: Option<&Parsed>) -> Parsed {
        let shared = before.map_or(0, |before| before.shared_lines(source));
        let mut lines: Vec<Arc<ParsedLine>> = before.map_or(Vec::new(), |before| before.lines[..shared].to_vec());
        let mut state = lines.last().map_or_else(|| self.start(), |line| line.after.clone());
        for raw in source.lines().skip(shared) {
            let pieces = self.line(raw, &mut state);
            lines.push(Arc::new(ParsedLine { raw: raw.to_owned(), pieces, after: state.clone() }));
        }
        Parsed { source: source.to_owned(), lines }
    }

    fn start(&self) -> State {
        let syntax = self.set.find_syntax_by_extension("rs");
        let syntax = syntax.unwrap_or_else(|| self.set.find_syntax_plain_text());
        State { parser: ParseState::new(syntax), scopes: ScopeStack::new() }
    }

    fn line(&self, raw: &str, state: &mut State) -> Vec<(String, Kind)> {
        let mut line = text::clean(raw);
        if line.len() > LONGEST {
            return vec![(line, Kind::Text)];
        }
        line.push('\n');
        let Ok(operations) = state.parser.parse_line(&line, &self.set) else {
            return vec![(line.trim_end().to_owned(), Kind::Text)];
        };
        let mut pieces = Pieces::default();
        let mut from = 0;
        for (at, operation) in operations {
            pieces.add(&line, from..at, state.scopes.as_slice());
            from = at;
            if state.scopes.apply(&operation).is_err() {
                break;
            }
        }
        pieces.add(&line, from..line.len(), state.scopes.as_slice());
        pieces.0
    }
}

/// Collects pieces; neighbours of one kind become one.
#[derive(Default)]
struct Pieces(Vec<(String, Kind)>);

impl Pieces {
    fn add(&mut self, line: &str, range: std::ops::Range<usize>, scopes: &[syntect::parsing::Scope]) {
        let piece = line[range.clone()].trim_end_matches('\n');
        match kind::kind(scopes, piece) {
            Some(kind) => self.push(piece, kind),
            None => kind::by_look(piece, &line[range.end..]).for_each(|(word, kind)| self.push(word, kind)),
        }
    }

    /// Blanks take the kind of what is before them: fewer spans.
    fn push(&mut self, piece: &str, kind: Kind) {
        match self.0.last_mut() {
            _ if piece.is_empty() => {}
            Some((last, same)) if *same == kind || (piece.trim().is_empty() && *same != Kind::Literal) => {
                last.push_str(piece);
            }
            _ => self.0.push((piece.to_owned(), kind)),
        }
    }
}
