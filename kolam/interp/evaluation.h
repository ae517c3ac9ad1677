/// The state of one interpreted run: the arrays of values, the sizes of symbols, and running a
/// region.
#pragma once

#include "kolam/interp/ref.h"
#include "kolam/ir/ops.h"
#include "kolam/runtime/array.h"
#include "kolam/runtime/list.h"

#include <functional>
#include <map>
#include <span>
#include <variant>
#include <vector>

namespace kolam::interp {

class KernelChecker;
using runtime::Array;
using runtime::List;

/// A value of a run.
using Datum = std::variant<Array, List, Ref>;
using Data = std::vector<Datum>;

struct Options {
  /// False computes `accumulate` steps as multiply, then add: what a target without FMA does.
  bool fused_multiply_add = true;
  /// Polled between ops and between their points; a non-zero value stops the run with
  /// `[cancelled]`.
  const volatile int32_t* cancel = nullptr;
  /// What the run may still do, in points (interp/work.h); null: anything.
  int64_t* work_left = nullptr;
  /// What follows the kernel that is running; null: nothing.
  KernelChecker* checker = nullptr;
};

class Evaluation {
public:
  Evaluation(const Options& options, std::map<std::string, int64_t> sizes)
      : options_(options), sizes_(std::move(sizes)) {}

  const Options& options() const { return options_; }
  /// From now on `checker` follows, or nobody.
  void follow(KernelChecker* checker) { options_.checker = checker; }

  /// By value: running a region may move the table.
  Array get(mlir::Value value) const;
  void set(mlir::Value value, Array array);
  List get_list(mlir::Value value) const;
  const Ref& get_ref(mlir::Value value) const;
  Datum get_datum(mlir::Value value) const;
  Data get_data(mlir::ValueRange values) const;
  void set_datum(mlir::Value value, Datum datum);

  void bind(const std::string& symbol, int64_t size) { sizes_[symbol] = size; }
  /// None of a symbol that nothing has bound yet.
  std::optional<int64_t> bound(const std::string& symbol) const {
    auto found = sizes_.find(symbol);
    return found == sizes_.end() ? std::nullopt : std::optional(found->second);
  }
  int64_t size(const Extent& extent) const { return extent.evaluate(sizes_); }
  std::vector<int64_t> sizes(const Shape& shape) const;
  std::vector<int64_t> sizes(mlir::Type type) const { return sizes(ir::shape_of(type)); }
  /// Uninitialised memory for a result.
  Array make(mlir::Value result) const;

  /// Runs a region on its block arguments and gives what it yields. `enter` may bind more before
  /// the body runs.
  std::vector<Array> run(mlir::Region& region, std::span<const Array> arguments);
  /// The same with lists among them.
  Data run_data(mlir::Region& region, const Data& arguments);
  /// A copy that knows one more symbol, for regions whose extents are per instance.
  Evaluation with_size(const std::string& symbol, int64_t size) const;
  /// The same for element `i` of the lists that the region's op takes.
  Data run_element(int64_t i, mlir::Region& region, const Data& arguments);

  /// The elements whose bodies are running, outermost list first.
  const std::vector<int64_t>& path() const { return path_; }
  /// The point of the iteration space that a zip_map_reduce body is at.
  std::vector<int64_t> point;

private:
  Options options_;
  std::map<std::string, int64_t> sizes_;
  std::vector<int64_t> path_;
  llvm::DenseMap<mlir::Value, Array> values_;
  llvm::DenseMap<mlir::Value, List> lists_;
  llvm::DenseMap<mlir::Value, Ref> refs_;
};

/// Computes one op's results from its operands. Throws Error where a check fails.
void evaluate(mlir::Operation* op, Evaluation& evaluation);

} // namespace kolam::interp
