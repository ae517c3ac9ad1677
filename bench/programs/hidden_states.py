"""Paths through hidden states, and how likely they are: Viterbi's, the loss of CTC, a forward pass."""

import numpy as np
from case import Case, floats, loops, named, places
from sizes import size

FAR = np.float32(-1e30)


def viterbi(ko, name):
    """The likeliest path of states: the best predecessors on the way there, read back from the end."""
    steps, states = size((500, 48), (12, 7))
    start, move, emit = floats(1, states), floats(2, states, states), floats(3, steps, states)

    def nest(start, move, emit):
        steps, states = emit.shape
        score = start + emit[0]
        new = np.empty_like(score)
        back = np.empty((steps, states), np.int32)
        for t in range(1, steps):
            for j in range(states):
                best = 0
                for i in range(1, states):
                    if score[i] + move[i, j] > score[best] + move[best, j]:
                        best = i
                new[j] = score[best] + move[best, j] + emit[t, j]
                back[t, j] = best
            score, new = new, score
        path = np.empty(steps, np.int32)
        path[-1] = np.argmax(score)
        for t in range(steps - 1, 0, -1):
            path[t - 1] = back[t, path[t]]
        return path

    def by_scan(library, scan, start, move, emit):
        def step(score, emit):
            sums = score[:, None] + move
            return library.max(sums, axis=0) + emit, library.argmax(sums, axis=0)

        score, back = scan(step, start + emit[0], emit[1:])
        last = library.argmax(score)
        path = scan(lambda state, back: (back[state], back[state]), last, back, reverse=True)[1]
        return library.concat([path, last[None]])

    def by_torch(torch, start, move, emit):
        score, back = start + emit[0], []
        for row in emit[1:]:
            best, chosen = torch.max(score[:, None] + move, 0)
            score = best + row
            back.append(chosen)
        path = [torch.argmax(score)]
        for chosen in reversed(back):
            path.append(chosen[path[-1]])
        return torch.stack(path[::-1])

    return Case(
        name, [start, move, emit], tolerance=0, reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda *x: by_scan(ko, ko.scan, *x), jax=lambda jax, *x: by_scan(jax.numpy, jax.lax.scan, *x),
    )


