//! What goes wrong at speed with stop strings: one loop, with its parts exchanged.

type Next<'a> = &'a mut dyn FnMut() -> Option<String>;
type Emit<'a> = &'a mut dyn FnMut(&str);

/// What was generated so far.
struct Text {
    /// The prompt's text where a mistake looks at it, then the generated text.
    all: String,
    /// Where the generated text begins.
    start: usize,
    /// Where each token's text begins.
    tokens: Vec<usize>,
    /// Up to where it was sent.
    sent: usize,
}

impl Text {
    fn last_token(&self) -> &str {
        self.tokens.last().map_or("", |&at| &self.all[at..])
    }
}

/// Where a stop begins and which it is.
type Find = fn(&Text, &[String]) -> Option<(usize, usize)>;

/// How many bytes at the end are held back.
type Keep = fn(&Text, &[String]) -> usize;

#[derive(Clone, Copy)]
struct Way {
    find: Find,
    keep: Keep,
    /// The prompt is part of the text that is looked at.
    with_prompt: bool,
    /// What is sent once the stop is found: from the text, the place and the stop's length.
    at_stop: fn(&Text, usize, usize) -> String,
    /// What is held goes out when the generation ends.
    flushes: bool,
    /// Tokens are still asked for behind the stop.
    goes_on: bool,
    empty_token_ends: bool,
}

const RIGHT: Way = Way {
    find: earliest,
    keep: longest,
    with_prompt: false,
    at_stop: |text, at, _| text.all[text.sent.min(at)..at].to_owned(),
    flushes: true,
    goes_on: false,
    empty_token_ends: false,
};

fn run(way: Way, next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    let all = if way.with_prompt { prompt.to_owned() } else { String::new() };
    let mut text = Text { start: all.len(), sent: all.len(), tokens: Vec::new(), all };
    while let Some(token) = next() {
        if way.empty_token_ends && token.is_empty() {
            break;
        }
        text.tokens.push(text.all.len());
        text.all.push_str(&token);
        if let Some((at, stop)) = (way.find)(&text, stops) {
            emit(&(way.at_stop)(&text, at, stops[stop].len()));
            while way.goes_on && next().is_some() {}
            return Some(stop);
        }
        let end = (text.all.len() - (way.keep)(&text, stops)).max(text.sent);
        emit(&text.all[text.sent..end]);
        text.sent = end;
    }
    if way.flushes {
        emit(&text.all[text.sent..]);
    }
    None
}

fn earliest(text: &Text, stops: &[String]) -> Option<(usize, usize)> {
    let place = |(stop, string): (usize, &String)| Some((text.start + text.all[text.start..].find(string)?, stop));
    stops.iter().enumerate().filter_map(place).min()
}

fn longest(text: &Text, stops: &[String]) -> usize {
    beginnings(stops).filter(|beginning| text.all.ends_with(beginning)).map(str::len).max().unwrap_or(0)
}

/// Every beginning of every stop, the empty one included, the whole excluded.
fn beginnings(stops: &[String]) -> impl Iterator<Item = &str> {
    stops.iter().flat_map(|stop| stop.char_indices().map(|(end, _)| &stop[..end]))
}

/// Another formulation of the right answer, for the tests.
#[cfg(test)]
pub fn flawless(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    run(RIGHT, next, stops, prompt, emit)
}

pub fn whole_tokens(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn find(text: &Text, stops: &[String]) -> Option<(usize, usize)> {
        let begins = |at: &usize| stops.iter().position(|stop| text.all[*at..] == **stop).map(|stop| (*at, stop));
        text.tokens.iter().find_map(begins)
    }
    fn keep(text: &Text, stops: &[String]) -> usize {
        let could_be = |at: &&usize| stops.iter().any(|stop| stop.starts_with(&text.all[**at..]));
        text.tokens.iter().find(could_be).map_or(0, |at| text.all.len() - at)
    }
    run(Way { find, keep, ..RIGHT }, next, stops, prompt, emit)
}

pub fn last_token_only(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn find(text: &Text, stops: &[String]) -> Option<(usize, usize)> {
        let last = text.last_token();
        let places = stops.iter().enumerate().filter_map(|(stop, string)| Some((last.find(string)?, stop)));
        places.min().map(|(at, stop)| (text.all.len() - last.len() + at, stop))
    }
    run(Way { find, keep: |_, _| 0, ..RIGHT }, next, stops, prompt, emit)
}

pub fn partial_sent(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    run(Way { keep: |_, _| 0, ..RIGHT }, next, stops, prompt, emit)
}

pub fn ends_with_only(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn find(text: &Text, stops: &[String]) -> Option<(usize, usize)> {
        let ends = |(stop, string): (usize, &String)| {
            text.all.ends_with(string).then(|| (text.all.len() - string.len(), stop))
        };
        stops.iter().enumerate().filter_map(ends).min()
    }
    run(Way { find, ..RIGHT }, next, stops, prompt, emit)
}

pub fn first_listed(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn find(text: &Text, stops: &[String]) -> Option<(usize, usize)> {
        stops.iter().enumerate().find_map(|(stop, string)| Some((text.all.find(string)?, stop)))
    }
    run(Way { find, ..RIGHT }, next, stops, prompt, emit)
}

pub fn last_occurrence(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn find(text: &Text, stops: &[String]) -> Option<(usize, usize)> {
        let place = |(stop, string): (usize, &String)| Some((text.all.rfind(string)?, stop));
        stops.iter().enumerate().filter_map(place).min()
    }
    run(Way { find, ..RIGHT }, next, stops, prompt, emit)
}

