/// jit: a C++ function of tensors, traced once per dtypes and shapes, compiled and cached.
#pragma once

#include "kolam/frontend/array/program.h"
#include "kolam/frontend/array/pytree.h"

#include <mutex>
#include <optional>
#include <type_traits>

namespace kolam {

struct JitOptions {
  Backend backend = Backend::cpu;
};

namespace detail {

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

/// A function that `jit` made. Calls with known dtypes, shapes and statics run the compiled program. May be called from
/// several threads.
template <class F> class Jitted {
  using Signature = detail::CallSignature<F>;

public:
  using Result = typename Signature::Result;
  using Arguments = typename Signature::Arguments;

  Jitted(F function, JitOptions options)
      : shared_(std::make_shared<Shared>(std::move(function), options)) {}

  template <class... Given> Result operator()(Given&&... given) const {
    Call call(Arguments(std::forward<Given>(given)...));
    for (const Tensor& leaf : call.leaves)
      if (leaf.is_traced()) // inside another trace: a call, inlined
        return std::apply(shared_->function, call.arguments);
    Entry& entry = shared_->find(call);
    std::vector<Array> arrays;
    for (const Tensor& leaf : call.leaves)
      arrays.push_back(leaf.array());
    std::vector<Array> results = entry.program->run(arrays, shared_->options.backend);
    std::vector<Tensor> leaves(results.begin(), results.end());
    const Tensor* next = leaves.data();
    return Pytree<Result>::unflatten(*entry.result, next);
  }

  /// The program that a call with these arguments runs.
  template <class... Given> Program lower(Given&&... given) const {
    return *shared_->find(Call(Arguments(std::forward<Given>(given)...))).program;
  }
  template <class... Given> std::string explain(Given&&... given) const {
    return lower(std::forward<Given>(given)...).explain();
  }

private:
  struct Call {
    explicit Call(Arguments given) : arguments(std::move(given)) {
      Pytree<Arguments>::flatten(arguments, leaves, key);
      for (const Tensor& leaf : leaves)
        key += std::string(name(leaf.dtype())) + kolam::to_string(leaf.shape());
    }
    Arguments arguments;
    std::vector<Tensor> leaves;
    std::string key;
  };

  struct Entry {
    std::optional<Program> program;
    std::optional<Result> result; ///< the structure of what the function gives, with traced leaves
  };

  struct Shared {
    Shared(F function, JitOptions options) : function(std::move(function)), options(options) {}

    Entry& find(const Call& call) {
      std::lock_guard lock(mutex);
      Entry& entry = entries[call.key];
      if (entry.program)
        return entry;
      std::vector<TensorSpec> specs;
      for (const Tensor& leaf : call.leaves)
        specs.push_back({leaf.dtype(), leaf.shape()});
      entry.program = trace(specs, [&](std::vector<Tensor> leaves) {
        const Tensor* next = leaves.data();
        entry.result = std::apply(function, Pytree<Arguments>::unflatten(call.arguments, next));
        std::vector<Tensor> results;
        std::string structure;
        Pytree<Result>::flatten(*entry.result, results, structure);
        return results;
      });
      return entry;
    }

    F function;
    JitOptions options;
    std::mutex mutex;
    std::map<std::string, Entry> entries;
  };

  std::shared_ptr<Shared> shared_;
};

/// Makes a function of tensors fast: it is called once per dtypes, shapes and static arguments, on traced values, and
/// what it did runs as compiled code.
///
///     auto layer = kolam::jit([](kolam::Tensor x, kolam::Tensor w) { return relu(matmul(x, w)); });
///     kolam::Array y = layer(x, w);
///
/// Parameters and result are pytrees (pytree.h). A generic lambda is refused: its parameters have no types to flatten.
template <class F> Jitted<std::decay_t<F>> jit(F&& function, JitOptions options = {}) {
  static_assert(detail::Monomorphic<F>,
                "jit needs a function with declared parameter types: write kolam::Tensor, not auto");
  return {std::forward<F>(function), options};
}

} // namespace kolam
