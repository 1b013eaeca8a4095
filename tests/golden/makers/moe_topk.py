"""transformers' MixtralSparseMoeBlock."""
import torch
from transformers import MixtralConfig
from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock

from generate import tensor

WIDTH, INNER, EXPERTS = 6, 5, 4


def make():
    cases = []
    for shape, k in [((2, 3, WIDTH), 2), ((1, 5, WIDTH), 1), ((2, 2, WIDTH), EXPERTS)]:
        config = MixtralConfig(hidden_size=WIDTH, intermediate_size=INNER, num_local_experts=EXPERTS, num_experts_per_tok=k)
        block = MixtralSparseMoeBlock(config).eval()
        for parameter in block.parameters():
            torch.nn.init.normal_(parameter, std=0.7)
        x = torch.randn(shape)
        output, _ = block(x)
        stack = lambda name: tensor(torch.stack([getattr(expert, name).weight for expert in block.experts]))
        cases.append({"x": tensor(x), "k": k, "gate": tensor(block.gate.weight),
                      "w1": stack("w1"), "w2": stack("w2"), "w3": stack("w3"), "output": tensor(output)})
    return {"cases": cases}
