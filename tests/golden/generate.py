#!/usr/bin/env python3
"""Makes the golden values: what PyTorch, transformers and tokenizers say, for the references to agree with.

    python3 -m venv tests/golden/.venv
    tests/golden/.venv/bin/pip install -r tests/golden/requirements.txt
    tests/golden/.venv/bin/python tests/golden/generate.py [SLUG]...

Each problem has a maker in makers/<slug>.py with a function make() that returns a dict; the dict is written to <slug>.json.
"""
import importlib, json, math, pathlib, sys

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))


def number(value):
    """A float for JSON: nine digits carry an f32, and what is not finite becomes a word."""
    if isinstance(value, int):
        return value
    return float(f"{value:.9g}") if math.isfinite(value) else str(value)


def tensor(t):
    """A tensor for JSON."""
    t = t.detach()
    flat = t.to(torch.float64 if t.is_floating_point() else torch.int64).flatten().tolist()
    return {"shape": list(t.shape), "data": [number(v) for v in flat]}


def main():
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    wanted = sys.argv[1:]
    for path in sorted((HERE / "makers").glob("*.py")):
        slug = path.stem.replace("_", "-")
        if path.stem == "__init__" or (wanted and slug not in wanted):
            continue
        torch.manual_seed(0)
        made = importlib.import_module(f"makers.{path.stem}").make()
        (HERE / f"{slug}.json").write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n")
        print(f"{slug}.json")


if __name__ == "__main__":
    sys.modules["generate"] = sys.modules["__main__"]
    main()
