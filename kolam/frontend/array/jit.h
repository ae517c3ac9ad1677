/// jit: a C++ function of tensors, traced once per dtypes and shapes, compiled and cached.
#pragma once

#include "kolam/frontend/array/program.h"
#include "kolam/frontend/array/pytree.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>

namespace kolam {

struct JitOptions {
  Backend backend = Backend::cpu;
  /// Dims that stay symbols, by the number of the tensor among all tensors of the arguments: one
  /// program then serves all their sizes. The extent of dim 0 of tensor 2 is the symbol `d2_0`;
  /// where two symbols must be equal, the run checks it. Negative dims count from the end.
  std::map<int, std::vector<int64_t>> dynamic = {};
  /// Numbers of arguments that the call uses up: a tensor or array that is passed as a variable is
  /// an empty handle after the call. If no other handle shares its memory, a result of the same
  /// dtype and shape takes it over where the program allows that, and else it is released.
  std::vector<int> donate = {};
  /// What the run looks for. A call inside another trace puts these checks into its part of it.
  Checks checks = {};
};

namespace detail {

/// The parameter that tensor number `number` of the arguments becomes. Throws
/// `[axis-out-of-range]`.
TensorSpec parameter_of(const Tensor& tensor, int number, const JitOptions& options);
/// Throws `[bad-option]` where `dynamic` or `donate` name a tensor or an argument that is not
/// there.
void require_known(const JitOptions& options, int tensors, int arguments);

template <class F> struct CallSignature : CallSignature<decltype(&F::operator())> {};
template <class R, class... Args> struct CallSignature<R (*)(Args...)> {
  using Result = std::decay_t<R>;
  using Arguments = std::tuple<std::decay_t<Args>...>;
};
template <class C, class R, class... Args>
struct CallSignature<R (C::*)(Args...) const> : CallSignature<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct CallSignature<R (C::*)(Args...)> : CallSignature<R (*)(Args...)> {};

template <class F>
concept Monomorphic = std::is_function_v<std::remove_pointer_t<std::decay_t<F>>> ||
                      requires { &std::decay_t<F>::operator(); };

} // namespace detail

/// A function that `jit` made. Calls with known dtypes, shapes and statics run the compiled
/// program. May be called from several threads.
template <class F> class Jitted {
  using Signature = detail::CallSignature<F>;

public:
  using Result = typename Signature::Result;
  using Arguments = typename Signature::Arguments;

  Jitted(F function, JitOptions options)
      : shared_(std::make_shared<Shared>(std::move(function), std::move(options))) {}

  template <class... Given> Result operator()(Given&&... given) const {
    std::optional<Call> call(std::in_place, Arguments(given...), shared_->options);
    for (const Tensor& leaf : call->leaves)
      if (leaf.is_traced()) // inside another trace: a call, inlined
        return inlined(*call);
    Entry& entry = shared_->find(*call);
    std::vector<Array> arrays;
    for (const Tensor& leaf : call->leaves)
      arrays.push_back(leaf.array());
    call.reset(); // `arrays` alone hold what is used up
    int number = 0;
    (use_up(number++, given), ...);
    std::vector<Array> results = entry.program->run(std::move(arrays), shared_->options.backend);
    std::vector<Tensor> leaves(results.begin(), results.end());
    const Tensor* next = leaves.data();
    return Pytree<Result>::unflatten(*entry.result, next);
  }

  /// The program that a call with these arguments runs.
  template <class... Given> Program lower(Given&&... given) const {
    return *shared_->find(Call(Arguments(std::forward<Given>(given)...), shared_->options)).program;
  }
  template <class... Given> std::string explain(Given&&... given) const {
    return lower(std::forward<Given>(given)...).explain();
  }

private:
  struct Call {
    Call(Arguments given, const JitOptions& options) : arguments(std::move(given)) {
      Pytree<Arguments>::flatten(arguments, leaves, key);
      int count = static_cast<int>(leaves.size());
      detail::require_known(options, count, static_cast<int>(std::tuple_size_v<Arguments>));
      for (int number = 0; number < count; ++number) {
        specs.push_back(detail::parameter_of(leaves[number], number, options));
        key += std::string(name(specs.back().dtype)) + kolam::to_string(specs.back().shape);
      }
    }
    Arguments arguments;
    std::vector<Tensor> leaves;
    std::vector<TensorSpec> specs;
    std::string key;
  };

  Result inlined(const Call& call) const {
    std::optional<Result> result;
    trace_checked(shared_->options.checks,
                  [&] { result.emplace(std::apply(shared_->function, call.arguments)); });
    return std::move(*result);
  }

  /// Empties the caller's handle of a donated argument.
  template <class T> void use_up(int number, T& given) const {
    constexpr bool is_handle = std::is_same_v<T, Tensor> || std::is_same_v<T, Array>;
    if constexpr (is_handle)
      if (std::ranges::count(shared_->options.donate, number))
        given = T();
  }

  struct Entry {
    std::optional<Program> program;
    std::optional<Result> result; ///< the structure of what the function gives, with traced leaves
  };

  struct Shared {
    Shared(F function, JitOptions options)
        : function(std::move(function)), options(std::move(options)) {}

    Entry& find(const Call& call) {
      std::lock_guard lock(mutex);
      Entry& entry = entries[call.key];
      if (entry.program)
        return entry;
      Program program = trace(call.specs, [&](std::vector<Tensor> leaves) {
        const Tensor* next = leaves.data();
        entry.result = std::apply(function, Pytree<Arguments>::unflatten(call.arguments, next));
        std::vector<Tensor> results;
        std::string structure;
        Pytree<Result>::flatten(*entry.result, results, structure);
        return results;
      });
      entry.program = options.checks.any() ? program.with_checks(options.checks) : program;
      return entry;
    }

    F function;
    JitOptions options;
    std::recursive_mutex
        mutex; ///< a function may call itself, jitted, on arrays while it is traced
    std::map<std::string, Entry> entries;
  };

  std::shared_ptr<Shared> shared_;
};

/// Makes a function of tensors fast: it is called once per dtypes, shapes and static arguments, on
/// traced values, and what it did runs as compiled code.
///
///     auto layer = kolam::jit([](kolam::Tensor x, kolam::Tensor w) { return relu(matmul(x, w));
///     }); kolam::Array y = layer(x, w);
///
/// Parameters and result are pytrees (pytree.h). A generic lambda is refused: its parameters have
/// no types to flatten.
template <class F> Jitted<std::decay_t<F>> jit(F&& function, JitOptions options = {}) {
  static_assert(
      detail::Monomorphic<F>,
      "jit needs a function with declared parameter types: write kolam::Tensor, not auto");
  return {std::forward<F>(function), std::move(options)};
}

} // namespace kolam
