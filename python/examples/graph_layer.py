# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains two layers of a graph neural network with PyTorch, on a GPU if there is one and tessera is built for it.

The gradients are compared with those of dense products. Without PyTorch, says so and ends with 0.
"""

import sys

import tessera

try:
    import torch
except ImportError:
    print("skipped: there is no PyTorch")
    sys.exit(0)

has_gpu = torch.cuda.is_available() and "Cuda" in tessera.version()["execution_spaces"]
device = torch.device("cuda" if has_gpu else "cpu")
torch.manual_seed(1)
dtype = torch.float32 if "float" in tessera.version()["scalars"] else torch.float64

n, features, hidden, classes = 2000, 16, 32, 4
edges = torch.randint(n, (2, 8 * n))
indices = torch.cat([edges, edges.flip(0), torch.arange(n).repeat(2, 1)], dim=1)  # symmetric, and each node itself
adjacency = torch.sparse_coo_tensor(indices, torch.ones(indices.shape[1], dtype=dtype), (n, n)).coalesce()
degrees = torch.zeros(n, dtype=dtype).index_add_(0, adjacency.indices()[0], adjacency.values())
scaled = adjacency.values() / (degrees[adjacency.indices()] ** 0.5).prod(0)
A = torch.sparse_coo_tensor(adjacency.indices(), scaled, (n, n), is_coalesced=True).to_sparse_csr().to(device)


class GraphLayer(torch.nn.Module):
    """Y = A X W: each node gets the weighted sum of its neighbours' features."""

    def __init__(self, plan, inputs, outputs):
        super().__init__()
        self.plan = plan
        self.linear = torch.nn.Linear(inputs, outputs, bias=False, device=device, dtype=dtype)

    def forward(self, X):
        return self.plan @ self.linear(X)  # differentiable: tessera.torch.spmm


plan = tessera.make_plan(A, num_vectors=hidden, transpose=True)  # the gradient multiplies by the transpose
model = torch.nn.Sequential(GraphLayer(plan, features, hidden), torch.nn.ReLU(), GraphLayer(plan, hidden, classes))
X = torch.randn(n, features, device=device, dtype=dtype)
labels = (X[:, 0] > 0).long() + 2 * (X[:, 1] > 0).long()


def loss_of(multiply):
    hidden_features = torch.relu(multiply(model[0].linear(X)))
    return torch.nn.functional.cross_entropy(multiply(model[2].linear(hidden_features)), labels)


weights = list(model.parameters())
dense = A.to_dense()
found = torch.autograd.grad(torch.nn.functional.cross_entropy(model(X), labels), weights)
expected = torch.autograd.grad(loss_of(lambda features: dense @ features), weights)
for one, other in zip(found, expected):
    torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)
print(f"the gradients are those of dense products, on {device}")

optimizer = torch.optim.Adam(weights, lr=0.02)
losses = []
for _ in range(30):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(X), labels)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"the loss falls from {losses[0]:.3f} to {losses[-1]:.3f}")
if not losses[-1] < 0.9 * losses[0]:
    raise SystemExit("the loss does not fall")
