//! Tree speculation: verify many drafts that share beginnings in one pass of the target.

use logitlings::pack::decoding::tree_speculation::Target;

/// `tokens` (n): node 0 is the root, the newest token of the text, which is not in the target's cache yet; the others are
/// drafts. `parents` (n): `None` for the root, otherwise a smaller index. Returns the accepted drafts and one more token.
///
/// `target.cached()` is P. `target.forward(tokens, positions, visible)` feeds n tokens behind the cache (`visible`: n rows
/// of P + n) and returns the most probable next token after each. `target.keep(nodes)` keeps these of the n.
pub fn tree_speculation(
    target: &mut dyn Target,
    tokens: &[u32],
    parents: &[Option<usize>],
) -> Result<Vec<u32>, String> {
    let _ = (target.cached(), tokens, parents);
    todo!("positions and mask from the parents, one pass, the longest accepted path, its cache entries, one more token")
}

logitlings::attempt!(decoding::tree_speculation, tree_speculation);
