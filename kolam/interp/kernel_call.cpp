// kolam.kernel_call: the kernel runs on Refs of blocks, for each point of the grid in row-major
// order.
#include "kolam/interp/kernel_checker.h"
#include "kolam/interp/list_values.h"
#include "kolam/interp/literal.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/kernels.h"

#include <algorithm>
#include <map>
#include <random>

namespace kolam::interp {
namespace {

/// The block of an array that a map's numbers name.
Ref block_of(const Ref& whole, const ir::BlockSpec& spec, const Data& numbers,
             const Evaluation& e) {
  std::vector<int64_t> starts, sizes, ref_sizes;
  for (auto [dim, number] : llvm::zip(spec.dims, numbers)) {
    int64_t at = integer_of(std::get<Array>(number)), size = e.size(dim.size);
    // Numbers that are far from all blocks stay so; their places do not wrap.
    constexpr int64_t kFar = int64_t{1} << 62;
    int64_t start = 0;
    const bool is_far = dim.kind == ir::BlockKind::element
                            ? __builtin_sub_overflow(at, dim.low, &start)
                            : __builtin_mul_overflow(at, size, &start);
    starts.push_back(is_far ? (at < 0 ? -kFar : kFar) : std::clamp(start, -kFar, kFar));
    sizes.push_back(size);
    if (dim.kind != ir::BlockKind::squeezed)
      ref_sizes.push_back(size);
  }
  Ref block = whole.sliced(starts, std::vector<int64_t>(starts.size(), 1), sizes);
  for (int64_t& place : block.places)
    if (place == Ref::kOutside)
      place = Ref::kTail;
  block.shape = ref_sizes;
  return block;
}

/// The points of the grid in the order in which they run: row-major, or with the parallel axes in
/// another order.
std::vector<Index> points_of(ir::KernelCallOp op, const Evaluation& e) {
  std::vector<Index> points;
  for_each_index(e, e.sizes(op.getGrid().shape()),
                 [&](const Index& point) { points.push_back(point); });
  if (!op.getOrder() || *op.getOrder() == "given")
    return points;
  // Points that agree along the parallel axes stay in order.
  std::map<Index, std::vector<Index>> groups;
  for (const Index& point : points) {
    Index own;
    for (auto [axis, claim] : llvm::enumerate(op.getSemantics()))
      if (llvm::cast<mlir::StringAttr>(claim).getValue() == "parallel")
        own.push_back(point[axis]);
    groups[own].push_back(point);
  }
  std::vector<std::vector<Index>> order;
  for (auto& [own, group] : groups)
    order.push_back(std::move(group));
  if (*op.getOrder() == "reversed")
    std::reverse(order.begin(), order.end());
  else
    std::shuffle(order.begin(), order.end(),
                 std::mt19937_64(static_cast<uint64_t>(op.getSeed().value_or(0))));
  points.clear();
  for (std::vector<Index>& group : order)
    points.insert(points.end(), group.begin(), group.end());
  return points;
}

/// The memory of a call: of inputs, results and scratch arrays. A call under checks has several,
/// which differ in what is in memory that nobody has written.
struct World {
  std::vector<Ref> blocked; ///< all of each array that has a block
  Data whole;               ///< the prefetched inputs
  Data scratch;
};

class Call {
public:
  Call(ir::KernelCallOp op, Evaluation& e)
      : op_(op), e_(e), specs_(ir::block_specs(op)), captures_(e.get_data(op.getCaptures())) {}

  void run() {
    if (op_.getChecks())
      return run_checked();
    World world = make_world(nullptr);
    if (!op_.getOrder()) // the points are not kept
      for_each_index(e_, e_.sizes(op_.getGrid().shape()),
                     [&](const Index& point) { run_point(point, world, nullptr); });
    else
      for (const Index& point : points_of(op_, e_)) {
        poll_cancel(e_.options());
        run_point(point, world, nullptr);
      }
    set_results(world);
  }

private:
  std::string name_of(size_t ref) {
    return llvm::cast<mlir::StringAttr>((*op_.getRefNames())[ref]).getValue().str();
  }
  size_t inputs() { return op_.getInputs().size() - op_.getPrefetch(); }

