// Compares worlds that differ in poison, and orders accesses by points of the grid.
#include "kolam/interp/kernel_checker.h"

#include "kolam/interp/check.h"
#include "kolam/interp/poison.h"
#include "kolam/ir/location.h"

#include "llvm/ADT/Hashing.h"

#include <limits>
#include <map>

namespace kolam::interp {
namespace {

/// A place of an array as an index: (1, 2).
std::vector<int64_t> index_of(int64_t place, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = place % shape[dim];
    place /= shape[dim];
  }
  return index;
}
std::string tuple_text(llvm::ArrayRef<int64_t> index) {
  std::string text = "(";
  for (size_t dim = 0; dim < index.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(index[dim]);
  return text + (index.size() == 1 ? ",)" : ")");
}
std::string index_text(int64_t place, const std::vector<int64_t>& shape, size_t first = 0) {
  return tuple_text(llvm::ArrayRef(index_of(place, shape)).drop_front(first));
}

} // namespace

KernelChecker::KernelChecker(ir::KernelCallOp op, std::vector<std::vector<int64_t>> points)
    : instances_(ir::kernel_instances(op)), location_(op.getLoc()), kernel_(op.getName()),
      points_(std::move(points)) {
  std::map<std::vector<int64_t>, int64_t> known;
  for (const std::vector<int64_t>& point : points_) {
    std::vector<int64_t> own;
    for (auto [axis, claim] : llvm::enumerate(op.getSemantics()))
      if (llvm::cast<mlir::StringAttr>(claim).getValue() == "parallel")
        own.push_back(point[axis]);
    groups_.push_back(known.try_emplace(own, static_cast<int64_t>(known.size())).first->second);
  }
}

Array KernelChecker::poison(DType dtype, const std::vector<int64_t>& shape) const {
  return interp::poison(dtype, shape, world_);
}

std::shared_ptr<Shadow> KernelChecker::shadow_of(const Array& array, std::string name,
                                                 bool is_scratch, size_t instance_dims) const {
  if (world_ > 0)
    return nullptr;
  return std::make_shared<Shadow>(
      Shadow{std::move(name), is_scratch, array.shape(),
             std::vector<Shadow::Element>(static_cast<size_t>(array.size())), instance_dims});
}

Ref KernelChecker::scratch(DType dtype, const std::vector<int64_t>& shape, std::string name,
                           size_t instance_dims) const {
  Ref ref = Ref::of(poison(dtype, shape), Array::zeros(dtype, {}));
  ref.shadow = shadow_of(ref.memory, std::move(name), true, instance_dims);
  return ref;
}

void KernelChecker::enter_point(int64_t number) {
  point_ = number;
  next_ = 0;
  if (world_ == 0)
    decisions_.clear();
}

std::string KernelChecker::at_point(int64_t number) const {
  return tuple_text(
      llvm::ArrayRef(points_[static_cast<size_t>(number)]).drop_front(instances_.axes));
}

std::string KernelChecker::at_instance(llvm::ArrayRef<int64_t> index) const {
  if (instances_.axes == 0 || index.size() < instances_.axes)
    return "";
  index = index.take_front(instances_.axes);
  return "of instance " + (index.size() == 1 ? std::to_string(index[0]) : tuple_text(index)) + ", ";
}

void KernelChecker::fail_at(mlir::Location where, const char* slug,
                            const std::string& message) const {
  throw check_error(slug, "kernel '" + kernel_ + "': " + message,
                    point_ < 0 ? in_no_point_
                               : at_instance(points_[static_cast<size_t>(point_)]) + "at point " +
                                     at_point(point_),
                    ir::to_source_location(where));
}

void KernelChecker::leave_point() {
  if (world_ > 0 && next_ < decisions_.size())
    find_decision(decisions_[next_].op); // a loop that ends earlier
}

void KernelChecker::decide(mlir::Operation* op, llvm::hash_code what) {
  if (world_ == 0)
    decisions_.push_back({op, what});
  else if (next_ < decisions_.size() && decisions_[next_].op == op &&
           decisions_[next_].what == what)
    ++next_;
  else
    find_decision(op);
}

void KernelChecker::find_decision(mlir::Operation* op) const {
  mlir::Location where = op->getLoc();
  const bool makes_view =
      op->getNumResults() == 1 && llvm::isa<ir::RefType>(op->getResult(0).getType());
  fail_at(
      where, "undefined-element",
      std::string("expected ") + (makes_view ? "an index" : "a branch or loop") +
          " that depends on elements of arrays, but got one that depends on elements outside of "
          "an array or never written");
}

void KernelChecker::enter(mlir::Region& region) {
  if (llvm::isa_and_present<ir::CondOp, ir::WhileOp, ir::ForOp>(region.getParentOp()))
    decide(region.getParentOp(), llvm::hash_value(&region));
}

void KernelChecker::note_view(mlir::Value value, const Ref& ref) {
  if (mlir::Operation* op = value.getDefiningOp(); op && !llvm::isa<ir::RefAllocOp>(op))
    decide(op, llvm::hash_combine_range(ref.places.begin(), ref.places.end()));
}

void KernelChecker::note(mlir::Operation* op, const Ref& ref, const Array& mask, Access access) {
  Shadow& shadow = *ref.shadow;
  mlir::Location where = op->getLoc();
  const std::string what = access == Access::read ? "read" : "write";
  for (int64_t i = 0; i < static_cast<int64_t>(ref.places.size()); ++i) {
    if (mask && !mask.values<bool>()[static_cast<size_t>(i)])
      continue;
    const int64_t place = ref.places[static_cast<size_t>(i)];
    if (place == Ref::kOutside)
      fail_at(where, "index-out-of-range",
              "expected to " + what + " elements that the Ref has, but element " +
                  index_text(i, ref.shape) + " of the view of " + shadow.name + " lies outside");
    if (place < 0)
      continue;
    Shadow::Element& element = shadow.elements[static_cast<size_t>(place)];
    auto race = [&](int64_t other, const char* did) {
      fail_at(where, "kernel-race",
              "expected points along parallel axes to share no element, but this one " + what +
                  "s element " + index_text(place, shadow.shape, shadow.instance_dims) + " of " +
                  shadow.name + ", which point " + at_point(other) + " " + did);
    };
    const bool commute = access == Access::update && element.is_updated && !shadow.is_scratch;
    if (element.writer >= 0 && !are_ordered(element.writer, point_) && !commute &&
        (access != Access::write || !shadow.is_scratch))
      race(element.writer, "writes");
    const int64_t group = groups_[static_cast<size_t>(point_)];
    if (access != Access::read) {
      if (element.reader >= 0 && !shadow.is_scratch &&
          (element.reader_group == Shadow::kSeveral || element.reader_group != group))
        race(element.reader, "reads");
      element.writer = point_;
      element.written_by = op;
      element.is_updated = access == Access::update;
    } else {
      if (element.reader < 0 || element.reader_group == group || element.reader_group < 0)
        element.reader = element.reader_group == Shadow::kSeveral ? element.reader : point_;
      element.reader_group = element.reader_group == Shadow::kNone || element.reader_group == group
                                 ? group
                                 : Shadow::kSeveral;
    }
  }
}

void KernelChecker::require_inside(const Ref& block, std::string_view name) const {
  if (block.places.empty() || llvm::any_of(block.places, [](int64_t place) { return place >= 0; }))
    return;
  fail_at(location_, "block-outside",
          "expected a block with elements of the array, but that of " + std::string(name) +
              " lies outside of it");
}

void KernelChecker::require_defined(const std::vector<Array>& worlds, const Shadow& shadow) {
  const Array& first = worlds[0];
  const auto width = static_cast<size_t>(byte_width(first.dtype()));
  std::optional<int64_t> found;
  auto writer_of = [&](int64_t place) {
    int64_t writer = shadow.elements[static_cast<size_t>(place)].writer;
    return writer < 0 ? std::numeric_limits<int64_t>::max() : writer;
  };
  for (int64_t place = 0; place < first.size(); ++place) {
    auto bits = [&](const Array& array) {
      return static_cast<const std::byte*>(array.data()) + static_cast<size_t>(place) * width;
    };
    const bool differs = llvm::any_of(worlds, [&](const Array& world) {
      return std::memcmp(bits(first), bits(world), width) != 0;
    });
    if (differs && (!found || writer_of(place) < writer_of(*found)))
      found = place;
  }
  if (!found)
    return;
  const Shadow::Element& element = shadow.elements[static_cast<size_t>(*found)];
  const std::string what =
      "element " + index_text(*found, shadow.shape, shadow.instance_dims) + " of " + shadow.name;
  if (element.writer < 0) {
    point_ = Shadow::kNone;
    in_no_point_ = at_instance(index_of(*found, shadow.shape)) + "in no point";
    fail_at(location_, "undefined-element",
            "expected every element of a result to be written, but " + what + " is not");
  }
  point_ = element.writer;
  mlir::Location where = element.written_by->getLoc();
  fail_at(where, "undefined-element",
          "expected results of elements of arrays, but " + what +
              " depends on elements outside of an array or never written; mask them, give the "
              "BlockSpec a pad= or write scratch arrays first");
}

void note_access(mlir::Operation* op, const Ref& ref, const Array& mask, Access access,
                 const Evaluation& e) {
  if (ref.shadow && e.options().checker)
    e.options().checker->note(op, ref, mask, access);
}

} // namespace kolam::interp
