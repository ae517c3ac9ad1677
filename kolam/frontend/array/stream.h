/// A function of whole sequences, one step at a time.
#pragma once

#include "kolam/frontend/array/jit.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kolam::layout {

/// Which arguments are sequences, and along which dim; the others keep the values given.
struct StreamOptions {
  int64_t axis = 0; ///< of every argument, where `axes` is empty
  /// By the argument's name or number; of an argument of several arrays, for all of them.
  std::map<std::string, int64_t> axes = {};
};

/// Memory of the caller's with the elements of one step, row-major: a span, vector or array of
/// elements, or a kolam::Array.
struct StepInput {
  const void* data = nullptr;
  DType dtype = DType::f32;
  int64_t count = 0;

  template <runtime::ElementRange R>
  StepInput(const R& range)
      : data(std::ranges::data(range)),
        dtype(dtype_of<std::remove_cv_t<std::ranges::range_value_t<R>>>()),
        count(static_cast<int64_t>(std::ranges::size(range))) {}
  StepInput(const Array& array) : data(array.data()), dtype(array.dtype()), count(array.size()) {}
};

/// The same to be written.
struct StepOutput {
  void* data = nullptr;
  DType dtype = DType::f32;
  int64_t count = 0;

  /// The array's memory, which nobody else may read meanwhile.
  explicit StepOutput(Array& array)
      : data(array.mutable_data()), dtype(array.dtype()), count(array.size()) {}
  template <detail::WritableRange R>
  StepOutput(R&& range)
      : data(std::ranges::data(range)),
        dtype(dtype_of<std::remove_cv_t<std::ranges::range_value_t<R>>>()),
        count(static_cast<int64_t>(std::ranges::size(range))) {}
};

/// A function over sequences, compiled as one step: what it gives for one element, and the state
/// that it carries to the next.
///
///     auto ema = kolam::jit([](kolam::Tensor x) { return ... });  // y [t, d] of x [t, d]
///     kolam::layout::Stream s = kolam::layout::stream(ema, {}, x);
///     kolam::Array y = s({x0})[0];                                // y[0] of x[0], bit by bit
///     s.into({std::span(y1)}, {std::span(x1)});                   // y[1], in memory of yours
///
/// A step after which nothing can fail updates its state in place; else, and after an error, the
/// state is as it was. `into` allocates no memory, takes no lock and calls the system never, where
/// Kolam has one thread. Not for several threads at once: `[stream-busy]`.
class Stream {
public:
  /// The arrays of `state_names`, as of some step.
  using State = std::vector<Array>;

  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  ~Stream();

  /// A step: the elements of each sequence, in the order of the arguments, without the axis. Throws
  /// `[argument-mismatch]` and what the function's checks throw; then the state is as it was.
  /// `[stream-end]` behind the last row of a table that the function reads along the axis.
  std::vector<Array> operator()(const std::vector<Array>& elements);
  /// The same; writes the results to memory of the caller's, which may be that of elements: they
  /// are read before. Throws as it and `[output-count]`, `[dtype-mismatch]`, `[shape-mismatch]`,
  /// `[overlapping-outputs]` for outputs, whose elements are unspecified behind an error.
  void into(std::initializer_list<StepOutput> outputs, std::initializer_list<StepInput> elements) {
    into(std::span(outputs.begin(), outputs.size()), std::span(elements.begin(), elements.size()));
  }
  void into(std::span<const StepOutput> outputs, std::span<const StepInput> elements);
  /// Several steps: sequences with the axis, of one length; results with it.
  std::vector<Array> run(const std::vector<Array>& sequences);
  /// A step from `state`, which stays as it is: the state behind it, and the results. The stream's
  /// own state plays no part.
  std::pair<State, std::vector<Array>> step(const State& state,
                                            const std::vector<Array>& elements) const;

  /// The state before the first step.
  const State& initial() const;
  State state() const;
  /// Throws `[stream-state]` for arrays that are not the state of such a stream.
  void set_state(const State& state);
  void reset();
  /// What each array of the state is: `past of pad at model.py:12`.
  const std::vector<std::string>& state_names() const;

  /// Of one step.
  std::vector<TensorSpec> elements() const;
  std::vector<TensorSpec> results() const;
  /// The dim of each result of the whole function that a step leaves out; none where a result is
  /// the same at every step.
  const std::vector<std::optional<int64_t>>& result_axes() const;
  /// The program of a step: elements, states, then arguments that keep their values; results, then
  /// states.
  const Program& program() const;
  /// The steps' nests as Program::explain, the states, and where the stream ends.
  std::string explain() const;

private:
  struct Impl;
  explicit Stream(std::unique_ptr<Impl> impl);
  friend Stream stream(const Program&, const std::vector<Array>&, const StreamOptions&, Backend);
  std::unique_ptr<Impl> impl_;
};

/// The steps of a program along sequences among `arguments`, those of a call; of a sequence only
/// dtype and shape count.
///
///     y[t] = f(x[t], x[t - 1], ..., the state before t)
///
/// What the i-th step gives is, bit by bit, element i along the axis of what the program gives for
/// the whole sequences. Ops may read sequences at t and before: element by element, by delays and
/// windows, running combinations, scans along the axis, and causal attention with a left window.
/// Throws `[not-streamable]` at the user's line for what looks ahead, reduces, sorts, reshapes,
/// strides or gathers along the axis, `[stream-axis]` for an axis that is not there or differs in
/// length.
Stream stream(const Program& program, const std::vector<Array>& arguments,
              const StreamOptions& options = {}, Backend backend = Backend::cpu);

/// The same of a function: `stream(f, {.axes = {{"0", 0}}}, x, w)`.
template <class F, class... Parameters>
Stream stream(const Jitted<F, std::tuple<Parameters...>>& f, const StreamOptions& options,
              std::type_identity_t<detail::Argument<Parameters>>... given,
              std::source_location here = std::source_location::current()) {
  auto [program, arrays] = f.lower_with_arrays(given..., here);
  return located("layout.stream", here, [&] { return stream(program, arrays, options); });
}

} // namespace kolam::layout