def ctc(ko, name):
    """The negative log-likelihood of labels under all alignments with blanks; 16 sequences in log space."""
    batch, steps, labels, classes = size((16, 100, 20, 32), (3, 12, 4, 6))
    scores = 4 * floats(1, batch, steps, classes)
    logits = scores - np.log(np.exp(scores).sum(2, keepdims=True))
    target = 1 + places(2, classes - 1, batch, labels)

    def nest(logits, target):
        batch, steps, _ = logits.shape
        states = 2 * target.shape[1] + 1
        result = np.empty(batch, logits.dtype)
        alpha, new = np.empty(states, logits.dtype), np.empty(states, logits.dtype)
        for b in range(batch):
            alpha[:] = FAR
            alpha[0], alpha[1] = logits[b, 0, 0], logits[b, 0, target[b, 0]]
            for t in range(1, steps):
                for s in range(states):
                    label = target[b, s // 2] if s % 2 else 0
                    x = alpha[s]
                    y = alpha[s - 1] if s > 0 else FAR
                    skips = s > 2 and s % 2 == 1 and label != target[b, s // 2 - 1]
                    z = alpha[s - 2] if skips else FAR
                    m = max(x, y, z)
                    new[s] = m + np.log(np.exp(x - m) + np.exp(y - m) + np.exp(z - m)) + logits[b, t, label]
                alpha, new = new, alpha
            x, y = alpha[-1], alpha[-2]
            m = max(x, y)
            result[b] = -(m + np.log(np.exp(x - m) + np.exp(y - m)))
        return result

    def by_scan(library, scan, take_along_axis, logits, target):
        blanks = library.zeros_like(target)
        label = library.reshape(library.stack([blanks, target], axis=2), (batch, 2 * labels))
        label = library.concat([label, blanks[:, :1]], axis=1)
        far = library.full((batch, 2), FAR)
        skips = library.concat([blanks[:, :2] > 0, (label[:, 2:] != label[:, :-2]) & (label[:, 2:] != 0)], axis=1)

        def step(alpha, row):
            padded = library.concat([far, alpha], axis=1)
            x, y, z = alpha, padded[:, 1:-1], library.where(skips, padded[:, :-2], FAR)
            total = library.logaddexp(library.logaddexp(x, y), z)
            return total + take_along_axis(row, label, 1), None

        first = library.arange(2 * labels + 1) < 2
        alpha = library.where(first, take_along_axis(logits[:, 0], label, 1), FAR)
        alpha = scan(step, alpha, library.swapaxes(logits, 0, 1)[1:])[0]
        return -library.logaddexp(alpha[:, -1], alpha[:, -2])

    def by_torch(torch, logits, target):
        def scan(step, state, rows):
            for row in rows:
                state = step(state, row)[0]
            return (state,)

        return by_scan(torch, scan, lambda x, i, axis: torch.gather(x, axis, i.long()), logits, target)

    def loss(torch, logits, target):
        lengths = torch.full((batch,), steps), torch.full((batch,), labels)
        return torch.nn.functional.ctc_loss(logits.swapaxes(0, 1), target, *lengths, reduction="none")

    return Case(
        name, [logits, target], reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda *x: by_scan(ko, ko.scan, ko.take_along_axis, *x), more={"ctc_loss": ("torch", loss)},
        jax=lambda jax, *x: by_scan(jax.numpy, jax.lax.scan, jax.numpy.take_along_axis, *x),
    )


def hmm_forward(ko, name):
    """The log-likelihood of observations: a product with the transitions in each step, rescaled to sum 1."""
    steps, states, symbols = size((2000, 64, 20), (20, 7, 5))
    positive = lambda seed, *shape: (lambda x: x / x.sum(-1, keepdims=True))(floats(seed, *shape) + np.float32(1.01))
    move, emit, seen = positive(1, states, states), positive(2, states, symbols), places(3, symbols, steps)

    def nest(move, emit, seen):
        states = len(move)
        alpha, new = emit[:, seen[0]] / states, np.empty_like(move[0])
        result = np.zeros(1, move.dtype)
        for t in range(1, len(seen)):
            new[:] = 0
            for i in range(states):
                for j in range(states):
                    new[j] += alpha[i] * move[i, j]
            total = alpha[0] * 0
            for j in range(states):
                new[j] *= emit[j, seen[t]]
                total += new[j]
            for j in range(states):
                alpha[j] = new[j] / total
            result[0] += np.log(total)
        return result + np.log(alpha.sum())

    def step(library, move, state, emitted):
        alpha = (state @ move) * emitted
        total = library.sum(alpha)
        return alpha / total, library.log(total)

    def by_scan(library, scan, move, emit, seen):
        rows = emit.T[seen]
        alpha, logs = scan(lambda state, row: step(library, move, state, row), rows[0] / states, rows[1:])
        return (library.sum(logs) + library.log(library.sum(alpha)))[None]

    def in_python(library, move, emit, seen):
        rows = emit.T[seen]
        alpha, total = rows[0] / states, 0
        for row in rows[1:]:
            alpha, log = step(library, move, alpha, row)
            total = total + log
        return (total + library.log(alpha.sum()))[None]

    return Case(
        name, [move, emit, seen], tolerance=1e-4, reference=lambda *x: in_python(np, *x), numba=loops(nest),
        torch=in_python, compiled=False, ours=lambda *x: by_scan(ko, ko.scan, *x),
        jax=lambda jax, *x: by_scan(jax.numpy, jax.lax.scan, *x),
    )


def cases(ko):
    """See `named`."""
    rows = {
        "Viterbi 500 steps of 48 states": viterbi, "CTC loss, 16 of 100 steps and 20 labels": ctc,
        "hidden Markov model, 2000 steps of 64 states": hmm_forward,
    }  # fmt: skip
    return named(ko, rows)
