// kolam.access: result[j0][j1] = list[index(j0, j1)], elements at places given by expressions.
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <algorithm>

namespace kolam::interp {
namespace {

class Places {
public:
  Places(ir::AccessOp op, Evaluation& e)
      : op_(op), e_(e), list_(e.get_list(op.getList())),
        lengths_(ir::AccessOp::expressions(op.getLengths())),
        index_(ir::AccessOp::expressions(op.getIndex())) {
    sizes_["L"] = list_.size();
    if (index_.size() == 2)
      sizes_["N"] = list_.offsets(1).values<int64_t>().back();
    for (auto [number, scalar] : llvm::enumerate(op.getScalars()))
      sizes_["a" + std::to_string(number)] = e.get(scalar).item<int64_t>();
  }

  Datum row(size_t dim, mlir::Type type) {
    if (dim == lengths_.size())
      return at_place();
    std::string j = "j" + std::to_string(dim);
    int64_t length = std::max<int64_t>(0, lengths_[dim].evaluate(sizes_));
    mlir::Type inner = llvm::cast<ir::ListType>(type).getElement();
    Data rows;
    for (int64_t i = 0; i < length; ++i) {
      poll_cancel(e_.options());
      sizes_[j] = i;
      rows.push_back(row(dim + 1, inner));
    }
    sizes_.erase(j);
    return list_of(rows, type, e_);
  }

private:
  Datum at_place() {
    int64_t i = index_[0].evaluate(sizes_);
    if ((i < 0 || i >= list_.size()) && op_.getPad())
      return e_.get(op_.getPad());
    Datum first = element(list_, checked(i, list_.size()));
    if (index_.size() == 1)
      return first;
    const List& inner = std::get<List>(first);
    return element(inner, checked(index_[1].evaluate(sizes_), inner.size()));
  }

  int64_t checked(int64_t i, int64_t length) {
    if (i < 0 || i >= length)
      fail_op(op_, e_, ErrorKind::index, "list-index",
              "expected an index into a list of length " + std::to_string(length) + ", but got " +
                  std::to_string(i));
    return i;
  }

  ir::AccessOp op_;
  Evaluation& e_;
  List list_;
  Shape lengths_, index_;
  std::map<std::string, int64_t> sizes_;
};

} // namespace

void evaluate_op(ir::AccessOp op, Evaluation& e) {
  e.set_datum(op.getResult(), Places(op, e).row(0, op.getResult().getType()));
}

} // namespace kolam::interp
