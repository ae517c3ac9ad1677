// Takes from a road what the run needs, and writes it to bytes and back.
#include "kolam/driver/compiled_program.h"

#include "kolam/interp/literal.h"
#include "kolam/ir/argument_names.h"
#include "kolam/ir/location.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/types.h"

#include <cstring>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <variant>

namespace kolam::driver {
namespace {

using runtime::Array;

/// The members of a struct, in order, of all that is written; a new member must be found here.
template <class T> auto members(T& it) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, NestStep>) {
    auto& [nest, buffers, symbols, parallel, cell, piece, flops, changed, number, written, each] =
        it;
    return std::tie(nest, buffers, symbols, parallel, cell, piece, flops, changed, number, written,
                    each);
  } else if constexpr (std::is_same_v<Plain, BufferPlan>) {
    auto& [dtype, shape, place, number, offset, strides, first, donor, same_as, is_late, grows] =
        it;
    return std::tie(dtype, shape, place, number, offset, strides, first, donor, same_as, is_late,
                    grows);
  } else if constexpr (std::is_same_v<Plain, LoopStep>) {
    auto& [lower, upper, counter, length, reverse, views, body, is_shared, own] = it;
    return std::tie(lower, upper, counter, length, reverse, views, body, is_shared, own);
  } else if constexpr (std::is_same_v<Plain, RowStep>) {
    auto& [function, input, values, places, rows, length, k, descending] = it;
    return std::tie(function, input, values, places, rows, length, k, descending);
  } else if constexpr (std::is_same_v<Plain, BindStep>) {
    auto& [symbol, size, extent, grown, behind, buffers, groups] = it;
    return std::tie(symbol, size, extent, grown, behind, buffers, groups);
  } else if constexpr (std::is_same_v<Plain, StepProgram>) {
    auto& [buffers, steps, arena_bytes, argument_count, results, numbered] = it;
    return std::tie(buffers, steps, arena_bytes, argument_count, results, numbered);
  } else if constexpr (std::is_same_v<Plain, CallStep>) {
    auto& [callee, where, inputs, outputs] = it;
    return std::tie(callee, where, inputs, outputs);
  } else if constexpr (std::is_same_v<Plain, WhileStep> || std::is_same_v<Plain, CheckText> ||
                       std::is_same_v<Plain, ir::Parameter> || std::is_same_v<Plain, NestOrigin>) {
    auto& [a, b, c] = it;
    return std::tie(a, b, c);
  } else if constexpr (std::is_same_v<Plain, CompiledProgram>) {
    auto& [program, preparation, constants, checks, parameters, origins, is_on_lists, nests] = it;
    return std::tie(program, preparation, constants, checks, parameters, origins, is_on_lists);
  } else {
    auto& [a, b] = it;
    return std::tie(a, b);
  }
}

template <class T> inline constexpr bool kIsVector = false;
template <class T> inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T> inline constexpr bool kIsVariant = false;
template <class... T> inline constexpr bool kIsVariant<std::variant<T...>> = true;
/// What is written as it lies in memory.
template <class T>
inline constexpr bool kIsPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, ContentKey>;

class Writer {
public:
  template <class T> void add(const T& value) {
    if constexpr (kIsPlain<T>)
      add_bytes(&value, sizeof value);
    else if constexpr (std::is_same_v<T, std::string>)
      add_text(value);
    else if constexpr (std::is_base_of_v<Extent, T>)
      add_extent(value);
    else if constexpr (std::is_same_v<T, Array>)
      add_array(value);
    else if constexpr (kIsVector<T>)
      add_all(value);
    else if constexpr (kIsVariant<T>)
      add_variant(value);
    else
      std::apply([&](const auto&... member) { (add(member), ...); }, members(value));
  }

  std::string take() { return std::move(bytes_); }

private:
  void add_bytes(const void* data, size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  void add_text(const std::string& text) {
    add(text.size());
    add_bytes(text.data(), text.size());
  }
  template <class T> void add_all(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values)
      add(value);
  }
  template <class T> void add_variant(const T& value) {
    add(value.index());
    std::visit([&](const auto& held) { add(held); }, value);
  }
  /// Its number, and at the first time what it is.
  void add_extent(const Extent& extent) {
    auto [found, is_new] = extents_.try_emplace(extent.to_string(), extents_.size());
    add(found->second);
    if (is_new)
      add_text(found->first);
  }
  void add_array(const Array& array) {
    add(array.dtype());
    add(array.shape());
    add_bytes(array.data(), static_cast<size_t>(array.byte_count()));
  }

