//! The sampler's mistakes and what they are called. `generate` is right and calls the wrong sampler.

use super::super::{Attempt, Generate, SampleNextToken};
use super::loops::{Flaw as Loop, run};
use super::samplers::{Flaw, sample};
use crate::judge::Problem;

/// An attempt with the flaw in its sampler.
macro_rules! sampler {
    ($flaw:ident) => {{
        const WRONG: SampleNextToken = |logits, temperature, k, p, u| sample(Flaw::$flaw, logits, temperature, k, p, u);
        let generate: Generate = |model, ids, mask, config, u| run(Loop::None, WRONG, model, (ids, mask), config, u);
        Attempt { sample_next_token: WRONG, generate }
    }};
}

/// Adds them.
pub fn add(problem: Problem<Attempt>) -> Problem<Attempt> {
    filters(
        problem
            .mistake("last-maximum", "of equal maxima the last is taken at temperature 0; argmax is the first", sampler!(LastMaximum))
            .mistake(
                "zero-temperature-draws",
                "temperature 0 divides by a tiny number and draws: among equal maxima that is a lottery, and it uses up uniforms",
                sampler!(ZeroTemperatureDraws),
            )
            .mistake("always-greedy", "the argmax is returned at every temperature, nothing is drawn", sampler!(AlwaysGreedy))
            .mistake(
                "temperature-multiplied",
                "the logits are multiplied by the temperature; dividing is what makes a high temperature flatten",
                sampler!(TemperatureMultiplied),
            )
            .convention(
                "temperature-last",
                "the filters see the distribution before the temperature, which llama.cpp does by default; here the temperature comes first, because p is a mass of the distribution that is sampled",
                sampler!(TemperatureLast),
            )
            .mistake(
                "kept-mass-not-renormalised",
                "the uniform runs over the mass of all tokens: what falls on a removed token goes to the last one kept",
                sampler!(NotRenormalised),
            )
            .convention(
                "drawn-in-rank-order",
                "the cumulative distribution runs over the tokens by falling probability: the same distribution, but this problem fixes the order of ids so that a uniform names one token",
                sampler!(DrawnInRankOrder),
            )
            .mistake(
                "rank-for-id",
                "the place in the sorted order is returned as if it were the token id: the draw is never mapped back through the sort",
                sampler!(RankForId),
            )
            .mistake("one-uniform-for-all-rows", "one uniform is drawn for the whole batch, so the rows' draws move together", sampler!(OneUniformForAll)),
    )
}

fn filters(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .convention(
            "top-k-keeps-ties",
            "everything that equals the k-th logit is kept, as transformers and vLLM do; here exactly k stay, so that top-k 1 is greedy on ties as well",
            sampler!(TopKKeepsTies),
        )
        .mistake("top-k-beyond-the-vocabulary", "a top-k larger than the vocabulary fails; it means the whole vocabulary", sampler!(TopKBeyondTheVocabulary))
        .mistake("top-k-zero-keeps-one", "top-k 0 keeps a single token; 0 switches the filter off", sampler!(TopKZeroKeepsOne))
        .mistake(
            "top-p-before-top-k",
            "the nucleus is measured on the whole distribution, not on what top-k left: top-p ran first, or the masses were not renormalised in between",
            sampler!(TopPBeforeTopK),
        )
        .mistake(
            "top-p-one-filters",
            "top-p 1 is not skipped: a cumulative sum in f32 reaches 1 before its end and the tail is dropped",
            sampler!(TopPOneFilters),
        )
        .mistake(
            "most-probable-dropped",
            "where the most probable token alone has more than p, it is removed too and nothing is left; it always stays",
            sampler!(MostProbableDropped),
        )
        .mistake(
            "crossing-token-dropped",
            "the token that carries the mass across p is dropped: the sum that decides must not include the token itself",
            sampler!(CrossingTokenDropped),
        )
        .mistake(
            "boundary-token-kept",
            "a token is kept although the mass before it is exactly p; the smallest set with mass p is full by then",
            sampler!(BoundaryTokenKept),
        )
        .mistake(
            "removed-get-zero",
            "the logits of removed tokens become 0 and not −inf: exp(0) is a weight like any other, larger than that of a negative logit",
            sampler!(RemovedGetZero),
        )
        .mistake(
            "mask-not-scattered",
            "the mask was made in sorted order and laid over the unsorted logits: the first ids are kept, not the most probable",
            sampler!(MaskNotScattered),
        )
        .mistake("other-rows-order", "the sorted order of the first row decides for every row which ids stay", sampler!(OtherRowsOrder))
}
