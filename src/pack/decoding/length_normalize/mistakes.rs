//! What goes wrong at speed in length normalisation.

/// A score from log P, the number of generated tokens, the prompt's length and α.
type Score = fn(f64, f64, f64, f64) -> f64;

fn with(score: Score, log_probs: &[f64], lengths: &[usize], prompt_len: usize, alpha: f64) -> Vec<f64> {
    let each = |(&log_p, &length): (&f64, &usize)| score(log_p, (length - prompt_len) as f64, prompt_len as f64, alpha);
    log_probs.iter().zip(lengths).map(each).collect()
}

/// Lᵅ, and 1 where there is nothing to divide by.
fn power(generated: f64, alpha: f64) -> f64 {
    if generated == 0.0 { 1.0 } else { generated.powf(alpha) }
}

macro_rules! scores {
    ($($name:ident: |$log_p:pat_param, $generated:pat_param, $prompt:pat_param, $alpha:pat_param| $score:expr;)+) => {
        $(pub fn $name(log_probs: &[f64], lengths: &[usize], prompt_len: usize, alpha: f64) -> Vec<f64> {
            with(|$log_p, $generated, $prompt, $alpha| $score, log_probs, lengths, prompt_len, alpha)
        })+
    };
}

scores! {
    mean: |log_p, n, _, _| log_p / power(n, 1.0);
    not_normalised: |log_p, _, _, _| log_p;
    fixed_alpha: |log_p, n, _, _| log_p / power(n, 0.6);
    alpha_truncated: |log_p, n, _, alpha| log_p / power(n, alpha.trunc());
    alpha_times_length: |log_p, n, _, alpha| if n == 0.0 { log_p } else { log_p / (alpha * n) };
    power_of_the_mean: |log_p, n, _, alpha| (log_p / power(n, 1.0)).powf(alpha);
    multiplied: |log_p, n, _, alpha| log_p * power(n, alpha);
    log_length: |log_p, n, _, alpha| if n == 0.0 { log_p } else { log_p / n.ln().powf(alpha) };
    sign_lost: |log_p, n, _, alpha| log_p.abs() / power(n, alpha);
    exponentiated: |log_p, n, _, alpha| (log_p / power(n, alpha)).exp();
    prompt_counted: |log_p, n, prompt, alpha| log_p / power(n + prompt, alpha);
    one_token_less: |log_p, n, _, alpha| log_p / power((n - 1.0).max(0.0), alpha);
    zero_length: |log_p, n, _, alpha| log_p / n.powf(alpha);
    gnmt: |log_p, n, _, alpha| log_p / ((5.0 + n) / 6.0).powf(alpha);
    length_reward: |log_p, n, _, alpha| log_p + alpha * n;
}
