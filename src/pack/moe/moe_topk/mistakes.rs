//! What goes wrong at speed in top-k routing.

use candle_core::{DType, Result, Tensor};

type Expert<'a> = &'a mut dyn FnMut(usize, &Tensor) -> Result<Tensor>;

/// For every token its (expert, weight) pairs, the best expert first.
type Routes = Vec<Vec<(usize, f32)>>;

fn tokens(x: &Tensor) -> Result<Tensor> {
    let (b, t, d) = x.dims3()?;
    x.reshape((b * t, d))
}

fn logits(x: &Tensor, gate: &Tensor) -> Result<Vec<Vec<f32>>> {
    tokens(x)?.to_dtype(DType::F32)?.matmul(&gate.to_dtype(DType::F32)?.t()?)?.to_vec2::<f32>()
}

/// The experts by falling logit.
fn ranked(logits: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
    order
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exps: Vec<f32> = logits.iter().map(|l| (l - max).exp()).collect();
    let sum: f32 = exps.iter().sum();
    exps.iter().map(|e| e / sum).collect()
}

/// The k best experts of every token, with the weights that `weigh` makes of all logits and of the chosen experts.
fn routes(x: &Tensor, gate: &Tensor, k: usize, weigh: impl Fn(&[f32], &[usize]) -> Vec<f32>) -> Result<Routes> {
    let route = |row: &Vec<f32>| {
        let chosen = &ranked(row)[..k];
        chosen.iter().copied().zip(weigh(row, chosen)).collect()
    };
    Ok(logits(x, gate)?.iter().map(route).collect())
}

/// The right weights.
fn over_chosen(row: &[f32], chosen: &[usize]) -> Vec<f32> {
    softmax(&chosen.iter().map(|&e| row[e]).collect::<Vec<f32>>())
}

fn over_all(row: &[f32], chosen: &[usize]) -> Vec<f32> {
    let all = softmax(row);
    chosen.iter().map(|&e| all[e]).collect()
}

/// Tokens and weights of expert `e`.
fn of_expert(routes: &Routes, e: usize) -> (Vec<u32>, Vec<f32>) {
    let found = routes.iter().enumerate().flat_map(|(token, route)| {
        route.iter().filter(move |(expert, _)| *expert == e).map(move |&(_, weight)| (token as u32, weight))
    });
    found.unzip()
}

/// The mixture for `routes`, each expert called once with its tokens.
fn mix(x: &Tensor, gate: &Tensor, routes: &Routes, expert: Expert) -> Result<Tensor> {
    let tokens = tokens(x)?;
    let mut output = tokens.zeros_like()?.to_dtype(DType::F32)?;
    for e in 0..gate.dim(0)? {
        let (rows, weights) = of_expert(routes, e);
        if !rows.is_empty() {
            let rows = Tensor::new(rows, x.device())?;
            let answer = expert(e, &tokens.index_select(&rows, 0)?)?.to_dtype(DType::F32)?;
            let weights = Tensor::new(weights, x.device())?.unsqueeze(1)?;
            output = output.index_add(&rows, &answer.broadcast_mul(&weights)?, 0)?;
        }
    }
    output.reshape(x.shape())?.to_dtype(x.dtype())
}

pub fn not_renormalised(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    mix(x, gate, &routes(x, gate, k, over_all)?, expert)
}

pub fn switch_when_one(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let weigh = if k == 1 { over_all } else { over_chosen };
    mix(x, gate, &routes(x, gate, k, weigh)?, expert)
}

pub fn no_weights(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    mix(x, gate, &routes(x, gate, k, |_, chosen| vec![1.0; chosen.len()])?, expert)
}

pub fn uniform(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    mix(x, gate, &routes(x, gate, k, |_, chosen| vec![1.0 / k as f32; chosen.len()])?, expert)
}

pub fn raw_logits(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    mix(x, gate, &routes(x, gate, k, |row, chosen| chosen.iter().map(|&e| row[e]).collect())?, expert)
}

pub fn first_weight(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let weigh = |row: &[f32], chosen: &[usize]| vec![over_chosen(row, chosen)[0]; chosen.len()];
    mix(x, gate, &routes(x, gate, k, weigh)?, expert)
}

pub fn no_max(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let weigh = |row: &[f32], chosen: &[usize]| {
        let sum: f32 = chosen.iter().map(|&e| row[e].exp()).sum();
        chosen.iter().map(|&e| row[e].exp() / sum).collect()
    };
    mix(x, gate, &routes(x, gate, k, weigh)?, expert)
}

pub fn only_the_best(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let mut routes = routes(x, gate, k, over_chosen)?;
    routes.iter_mut().for_each(|route| route.truncate(1));
    mix(x, gate, &routes, expert)
}

