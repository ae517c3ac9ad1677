/// Figures of signatures: an index space, and where boxes of its points land in tensors.
#pragma once

#include "kolam/plan/plan.h"

namespace kolam::plans {

/// An SVG: the index space and each operand's tensor as grids, two dims each and those in front one
/// below the other. Every box of index points has a colour; what its points own of a tensor has the
/// same, so that overlaps (halos) show. Below a tensor stand the rows of its projection,
/// `[A | b | S]`.
///
/// Where an offset has two parts, arrows show both for the first point c of the first box: from A c
/// by the *adjustment*, which counting backwards adds, to the point that c is mapped to, and from
/// there by the *relative start*, as a window's centre, to where the region starts.
///
/// Needs numbers in the signature (`[space-symbolic]`).
std::string figure(const space::Signature& signature, const std::vector<Box>& boxes);

/// The figure of a stage that computes, with the index boxes of its tasks. Throws
/// `[no-such-stage]` for a number that is none, or a stage that loads or merges, and the breaks of
/// the plan's structure.
std::string figure(const Plan& plan, int64_t stage);

} // namespace kolam::plans
