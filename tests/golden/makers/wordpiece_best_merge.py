"""The course's formula in floats and in exact fractions, which must agree; and what tokenizers' WordPieceTrainer merges first."""
import collections
import fractions
import random

from tokenizers import Tokenizer, models, pre_tokenizers, trainers


def course(words):
    """huggingface.co/learn/llm-course/chapter6/6: letter_freqs and pair_freqs, score = pair / (first × second)."""
    letters, pairs = collections.defaultdict(int), collections.defaultdict(int)
    for symbols, n in words:
        for symbol in symbols:
            letters[symbol] += n
        for pair in zip(symbols, symbols[1:]):
            pairs[pair] += n
    scores = {pair: n / (letters[pair[0]] * letters[pair[1]]) for pair, n in pairs.items()}
    best = max(scores, key=scores.get)  # the first of equals
    return [*best, scores[best]]


def exact(words):
    """The same out of one long list of places, without floats."""
    places = [(s, i, n) for s, n in words for i in range(len(s))]
    order, best = [], None
    for symbols, i, _ in places:
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) not in order:
            order.append((symbols[i], symbols[i + 1]))
    for a, b in order:
        of_pair = sum(n for s, i, n in places if s[i:i + 2] == [a, b])
        of_a, of_b = (sum(n for s, i, n in places if s[i] == x) for x in (a, b))
        score = fractions.Fraction(of_pair, of_a * of_b)
        if best is None or score > best[2]:
            best = (a, b, score)
    return [best[0], best[1], float(best[2])]


def trainer(words):
    """The first token that WordPieceTrainer adds to the alphabet."""
    text = ["".join(s.removeprefix("##") for s in symbols) for symbols, n in words for _ in range(n)]
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    alphabet = {s for symbols, _ in words for s in symbols} | {s.removeprefix("##") for symbols, _ in words for s in symbols}
    tok.train_from_iterator(text, trainers.WordPieceTrainer(vocab_size=len(alphabet) + 1, show_progress=False))
    return max(tok.get_vocab(), key=tok.get_vocab().get)


def marked(word):
    return [word[0]] + ["##" + c for c in word[1:]]


def make():
    hugs = [(marked(w), n) for w, n in [("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)]]
    corpora = [[(["l", "o", "w", "</w>"], 5), (["l", "o", "w", "e", "r", "</w>"], 2)], hugs]
    rng = random.Random(11)
    for size in [3, 8, 20, 40]:
        for _ in range(4):
            words = [[rng.choice("abcdefgh") for _ in range(rng.randint(1, 7))] for _ in range(size)]
            corpora.append([(w, rng.randint(1, 10 ** rng.randint(1, 6))) for w in words])
    cases = []
    for words in corpora:
        best = course(words)
        assert best == exact(words), (words, best, exact(words))
        cases.append({"words": words, "best": best})
    trained = []
    for words in [hugs, [(marked(w), n) for w, n in [("low", 5), ("lower", 2), ("newer", 6), ("wider", 3)]]]:
        pairs = collections.Counter()
        for symbols, n in words:
            pairs.update({pair: n for pair in zip(symbols, symbols[1:])})
        (_, most), (_, second) = pairs.most_common(2)
        if most > second:
            trained.append({"words": words, "first": trainer(words)})
    return {"cases": cases, "trainer": trained}