  std::string bytes_;
  std::unordered_map<std::string, size_t> extents_;
};

/// Reads what a Writer wrote; `is_right` tells whether these were such bytes.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T> void read(T& value) {
    if constexpr (kIsPlain<T>) {
      read_bytes(&value, sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      const size_t size = count(1);
      value.assign(size, 0);
      read_bytes(value.data(), size);
    } else if constexpr (std::is_base_of_v<Extent, T>) {
      value = read_extent();
    } else if constexpr (std::is_same_v<T, Array>) {
      read_array(value);
    } else if constexpr (kIsVector<T>) {
      read_all(value);
    } else if constexpr (kIsVariant<T>) {
      size_t index = 0;
      read(index);
      read_variant<0>(index, value);
    } else {
      auto all = members(value);
      std::apply([&](auto&... member) { (read(member), ...); }, all);
    }
  }

  bool is_right() const { return is_right_ && bytes_.empty(); }

private:
  void read_bytes(void* to, size_t size) {
    is_right_ = is_right_ && size <= bytes_.size();
    if (!is_right_ || size == 0)
      return;
    std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  /// How many values follow, of so many bytes each at least.
  size_t count(size_t least) {
    size_t number = 0;
    read(number);
    is_right_ = is_right_ && number <= bytes_.size() / least;
    return is_right_ ? number : 0;
  }
  template <class T> void read_all(std::vector<T>& values) {
    values.resize(count(1), empty<T>());
    for (T& value : values)
      read(value);
  }
  template <size_t index, class T> void read_variant(size_t wanted, T& value) {
    if constexpr (index == std::variant_size_v<T>) {
      is_right_ = false;
    } else if (wanted == index) {
      auto held = empty<std::variant_alternative_t<index, T>>();
      read(held);
      value = std::move(held);
    } else {
      read_variant<index + 1>(wanted, value);
    }
  }
  Extent read_extent() {
    size_t number = 0;
    read(number);
    if (number < extents_.size())
      return extents_[number];
    std::string text;
    read(text);
    std::optional<Extent> extent = is_right_ ? Extent::parse(text) : std::nullopt;
    is_right_ = is_right_ && extent && number == extents_.size();
    extents_.push_back(extent.value_or(0));
    return extents_.back();
  }
  void read_array(Array& array) {
    DType dtype{};
    std::vector<int64_t> shape;
    read(dtype);
    read(shape);
    if (!is_right_)
      return;
    array = Array::uninitialized(dtype, std::move(shape));
    read_bytes(array.mutable_data(), static_cast<size_t>(array.byte_count()));
  }
  template <class T> static T empty() {
    if constexpr (std::is_aggregate_v<T>)
      return T{};
    else
      return T();
  }

  std::string_view bytes_;
  std::vector<Extent> extents_;
  bool is_right_ = true;
};

} // namespace

CompiledProgram compiled_program(Road road) {
  CompiledProgram result;
  nest::NestList& nests = road.nests;
  for (mlir::ElementsAttr constant : nests.constants)
    result.constants.push_back(interp::to_array(constant));
  for (const nest::Nest& nest : nests.nests) {
    CheckText check;
    if (auto op = llvm::dyn_cast<ir::CheckOp>(nest.root))
      check = {op.getSlug().str(), op.getMessage().str(), ir::to_source_location(op.getLoc())};
    result.checks.push_back(std::move(check));
  }
  mlir::func::FuncOp main = road.program.main();
  for (auto [type, name] : llvm::zip(main.getArgumentTypes(), ir::argument_names(main)))
    result.parameters.push_back({ir::dtype_of(type), ir::shape_of(type), name});
  result.is_on_lists = road.on_lists.has_value();
  result.program = std::move(nests.program);
  result.preparation = std::move(nests.preparation);
  result.origins = std::move(road.origins);
  result.nests = std::move(road.loaded);
  return result;
}

std::string to_bytes(const CompiledProgram& program) {
  Writer writer;
  writer.add(program);
  return writer.take();
}

std::optional<CompiledProgram> program_from(std::string_view bytes) {
  CompiledProgram program;
  Reader reader(bytes);
  reader.read(program);
  if (!reader.is_right() || program.origins.size() != program.checks.size())
    return std::nullopt;
  return program;
}

} // namespace kolam::driver
