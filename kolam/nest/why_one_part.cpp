// Finds what keeps the parallel range of a nest at 1.
#include "kolam/nest/why_one_part.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/symbols.h"

namespace kolam::nest {

std::string why_one_part(const Nest& nest) {
  if (nest.parallel.constant() != 1)
    return "";
  if (!nest.products.empty())
    return "its matrices are one unit of work";
  mlir::Operation* root = nest.root;
  if (root->getNumResults() == 0)
    return "it gives no elements";
  if (element_count(ir::shape_of(root->getResult(0))).constant().value_or(2) <= 1)
    return "it gives one element";
  if (auto signed_op = llvm::dyn_cast<ir::SignedOp>(root); signed_op && signed_op.task_count())
    return "its work is one task";
  if (!parallel_dim(nest))
    return analysis::writes_own_cells(root) ? "each element depends on one before"
                                            : "data decides where its elements lie";
  Nest alone = nest;
  alone.fused.clear();
  return parallel_extent(alone).constant() == 1
             ? "the outermost dim that may be shared has one element"
             : "an op inside it loops, and would loop again for each part";
}

} // namespace kolam::nest
