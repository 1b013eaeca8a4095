//! The pack: every problem, with what a reader sees and what the judge runs.

pub mod attention;
pub mod decoding;
pub mod inference;
pub mod layers;
pub mod moe;
pub mod positions;
pub mod sampling;
pub mod statement;
pub mod tokenization;

use crate::judge::Judged;
use statement::Statement;
use std::sync::LazyLock;

/// A topic, in the order in which the pack shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Topic {
    Tokenization,
    Sampling,
    Decoding,
    Inference,
    Attention,
    Positions,
    Layers,
    Moe,
    Training,
}

impl Topic {
    /// The folder's name.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Tokenization => "tokenization",
            Self::Sampling => "sampling",
            Self::Decoding => "decoding",
            Self::Inference => "inference",
            Self::Attention => "attention",
            Self::Positions => "positions",
            Self::Layers => "layers",
            Self::Moe => "moe",
            Self::Training => "training",
        }
    }

    /// The name as a reader sees it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Tokenization => "Tokenization",
            Self::Sampling => "Sampling",
            Self::Decoding => "Decoding",
            Self::Inference => "Inference",
            Self::Attention => "Attention",
            Self::Positions => "Positions",
            Self::Layers => "Layers",
            Self::Moe => "Mixture of experts",
            Self::Training => "Training",
        }
    }
}

/// A problem of the pack.
pub struct Entry {
    /// Its topic.
    pub topic: Topic,
    /// Its slug: file name, command-line name, store id.
    pub slug: &'static str,
    /// Text of `exercises/<topic>/<slug>/README.md`.
    pub readme: &'static str,
    /// Text of the skeleton.
    pub skeleton: &'static str,
    /// Source of the reference.
    pub reference: &'static str,
    /// Makes the judge's side of it.
    pub problem: fn() -> Box<dyn Judged>,
    parsed: LazyLock<Result<Statement, String>>,
}

/// `entry!(Attention, "attention", "kv-cache-attn", kv_cache_attn)`: an [`Entry`] out of the problem's files.
macro_rules! entry {
    ($topic:ident, $folder:literal, $slug:literal, $module:ident) => {
        $crate::pack::Entry::new(
            $crate::pack::Topic::$topic,
            $slug,
            [
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/exercises/", $folder, "/", $slug, "/README.md")),
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/exercises/", $folder, "/", $slug, "/skeleton.rs")),
                include_str!(concat!(stringify!($module), "/reference.rs")),
            ],
            || Box::new($module::problem()),
            || {
                $crate::pack::statement::Statement::parse(include_str!(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/exercises/",
                    $folder,
                    "/",
                    $slug,
                    "/README.md"
                )))
            },
        )
    };
}
pub(crate) use entry;

impl Entry {
    #[doc(hidden)]
    pub const fn new(
        topic: Topic,
        slug: &'static str,
        [readme, skeleton, reference]: [&'static str; 3],
        problem: fn() -> Box<dyn Judged>,
        parse: fn() -> Result<Statement, String>,
    ) -> Self {
        Self { topic, slug, readme, skeleton, reference, problem, parsed: LazyLock::new(parse) }
    }

    /// The statement; the pack's tests make sure that every one can be read.
    pub fn statement(&self) -> &Statement {
        match &*self.parsed {
            Ok(statement) => statement,
            Err(reason) => panic!("exercises/{}/{}/README.md: {reason}", self.topic.slug(), self.slug),
        }
    }

    /// Whether the statement can be read.
    pub fn check_statement(&self) -> Result<(), String> {
        self.parsed.as_ref().map(|_| ()).map_err(Clone::clone)
    }
}

/// Every problem, by topic.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    [
        &tokenization::PROBLEMS[..],
        &sampling::PROBLEMS[..],
        &decoding::PROBLEMS[..],
        &inference::PROBLEMS[..],
        &attention::PROBLEMS[..],
        &positions::PROBLEMS[..],
        &layers::PROBLEMS[..],
        &moe::PROBLEMS[..],
    ]
    .into_iter()
    .flatten()
}

/// The problem of this slug.
pub fn find(slug: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.slug == slug)
}
