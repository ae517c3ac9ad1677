/// Where the results of a call go: memory of the caller's.
#pragma once

#include "kolam/frontend/array/program.h"
#include "kolam/frontend/array/pytree.h"

#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace kolam::detail {

using runtime::Memory;

/// A range of elements that may be written.
template <class Out>
concept WritableRange =
    runtime::ElementRange<Out> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Out>>>;

/// A range of what may be written in turn.
template <class Out>
concept RangeOfOutputs = std::ranges::range<Out> && !runtime::ElementRange<Out> &&
                         std::is_lvalue_reference_v<std::ranges::range_reference_t<Out>>;

template <class Out>
concept IsTuple = requires { std::tuple_size<std::remove_cvref_t<Out>>::value; };

/// The memory of an array that no other handle shares. Throws `[shared-output]`, `[empty-tensor]`.
Memory memory_of_output(Array& array);

/// Appends where the results go that `out` takes: `out` is an Array, memory (a View, span, vector,
/// array or scalar), or a tuple, range or struct (with `fields(x)`) of these.
template <class Out> void append_outputs(Out&& out, std::vector<Memory>& memories) {
  using Plain = std::remove_cvref_t<Out>;
  if constexpr (std::is_same_v<std::remove_reference_t<Out>, Array>) {
    memories.push_back(memory_of_output(out));
  } else if constexpr (runtime::StridedView<Plain>) {
    using E = std::remove_pointer_t<decltype(out.data())>;
    static_assert(!std::is_const_v<E>,
                  "into: expected memory to write to, but got a View of const elements");
    memories.push_back(out.memory());
  } else if constexpr (WritableRange<Out>) {
    memories.push_back(runtime::memory_of(out));
  } else if constexpr (ArrayElement<std::remove_reference_t<Out>>) {
    memories.push_back(
        {reinterpret_cast<std::byte*>(std::addressof(out)), dtype_of<Plain>(), {}, {}, false});
  } else if constexpr (HasFields<Plain>) {
    std::apply([&](auto&... part) { (append_outputs(part, memories), ...); }, fields(out));
  } else if constexpr (IsTuple<Plain>) {
    std::apply([&](auto&... part) { (append_outputs(part, memories), ...); }, out);
  } else if constexpr (RangeOfOutputs<Out>) {
    for (auto& part : out)
      append_outputs(part, memories);
  } else {
    static_assert(WritableRange<Out>,
                  "into: expected memory to write results to: a kolam::View, std::span, vector, "
                  "array or variable of elements (not const), a kolam::Array, or for several "
                  "results a tuple of these: f.into(std::tie(a, b), x)");
  }
}

/// Runs `program`, whose results have `specs`, and writes them to `outputs`: straight where such
/// memory is dense and overlaps no argument, else as a copy behind the run. Leaves `arguments`
/// empty. Throws `[output-count]`, `[dtype-mismatch]`, `[shape-mismatch]`, `[overlapping-outputs]`.
void run_into(const Program& program, std::span<const TensorSpec> specs,
              std::vector<Array>& arguments, std::span<const Memory> outputs, Backend backend);

} // namespace kolam::detail
