//! What goes wrong at speed in the simplest of all decoding loops: the loop, with a switch for each of its parts.

type Model<'a> = &'a mut dyn FnMut(&[u32]) -> Vec<Vec<f32>>;

/// What is known when a step has chosen its token.
struct Step<'a> {
    /// Everything so far, without the new token.
    tokens: &'a [u32],
    prompt: usize,
    next: u32,
    eos: Option<u32>,
}

/// The parts, each of which can be got wrong on its own.
#[derive(Clone, Copy)]
struct Way {
    /// Whether another step is made, given prompt, what is there of it and behind it, the limit, and the EOS.
    goes_on: fn(prompt: usize, tokens: &[u32], limit: usize, eos: Option<u32>) -> bool,
    /// From where on the tokens are fed, given the prompt's length and the tokens.
    fed: fn(prompt: usize, tokens: &[u32]) -> usize,
    /// The next token from the logits of what was fed.
    pick: fn(&[Vec<f32>]) -> u32,
    /// Whether the new token ends it.
    ends: fn(Step) -> bool,
    /// Whether the token that ends it stays.
    keeps_last: bool,
}

const RIGHT: Way = Way {
    goes_on: |prompt, tokens, limit, _| tokens.len() - prompt < limit,
    fed: |_, _| 0,
    pick: |logits| argmax(&logits[logits.len() - 1]),
    ends: |step| step.eos == Some(step.next),
    keeps_last: true,
};

fn argmax(logits: &[f32]) -> u32 {
    (0..logits.len()).fold(0, |best, id| if logits[id] > logits[best] { id } else { best }) as u32
}

fn last(logits: &[Vec<f32>]) -> &[f32] {
    logits.last().map_or(&[][..], Vec::as_slice)
}

fn run(way: Way, model: Model, prompt: &[u32], limit: usize, eos: Option<u32>) -> Vec<u32> {
    let mut tokens = prompt.to_vec();
    while (way.goes_on)(prompt.len(), &tokens, limit, eos) {
        let next = (way.pick)(&model(&tokens[(way.fed)(prompt.len(), &tokens)..]));
        let ends = (way.ends)(Step { tokens: &tokens, prompt: prompt.len(), next, eos });
        if !ends || way.keeps_last {
            tokens.push(next);
        }
        if ends {
            break;
        }
    }
    tokens
}

macro_rules! ways {
    ($($name:ident: $($field:ident = $value:expr),+;)+) => {
        $(pub fn $name(model: Model, prompt: &[u32], limit: usize, eos: Option<u32>) -> Vec<u32> {
            run(Way { $($field: $value),+, ..RIGHT }, model, prompt, limit, eos)
        })+
    };
}

ways! {
    first_position: pick = |logits| argmax(&logits[0]);
    position_before: pick = |logits| argmax(&logits[logits.len().saturating_sub(2)]);
    all_positions: pick = |logits| {
        let flat: Vec<f32> = logits.concat();
        argmax(&flat) % last(logits).len() as u32
    };
    mean_of_positions: pick = |logits| {
        let sum = |id: usize| logits.iter().map(|row| row[id]).sum::<f32>();
        argmax(&(0..last(logits).len()).map(sum).collect::<Vec<f32>>())
    };
    smallest: pick = |logits| argmax(&last(logits).iter().map(|logit| -logit).collect::<Vec<f32>>());
    last_maximum: pick = |logits| {
        let row = last(logits);
        (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0) as u32
    };
    best_begins_at_zero: pick = |logits| {
        let (mut best, mut found) = (0.0, 0);
        for (id, &logit) in last(logits).iter().enumerate() {
            if logit > best {
                (best, found) = (logit, id);
            }
        }
        found as u32
    };
    softmax_overflows: pick = |logits| {
        let weights: Vec<f32> = last(logits).iter().map(|logit| logit.exp()).collect();
        let sum: f32 = weights.iter().sum();
        argmax(&weights.iter().map(|weight| weight / sum).collect::<Vec<f32>>())
    };
    eos_not_kept: keeps_last = false;
    never_ends: ends = |_| false;
    eos_anywhere: goes_on = |prompt, tokens, limit, eos| {
        tokens.len() - prompt < limit && !eos.is_some_and(|eos| tokens.contains(&eos))
    };
    eos_at_the_prompts_end: goes_on = |prompt, tokens, limit, eos| {
        tokens.len() - prompt < limit && !(eos.is_some() && tokens.last().copied() == eos)
    };
    no_eos_is_zero: ends = |step| step.next == step.eos.unwrap_or(0);
    repetition_ends: ends = |step| {
        step.eos == Some(step.next) || (step.tokens.len() > step.prompt && step.tokens.last() == Some(&step.next))
    };
    one_too_many: goes_on = |prompt, tokens, limit, _| tokens.len() - prompt <= limit;
    one_at_least: goes_on = |prompt, tokens, limit, _| tokens.len() - prompt < limit.max(1);
    limit_counts_the_prompt: goes_on = |_, tokens, limit, _| tokens.len() < limit;
    newest_only: fed = |_, tokens| tokens.len() - 1;
    newest_after_the_prompt: fed = |prompt, tokens| if tokens.len() == prompt { 0 } else { tokens.len() - 1 };
    prompt_forgotten: fed = |prompt, tokens| if tokens.len() == prompt { 0 } else { prompt };
}

pub fn only_new(model: Model, prompt: &[u32], limit: usize, eos: Option<u32>) -> Vec<u32> {
    run(RIGHT, model, prompt, limit, eos)[prompt.len()..].to_vec()
}

/// The result is always as long as it can be.
pub fn filled_with_eos(model: Model, prompt: &[u32], limit: usize, eos: Option<u32>) -> Vec<u32> {
    let mut tokens = run(RIGHT, model, prompt, limit, eos);
    let length = tokens.len();
    tokens.resize(eos.map_or(length, |_| prompt.len() + limit), eos.unwrap_or(0));
    tokens
}

/// The limit and the EOS are looked at when the model has already run for the next token.
pub fn a_call_too_many(model: Model, prompt: &[u32], limit: usize, eos: Option<u32>) -> Vec<u32> {
    let tokens = run(RIGHT, &mut *model, prompt, limit, eos);
    model(&tokens);
    tokens
}

/// The prompt is fed in growing pieces first, as if that filled a cache.
pub fn prompt_piece_by_piece(model: Model, prompt: &[u32], limit: usize, eos: Option<u32>) -> Vec<u32> {
    (1..prompt.len()).for_each(|length| {
        model(&prompt[..length]);
    });
    run(RIGHT, model, prompt, limit, eos)
}

/// Draws from the softmax with a generator of its own.
pub fn samples(model: Model, prompt: &[u32], limit: usize, eos: Option<u32>) -> Vec<u32> {
    let (mut tokens, mut state) = (prompt.to_vec(), 1u64);
    while tokens.len() - prompt.len() < limit && (tokens.len() == prompt.len() || tokens.last().copied() != eos) {
        let logits = model(&tokens);
        let row = last(&logits);
        let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f32> = row.iter().map(|logit| (logit - max).exp()).collect();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut left = (state >> 40) as f32 / (1u32 << 24) as f32 * weights.iter().sum::<f32>();
        let reached = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        tokens.push(reached.unwrap_or(0) as u32);
    }
    tokens
}