pub fn lowest(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let route = |row: &Vec<f32>| {
        let worst: Vec<usize> = ranked(row).into_iter().rev().take(k).collect();
        worst.iter().copied().zip(over_chosen(row, &worst)).collect()
    };
    mix(x, gate, &logits(x, gate)?.iter().map(route).collect(), expert)
}

pub fn weights_by_rank(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let mut routes = routes(x, gate, k, over_chosen)?;
    for route in &mut routes {
        let mut experts: Vec<usize> = route.iter().map(|(e, _)| *e).collect();
        experts.sort_unstable();
        route.iter_mut().zip(experts).for_each(|(slot, e)| slot.0 = e);
    }
    mix(x, gate, &routes, expert)
}

pub fn softmax_over_tokens(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let mut routes = routes(x, gate, k, |row, chosen| chosen.iter().map(|&e| row[e]).collect())?;
    for slot in 0..k {
        let column: Vec<f32> = routes.iter().map(|route| route[slot].1).collect();
        routes.iter_mut().zip(softmax(&column)).for_each(|(route, weight)| route[slot].1 = weight);
    }
    mix(x, gate, &routes, expert)
}

pub fn assigned(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let (routes, tokens) = (routes(x, gate, k, over_chosen)?, tokens(x)?);
    let mut output: Vec<Tensor> = Vec::new();
    output.resize(routes.len(), Tensor::zeros((1, x.dim(2)?), x.dtype(), x.device())?);
    for e in 0..gate.dim(0)? {
        let (rows, weights) = of_expert(&routes, e);
        if !rows.is_empty() {
            let answer = expert(e, &tokens.index_select(&Tensor::new(&rows[..], x.device())?, 0)?)?;
            for (i, &row) in rows.iter().enumerate() {
                output[row as usize] = (answer.narrow(0, i, 1)? * f64::from(weights[i]))?;
            }
        }
    }
    Tensor::cat(&output, 0)?.reshape(x.shape())
}

pub fn weight_before_expert(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let (routes, tokens) = (routes(x, gate, k, over_chosen)?, tokens(x)?);
    let mut output = tokens.zeros_like()?;
    for e in 0..gate.dim(0)? {
        let (rows, weights) = of_expert(&routes, e);
        if !rows.is_empty() {
            let rows = Tensor::new(rows, x.device())?;
            let weights = Tensor::new(weights, x.device())?.unsqueeze(1)?.to_dtype(x.dtype())?;
            let answer = expert(e, &tokens.index_select(&rows, 0)?.broadcast_mul(&weights)?)?;
            output = output.index_add(&rows, &answer, 0)?;
        }
    }
    output.reshape(x.shape())
}

pub fn all_tokens(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let (routes, tokens) = (routes(x, gate, k, over_chosen)?, tokens(x)?);
    let mut output = tokens.zeros_like()?.to_dtype(DType::F32)?;
    for e in 0..gate.dim(0)? {
        let weight = |route: &Vec<(usize, f32)>| route.iter().find(|(expert, _)| *expert == e).map_or(0.0, |(_, w)| *w);
        let weights: Vec<f32> = routes.iter().map(weight).collect();
        let weights = Tensor::new(weights, x.device())?.unsqueeze(1)?;
        output = (output + expert(e, &tokens)?.to_dtype(DType::F32)?.broadcast_mul(&weights)?)?;
    }
    output.reshape(x.shape())?.to_dtype(x.dtype())
}

pub fn token_by_token(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let (routes, tokens) = (routes(x, gate, k, over_chosen)?, tokens(x)?);
    let mut output = Vec::new();
    for (i, route) in routes.iter().enumerate() {
        let mut sum = Tensor::zeros((1, x.dim(2)?), DType::F32, x.device())?;
        for &(e, weight) in route {
            let answer = expert(e, &tokens.narrow(0, i, 1)?)?.to_dtype(DType::F32)?;
            sum = (sum + (answer * f64::from(weight))?)?;
        }
        output.push(sum);
    }
    Tensor::cat(&output, 0)?.reshape(x.shape())?.to_dtype(x.dtype())
}

pub fn idle_experts_called(x: &Tensor, gate: &Tensor, k: usize, expert: Expert) -> Result<Tensor> {
    let (routes, tokens) = (routes(x, gate, k, over_chosen)?, tokens(x)?);
    for e in 0..gate.dim(0)? {
        if of_expert(&routes, e).0.is_empty() {
            expert(e, &tokens.narrow(0, 0, 0)?)?;
        }
    }
    mix(x, gate, &routes, expert)
}
