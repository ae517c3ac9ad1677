// kolam.access: result[j0][j1] = list[index(j0, j1)], elements at places given by expressions.
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/interp/work.h"
#include "kolam/ir/location.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/runtime/memory.h"

#include <algorithm>
#include <limits>

namespace kolam::interp {
namespace {

constexpr double kDatumBytes = sizeof(Datum);

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

  /// Throws `[out-of-memory]` where the result does not fit, before its first element is made.
  void require_room() {
    auto result = llvm::cast<ir::ListType>(op_.getResult().getType());
    const bool has_leaves = index_.size() == static_cast<size_t>(list_.depth());
    const double leaf_bytes = has_leaves ? bytes_of(list_type_of(result, e_)) : 0;
    const double rows = static_cast<double>(length(0));
    if (lengths_.size() == 1)
      return require(rows, rows * (kDatumBytes + leaf_bytes));
    require(rows, rows * kDatumBytes);
    double elements = 0, longest = 0;
    for (int64_t i = 0; i < length(0); ++i) {
      poll_cancel(e_.options());
      sizes_["j0"] = i;
      const double inner = static_cast<double>(length(1));
      elements += inner;
      longest = std::max(longest, inner);
    }
    sizes_.erase("j0");
    require(elements, (rows + longest) * kDatumBytes + elements * leaf_bytes);
  }

  Datum row(size_t dim, mlir::Type type) {
    if (dim == lengths_.size())
      return at_place();
    std::string j = "j" + std::to_string(dim);
    int64_t length = this->length(dim);
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
  int64_t length(size_t dim) { return std::max<int64_t>(0, lengths_[dim].evaluate(sizes_)); }

  static double bytes_of(const runtime::ListType& type) {
    double bytes = byte_width(type.dtype);
    for (int64_t extent : type.leaf_shape)
      bytes *= static_cast<double>(extent);
    return bytes;
  }

  void require(double elements, double bytes) {
    if (const int64_t* left = e_.options().work_left;
        left && elements * kOpPoints > static_cast<double>(*left))
      throw OutOfWork();
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    CallScope scope(ir::name_of(op_), ir::to_source_location(op_.getLoc()));
    runtime::require_memory(bytes < static_cast<double>(kMost) ? static_cast<int64_t>(bytes)
                                                               : kMost,
                            "the list that it makes");
  }

  Datum at_place() {
    int64_t i = index_[0].evaluate(sizes_);
    if ((i < 0 || i >= list_.size()) && op_.getPad())
      return e_.get(op_.getPad());
    Datum first = element(list_, checked(i, list_.size()));
    if (index_.size() == 1)
      return first;
    const List& inner = std::get<List>(first);
    int64_t second = index_[1].evaluate(sizes_);
    if (second < 0 || second >= inner.size())
      fail_op(op_, e_, ErrorKind::value, "list-lengths",
              "expected f to give lists as long as it takes, but got one of " +
                  std::to_string(inner.size()) + " elements");
    return element(inner, second);
  }

  int64_t checked(int64_t i, int64_t length) {
    if (length == 0)
      fail_op(op_, e_, ErrorKind::index, "list-index",
              "expected a list with elements, but got an empty one");
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
  Places places(op, e);
  places.require_room();
  e.set_datum(op.getResult(), places.row(0, op.getResult().getType()));
}

} // namespace kolam::interp
