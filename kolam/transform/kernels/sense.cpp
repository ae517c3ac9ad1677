// Compares ranges of affine maps with the extents of arrays.
#include "kolam/transform/kernels/sense.h"

#include "kolam/ir/block_spec.h"
#include "kolam/ir/location.h"
#include "kolam/support/checked.h"
#include "kolam/support/error.h"
#include "kolam/transform/kernels/affine.h"

namespace kolam::transform::kernels {
namespace {

using Point = std::vector<int64_t>;

std::string text_of(const Point& point) {
  std::string text = "(";
  for (size_t axis = 0; axis < point.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(point[axis]);
  return text + (point.size() == 1 ? ",)" : ")");
}

/// A dim of a block at all points of a grid, of arrays and blocks of known extents.
struct Dim {
  Affine number;
  bool is_element;
  int64_t size, low, extent;

  int64_t step() const { return is_element ? 1 : size; }
  int64_t start_of(int64_t at) const { return at * step() - (is_element ? low : 0); }
  int64_t number_at(const Point& point) const {
    int64_t sum = number.offset;
    for (size_t axis = 0; axis < point.size(); ++axis)
      sum += number.factors[axis] * point[axis];
    return sum;
  }
};

class Lint {
public:
  explicit Lint(ir::KernelCallOp call) : call_(call), specs_(ir::block_specs(call)) {
    for (const Extent& extent : call.getGrid().shape())
      grid_.push_back(extent.constant().value_or(0));
  }

  void run() {
    if (llvm::any_of(grid_, [](int64_t extent) { return extent <= 0; }))
      return;
    const size_t results = call_.getResults().size(), inputs = specs_.size() - results;
    for (size_t block = 0; block < specs_.size(); ++block) {
      std::vector<std::optional<Dim>> dims = dims_of(block);
      for (auto [dim, own] : llvm::enumerate(dims))
        if (own)
          require_inside(block, dim, *own);
      if (block < inputs || !call_.getChecks())
        continue;
      if (llvm::all_of(dims, [](const auto& own) { return own.has_value(); }))
        require_own_blocks(block, dims);
      if (call_.getAliases()[block - inputs] < 0)
        for (auto [dim, own] : llvm::enumerate(dims))
          if (own)
            require_covered(block, dim, *own);
    }
  }

private:
  /// Names the kernel.
  [[noreturn]] void fail_call(ErrorKind kind, const char* slug, const std::string& message) {
    throw Error(kind, slug, "kernel '" + call_.getName().str() + "': " + message,
                ir::to_source_location(call_.getLoc()));
  }
  std::string name_of(size_t block) {
    return llvm::cast<mlir::StringAttr>((*call_.getRefNames())[block]).getValue().str();
  }

  std::vector<std::optional<Dim>> dims_of(size_t block) {
    std::vector<std::optional<Dim>> dims;
    const Shape shape = ir::shape_of(ir::blocked_array(call_, block));
    mlir::Operation* yields = call_.getMaps()[block].front().getTerminator();
    for (auto [dim, value] : llvm::enumerate(yields->getOperands())) {
      const ir::BlockDim& spec = specs_[block].dims[dim];
      auto number = affine_of(value, grid_.size());
      auto extent = shape[dim].constant(), size = spec.size.constant();
      if (!number || !extent || !size || *extent == 0 || *size > INT32_MAX ||
          may_wrap(*number, grid_))
        dims.emplace_back();
      else
        dims.push_back(Dim{*number, spec.kind == ir::BlockKind::element, *size, spec.low, *extent});
    }
    return dims;
  }

  /// The point of the grid at which a dim's number is least, or most.
  Point extreme(const Dim& dim, bool most) const {
    Point point;
    for (size_t axis = 0; axis < grid_.size(); ++axis)
      point.push_back((dim.number.factors[axis] > 0) == most && dim.number.factors[axis] != 0
                          ? grid_[axis] - 1
                          : 0);
    return point;
  }

  void require_inside(size_t block, size_t dim, const Dim& own) {
    for (bool most : {false, true}) {
      Point point = extreme(own, most);
      int64_t start = own.start_of(own.number_at(point));
      if (start < own.extent && start + own.size > 0)
        continue;
      std::string hint = own.is_element || own.size == 1
                             ? ""
                             : "; the map gives the number of the block, not its first element";
      fail_call(ErrorKind::value, "block-outside",
                "expected blocks with elements of the array, but at point " + text_of(point) +
                    " that of " + name_of(block) + " begins at " + std::to_string(start) +
                    " along dim " + std::to_string(dim) + " of extent " +
                    std::to_string(own.extent) + hint);
    }
  }

  void require_covered(size_t block, size_t dim, const Dim& own) {
    Point least = extreme(own, false), most = extreme(own, true);
    int64_t first = own.start_of(own.number_at(least)),
            last = own.start_of(own.number_at(most)) + own.size;
    // One axis whose steps leave a gap.
    int64_t moving = 0, gap = 0;
    for (size_t axis = 0; axis < grid_.size(); ++axis)
      if (own.number.factors[axis] != 0 && grid_[axis] > 1) {
        ++moving;
        gap = std::abs(own.number.factors[axis]) * own.step() - own.size;
      }
    const bool has_gap = moving == 1 && gap > 0;
    if (first <= 0 && last >= own.extent && !has_gap)
      return;
    int64_t missing = first > 0 ? 0 : has_gap ? first + own.size : last;
    fail_call(ErrorKind::value, "undefined-element",
              "expected blocks that cover the result, but those of " + name_of(block) +
                  " leave out element " + std::to_string(missing) + " along dim " +
                  std::to_string(dim) + " of extent " + std::to_string(own.extent) +
                  ", from point " + text_of(least) + " to point " + text_of(most));
  }

  void require_own_blocks(size_t block, const std::vector<std::optional<Dim>>& dims) {
    if (!is_written_always(block))
      return;
    for (auto [axis, claim] : llvm::enumerate(call_.getSemantics())) {
      if (llvm::cast<mlir::StringAttr>(claim).getValue() != "parallel" || grid_[axis] < 2)
        continue;
      const bool overlaps = llvm::all_of(dims, [&, axis = axis](const std::optional<Dim>& dim) {
        return std::abs(dim->number.factors[axis]) * dim->step() < dim->size;
      });
      if (!overlaps)
        continue;
      Point first(grid_.size(), 0), second = first;
      second[axis] = 1;
      fail_call(ErrorKind::value, "kernel-race",
                "expected points along axis " + std::to_string(axis) +
                    ", which is said to be parallel, to write blocks of their own, "
                    "but points " +
                    text_of(first) + " and " + text_of(second) + " write the same elements of " +
                    name_of(block));
    }
  }

  /// Whether every point writes the whole block.
  bool is_written_always(size_t block) {
    mlir::Block& body = call_.getBody().front();
    mlir::Value ref =
        body.getArgument(static_cast<unsigned>(grid_.size() + call_.getPrefetch() + block));
    return llvm::any_of(body, [&](mlir::Operation& op) {
      auto write = llvm::dyn_cast<ir::RefWriteOp>(op);
      return write && write.getRef() == ref && !write.getMask();
    });
  }

  ir::KernelCallOp call_;
  std::vector<ir::BlockSpec> specs_;
  Point grid_; ///< 0 for an extent that is not known
};

} // namespace

void require_sensible(ir::KernelCallOp call) { Lint(call).run(); }

} // namespace kolam::transform::kernels
