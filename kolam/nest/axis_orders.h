/// In which order the dims of intermediate values stand.
#pragma once

#include "kolam/support/machine.h"

#include "mlir/IR/Block.h"

#include <string>
#include <vector>

namespace kolam::nest {

/// Gives the values of a block, and of the blocks inside it that run as steps, the orders of dims
/// whose total cost is least, so that transposes around a chain of ops cancel and lanes go along
/// the dim that suits most of them:
///
///     transpose(softmax(transpose(x, [1, 0])), [1, 0])  ->  softmax over axis 0
///
/// Arguments and results stay as they are, and so does every order of accumulation. One pairwise
/// problem (analysis/data_dim/pairwise.h): an op's labels are orders of its space, with the price
/// of its loops; an edge costs what turning the value takes. Orders are those that transposes in
/// the program lead to; a program without transposes stays as it is, and so does one that would
/// gain less than a nest costs.
///
/// Says of every value that was turned how its dims stand now, and by how many operations the next
/// best order is dearer: `exp (model.py:3): dims stand as 1, 0; the next best order costs 4096
/// operations more`.
std::vector<std::string> choose_axis_orders(mlir::Block& block, const Machine& machine);

} // namespace kolam::nest
