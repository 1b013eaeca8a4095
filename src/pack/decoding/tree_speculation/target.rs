//! The target as a verification step sees it: it keeps the cache and writes down what it was fed.

/// A target model with a KV cache. Every call is written down and judged.
pub trait Target {
    /// How many tokens the cache holds, P.
    fn cached(&self) -> usize;

    /// One pass over n more tokens, which join the cache behind the P that it holds.
    ///
    /// `positions`: n; `visible`: n rows of P + n, true where the token may look. Returns the most probable next token after
    /// each of the n. Lists of other lengths are an error.
    fn forward(&mut self, tokens: &[u32], positions: &[usize], visible: &[Vec<bool>]) -> Result<Vec<u32>, String>;

    /// Of the tokens that the last pass added, keeps those of these indices, in this order, and drops the others from the
    /// cache. An index that the last pass did not have, or the same one twice, is an error.
    fn keep(&mut self, nodes: &[usize]) -> Result<(), String>;
}

/// A cache entry: position and token. All that a key can know.
pub(super) type Entry = (usize, u32);

/// Where the answers come from.
#[derive(Clone)]
pub(super) enum Answers {
    /// Given for each token of a pass.
    Given(Vec<u32>),
    /// A toy model of this many tokens: the answer is a hash of the entries that are seen, in whatever order they lie.
    Toy(u32),
}

/// What one pass was fed.
pub(super) struct Pass {
    pub tokens: Vec<u32>,
    pub positions: Vec<usize>,
    pub visible: Vec<Vec<bool>>,
}

/// A target that writes down its passes.
pub(super) struct Recorder {
    pub cache: Vec<Entry>,
    pub passes: Vec<Pass>,
    answers: Answers,
    /// How many entries the last pass added.
    added: usize,
}

impl Recorder {
    /// With a text already in the cache, at positions 0, 1, ….
    pub(super) fn new(text: &[u32], answers: Answers) -> Self {
        let cache = text.iter().copied().enumerate().collect();
        Self { cache, passes: Vec::new(), answers, added: 0 }
    }
}

/// The toy model's most probable token after what it sees.
pub(super) fn toy(seen: impl Iterator<Item = Entry>, vocab: u32) -> u32 {
    let mix = |(position, token): Entry| {
        let x = (position as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (u64::from(token) + 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let sum = seen.map(mix).fold(0u64, u64::wrapping_add);
    ((sum ^ (sum >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as u32 % vocab
}

impl Target for Recorder {
    fn cached(&self) -> usize {
        self.cache.len()
    }

    fn forward(&mut self, tokens: &[u32], positions: &[usize], visible: &[Vec<bool>]) -> Result<Vec<u32>, String> {
        let (n, total) = (tokens.len(), self.cache.len() + tokens.len());
        if n == 0 {
            return Err("forward: a pass needs at least one token".to_owned());
        }
        if positions.len() != n || visible.len() != n {
            let (positions, rows) = (positions.len(), visible.len());
            return Err(format!("forward: {n} tokens came with {positions} positions and {rows} rows of the mask"));
        }
        if let Some(row) = visible.iter().find(|row| row.len() != total) {
            return Err(format!("forward: a row of the mask has {} places; P + n is {total}", row.len()));
        }
        let (tokens, positions, visible) = (tokens.to_vec(), positions.to_vec(), visible.to_vec());
        self.cache.extend(positions.iter().copied().zip(tokens.iter().copied()));
        self.added = n;
        let answers = match &self.answers {
            Answers::Given(list) => (0..n).map(|node| list.get(node).copied().unwrap_or(0)).collect(),
            Answers::Toy(vocab) => {
                let seen = |row: &Vec<bool>| {
                    let entries = self.cache.iter().zip(row).filter(|(_, seen)| **seen).map(|(entry, _)| *entry);
                    toy(entries, *vocab)
                };
                visible.iter().map(seen).collect()
            }
        };
        self.passes.push(Pass { tokens, positions, visible });
        Ok(answers)
    }

    fn keep(&mut self, nodes: &[usize]) -> Result<(), String> {
        let start = self.cache.len() - self.added;
        if let Some(node) = nodes.iter().find(|&&node| node >= self.added) {
            return Err(format!("keep: there is no node {node} among the {} of the last pass", self.added));
        }
        if let Some((at, node)) = nodes.iter().enumerate().find(|(at, node)| nodes[..*at].contains(node)) {
            return Err(format!("keep: node {node} is named again in place {at}"));
        }
        let kept: Vec<Entry> = nodes.iter().map(|&node| self.cache[start + node]).collect();
        self.cache.truncate(start);
        self.cache.extend(kept);
        self.added = 0;
        Ok(())
    }
}
