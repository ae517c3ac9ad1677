// kolam.pack and kolam.unpack's opposite: a list from its leaves and offsets.
#include "kolam/interp/list_values.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/location.h"

namespace kolam::interp {
namespace {

void require_offset(const Array& offsets, size_t level, int64_t place, int64_t expected,
                    std::string_view why) {
  int64_t actual = offsets.values<int64_t>()[place];
  if (actual != expected)
    fail(ErrorKind::value, "list-offsets",
         "offsets of level " + std::to_string(level) + ": expected " + std::to_string(expected) +
             std::string(why) + " at place " + std::to_string(place) + ", but got " +
             std::to_string(actual));
}

} // namespace

void evaluate_op(ir::PackOp op, Evaluation& e) {
  std::vector<Array> offsets;
  for (mlir::Value level : op.getOffsets())
    offsets.push_back(e.get(level));
  Array leaves = e.get(op.getLeaves());
  CallScope scope("pack", ir::to_source_location(op.getLoc()));
  List list = List::from_offsets(leaves, offsets);
  // A list in hand may also be a part of what the buffers hold.
  for (size_t level = 1; level <= offsets.size(); ++level) {
    const Array& here = offsets[level - 1];
    bool is_last = level == offsets.size();
    require_offset(here, level, 0, 0, "");
    require_offset(
        here, level, here.size() - 1, is_last ? leaves.shape()[0] : offsets[level].size() - 1,
        is_last ? ", the number of leaves," : ", the number of lists of the next level,");
  }
  e.set_datum(op.getResult(), list);
}

} // namespace kolam::interp
