/// In which order the dims of intermediate values stand.
#pragma once

#include "kolam/analysis/data_dim/pairwise.h"
#include "kolam/ir/turned_ops.h"
#include "kolam/support/machine.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace kolam::nest {

/// What was chosen among, for those who ask why: also orders that no transpose leads to.
struct ChosenOrders {
  struct Node {
    Shape shape;                        ///< of its results, as the program has them
    std::vector<ir::AxisOrder> results; ///< by label: their orders, row-major first
    size_t looked_at = 1;               ///< of these the first so many, the others are not chosen
    int pin = -1;                       ///< the dim that a pin makes the data dimension
  };
  std::vector<Node> nodes;
  analysis::PairwiseProblem problem;
  std::vector<int> labels;
  int64_t total = 0;
  llvm::DenseMap<mlir::Operation*, int> numbers; ///< of the ops that the program has now
};

/// Gives the values of a block, and of the blocks inside it that run as steps, the orders of dims
/// whose total cost is least, so that transposes around a chain of ops cancel and lanes go along
/// the dim that suits most of them:
///
///     transpose(softmax(transpose(x, [1, 0])), [1, 0])  ->  softmax over axis 0
///
/// Arguments and results stay as they are, and so does every order of accumulation. One pairwise
/// problem (analysis/data_dim/pairwise.h): an op's labels are orders of its space, with the price
/// of its loops; an edge costs what turning the value takes. Orders are those that transposes and
/// pins in the program lead to; a program without either stays as it is, and so does one that would
/// gain less than a nest costs. A pinned value has its data dimension last: it lies in vectors,
/// whether the value is stored or computed where it is read, and is stored where something would
/// read it in another order. No pin is left.
///
/// What was chosen, by block, where `explains`; else nothing.
std::vector<ChosenOrders> choose_axis_orders(mlir::Block& block, const Machine& machine,
                                             bool explains = false);

/// The data dimension of a stored value in a word or two, why, and what the next best one costs:
///
///     D is dim 0, dims stand as 1, 0; the next best order costs 4096 operations more
std::string why_ordered(mlir::Value stored, const std::vector<ChosenOrders>& chosen,
                        const Machine& machine);

} // namespace kolam::nest
