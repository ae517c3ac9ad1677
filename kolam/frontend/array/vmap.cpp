// Records a function of one instance, and makes its ops for all of them.
#include "kolam/frontend/array/vmap.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/bound_axes.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/ir/location.h"
#include "kolam/ir/why_lists.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/collective.h"
#include "kolam/language/creation.h"
#include "kolam/language/lists.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/batch.h"
#include "kolam/transform/lists/rename.h"

#include <cstring>

namespace kolam::detail {
namespace {

using language::Values;
using transform::Batched;

/// The place of an axis of that rank. Throws `[batch-axis]`.
int64_t place_of(int64_t axis, int64_t rank, const std::string& name, const std::string& what) {
  if (axis < -rank || axis >= rank)
    fail(ErrorKind::value, "batch-axis",
         name + ": expected an axis of " + what + ", but got " + std::to_string(axis));
  return axis < 0 ? axis + rank : axis;
}

/// "argument 0 has 3 along its axis 1", of all.
std::string all_extents(const std::vector<Mapped>& mapped, const std::optional<Extent>& axis_size) {
  std::string text = axis_size ? "option axis_size says " + axis_size->to_string() : "";
  for (const Mapped& each : mapped)
    text += (text.empty() ? "" : ", ") + each.name + " has " +
            each.tensor.extent(each.axis).to_string() + " along its axis " +
            std::to_string(each.axis);
  return text;
}

/// The extent that all mapped tensors have along their axes. Throws `[batch-axis]` where numbers
/// differ; the run compares symbols.
Extent common_count(language::Builder& b, const std::vector<Mapped>& mapped,
                    const std::optional<Extent>& axis_size) {
  std::optional<Extent> count = axis_size;
  for (const Mapped& each : mapped) {
    Extent own = each.tensor.extent(each.axis);
    if (!count) {
      count = own;
      continue;
    }
    if (count->is_constant() && own.is_constant() && !(*count == own))
      fail(ErrorKind::value, "batch-axis",
           "expected as many instances of each argument, but " + all_extents(mapped, axis_size) +
               "; in_axes says along which axis each argument is mapped, None for none");
    if (!(*count == own))
      count = language::unify(b, *count, own, each.name + ", mapped axis");
  }
  if (!count)
    fail(ErrorKind::value, "batch-axis",
         "expected a mapped array among the arguments, or axis_size, but got neither");
  if (auto number = count->constant(); number && *number < 0)
    fail(ErrorKind::value, "batch-axis",
         "option axis_size: expected at least 0, but got " + count->to_string());
  return *count;
}

/// `value` with dim `from` moved to `to`.
mlir::Value moved(language::Builder& b, mlir::Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  return language::moveaxis(b, value, {from}, {to});
}

/// The mapped tensors, instances first, all of `count` of them.
Values leading(language::Builder& b, const std::vector<Mapped>& mapped, const Values& values,
               const Extent& count) {
  Values results;
  for (auto [each, value] : llvm::zip(mapped, values)) {
    int64_t axis = each.axis < 0 ? each.axis + ir::rank_of(value) : each.axis;
    mlir::Value first = moved(b, value, axis, 0);
    Shape shape = ir::shape_of(first);
    shape[0] = count;
    results.push_back(language::with_shape(b, first, shape));
  }
  return results;
}

/// Throws where instances are to run one after the other although ops reduce over all of them.
void require_no_collective(mlir::Region& region, const std::string& axis, const std::string& why) {
  for (mlir::Operation& op : region.front())
    if (!axis.empty() && language::holds_collective(&op, axis))
      throw Error(ErrorKind::value, "batch-axis",
                  "expected a function that runs for all instances at once, as it reduces over "
                  "axis '" +
                      axis + "', but " + why,
                  ir::to_source_location(op.getLoc()));
}

/// Throws where each instance would have results of extents of its own.
void require_shared_extents(mlir::Region& region) {
  for (auto [number, type] : llvm::enumerate(region.front().getTerminator()->getOperandTypes()))
    for (const Extent& extent : ir::shape_of(type))
      for (const std::string& symbol : extent.symbols())
        if (transform::lists::binds(region, symbol))
          fail(ErrorKind::value, "instance-extents",
               "result " + std::to_string(number) +
                   " of f: expected extents that all instances share, but got " +
                   language::describe_type(type) +
                   ", whose extents each instance finds for itself; give each as a list: "
                   "fractal.map(f, fractal.unbind(x))");
}

/// Results of all instances as a map over lists, which says in `explain` why.
std::vector<Batched> by_lists(Trace& trace, Trace::Region region, const Values& slices,
                              const Extent& count, const std::string& why) {
  language::Builder& b = trace.builder();
  Values lists;
  for (mlir::Value value : slices)
    lists.push_back(language::pack(b, value, {}));
  Values mapped = language::list_map(b, lists, {std::move(region.region), region.captures});
  if (!mapped.empty())
    ir::set_why_lists(mapped[0].getDefiningOp(), why);
  std::vector<Batched> results;
  for (mlir::Value list : mapped) {
    mlir::Value leaves = language::unpack(b, list, trace.new_symbols(1))[0];
    Shape shape = ir::shape_of(leaves);
    shape[0] = count;
    results.push_back({language::with_shape(b, leaves, shape), true});
  }
  return results;
}

bool gives_lists(mlir::Region& region) {
  return llvm::any_of(region.front().getTerminator()->getOperandTypes(),
                      [](mlir::Type type) { return llvm::isa<ir::ListType>(type); });
}

std::vector<Batched> for_all(Trace& trace, Trace::Region region, const Values& slices,
                             const Extent& count, const std::string& axis) {
  std::vector<Batched> arguments;
  for (mlir::Value value : slices)
    arguments.push_back({value, true});
  for (mlir::Value value : region.captures)
    arguments.push_back({value, false});
  std::string why;
  transform::BatchOptions options{axis, custom_rule(trace, count)};
  if (auto results =
          transform::batch_body(trace.builder(), *region.region, arguments, count, &why, options))
    return *results;
  require_no_collective(*region.region, axis, why);
  require_shared_extents(*region.region);
  return by_lists(trace, std::move(region), slices, count, why);
}

/// A result with its instances along the axis that is asked for.
mlir::Value stacked(language::Builder& b, const Batched& result, const MappedResult& asked,
                    const Extent& count) {
  if (!asked.axis) {
    if (result.is_each)
      fail(ErrorKind::value, "batch-axis",
           asked.name + ": expected a value that is the same for all instances, as out_axes says "
                        "None, but got one of each; say along which axis to stack them");
    return result.value;
  }
  mlir::Value value = result.value;
  if (!result.is_each) {
    Shape shape = ir::shape_of(value);
    shape.insert(shape.begin(), count);
    value = language::broadcast_to(b, value, shape);
  }
  int64_t rank = ir::rank_of(value);
  return moved(b, value, 0,
               place_of(*asked.axis, rank, asked.name,
                        "a result of rank " + std::to_string(rank) + ", instances included"));
}

/// The leaves and parts of a structure's text (pytree.h), read from the front.
class StructureReader {
public:
  StructureReader(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  /// Appends the axes of the leaves of the next parts, up to the end of their group.
  void read(const MappedAxis& axis, std::vector<std::optional<int64_t>>& axes) {
    size_t part = 0;
    while (place_ < text_.size() && !is_one_of(")]}>")) {
      if (!is_one_of("([{<*#")) {
        skip_static();
        continue;
      }
      read_part(part_of(axis, part++), axes);
    }
    require_all(axis, part);
  }
  /// The same of one tree.
  void read_part(const MappedAxis& axis, std::vector<std::optional<int64_t>>& axes) {
    while (place_ < text_.size() && !is_one_of("([{<*#"))
      skip_static();
    if (place_ == text_.size())
      return;
    if (is_one_of("*#")) {
      place_ += 2; // "*,"
      if (axis.has_parts())
        fail(ErrorKind::value, "batch-axis",
             name_ + ": expected an axis, or nullopt, for a tensor, but got " +
                 std::to_string(axis.parts().size()) + " for its parts");
      axes.push_back(axis.axis());
      return;
    }
    ++place_;
    read(axis, axes);
    ++place_;
  }

private:
  bool is_one_of(const char* characters) const {
    return std::strchr(characters, text_[place_]) != nullptr;
  }
  /// What prints with a length in front: 3'abc'
  void skip_static() {
    size_t length = 0;
    while (text_[place_] != '\'')
      length = length * 10 + static_cast<size_t>(text_[place_++] - '0');
    place_ += length + 2;
  }
  MappedAxis part_of(const MappedAxis& axis, size_t part) const {
    if (!axis.has_parts())
      return axis;
    return part < axis.parts().size() ? axis.parts()[part] : MappedAxis(std::nullopt);
  }
  void require_all(const MappedAxis& axis, size_t parts) const {
    if (axis.has_parts() && axis.parts().size() != parts)
      fail(ErrorKind::value, "batch-axis",
           name_ + ": expected one axis, or " + std::to_string(parts) +
               ", as many as it has parts with tensors, but got " +
               std::to_string(axis.parts().size()));
  }

  const std::string& text_;
  const std::string& name_;
  size_t place_ = 0;
};

} // namespace

std::vector<std::optional<int64_t>> leaf_axes(const MappedAxis& axis, const std::string& structure,
                                              const std::string& name) {
  std::vector<std::optional<int64_t>> axes;
  StructureReader(structure, name).read_part(axis, axes);
  return axes;
}

void require_axes(const MappedAxes& axes, std::string_view option, size_t count) {
  if (axes.size() != 1 && axes.size() != count)
    fail(ErrorKind::value, "batch-axis",
         "option " + std::string(option) + ": expected one axis, or " + std::to_string(count) +
             ", but got " + std::to_string(axes.size()));
}

Leaves vmap(const std::vector<Mapped>& mapped, const Instances& instances,
            const std::function<std::vector<MappedResult>(const Leaves& slices)>& body,
            Operand::Here where) {
  CallScope scope("vmap", to_location(where));
  KeepRules rules;
  std::vector<Operand> operands;
  for (const Mapped& each : mapped) {
    place_of(each.axis, each.tensor.rank(), each.name,
             std::string(name(each.tensor.dtype())) + to_string(each.tensor.shape()));
    operands.emplace_back(each.tensor);
  }
  auto record = [&](Trace& trace, const Values& values) {
    language::Builder& b = trace.builder();
    Extent count = common_count(b, mapped, instances.axis_size);
    Values slices = leading(b, mapped, values, count);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value value : slices)
      types.push_back(language::slice_type(b, value));
    const bool has_name = !instances.axis_name.empty();
    if (has_name) { // each instance's own number is one more argument
      slices.push_back(language::iota(b, {count}, 0, DType::i32));
      types.push_back(language::slice_type(b, slices.back()));
    }
    std::vector<MappedResult> asked;
    auto region = trace.region(types, [&](Leaves arguments) {
      Tensor index = has_name ? arguments.back() : Tensor();
      if (has_name)
        arguments.pop_back();
      BoundAxis bound(trace, instances.axis_name, std::move(index), count);
      asked = body(arguments);
      Leaves results;
      for (const MappedResult& each : asked)
        results.push_back(each.tensor);
      return results;
    });
    if (gives_lists(*region.region))
      fail(ErrorKind::type, "not-an-array",
           "expected f to give arrays, but got a list; fractal.map gives lists of lists");
    Values results;
    for (auto [result, each] :
         llvm::zip(for_all(trace, std::move(region), slices, count, instances.axis_name), asked))
      results.push_back(stacked(b, result, each, count));
    return results;
  };
  return apply_traced("vmap", operands, record);
}

} // namespace kolam::detail
