//! What goes wrong at speed when drafts are verified.

type Rows<'a> = &'a [Vec<f64>];
type Uniform<'a> = &'a mut dyn FnMut() -> f64;

/// The first id whose cumulative weight passes the threshold in the sense of `passes`.
fn invert(weights: &[f64], threshold: f64, passes: fn(f64, f64) -> bool) -> Option<u32> {
    let mut cumulative = 0.0;
    let found = weights.iter().position(|weight| {
        cumulative += weight;
        passes(cumulative, threshold)
    });
    found.map(|id| id as u32)
}

fn exceeds(cumulative: f64, threshold: f64) -> bool {
    cumulative > threshold
}

fn draw(weights: &[f64], u: f64) -> u32 {
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0) as u32;
    invert(weights, u * weights.iter().sum::<f64>(), exceeds).unwrap_or(last)
}

/// The parts of the algorithm, each of which can be got wrong on its own.
#[derive(Clone, Copy)]
struct Recipe {
    /// Whether a token with target probability p and draft probability q stands; may draw.
    accept: fn(p: f64, q: f64, Uniform) -> bool,
    /// The token after a rejection, from the rows p and q.
    resample: fn(p: &[f64], q: &[f64], Uniform) -> u32,
    /// The token after k acceptances.
    bonus: fn(draft_probs: Rows, target_probs: Rows, Uniform) -> Option<u32>,
}

const RIGHT: Recipe = Recipe {
    accept: |p, q, uniform| uniform() * q < p,
    resample: |p, q, uniform| draw(&residual(p, q), uniform()),
    bonus: |_, p, uniform| p.last().map(|row| draw(row, uniform())),
};

/// (p − q)₊, or p where nothing is left.
fn residual(p: &[f64], q: &[f64]) -> Vec<f64> {
    let left = clamped(p, q);
    if left.iter().any(|&weight| weight > 0.0) { left } else { p.to_vec() }
}

fn clamped(p: &[f64], q: &[f64]) -> Vec<f64> {
    zipped(p, q, |p, q| (p - q).max(0.0))
}

fn zipped(p: &[f64], q: &[f64], f: fn(f64, f64) -> f64) -> Vec<f64> {
    p.iter().zip(q).map(|(&p, &q)| f(p, q)).collect()
}

fn step(draft: &[u32], q: Rows, p: Rows, uniform: Uniform, recipe: Recipe) -> Vec<u32> {
    let mut tokens = Vec::new();
    for (i, &token) in draft.iter().enumerate() {
        if !(recipe.accept)(p[i][token as usize], q[i][token as usize], uniform) {
            tokens.push((recipe.resample)(&p[i], &q[i], uniform));
            return tokens;
        }
        tokens.push(token);
    }
    tokens.extend((recipe.bonus)(q, p, uniform));
    tokens
}

pub fn bonus_from_last_tested_row(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let bonus = |_: Rows, p: Rows, uniform: Uniform| Some(draw(&p[p.len().saturating_sub(2)], uniform()));
    step(draft, q, p, uniform, Recipe { bonus, ..RIGHT })
}

pub fn bonus_from_draft(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let bonus = |q: Rows, p: Rows, uniform: Uniform| q.last().or(p.last()).map(|row| draw(row, uniform()));
    step(draft, q, p, uniform, Recipe { bonus, ..RIGHT })
}

pub fn no_bonus(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    step(draft, q, p, uniform, Recipe { bonus: |_, _, _| None, ..RIGHT })
}

pub fn ratio_inverted(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    step(draft, q, p, uniform, Recipe { accept: |p, q, uniform| uniform() * p < q, ..RIGHT })
}

pub fn accepts_with_p(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    step(draft, q, p, uniform, Recipe { accept: |p, _, uniform| uniform() < p, ..RIGHT })
}

pub fn accepts_if_larger(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    step(draft, q, p, uniform, Recipe { accept: |p, q, _| p >= q, ..RIGHT })
}

pub fn accepts_everything(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    step(draft, q, p, uniform, Recipe { accept: |_, _, _| true, ..RIGHT })
}

pub fn accepts_zero_over_zero(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    step(draft, q, p, uniform, Recipe { accept: |p, q, uniform| uniform() < (p / q).min(1.0), ..RIGHT })
}

pub fn accepts_at_equality(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    step(draft, q, p, uniform, Recipe { accept: |p, q, uniform| uniform() <= p / q, ..RIGHT })
}

pub fn draws_when_needed(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let accept = |p: f64, q: f64, uniform: Uniform| (p >= q && p > 0.0) || uniform() * q < p;
    step(draft, q, p, uniform, Recipe { accept, ..RIGHT })
}

