"""Brute force: all strings of a language up to a length, found with `re`, and the set of their beginnings.

A token may follow a beginning if the two together are a beginning of a string of the language again; EOS may if the beginning
is a string of it. No automaton takes part in that: the one that is stored beside it is what the reference is given.
"""
import itertools, re

DIGITS = "019"
GRAMMARS = [
    {"pattern": "ab*c", "alphabet": "abc", "longest": 9, "states": 3, "accepting": [2],
     "edges": [[0, "a", 1], [1, "b", 1], [1, "c", 2]],
     "vocab": ["a", "b", "c", "ab", "bb", "bc", "<eos>", "ac", "abca", "", "bbc", "ca"], "eos": 6,
     "prefixes": ["", "a", "abb", "ac", "abbc"]},
    {"pattern": r"-?[019]+(\.[019]+)?", "alphabet": "-.019", "longest": 8, "states": 5, "accepting": [2, 4],
     "edges": [[0, "-", 1], [0, DIGITS, 2], [1, DIGITS, 2], [2, DIGITS, 2], [2, ".", 3], [3, DIGITS, 4], [4, DIGITS, 4]],
     "vocab": ["1", "-", ".", "-9", "0.", ".1", "0.9", "--", "1-", "..", "", "</s>", "1.1.", "-.", "001"], "eos": 11,
     "prefixes": ["", "-", "1", "-01", "9.", "0.1"]},
    {"pattern": "(xy|xz|y(zy)*)*", "alphabet": "xyz", "longest": 9, "states": 4, "accepting": [0, 2],
     "edges": [[0, "x", 1], [0, "y", 2], [1, "yz", 0], [2, "x", 1], [2, "y", 2], [2, "z", 3], [3, "y", 2]],
     "vocab": ["<eos>", "x", "y", "z", "xx", "xy", "yz", "zz", "zyx", "yzy", "xzx", "zyz", "yyy", "xyz"], "eos": 0,
     "prefixes": ["", "x", "y", "yz", "xz", "yx", "yzy"]},
]


def beginnings(pattern, alphabet, longest):
    language = {text for n in range(longest + 1) for text in map("".join, itertools.product(alphabet, repeat=n))
                if re.fullmatch(pattern, text)}
    return language, {text[:n] for text in language for n in range(len(text) + 1)}


def grammar(entry):
    language, prefixes = beginnings(entry["pattern"], entry["alphabet"], entry["longest"])
    # Every token must find room: otherwise a beginning could be missing only because strings end at the limit.
    assert max(map(len, entry["prefixes"])) + max(len(t) for t in entry["vocab"] if t[:1] != "<") + 1 <= entry["longest"]
    rows = []
    for prefix in entry["prefixes"]:
        allowed = []
        for token, text in enumerate(entry["vocab"]):
            if token == entry["eos"]:
                allowed += ["EOS"] if prefix in language else []
            elif text and prefix + text in prefixes:
                allowed.append(text)
        rows.append({"prefix": prefix, "allowed": allowed})
    stored = {key: entry[key] for key in ("pattern", "states", "accepting", "edges", "vocab", "eos")}
    return stored | {"rows": rows}


def make():
    return {"grammars": [grammar(entry) for entry in GRAMMARS]}
