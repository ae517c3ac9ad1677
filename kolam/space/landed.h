/// Which elements of a tensor an access to a region needs, by the policy for what lies outside.
#pragma once

#include "kolam/space/box.h"
#include "kolam/space/policy.h"

namespace kolam::space {

/// The smallest box inside `tensor` with every element that some coordinate of `region` lands on,
/// dim by dim (`land` of policy.h, which counts from the tensor's start):
///
///     pad, drop   the part inside           wrap       all of a dim that is left on one side
///     clamp       and the edges             reflect    and what is mirrored
///     forbid      the part inside           negative   i + n for those below 0
///
/// Empty where no coordinate lands. Refuses unequal ranks with `[space-rank]`.
Box landed(const Policy& policy, const Box& region, const Box& tensor);

} // namespace kolam::space
