// Makes streams of programs, and calls them.
#include "kolam/frontend/array/stream.h"

#include "kolam/frontend/array/stream_arguments.h"
#include "kolam/frontend/array/stream_run.h"
#include "kolam/ir/argument_names.h"
#include "kolam/ir/types.h"
#include "kolam/rewrite/engine.h"
#include "kolam/rewrite/rule.h"
#include "kolam/runtime/long_work.h"
#include "kolam/transform/kernels.h"
#include "kolam/transform/layout_notes.h"
#include "kolam/transform/stream.h"

#include <algorithm>

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

} // namespace

Stream::Stream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;

std::vector<Array> Stream::operator()(const std::vector<Array>& elements) {
  Impl::Turn turn(*impl_);
  impl_->require_elements(elements);
  impl_->require_rows(impl_->current, 1);
  std::vector<Array> results = Impl::zeros_of(impl_->results);
  impl_->run(std::vector<StepOutput>(results.begin(), results.end()),
             std::vector<StepInput>(elements.begin(), elements.end()));
  return results;
}

void Stream::into(std::span<const StepOutput> outputs, std::span<const StepInput> elements) {
  Impl::Turn turn(*impl_);
  impl_->require_memory(outputs, elements);
  impl_->require_rows(impl_->current, 1);
  impl_->run(outputs, elements);
}

std::vector<Array> Stream::run(const std::vector<Array>& sequences) {
  Impl::Turn turn(*impl_);
  const int64_t count = impl_->require_sequences(sequences);
  impl_->require_rows(impl_->current, count);
  return impl_->run_chunk(sequences, count);
}

std::pair<Stream::State, std::vector<Array>>
Stream::step(const State& state, const std::vector<Array>& elements) const {
  impl_->require_state(state);
  impl_->require_elements(elements);
  impl_->require_rows(state, 1);
  return impl_->run_from(state, elements);
}

const Stream::State& Stream::initial() const { return impl_->first; }

Stream::State Stream::state() const { return Impl::copies(impl_->current); }

void Stream::set_state(const State& state) {
  Impl::Turn turn(*impl_);
  impl_->require_state(state);
  impl_->set_current(state);
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
    text += "  " + impl_->state_names[number] + ": " + text_of(impl_->first[number]) +
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
    std::vector<std::optional<int64_t>> dims = sequence_dims(names, specs, options);
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
