// Follows lists to what makes them.
#include "kolam/frontend/fractal/known_lengths.h"

#include "kolam/ir/ops.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <map>
#include <string>

namespace kolam::fractal {
namespace {

using Length = std::optional<int64_t>;

class KnownLengths {
public:
  explicit KnownLengths(const Trace& trace) : trace_(trace) {}

  /// Of the list at level 0, of all its elements at level 1, and so on.
  Length of(mlir::Value list, int64_t level) {
    auto [at, is_new] = found_.try_emplace({list.getAsOpaquePointer(), level}, std::nullopt);
    if (is_new) // joins of joins read one list many times
      at->second = follow(list, level);
    return at->second;
  }

private:
  Length follow(mlir::Value list, int64_t level) {
    auto result = llvm::dyn_cast<mlir::OpResult>(list);
    if (!result) {
      mlir::Value around = trace_.list_of(list);
      return around ? of(around, level + 1) : std::nullopt;
    }
    return llvm::TypeSwitch<mlir::Operation*, Length>(result.getOwner())
        .Case([&](ir::AccessOp access) { return of_access(access, level); })
        .Case([&](ir::JoinOp join) { return of_join(join, level); })
        .Case([&](ir::PackOp pack) { return of_pack(pack, level); })
        .Case([&](ir::ListMapOp map) { return of_map(map, result.getResultNumber(), level); })
        .Case([&](ir::ListScanOp scan) {
          bool is_all = result.getResultNumber() >= scan.getInits().size();
          return is_all && level == 0 ? of(scan.getLists()[0], 0) : std::nullopt;
        })
        .Default([](mlir::Operation*) { return std::nullopt; });
  }

  Length of_access(ir::AccessOp access, int64_t level) {
    Shape lengths = ir::AccessOp::expressions(access.getLengths());
    auto made = static_cast<int64_t>(lengths.size());
    if (level < made)
      return stated(access, lengths[level]);
    auto read = static_cast<int64_t>(access.getIndex().size());
    return of(access.getList(), level - made + read);
  }

  /// What a length says where the list's length and scalars are known.
  Length stated(ir::AccessOp access, const Extent& length) {
    std::map<std::string, Extent> known;
    for (auto [number, scalar] : llvm::enumerate(access.getScalars()))
      if (auto constant = scalar.getDefiningOp<ir::ConstantOp>())
        if (auto value = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue()))
          known["a" + std::to_string(number)] = value.getSplatValue<llvm::APInt>().getSExtValue();
    if (Length read = of(access.getList(), 0))
      known["L"] = *read;
    Length count = length.substitute(known).constant();
    return count ? Length(std::max<int64_t>(0, *count)) : std::nullopt;
  }

  Length of_join(ir::JoinOp join, int64_t level) {
    int64_t sum = 0;
    Length each;
    for (mlir::Value list : join.getLists()) {
      Length length = of(list, level);
      if (!length || (level > 0 && each && *each != *length) ||
          llvm::AddOverflow(sum, *length, sum))
        return std::nullopt;
      each = length;
    }
    return level > 0 ? each : sum;
  }

  Length of_pack(ir::PackOp pack, int64_t level) {
    if (level > 0)
      return between(pack.getOffsets()[level - 1]);
    if (pack.getOffsets().empty())
      return ir::shape_of(pack.getLeaves())[0].constant();
    Length offsets = ir::shape_of(pack.getOffsets()[0])[0].constant();
    return offsets ? Length(*offsets - 1) : std::nullopt;
  }

  /// How far offsets lie apart, where that is known and the same for all.
  static Length between(mlir::Value offsets) {
    auto constant = offsets.getDefiningOp<ir::ConstantOp>();
    auto known = constant ? llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue())
                          : mlir::DenseIntElementsAttr();
    if (!known)
      return std::nullopt;
    llvm::SmallVector<int64_t> places(known.getValues<int64_t>());
    Length each;
    for (size_t i = 0; i + 1 < places.size(); ++i) {
      if (each && places[i + 1] - places[i] != *each)
        return std::nullopt;
      each = places[i + 1] - places[i];
    }
    return each;
  }

  Length of_map(ir::ListMapOp map, unsigned result, int64_t level) {
    if (level == 0)
      return of(map.getLists()[0], 0);
    return of(map.getBody().front().getTerminator()->getOperand(result), level - 1);
  }

  const Trace& trace_;
  std::map<std::pair<const void*, int64_t>, Length> found_;
};

} // namespace

std::optional<int64_t> known_length(const Trace& trace, mlir::Value list) {
  return KnownLengths(trace).of(list, 0);
}

std::optional<int64_t> known_leaf_count(const Trace& trace, mlir::Value list) {
  KnownLengths lengths(trace);
  int64_t count = 1;
  for (int64_t level = 0; level < llvm::cast<ir::ListType>(list.getType()).depth(); ++level) {
    Length length = lengths.of(list, level);
    if (!length || llvm::MulOverflow(count, *length, count))
      return std::nullopt;
  }
  return count;
}

} // namespace kolam::fractal
