// Runs programs one step at a time.
#include "kolam/frontend/array/stream.h"

#include "kolam/frontend/array/program_state.h"
#include "kolam/ir/argument_names.h"
#include "kolam/ir/types.h"
#include "kolam/rewrite/engine.h"
#include "kolam/rewrite/rule.h"
#include "kolam/runtime/long_work.h"
#include "kolam/transform/kernels.h"
#include "kolam/transform/layout_notes.h"
#include "kolam/transform/stream.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace kolam::layout {
namespace {

/// A program of the stream; its last arguments are `kept`.
Program program_of(const driver::Module& like, mlir::OwningOpRef<mlir::ModuleOp> module,
                   const std::vector<Array>& kept) {
  auto state = std::make_shared<Program::State>();
  state->program = {like.context, std::move(module)};
  state->hidden = kept;
  return Program(std::move(state));
}

std::string shape_text_of(const Array& array) {
  return std::string(name(array.dtype())) + runtime::shape_text(array.shape());
}

std::string text_of(const TensorSpec& spec) {
  return std::string(name(spec.dtype)) + to_string(spec.shape);
}

bool is_of(const Array& array, const TensorSpec& spec) {
  return array && array.dtype() == spec.dtype &&
         std::ranges::equal(spec.shape, array.shape(),
                            [](const Extent& x, int64_t y) { return x == Extent(y); });
}

/// Whether `name` is argument `of`, or a part of it.
bool is_part_of(const std::string& name, const std::string& of) {
  return name == of || (name.starts_with(of) && (name[of.size()] == '[' || name[of.size()] == '.'));
}

[[noreturn]] void fail_axis(const std::string& text) {
  fail(ErrorKind::value, "stream-axis", text);
}

/// The dim of each argument that is a sequence.
std::vector<std::optional<int64_t>> dims_of(const std::vector<std::string>& names,
                                            const std::vector<TensorSpec>& specs,
                                            const StreamOptions& options) {
  std::vector<std::optional<int64_t>> dims(names.size());
  auto set = [&](size_t number, int64_t axis) {
    const auto rank = static_cast<int64_t>(specs[number].shape.size());
    if (axis < -rank || axis >= rank)
      fail_axis("argument '" + names[number] + "': expected a tensor that has axis " +
                std::to_string(axis) + ", but got " + text_of(specs[number]));
    dims[number] = axis < 0 ? axis + rank : axis;
  };
  if (options.axes.empty())
    for (size_t number = 0; number < names.size(); ++number)
      set(number, options.axis);
  for (const auto& [of, axis] : options.axes) {
    bool found = false;
    for (size_t number = 0; number < names.size(); ++number)
      if (is_part_of(names[number], of) || std::to_string(number) == of) {
        set(number, axis);
        found = true;
      }
    if (found)
      continue;
    std::string known;
    for (const std::string& name : names)
      known += (known.empty() ? "" : ", ") + name;
    fail_axis("option 'axis': expected one of the arguments " + known + ", but got '" + of + "'");
  }
  std::optional<size_t> first;
  for (size_t number = 0; number < names.size(); ++number) {
    if (!dims[number])
      continue;
    auto extent = [&](size_t of) { return specs[of].shape[static_cast<size_t>(*dims[of])]; };
    if (!extent(number).is_constant())
      fail_axis("argument '" + names[number] +
                "': expected an extent that is a number along axis " +
                std::to_string(*dims[number]) + ", but got " + text_of(specs[number]));
    if (extent(number).constant().value_or(2) < 2)
      fail_axis("argument '" + names[number] + "': expected two or more elements along axis " +
                std::to_string(*dims[number]) +
                ", as a dim of one repeats beside others, but got " + text_of(specs[number]));
    if (!first)
      first = number;
    else if (!(extent(number) == extent(*first)))
      fail_axis("argument '" + names[number] + "': expected " + extent(*first).to_string() +
                " elements along axis " + std::to_string(*dims[number]) + ", as '" + names[*first] +
                "' has, but got " + extent(number).to_string());
  }
  if (!first)
    fail_axis("expected an argument that is a sequence, but got none");
  return dims;
}

} // namespace