pub fn prompt_searched(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn find(text: &Text, stops: &[String]) -> Option<(usize, usize)> {
        let place = |(stop, string): (usize, &String)| Some((text.all.find(string)?, stop));
        stops.iter().enumerate().filter_map(place).min()
    }
    run(Way { find, with_prompt: true, ..RIGHT }, next, stops, prompt, emit)
}

pub fn begins_in_prompt(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn find(text: &Text, stops: &[String]) -> Option<(usize, usize)> {
        let generated = |at: usize, string: &String| at + string.len() > text.start;
        let place = |(stop, string): (usize, &String)| {
            let starts = text.all.char_indices().map(|(at, _)| at);
            starts
                .filter(|&at| text.all[at..].starts_with(string.as_str()))
                .find(|&at| generated(at, string))
                .map(|at| (at, stop))
        };
        stops.iter().enumerate().filter_map(place).min()
    }
    run(Way { find, with_prompt: true, ..RIGHT }, next, stops, prompt, emit)
}

pub fn stop_included(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    let at_stop = |text: &Text, at: usize, length: usize| text.all[text.sent..at + length].to_owned();
    run(Way { at_stop, ..RIGHT }, next, stops, prompt, emit)
}

pub fn rest_of_token_sent(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    let at_stop = |text: &Text, at: usize, length: usize| {
        format!("{}{}", &text.all[text.sent.min(at)..at], &text.all[at + length..])
    };
    run(Way { at_stop, ..RIGHT }, next, stops, prompt, emit)
}

pub fn token_lost(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    run(Way { at_stop: |_, _, _| String::new(), ..RIGHT }, next, stops, prompt, emit)
}

pub fn never_flushed(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    run(Way { flushes: false, ..RIGHT }, next, stops, prompt, emit)
}

pub fn goes_on(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    run(Way { goes_on: true, ..RIGHT }, next, stops, prompt, emit)
}

pub fn empty_token_ends(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    run(Way { empty_token_ends: true, ..RIGHT }, next, stops, prompt, emit)
}

pub fn fixed_hold(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn keep(text: &Text, stops: &[String]) -> usize {
        let count = stops.iter().map(|stop| stop.chars().count()).max().unwrap_or(1) - 1;
        text.all.chars().rev().take(count).map(char::len_utf8).sum()
    }
    run(Way { keep, ..RIGHT }, next, stops, prompt, emit)
}

pub fn not_streamed(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    run(Way { keep: |text, _| text.all.len(), ..RIGHT }, next, stops, prompt, emit)
}

pub fn shortest_held(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn keep(text: &Text, stops: &[String]) -> usize {
        let ends = beginnings(stops).filter(|beginning| !beginning.is_empty() && text.all.ends_with(beginning));
        ends.map(str::len).min().unwrap_or(0)
    }
    run(Way { keep, ..RIGHT }, next, stops, prompt, emit)
}

pub fn first_stop_held(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    run(Way { keep: |text, stops| longest(text, &stops[..stops.len().min(1)]), ..RIGHT }, next, stops, prompt, emit)
}

pub fn held_from_last_token(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn keep(text: &Text, stops: &[String]) -> usize {
        let last = text.last_token();
        beginnings(stops).filter(|beginning| last.ends_with(beginning)).map(str::len).max().unwrap_or(0)
    }
    run(Way { keep, ..RIGHT }, next, stops, prompt, emit)
}

pub fn all_or_nothing(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    let keep = |text: &Text, stops: &[String]| if longest(text, stops) > 0 { text.all.len() } else { 0 };
    run(Way { keep, ..RIGHT }, next, stops, prompt, emit)
}

pub fn one_too_short(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn keep(text: &Text, stops: &[String]) -> usize {
        let shorter = stops.iter().flat_map(|stop| {
            let mut ends: Vec<usize> = stop.char_indices().map(|(end, _)| end).collect();
            ends.pop();
            ends.into_iter().map(|end| &stop[..end])
        });
        shorter.filter(|beginning| text.all.ends_with(beginning)).map(str::len).max().unwrap_or(0)
    }
    run(Way { keep, ..RIGHT }, next, stops, prompt, emit)
}

pub fn cut_inside_letters(next: Next, stops: &[String], prompt: &str, emit: Emit) -> Option<usize> {
    fn keep(text: &Text, stops: &[String]) -> usize {
        let lengths = |stop: &String| (1..stop.len().min(text.all.len() + 1)).rev().collect::<Vec<_>>();
        let ends =
            |stop: &String| lengths(stop).into_iter().find(|&n| stop.starts_with(&text.all[text.all.len() - n..]));
        stops.iter().filter_map(ends).max().unwrap_or(0)
    }
    run(Way { keep, ..RIGHT }, next, stops, prompt, emit)
}

/// A pointer into each stop, which goes back to the start when a letter does not fit.
pub fn starts_again(next: Next, stops: &[String], _prompt: &str, emit: Emit) -> Option<usize> {
    let stops: Vec<Vec<char>> = stops.iter().map(|stop| stop.chars().collect()).collect();
    let (mut at, mut held) = (vec![0; stops.len()], String::new());
    while let Some(token) = next() {
        for c in token.chars() {
            held.push(c);
            for (stop, place) in stops.iter().zip(&mut at) {
                *place = if stop[*place] == c { *place + 1 } else { usize::from(stop[0] == c) };
            }
            if let Some(found) = (0..stops.len()).find(|&i| at[i] == stops[i].len()) {
                let letters = held.chars().count() - stops[found].len();
                emit(&held.chars().take(letters).collect::<String>());
                return Some(found);
            }
        }
        let letters = held.chars().count() - at.iter().max().copied().unwrap_or(0);
        let sendable: String = held.chars().take(letters).collect();
        emit(&sendable);
        held.drain(..sendable.len());
    }
    emit(&held);
    None
}
