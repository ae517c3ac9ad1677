"""What derivatives compute again, in place of keeping it: checkpoint, its policies, checkpoint_name."""

import functools

from kolam import _kolam
from kolam._derive import _numbers, _require_places
from kolam._rules import _Call
from kolam._transformed import as_array, require_function, split
from kolam.errors import KolamTypeError


class _Policy:
    """What a checkpoint keeps: a policy's name, and names that `checkpoint_name` gave."""

    def __init__(self, name, names=()):
        self.name, self.names = name, list(names)

    def __repr__(self):
        return f"checkpoint_policies.{self.name}" + (f"({', '.join(map(repr, self.names))})" if self.names else "")


class checkpoint_policies:
    """What `checkpoint` may keep of a function beside its arguments, if derivatives need it.

    Policies see into loops over arrays, branches, jitted functions, custom rules and checkpoints inside: what they name there is
    kept for each step. What functions on lists compute inside is computed again.
    """

    everything_saveable = _Policy("everything_saveable")
    nothing_saveable = _Policy("nothing_saveable")
    dots_saveable = _Policy("dots_saveable")
    dots_with_no_batch_dims_saveable = _Policy("dots_with_no_batch_dims_saveable")

    @staticmethod
    def save_only_these_names(*names):
        """What `checkpoint_name` gave one of these names."""
        return _named_policy("save_only_these_names", names)

    @staticmethod
    def save_anything_except_these_names(*names):
        """All but what `checkpoint_name` gave one of these names."""
        return _named_policy("save_anything_except_these_names", names)


def _named_policy(policy, names):
    for name in names:
        if not isinstance(name, str):
            raise KolamTypeError.make(policy, "argument-type", f"argument 'names': expected texts, but got {name!r}")
    return _Policy(policy, names)


def checkpoint(fun, *, policy=None, prevent_cse=True, static_argnums=()):
    """`fun`, of which derivatives keep the arguments, and what `policy` says: what else they need is computed again.

    >>> import kolam as ko
    >>> ko.grad(lambda x: ko.checkpoint(ko.sin)(x))(0.0).item()
    1.0

    The value and every derivative have the same bits. `policy`, one of kolam.checkpoint_policies, says what is kept beside the
    arguments: None is nothing. `prevent_cse` and `static_argnums` are taken as JAX has them, and mean nothing. Throws
    `[argument-type]` for another policy, `[bad-option]` for a number of no argument. Source: Griewank and Walther, "Revolve", 2000.
    """
    require_function(fun, "checkpoint")
    policy = checkpoint_policies.nothing_saveable if policy is None else policy
    if not isinstance(policy, _Policy):
        raise KolamTypeError.make("checkpoint", "argument-type", f"option 'policy': expected one of kolam.checkpoint_policies, but got {policy!r}")
    numbers = _numbers(static_argnums, "checkpoint", "static_argnums")

    @functools.wraps(fun, updated=())
    def again(*args, **named):
        _require_places(args, numbers, "checkpoint", "static_argnums")
        call = _Call((args, named))
        if not call.has_floats:
            return fun(*args, **named)
        kept = []

        def body(arrays):
            positional, keywords = call.args(arrays)
            results, rebuild = split(fun(*positional, **keywords))
            kept.append(rebuild)
            return results

        results = _kolam._checkpointed(policy.name, policy.names, call.arrays, body)
        return kept[-1](results)

    return again


remat = checkpoint


def checkpoint_name(x, name):
    """`x`, under a name that policies of `checkpoint` may keep or not: result[i] = x[i].

    >>> import kolam as ko
    >>> policy = ko.checkpoint_policies.save_only_these_names("inner")
    >>> f = ko.checkpoint(lambda x: ko.sin(ko.checkpoint_name(ko.exp(x), "inner")), policy=policy)
    >>> round(ko.grad(f)(0.0).item(), 4)
    0.5403

    Throws `[bad-option]` for an empty name.
    """
    return _kolam._checkpoint_name(as_array(x), name)