pub fn resamples_from_target(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    step(draft, q, p, uniform, Recipe { resample: |p, _, uniform| draw(p, uniform()), ..RIGHT })
}

pub fn absolute_residual(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let resample = |p: &[f64], q: &[f64], uniform: Uniform| draw(&zipped(p, q, |p, q| (p - q).abs()), uniform());
    step(draft, q, p, uniform, Recipe { resample, ..RIGHT })
}

pub fn residual_reversed(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let resample = |p: &[f64], q: &[f64], uniform: Uniform| draw(&residual(q, p), uniform());
    step(draft, q, p, uniform, Recipe { resample, ..RIGHT })
}

pub fn residual_not_normalised(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let resample = |p: &[f64], q: &[f64], uniform: Uniform| {
        invert(&residual(p, q), uniform(), exceeds).unwrap_or(p.len() as u32 - 1)
    };
    step(draft, q, p, uniform, Recipe { resample, ..RIGHT })
}

pub fn residual_argmax(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let resample = |p: &[f64], q: &[f64], _: Uniform| {
        let left = residual(p, q);
        (0..left.len()).rev().max_by(|&a, &b| left[a].total_cmp(&left[b])).unwrap_or(0) as u32
    };
    step(draft, q, p, uniform, Recipe { resample, ..RIGHT })
}

pub fn empty_residual(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let resample = |p: &[f64], q: &[f64], uniform: Uniform| {
        let left = clamped(p, q);
        let sum: f64 = left.iter().sum();
        let normalised: Vec<f64> = left.iter().map(|weight| weight / sum).collect();
        invert(&normalised, uniform(), exceeds).unwrap_or(p.len() as u32 - 1)
    };
    step(draft, q, p, uniform, Recipe { resample, ..RIGHT })
}

pub fn zero_weight_drawn(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    fn at_least(weights: &[f64], u: f64) -> u32 {
        let threshold = u * weights.iter().sum::<f64>();
        invert(weights, threshold, |cumulative, threshold| cumulative >= threshold).unwrap_or(0)
    }
    let recipe = Recipe {
        resample: |p, q, uniform| at_least(&residual(p, q), uniform()),
        bonus: |_, p, uniform| p.last().map(|row| at_least(row, uniform())),
        ..RIGHT
    };
    step(draft, q, p, uniform, recipe)
}

pub fn continues(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let mut tokens = Vec::new();
    for (i, &token) in draft.iter().enumerate() {
        let stands = (RIGHT.accept)(p[i][token as usize], q[i][token as usize], uniform);
        tokens.push(if stands { token } else { (RIGHT.resample)(&p[i], &q[i], uniform) });
    }
    tokens.extend((RIGHT.bonus)(q, p, uniform));
    tokens
}

pub fn nothing_on_rejection(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let mut tokens = Vec::new();
    for (i, &token) in draft.iter().enumerate() {
        if !(RIGHT.accept)(p[i][token as usize], q[i][token as usize], uniform) {
            return tokens;
        }
        tokens.push(token);
    }
    tokens.extend((RIGHT.bonus)(q, p, uniform));
    tokens
}

pub fn uniform_used_twice(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let mut tokens = Vec::new();
    for (i, &token) in draft.iter().enumerate() {
        let u = uniform();
        if u * q[i][token as usize] >= p[i][token as usize] {
            tokens.push(draw(&residual(&p[i], &q[i]), u));
            return tokens;
        }
        tokens.push(token);
    }
    tokens.extend((RIGHT.bonus)(q, p, uniform));
    tokens
}

pub fn all_uniforms_first(draft: &[u32], q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let coins: Vec<f64> = draft.iter().map(|_| uniform()).collect();
    let stands = |i: usize| coins[i] * q[i][draft[i] as usize] < p[i][draft[i] as usize];
    let accepted = (0..draft.len()).take_while(|&i| stands(i)).count();
    let weights = q.get(accepted).map_or_else(|| p[accepted].clone(), |q| residual(&p[accepted], q));
    draft[..accepted].iter().copied().chain([draw(&weights, uniform())]).collect()
}

pub fn sample_and_match(draft: &[u32], _q: Rows, p: Rows, uniform: Uniform) -> Vec<u32> {
    let mut tokens = Vec::new();
    for (i, row) in p.iter().enumerate() {
        let token = draw(row, uniform());
        tokens.push(token);
        if draft.get(i) != Some(&token) {
            break;
        }
    }
    tokens
}
