// Runs steps in memory that stays, or beside it.
#include "kolam/frontend/array/stream_run.h"

#include "kolam/frontend/array/stream_arguments.h"

#include <algorithm>
#include <cstring>

namespace kolam::layout {
namespace {

bool overlap(const void* x, int64_t x_bytes, const void* y, int64_t y_bytes) {
  const auto *a = static_cast<const std::byte*>(x), *b = static_cast<const std::byte*>(y);
  return x_bytes > 0 && y_bytes > 0 && std::less<>()(a, b + y_bytes) &&
         std::less<>()(b, a + x_bytes);
}

template <class Memory> int64_t bytes_of(const Memory& memory) {
  return memory.count * byte_width(memory.dtype);
}

bool overlap(const auto& x, const StepOutput& y) {
  return overlap(x.data, bytes_of(x), y.data, bytes_of(y));
}

void copy(void* to, const void* from, int64_t bytes) {
  if (bytes > 0 && to != from)
    std::memcpy(to, from, static_cast<size_t>(bytes));
}

/// Whether a caller's memory holds the `count` elements of `spec`.
bool holds(const auto& memory, const TensorSpec& spec, int64_t count) {
  return memory.dtype == spec.dtype && memory.count == count && (memory.data || count == 0);
}

[[noreturn]] void fail_memory(const auto& memory, const TensorSpec& spec, int64_t count,
                              const std::string& what) {
  if (memory.dtype != spec.dtype)
    fail(ErrorKind::type, "dtype-mismatch",
         what + ": expected " + std::string(kolam::name(spec.dtype)) + ", but got " +
             std::string(kolam::name(memory.dtype)));
  fail(ErrorKind::value, "shape-mismatch",
       what + ": expected " + std::to_string(count) + " elements, of " + text_of(spec) +
           ", but got " + std::to_string(memory.count));
}

} // namespace

Stream::Impl::Turn::Turn(Impl& impl) : impl_(impl) {
  if (impl.busy.test_and_set(std::memory_order_acquire))
    fail(ErrorKind::runtime, "stream-busy",
         "expected one step of a stream at a time, but got another while one runs");
}

void Stream::Impl::start() {
  first = initial.run({}, backend);
  current = copies(first);
  is_in_place.assign(first.size(), false);
  if (backend != Backend::cpu)
    return;
  Program::State& state = Program::State::of(step);
  const driver::Executable& executable = state.executable(backend);
  const std::vector<int> donors = executable.donors();
  const bool may_change = !executable.may_fail();
  std::vector<Array> arguments = zeros_of(elements), outputs = zeros_of(results);
  for (size_t number = 0; number < first.size(); ++number) {
    const int own = static_cast<int>(elements.size() + number);
    is_in_place[number] = may_change && donors[results.size() + number] == own;
    spare.push_back(is_in_place[number] ? current[number] : copies({first[number]})[0]);
  }
  arguments.insert(arguments.end(), current.begin(), current.end());
  arguments.insert(arguments.end(), state.hidden.begin(), state.hidden.end());
  outputs.insert(outputs.end(), spare.begin(), spare.end());
  element_copies = zeros_of(elements);
  bound = executable.bind(arguments, outputs, state.prepared);
}

void Stream::Impl::require_elements(const std::vector<Array>& given) const {
  require_count(elements.size(), "arrays", given.size());
  for (size_t number = 0; number < given.size(); ++number)
    require_argument(names[number], given[number], elements[number], " for one step");
}

void Stream::Impl::require_memory(std::span<const StepOutput> outputs,
                                  std::span<const StepInput> inputs) const {
  if (outputs.size() != results.size())
    fail(ErrorKind::value, "output-count",
         "expected " + std::to_string(results.size()) + " outputs, but got " +
             std::to_string(outputs.size()));
  require_count(elements.size(), "inputs", inputs.size());
  for (size_t number = 0; number < inputs.size(); ++number)
    if (!holds(inputs[number], elements[number], element_counts[number]))
      fail_memory(inputs[number], elements[number], element_counts[number],
                  "argument '" + names[number] + "'");
  for (size_t number = 0; number < outputs.size(); ++number) {
    if (!holds(outputs[number], results[number], result_counts[number]))
      fail_memory(outputs[number], results[number], result_counts[number],
                  "output " + std::to_string(number));
    for (size_t other = 0; other < number; ++other)
      if (overlap(outputs[number], outputs[other]))
        fail(ErrorKind::value, "overlapping-outputs",
             "outputs " + std::to_string(other) + " and " + std::to_string(number) +
                 ": expected memory of their own, but they overlap");
  }
}

void Stream::Impl::require_state(const State& state) const {
  if (state.size() != first.size())
    fail(ErrorKind::value, "stream-state",
         "expected a state of " + std::to_string(first.size()) + " arrays, but got " +
             std::to_string(state.size()));
  for (size_t number = 0; number < state.size(); ++number)
    if (!state[number] || state[number].dtype() != first[number].dtype() ||
        state[number].shape() != first[number].shape())
      fail(ErrorKind::value, "stream-state",
           "state '" + state_names[number] + "': expected " + text_of(first[number]) +
               ", but got " + text_of(state[number]));
  require_rows(state, 0);
}

void Stream::Impl::require_rows(const State& state, int64_t steps) const {
  if (longest < 0)
    return;
  const int64_t done = *static_cast<const int64_t*>(state[count_state].data());
  if (done < 0)
    fail(ErrorKind::value, "stream-state",
         "state '" + state_names[count_state] + "': expected 0 or more, but got " +
             std::to_string(done));
  if (steps > longest - done)
    fail(ErrorKind::value, "stream-end",
         "expected at most " + std::to_string(longest) + " steps, as " + longest_why +
             ", but got step " + std::to_string(done + steps) + "; call reset() to start again");
}

int64_t Stream::Impl::require_sequences(const std::vector<Array>& given) const {
  require_count(elements.size(), "sequences", given.size());
  int64_t count = -1;
  for (size_t number = 0; number < given.size(); ++number) {
    const Array& sequence = given[number];
    const int64_t axis = *element_axes[number];
    if (count < 0 && sequence && sequence.rank() > axis)
      count = sequence.shape()[static_cast<size_t>(axis)];
    TensorSpec spec = elements[number];
    spec.shape.insert(spec.shape.begin() + axis,
                      count < 0 ? Extent::symbol("steps") : Extent(count));
    require_argument(names[number], sequence, spec, ", with the axis of the stream");
  }
  return count;
}

void Stream::Impl::run(std::span<const StepOutput> outputs, std::span<const StepInput> inputs) {
  if (bound)
    return run_bound(outputs, inputs);
  std::vector<Array> given = zeros_of(elements);
  for (size_t number = 0; number < inputs.size(); ++number)
    copy(given[number].mutable_data(), inputs[number].data, bytes_of(inputs[number]));
  auto [next, made] = run_from(current, given);
  current = std::move(next);
  for (size_t number = 0; number < outputs.size(); ++number)
    copy(outputs[number].data, made[number].data(), bytes_of(outputs[number]));
}

/// Allocates nothing.
void Stream::Impl::run_bound(std::span<const StepOutput> outputs,
                             std::span<const StepInput> inputs) {
  for (size_t number = 0; number < inputs.size(); ++number) {
    const StepInput& input = inputs[number];
    const void* memory = input.data;
    if (std::ranges::any_of(outputs, [&](const auto& output) { return overlap(input, output); })) {
      Array& own = element_copies[number];
      copy(own.mutable_data(), memory, bytes_of(input));
      memory = own.data();
    }
    bound->read_from(static_cast<int>(number), memory);
  }
  for (size_t number = 0; number < outputs.size(); ++number)
    bound->write_to(static_cast<int>(number), outputs[number].data);
  bound->run();
  for (size_t number = 0; number < current.size(); ++number) {
    if (is_in_place[number])
      continue;
    std::swap(current[number], spare[number]);
    bound->read_from(static_cast<int>(elements.size() + number), current[number].data());
    bound->write_to(static_cast<int>(results.size() + number), spare[number].mutable_data());
  }
}

std::pair<Stream::State, std::vector<Array>>
Stream::Impl::run_from(const State& state, const std::vector<Array>& given) const {
  std::vector<Array> arguments = given;
  arguments.insert(arguments.end(), state.begin(), state.end());
  return split(step.run(std::move(arguments), backend));
}

std::vector<Array> Stream::Impl::run_chunk(const std::vector<Array>& sequences, int64_t count) {
  if (count == 0) {
    std::vector<TensorSpec> none = results;
    for (size_t number = 0; number < none.size(); ++number)
      if (result_axes[number])
        none[number].shape.insert(none[number].shape.begin() + *result_axes[number], Extent(0));
    std::vector<Array> given = zeros_of(none);
    for (size_t number = 0; number < none.size(); ++number)
      if (!result_axes[number]) // the same at every step
        given[number] = run_from(current, zeros_of(elements)).second[number];
    return given;
  }
  std::vector<Array> arguments = sequences;
  arguments.insert(arguments.end(), current.begin(), current.end());
  auto [next, given] = split(chunk.run(std::move(arguments), backend));
  set_current(next);
  return given;
}

/// The bound program's arrays stay those that they are.
void Stream::Impl::set_current(const State& state) {
  if (!bound)
    current = copies(state);
  else
    for (size_t number = 0; number < state.size(); ++number)
      copy(current[number].mutable_data(), state[number].data(), state[number].byte_count());
}

std::pair<Stream::State, std::vector<Array>> Stream::Impl::split(std::vector<Array> all) const {
  const auto cut = all.begin() + static_cast<std::ptrdiff_t>(results.size());
  return {State(cut, all.end()), std::vector<Array>(all.begin(), cut)};
}

Stream::State Stream::Impl::copies(const State& state) {
  State copied;
  for (const Array& array : state)
    copied.push_back(Array::copy_of(array.dtype(), array.shape(), array.data()));
  return copied;
}

std::vector<Array> Stream::Impl::zeros_of(const std::vector<TensorSpec>& specs) {
  std::vector<Array> arrays;
  for (const TensorSpec& spec : specs) {
    std::vector<int64_t> shape;
    for (const Extent& extent : spec.shape)
      shape.push_back(*extent.constant());
    arrays.push_back(Array::zeros(spec.dtype, std::move(shape)));
  }
  return arrays;
}

} // namespace kolam::layout
