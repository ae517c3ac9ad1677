// Writes results of calls to memory of the caller's.
#include "kolam/frontend/array/outputs.h"

namespace kolam::detail {
namespace {

std::string output(size_t number) { return "output " + std::to_string(number) + ": expected "; }

std::string type_text(const TensorSpec& spec) {
  return std::string(name(spec.dtype)) + to_string(spec.shape);
}

[[noreturn]] void fail_shape(size_t number, const Memory& memory, const std::string& result,
                             const std::string& elements, const std::string& shape) {
  if (memory.has_any_shape)
    fail(ErrorKind::value, "shape-mismatch",
         output(number) + "memory of " + elements + " elements, as the result " + result +
             " has, but got " + std::to_string(memory.shape[0]));
  fail(ErrorKind::value, "shape-mismatch",
       output(number) + "memory of shape " + shape + ", as the result has, but got " +
           runtime::shape_text(memory.shape));
}

/// What is known before the run: dtype, and extents that are numbers.
void require_fit(size_t number, const Memory& memory, const TensorSpec& spec) {
  if (memory.dtype != spec.dtype)
    fail(ErrorKind::type, "dtype-mismatch",
         output(number) + "memory of " + std::string(name(spec.dtype)) +
             ", as the result has, but got " + std::string(name(memory.dtype)));
  auto is_other = [](const Extent& extent, int64_t actual) {
    return extent.is_constant() && extent.constant() != actual;
  };
  bool fits = true;
  if (memory.has_any_shape)
    fits = !is_other(element_count(spec.shape), memory.shape[0]);
  else if (memory.shape.size() != spec.shape.size())
    fits = false;
  else
    for (size_t k = 0; k < memory.shape.size(); ++k)
      fits &= !is_other(spec.shape[k], memory.shape[k]);
  if (!fits)
    fail_shape(number, memory, type_text(spec), element_count(spec.shape).to_string(),
               to_string(spec.shape));
}

void require_disjoint(std::span<const Memory> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (runtime::overlaps_itself(outputs[i]))
      fail(ErrorKind::value, "overlapping-outputs",
           output(i) + "elements that lie apart, but got strides with which some share memory");
    for (size_t j = 0; j < i; ++j)
      if (runtime::overlap(outputs[j], outputs[i]))
        fail(ErrorKind::value, "overlapping-outputs",
             output(i) + "memory of its own, but it overlaps that of output " + std::to_string(j));
  }
}

bool overlaps(const Memory& memory, const Array& array) {
  auto first = reinterpret_cast<uintptr_t>(memory.data);
  auto last = first;
  for (int64_t extent : memory.shape)
    if (extent == 0)
      return false;
  for (size_t k = 0; k < memory.shape.size(); ++k) // it is dense
    last += static_cast<uintptr_t>((memory.shape[k] - 1) * memory.byte_strides[k]);
  last += static_cast<uintptr_t>(byte_width(memory.dtype));
  auto begin = reinterpret_cast<uintptr_t>(array.data());
  return begin < last && first < begin + static_cast<uintptr_t>(array.byte_count());
}

/// The memory as an array that results are computed in; the empty handle where that may not be.
Array computed_in(const Memory& memory, const TensorSpec& spec, std::span<const Array> arguments,
                  const std::vector<Array>& captured) {
  auto meets = [&](const Array& array) { return overlaps(memory, array); };
  if (!runtime::is_dense(memory) || std::ranges::any_of(arguments, meets) ||
      std::ranges::any_of(captured, meets))
    return {};
  std::vector<int64_t> shape = memory.shape;
  if (memory.has_any_shape) {
    shape.clear();
    for (const Extent& extent : spec.shape) {
      if (!extent.is_constant())
        return {};
      shape.push_back(*extent.constant());
    }
  }
  return Array::adopt(memory.dtype, std::move(shape), memory.data, {});
}

} // namespace

Memory memory_of_output(Array& array) {
  if (!array)
    fail(ErrorKind::value, "empty-tensor",
         "expected an array to write a result to, but got an empty handle");
  if (array.buffer().use_count() > 1)
    fail(ErrorKind::value, "shared-output",
         "expected an array whose memory no other handle shares, as arrays never change for those "
         "who hold them, but got one of " +
             std::to_string(array.buffer().use_count()) + " handles");
  return runtime::checked_memory(array.mutable_data(), array.dtype(), array.shape(), nullptr,
                                 std::source_location::current());
}

void run_into(const Program& program, std::span<const TensorSpec> specs,
              std::vector<Array>& arguments, std::span<const Memory> outputs, Backend backend) {
  if (outputs.size() != specs.size())
    fail(ErrorKind::value, "output-count",
         "expected memory for " + std::to_string(specs.size()) + " results, but got " +
             std::to_string(outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i)
    require_fit(i, outputs[i], specs[i]);
  require_disjoint(outputs);
  std::vector<Array> direct;
  for (size_t i = 0; i < outputs.size(); ++i)
    direct.push_back(computed_in(outputs[i], specs[i], arguments, program.captured()));
  std::vector<Array> results = program.run_into(arguments, direct, backend);
  auto is_written = [&](size_t i) { return results[i].data() == outputs[i].data; };
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Array& result = results[i];
    const bool fits = outputs[i].has_any_shape ? result.size() == outputs[i].shape[0]
                                               : result.shape() == outputs[i].shape;
    if (!fits)
      fail_shape(i, outputs[i],
                 std::string(name(result.dtype())) + runtime::shape_text(result.shape()),
                 std::to_string(result.size()), runtime::shape_text(result.shape()));
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!is_written(i))
      runtime::copy_out(results[i], outputs[i]);
}

} // namespace kolam::detail