  World make_world(const KernelChecker* checker) {
    const size_t prefetched = op_.getPrefetch();
    World world;
    std::vector<Array> arrays; // inputs, then results
    for (auto [number, input] : llvm::enumerate(op_.getInputs())) {
      const bool is_changed = llvm::is_contained(op_.getAliases(), static_cast<int64_t>(number));
      arrays.push_back(is_changed ? copy_of(e_.get(input)) : e_.get(input));
    }
    for (auto [alias, result] : llvm::zip(op_.getAliases(), op_.getResults())) {
      DType dtype = ir::dtype_of(result);
      std::vector<int64_t> shape = e_.sizes(result.getType());
      arrays.push_back(alias >= 0 ? arrays[static_cast<size_t>(alias)]
                       : checker  ? checker->poison(dtype, shape)
                                  : Array::zeros(dtype, shape));
    }
    for (size_t number = 0; number < prefetched; ++number)
      world.whole.emplace_back(Ref::of(arrays[number], Array::zeros(arrays[number].dtype(), {})));
    for (size_t block = 0; block < specs_.size(); ++block) {
      Ref ref = Ref::of(arrays[prefetched + block], to_array(specs_[block].pad));
      if (checker) {
        ref.shadow =
            checker->shadow_of(ref.memory, name_of(block), false, checker->instance_dims(block));
        if (!specs_[block].is_padded)
          ref.tail = checker->poison(ref.dtype, {});
      }
      world.blocked.push_back(std::move(ref));
    }
    // What is one memory has one shadow.
    for (auto [result, alias] : llvm::enumerate(op_.getAliases()))
      if (alias >= static_cast<int64_t>(prefetched))
        world.blocked[inputs() + result].shadow =
            world.blocked[static_cast<size_t>(alias) - prefetched].shadow;
    for (auto [number, attr] : llvm::enumerate(op_.getScratch())) {
      mlir::Type type = llvm::cast<mlir::TypeAttr>(attr).getValue();
      DType dtype = ir::dtype_of(type);
      std::vector<int64_t> shape = e_.sizes(type);
      world.scratch.emplace_back(
          checker ? checker->scratch(dtype, shape, name_of(specs_.size() + number),
                                     checker->instance_dims(specs_.size() + number))
                  : Ref::zeros(dtype, shape));
    }
    return world;
  }

  void run_point(const Index& point, const World& world, const KernelChecker* checker) {
    Data at;
    for (int64_t coordinate : point)
      at.emplace_back(scalar_of(coordinate, DType::i32));
    Data blocks;
    for (size_t block = 0; block < specs_.size(); ++block) {
      Ref ref =
          block_of(world.blocked[block], specs_[block],
                   e_.run_data(op_.getMaps()[block], joined({at, world.whole, captures_})), e_);
      if (checker && !checker->is_repeated())
        checker->require_inside(ref, name_of(block));
      blocks.emplace_back(std::move(ref));
    }
    e_.run_data(op_.getBody(), joined({at, world.whole, blocks, world.scratch, captures_}));
  }

  void run_checked() {
    std::vector<Index> points = points_of(op_, e_);
    KernelChecker checker(op_, points);
    KernelChecker* outer = e_.options().checker;
    e_.follow(&checker);
    std::vector<World> worlds;
    for (int world = 0; world < KernelChecker::kWorlds; ++world) {
      checker.enter_world(world);
      worlds.push_back(make_world(&checker));
    }
    for (size_t number = 0; number < points.size(); ++number)
      for (int world = 0; world < KernelChecker::kWorlds; ++world) {
        poll_cancel(e_.options());
        checker.enter_world(world);
        checker.enter_point(static_cast<int64_t>(number));
        run_point(points[number], worlds[static_cast<size_t>(world)], &checker);
        checker.leave_point();
      }
    e_.follow(outer);
    for (size_t result = 0; result < op_.getResults().size(); ++result) {
      std::vector<Array> results;
      for (const World& world : worlds)
        results.push_back(world.blocked[inputs() + result].memory);
      checker.require_defined(results, *worlds[0].blocked[inputs() + result].shadow);
    }
    set_results(worlds[0]);
  }

  void set_results(const World& world) {
    for (auto [number, result] : llvm::enumerate(op_.getResults()))
      e_.set(result, world.blocked[inputs() + number].memory);
  }

  ir::KernelCallOp op_;
  Evaluation& e_;
  std::vector<ir::BlockSpec> specs_;
  Data captures_;
};

} // namespace

void evaluate_op(ir::KernelCallOp op, Evaluation& e) { Call(op, e).run(); }

} // namespace kolam::interp
