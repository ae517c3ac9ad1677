// Keeps the programs of functions that transformations made.
#include "kolam/frontend/array/traced_calls.h"

#include "kolam/frontend/array/at_once.h"
#include "kolam/frontend/array/jit.h"

#include <mutex>
#include <unordered_map>

namespace kolam::detail {

struct TracedCalls::State {
  struct Entry {
    std::optional<Program> program;
    std::vector<bool> is_given; ///< of each result; others are empty handles
    std::shared_ptr<const void> like;
  };

  std::recursive_mutex mutex; ///< a function may call itself while it is traced
  std::unordered_map<std::string, Entry> entries;
};

TracedCalls::TracedCalls() : state_(std::make_shared<State>()) {}

TracedCalls TracedCalls::of(std::string function) const {
  TracedCalls calls = *this;
  calls.function_ = std::move(function);
  return calls;
}

/// A program, of which `like` and `is_given` are told.
static Program traced(const Flat& arguments, const Leaves& given,
                      const TracedCalls::Function& function, std::vector<bool>& is_given,
                      std::shared_ptr<const void>& like) {
  const JitOptions options;
  std::vector<TensorSpec> specs;
  for (const Tensor& leaf : given)
    specs.push_back(parameter_of(leaf, static_cast<int>(specs.size()), options));
  const LikelySizes sizes(specs, sizes_of(given));
  Program program = trace(
      specs,
      [&](std::vector<Tensor> parameters) {
        Leaves leaves = arguments.leaves;
        size_t next = 0;
        for (Tensor& leaf : leaves)
          if (!leaf.is_empty()) {
            const int64_t depth = leaf.list_depth();
            leaf = depth > 0 ? parameters[next++].of_list(depth) : parameters[next++];
          }
        TracedCalls::Made made = function(leaves);
        like = std::move(made.like);
        Leaves results;
        for (Tensor& result : made.results) {
          is_given.push_back(!result.is_empty());
          if (is_given.back())
            results.push_back(std::move(result));
        }
        return results;
      },
      argument_paths(arguments.structure, given.size()));
  expect_single_calls(program);
  return program;
}

TracedCalls::Made TracedCalls::run(const Flat& arguments, const Function& function) const {
  std::string key = arguments.structure;
  Leaves given;
  for (const Tensor& leaf : arguments.leaves) {
    if (leaf.is_traced()) // it has escaped
      return function(arguments.leaves);
    key += leaf.is_empty() ? "0" : "1";
    if (leaf.is_empty())
      continue;
    append_signature(leaf, static_cast<int>(given.size()), {}, key);
    given.push_back(leaf);
  }
  key += function_;
  State::Entry* entry = nullptr;
  {
    std::lock_guard lock(state_->mutex);
    entry = &state_->entries[key]; // entries do not move
    if (!entry->program) {
      entry->is_given.clear();
      entry->program = traced(arguments, given, function, entry->is_given, entry->like);
    }
  }
  std::vector<Array> arrays;
  for (const Tensor& leaf : given)
    arrays.push_back(leaf.array());
  std::vector<Array> results = entry->program->run(std::move(arrays));
  Made made{{}, entry->like};
  auto next = results.begin();
  for (bool is_given : entry->is_given)
    made.results.push_back(is_given ? Tensor(std::move(*next++)) : Tensor());
  return made;
}

} // namespace kolam::detail
