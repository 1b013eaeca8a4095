"""The characters that sentencepiece keeps when it trains a character model."""
import io
import random

import sentencepiece as spm

SPACE = "\u2581"  # how sentencepiece writes a space


def kept(corpus, threshold):
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus), model_writer=model, model_type="char", character_coverage=threshold,
        vocab_size=1000, hard_vocab_limit=False, normalization_rule_name="identity", add_dummy_prefix=False,
        remove_extra_whitespaces=False, bos_id=-1, eos_id=-1, minloglevel=2)
    trained = spm.SentencePieceProcessor(model_proto=model.getvalue())
    pieces = [trained.id_to_piece(i) for i in range(trained.get_piece_size())]
    return {" " if piece == SPACE else piece for piece in pieces if piece != "<unk>"}


def make():
    rng = random.Random(13)
    corpora = [(["a" * 980 + "b" * 11 + "c" * 9], t) for t in (0.985, 0.98, 0.9911, 1.0)]
    corpora += [(["ab" * 245 + "zyxuwv"], t) for t in (0.98, 0.985, 0.99, 0.999)]  # ties, the space not among them: it counts as U+2581
    for _ in range(16):
        common = rng.sample("etaoin shrdlu éü日本", 9)
        text = "".join(rng.choices(common, range(1, 10), k=rng.randint(300, 500))) + "".join(rng.choices("qxzjñ語.", k=12))
        corpora.append(([text[:200].strip(), text[200:].strip()], rng.choice([0.98, 0.985, 0.99, 0.995, 0.9995, 1.0])))
    cases = []
    for corpus, threshold in corpora:
        text = "".join(corpus)
        rare = sorted(set(text) - kept(corpus, threshold))
        coverage = 1 - sum(text.count(c) for c in rare) / len(text)
        cases.append({"corpus": corpus, "threshold": threshold, "coverage": coverage, "rare": rare})
    return {"cases": cases}