struct Stream::Impl {
  Program step, initial, chunk;
  std::vector<TensorSpec> elements, results;
  std::vector<std::optional<int64_t>> element_axes, result_axes;
  std::vector<int64_t> element_counts, result_counts;
  std::vector<std::string> names; ///< of the elements
  std::vector<std::string> state_names;
  int64_t longest;
  std::string longest_why;
  size_t count_state;
  Backend backend;

  State first;          ///< before the first step
  State current, spare; ///< spare: what the next step writes, the same arrays where in place
  std::vector<bool> is_in_place;
  std::unique_ptr<driver::BoundProgram> bound;
  std::vector<Array> element_copies; ///< of elements that outputs overlap
  std::atomic_flag busy = ATOMIC_FLAG_INIT;

  Impl(Program step_program, Program initial_program, Program chunk_program)
      : step(std::move(step_program)), initial(std::move(initial_program)),
        chunk(std::move(chunk_program)) {}

  /// A step at a time, whoever calls.
  class Turn {
  public:
    explicit Turn(Impl& impl) : impl_(impl) {
      if (impl.busy.test_and_set(std::memory_order_acquire))
        fail(ErrorKind::runtime, "stream-busy",
             "expected one step of a stream at a time, but got another while one runs");
    }
    ~Turn() { impl_.busy.clear(std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Impl& impl_;
  };

  /// Copies of the first state, and the bound program on them.
  void start() {
    first = initial.run({}, backend);
    current = copies(first);
    spare.clear();
    is_in_place.assign(first.size(), false);
    bound.reset();
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

  static State copies(const State& state) {
    State copied;
    for (const Array& array : state)
      copied.push_back(Array::copy_of(array.dtype(), array.shape(), array.data()));
    return copied;
  }

  static std::vector<Array> zeros_of(const std::vector<TensorSpec>& specs) {
    std::vector<Array> arrays;
    for (const TensorSpec& spec : specs) {
      std::vector<int64_t> shape;
      for (const Extent& extent : spec.shape)
        shape.push_back(*extent.constant());
      arrays.push_back(Array::zeros(spec.dtype, std::move(shape)));
    }
    return arrays;
  }

  /// Where a table ends, `steps` more must not go beyond it.
  void require_rows(const State& state, int64_t steps) const {
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

  void require_elements(const std::vector<Array>& given) const {
    if (given.size() != elements.size())
      fail(ErrorKind::value, "argument-mismatch",
           "expected " + std::to_string(elements.size()) +
               " arrays, one for each sequence, but got " + std::to_string(given.size()));
    for (size_t number = 0; number < given.size(); ++number)
      if (!is_of(given[number], elements[number]))
        fail(ErrorKind::value, "argument-mismatch",
             "argument '" + names[number] + "': expected " + text_of(elements[number]) +
                 " for one step, but got " +
                 (given[number] ? shape_text_of(given[number]) : "an empty handle"));
  }

  void require_state(const State& state) const {
    if (state.size() != first.size())
      fail(ErrorKind::value, "stream-state",
           "expected a state of " + std::to_string(first.size()) + " arrays, but got " +
               std::to_string(state.size()));
    for (size_t number = 0; number < state.size(); ++number)
      if (!state[number] || state[number].dtype() != first[number].dtype() ||
          state[number].shape() != first[number].shape())
        fail(ErrorKind::value, "stream-state",
             "state '" + state_names[number] + "': expected " + shape_text_of(first[number]) +
                 ", but got " + (state[number] ? shape_text_of(state[number]) : "an empty handle"));
    if (longest >= 0)
      require_rows(state, 0);
  }

  /// A step of the bound program; its memory is as it has to be.
  void run_bound() {
    const auto inputs = static_cast<int>(elements.size()),
               outputs = static_cast<int>(results.size());
    bound->run();
    for (size_t number = 0; number < current.size(); ++number) {
      if (is_in_place[number])
        continue;
      std::swap(current[number], spare[number]);
      const int at = static_cast<int>(number);
      bound->read_from(inputs + at, current[number].data());
      bound->write_to(outputs + at, spare[number].mutable_data());
    }
  }

  /// A step without bound memory: results, then the next state.
  std::pair<State, std::vector<Array>> run_free(const State& state,
                                                const std::vector<Array>& given) const {
    std::vector<Array> arguments = given;
    arguments.insert(arguments.end(), state.begin(), state.end());
    return split(step.run(std::move(arguments), backend));
  }

  std::pair<State, std::vector<Array>> split(std::vector<Array> all) const {
    const auto cut = all.begin() + static_cast<std::ptrdiff_t>(results.size());
    return {State(cut, all.end()), std::vector<Array>(all.begin(), cut)};
  }

  /// The bound program reads and writes the arrays of a state that has the same elements.
  void take(const State& state) {
    for (size_t number = 0; number < state.size(); ++number)
      if (const int64_t bytes = state[number].byte_count();
          bytes > 0 && state[number].data() != current[number].data())
        std::memcpy(current[number].mutable_data(), state[number].data(),
                    static_cast<size_t>(bytes));
  }

  std::vector<Array> run_whole(const std::vector<Array>& sequences, int64_t count);
};

Stream::Stream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;

std::vector<Array> Stream::operator()(const std::vector<Array>& elements) {
  Impl::Turn turn(*impl_);
  impl_->require_elements(elements);
  impl_->require_rows(impl_->current, 1);
  if (!impl_->bound) {
    auto [next, results] = impl_->run_free(impl_->current, elements);
    impl_->current = std::move(next);
    return results;
  }
  std::vector<Array> results = Impl::zeros_of(impl_->results);
  for (size_t number = 0; number < elements.size(); ++number)
    impl_->bound->read_from(static_cast<int>(number), elements[number].data());
  for (size_t number = 0; number < results.size(); ++number)
    impl_->bound->write_to(static_cast<int>(number), results[number].mutable_data());
  impl_->run_bound();
  return results;
}

namespace {

bool overlap(const void* x, int64_t x_bytes, const void* y, int64_t y_bytes) {
  const auto *a = static_cast<const std::byte*>(x), *b = static_cast<const std::byte*>(y);
  return x_bytes > 0 && y_bytes > 0 && std::less<>()(a, b + y_bytes) &&
         std::less<>()(b, a + x_bytes);
}

template <class Memory> int64_t bytes_of(const Memory& memory) {
  return memory.count * byte_width(memory.dtype);
}

void require_apart(std::span<const StepOutput> outputs) {
  for (size_t number = 0; number < outputs.size(); ++number)
    for (size_t other = 0; other < number; ++other)
      if (overlap(outputs[number].data, bytes_of(outputs[number]), outputs[other].data,
                  bytes_of(outputs[other])))
        fail(ErrorKind::value, "overlapping-outputs",
             "outputs " + std::to_string(other) + " and " + std::to_string(number) +
                 ": expected memory of their own, but they overlap");
}

} // namespace

void Stream::into(std::span<const StepOutput> outputs, std::span<const StepInput> elements) {
  Impl::Turn turn(*impl_);
  const Impl& impl = *impl_;
  if (outputs.size() != impl.results.size())
    fail(ErrorKind::value, "output-count",
         "expected " + std::to_string(impl.results.size()) + " outputs, but got " +
             std::to_string(outputs.size()));
  if (elements.size() != impl.elements.size())
    fail(ErrorKind::value, "argument-mismatch",
         "expected " + std::to_string(impl.elements.size()) +
             " inputs, one for each sequence, but got " + std::to_string(elements.size()));
  auto require = [](const auto& memory, const TensorSpec& spec, const std::string& what) {
    const int64_t count = *element_count(spec.shape).constant();
    if (memory.dtype != spec.dtype)
      fail(ErrorKind::type, "dtype-mismatch",
           what + ": expected " + std::string(name(spec.dtype)) + ", but got " +
               std::string(name(memory.dtype)));
    if (memory.count != count || (count > 0 && !memory.data))
      fail(ErrorKind::value, "shape-mismatch",
           what + ": expected " + std::to_string(count) + " elements, of " + text_of(spec) +
               ", but got " + std::to_string(memory.count));
  };
  for (size_t number = 0; number < elements.size(); ++number)
    if (elements[number].dtype != impl.elements[number].dtype ||
        elements[number].count != impl.element_counts[number])
      require(elements[number], impl.elements[number], "argument '" + impl.names[number] + "'");
  for (size_t number = 0; number < outputs.size(); ++number)
    if (outputs[number].dtype != impl.results[number].dtype ||
        outputs[number].count != impl.result_counts[number])
      require(outputs[number], impl.results[number], "output " + std::to_string(number));
  impl.require_rows(impl.current, 1);
  require_apart(outputs);
  if (impl.bound) {
    for (size_t number = 0; number < elements.size(); ++number) {
      const StepInput& element = elements[number];
      const void* memory = element.data;
      if (std::ranges::any_of(outputs, [&](const StepOutput& output) {
            return overlap(memory, bytes_of(element), output.data, bytes_of(output));
          })) {
        Array& copy = impl_->element_copies[number];
        std::memcpy(copy.mutable_data(), memory, static_cast<size_t>(bytes_of(element)));
        memory = copy.data();
      }
      impl.bound->read_from(static_cast<int>(number), memory);
    }
    for (size_t number = 0; number < outputs.size(); ++number)
      impl.bound->write_to(static_cast<int>(number), outputs[number].data);
    impl_->run_bound();
    return;
  }
  std::vector<Array> given = Impl::zeros_of(impl.elements);
  for (size_t number = 0; number < elements.size(); ++number)
    if (given[number].byte_count() > 0)
      std::memcpy(given[number].mutable_data(), elements[number].data,
                  static_cast<size_t>(given[number].byte_count()));
  auto [next, results] = impl.run_free(impl.current, given);
  impl_->current = std::move(next);
  for (size_t number = 0; number < outputs.size(); ++number)
    if (results[number].byte_count() > 0)
      std::memcpy(outputs[number].data, results[number].data(),
                  static_cast<size_t>(results[number].byte_count()));
}

std::vector<Array> Stream::run(const std::vector<Array>& sequences) {
  Impl::Turn turn(*impl_);
  const Impl& impl = *impl_;
  if (sequences.size() != impl.elements.size())
    fail(ErrorKind::value, "argument-mismatch",
         "expected " + std::to_string(impl.elements.size()) + " sequences, but got " +
             std::to_string(sequences.size()));
  int64_t count = -1;
  for (size_t number = 0; number < sequences.size(); ++number) {
    const Array& sequence = sequences[number];
    const int64_t axis = *impl.element_axes[number];
    TensorSpec spec = impl.elements[number];
    const bool has_axis = sequence && sequence.rank() > axis;
    if (has_axis && count < 0)
      count = sequence.shape()[static_cast<size_t>(axis)];
    spec.shape.insert(spec.shape.begin() + axis,
                      count < 0 ? Extent::symbol("steps") : Extent(count));
    if (!has_axis || !is_of(sequence, spec))
      fail(ErrorKind::value, "argument-mismatch",
           "argument '" + impl.names[number] + "': expected " + text_of(spec) +
               ", with the axis of the stream, but got " +
               (sequence ? shape_text_of(sequence) : "an empty handle"));
  }
  impl.require_rows(impl.current, count);
  return impl_->run_whole(sequences, count);
}

std::vector<Array> Stream::Impl::run_whole(const std::vector<Array>& sequences, int64_t count) {
  if (count == 0) {
    std::vector<TensorSpec> none = results;
    for (size_t number = 0; number < none.size(); ++number)
      if (result_axes[number])
        none[number].shape.insert(none[number].shape.begin() + *result_axes[number], Extent(0));
    std::vector<Array> given = zeros_of(none);
    for (size_t number = 0; number < none.size(); ++number)
      if (!result_axes[number]) // the same at every step
        given[number] = run_free(current, zeros_of(elements)).second[number];
    return given;
  }
  std::vector<Array> arguments = sequences;
  arguments.insert(arguments.end(), current.begin(), current.end());
  auto [next, given] = split(chunk.run(std::move(arguments), backend));
  if (bound)
    take(next);
  else
    current = std::move(next);
  return given;
}

std::pair<Stream::State, std::vector<Array>>
Stream::step(const State& state, const std::vector<Array>& elements) const {
  impl_->require_state(state);
  impl_->require_elements(elements);
  impl_->require_rows(state, 1);
  return impl_->run_free(state, elements);
}

const Stream::State& Stream::initial() const { return impl_->first; }

Stream::State Stream::state() const { return Impl::copies(impl_->current); }

void Stream::set_state(const State& state) {
  Impl::Turn turn(*impl_);
  impl_->require_state(state);
  if (impl_->bound)
    impl_->take(state);
  else
    impl_->current = Impl::copies(state);
}

void Stream::reset() { set_state(impl_->first); }

const std::vector<std::string>& Stream::state_names() const { return impl_->state_names; }
std::vector<TensorSpec> Stream::elements() const { return impl_->elements; }
std::vector<TensorSpec> Stream::results() const { return impl_->results; }
const std::vector<std::optional<int64_t>>& Stream::result_axes() const {
  return impl_->result_axes;
}
const Program& Stream::program() const { return impl_->step; }

std::string Stream::explain() const {
  std::string text = impl_->step.explain();
  text += "\nstates of the stream:\n";
  for (size_t number = 0; number < impl_->first.size(); ++number)
    text += "  " + impl_->state_names[number] + ": " + shape_text_of(impl_->first[number]) +
            (impl_->is_in_place[number] ? ", changed in place" : ", written beside the old one") +
            "\n";
  if (impl_->longest >= 0)
    text += "ends after " + std::to_string(impl_->longest) + " steps: " + impl_->longest_why + "\n";
  return text;
}

Stream stream(const Program& program, const std::vector<Array>& arguments,
              const StreamOptions& options, Backend backend) {
  runtime::LongWork work;
  Program::State& state = Program::State::of(program);
  std::unique_ptr<Stream::Impl> impl;
  {
    std::lock_guard lock(state.mutex);
    driver::Module whole = state.program.clone();
    transform::drop_layout_notes(*whole.module);
    transform::kernels_to_values(*whole.module);
    rewrite::apply_rules(*whole.module, rewrite::view_rules()); // x[i + arange(n)] is a window
    mlir::func::FuncOp main = whole.main();
    std::vector<std::string> names = ir::argument_names(main);
    std::vector<TensorSpec> specs;
    for (mlir::Type type : main.getArgumentTypes().drop_back(state.hidden.size()))
      specs.push_back({ir::dtype_of(type), ir::shape_of(type)});
    names.resize(specs.size());
    std::vector<std::optional<int64_t>> dims = dims_of(names, specs, options);
    std::vector<Array> kept;
    std::vector<std::string> element_names;
    std::vector<std::optional<int64_t>> axes;
    for (size_t number = 0; number < specs.size(); ++number) {
      if (dims[number]) {
        element_names.push_back(names[number]);
        axes.push_back(dims[number]);
      } else {
        kept.push_back(arguments.at(number));
      }
    }
    kept.insert(kept.end(), state.hidden.begin(), state.hidden.end());
    dims.resize(main.getNumArguments());
    transform::StreamPrograms made = transform::make_stream(main, dims);
    ir::name_arguments(made.step->lookupSymbol<mlir::func::FuncOp>("main"), element_names);
    mlir::OwningOpRef<mlir::ModuleOp> chunk = transform::chunk_of_stream(made, dims);
    impl = std::make_unique<Stream::Impl>(program_of(state.program, std::move(made.step), kept),
                                          program_of(state.program, std::move(made.initial), kept),
                                          program_of(state.program, std::move(chunk), kept));
    impl->state_names = std::move(made.states);
    impl->result_axes = std::move(made.results);
    impl->element_axes = std::move(axes);
    impl->names = std::move(element_names);
    impl->longest = made.longest;
    impl->longest_why = std::move(made.longest_why);
    impl->count_state = static_cast<size_t>(std::max<int64_t>(made.count_state, 0));
    impl->backend = backend;
  }
  std::vector<TensorSpec> parameters = impl->step.parameters(), results = impl->step.results();
  impl->elements.assign(parameters.begin(),
                        parameters.begin() + static_cast<std::ptrdiff_t>(impl->names.size()));
  impl->results.assign(results.begin(),
                       results.begin() + static_cast<std::ptrdiff_t>(impl->result_axes.size()));
  for (const TensorSpec& spec : impl->elements)
    impl->element_counts.push_back(*element_count(spec.shape).constant());
  for (const TensorSpec& spec : impl->results)
    impl->result_counts.push_back(*element_count(spec.shape).constant());
  impl->start();
  return Stream(std::move(impl));
}

} // namespace kolam::layout
