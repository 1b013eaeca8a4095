//! What a model can refuse, each with the numbers that explain it.

/// Why a model did not load or did not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The row would become longer than the model's context.
    #[error("the context ends at {context} tokens: {cached} are cached, {fed} more do not fit")]
    ContextEnd {
        /// The model's context.
        context: usize,
        /// Tokens in the cache.
        cached: usize,
        /// Tokens that were to be fed.
        fed: usize,
    },
    /// A position id without an embedding.
    #[error("position id {position} is out of range: the model has positions 0 to {last}")]
    Position {
        /// The id.
        position: i64,
        /// The last one that exists.
        last: usize,
    },
    /// A token id without an embedding.
    #[error("token id {id} is out of range: the vocabulary has ids 0 to {last}")]
    Token {
        /// The id.
        id: i64,
        /// The last one that exists.
        last: usize,
    },
    /// An input of the wrong shape.
    #[error("{what} has shape {got:?} where {expected:?} is expected")]
    Shape {
        /// Which input.
        what: &'static str,
        /// What fits.
        expected: Vec<usize>,
        /// What came.
        got: Vec<usize>,
    },
    /// Ids that are not a batch of rows.
    #[error("{what} has shape {got:?}; it must be (B, T) with at least one row and one token")]
    NoBatch {
        /// Which input.
        what: &'static str,
        /// What came.
        got: Vec<usize>,
    },
    /// An input that is not of integers.
    #[error("{what} is {got} where integers (u8, u32 or i64) are expected")]
    NotIntegers {
        /// Which input.
        what: &'static str,
        /// Its dtype.
        got: &'static str,
    },
    /// A cache that belongs to another batch or another model.
    #[error("the cache does not fit: {0}")]
    Cache(String),
    /// The weights lack a tensor.
    #[error("the weights have no tensor \"{0}\"")]
    MissingTensor(String),
    /// A tensor of the weights has another shape than the config says.
    #[error("the tensor \"{name}\" has shape {got:?}; the config asks for {expected:?}")]
    TensorShape {
        /// Its name.
        name: String,
        /// What the config says.
        expected: Vec<usize>,
        /// What the file holds.
        got: Vec<usize>,
    },
    /// Bytes that are not a whole safetensors file.
    #[error("not a safetensors file, or not all of one: {0}")]
    NotSafetensors(String),
    /// A config that cannot be read or names something that this model cannot do.
    #[error("model config: {0}")]
    Config(String),
    /// A tensor operation failed.
    #[error(transparent)]
    Candle(#[from] candle_core::Error),
}

/// Result of a model.
pub type Result<T> = std::result::Result<T, Error>;
