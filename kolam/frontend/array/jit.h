/// jit: a C++ function of tensors, traced once per dtypes and shapes, compiled and cached.
#pragma once

#include "kolam/frontend/array/program.h"
#include "kolam/frontend/array/pytree.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>

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
  /// In which order scans of lists go; the bits are the same.
  ScanOrder order = ScanOrder::automatic;
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
/// Throws `[bad-option]`: there is nothing to tune.
[[noreturn]] void fail_interpreted();

/// Appends to a call's key what decides the parameter that tensor number `number` becomes: dtype
/// and extents, but for those of dynamic dims. Throws as `parameter_of`.
void append_signature(const Tensor& tensor, int number, const JitOptions& options,
                      std::string& key);

/// `Program::run_emptying`; an error names `jit` and the line of the op that raised it, or `where`.
std::vector<Array> run(const Program& program, std::vector<Array>& arguments, Backend backend,
                       const SourceLocation& where);

/// True inside a trace.
bool is_tracing();

/// How the argument of a call becomes one of a function's type T: it converts, unless a
/// specialization asks more of it. `number` counts arguments, `where` is the line of `jit`.
template <class T> struct Parameter {
  template <class Given> static Given&& take(Given&& given, int number, const SourceLocation&) {
    return std::forward<Given>(given);
  }
};

/// What a call needs while it runs.
struct CallScratch {
  std::vector<Tensor> leaves;
  std::vector<Array> arrays;
  std::string key;
};

/// Lends a scratch of this thread; given back empty, but for its memory, so that later calls
/// allocate none. Calls inside calls have scratches of their own.
class LentScratch {
public:
  LentScratch();
  ~LentScratch();
  LentScratch(const LentScratch&) = delete;
  LentScratch& operator=(const LentScratch&) = delete;
  CallScratch& operator*() const { return *scratch_; }
  CallScratch* operator->() const { return scratch_.get(); }

private:
  std::unique_ptr<CallScratch> scratch_;
};

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

  /// `where` is the user's line, of what no other line of theirs makes or raises.
  Jitted(F function, JitOptions options, SourceLocation where = {})
      : shared_(
            std::make_shared<Shared>(std::move(function), std::move(options), std::move(where))) {}

  template <class... Given> Result operator()(Given&&... given) const {
    detail::LentScratch scratch;
    Entry* entry = nullptr;
    {
      Call call(taken(given...), *scratch, *shared_);
      for (const Tensor& leaf : call.leaves)
        if (leaf.is_traced()) // inside another trace: a call, inlined
          return inlined(call);
      entry = &shared_->find(call);
      for (const Tensor& leaf : call.leaves)
        scratch->arrays.push_back(leaf.array());
    } // the arrays alone hold what is used up
    int number = 0;
    (use_up(number++, given), ...);
    std::vector<Array> results =
        detail::run(*entry->program, scratch->arrays, shared_->options.backend, shared_->where);
    scratch->leaves.assign(std::make_move_iterator(results.begin()),
                           std::make_move_iterator(results.end()));
    const Tensor* next = scratch->leaves.data();
    return Pytree<Result>::unflatten(*entry->result, next);
  }

  /// The program that a call with these arguments runs.
  template <class... Given> Program lower(Given&&... given) const {
    detail::LentScratch scratch;
    Call call(taken(std::forward<Given>(given)...), *scratch, *shared_);
    return *shared_->find(call).program;
  }
  /// As kolam::tune (tune.h).
  template <class... Given> std::vector<TunedNest> tune(double budget, Given&&... given) const {
    if (shared_->options.backend != Backend::cpu)
      detail::fail_interpreted();
    detail::LentScratch scratch;
    Call call(taken(std::forward<Given>(given)...), *scratch, *shared_);
    Program program = *shared_->find(call).program;
    for (const Tensor& leaf : call.leaves)
      scratch->arrays.push_back(leaf.array());
    return program.tune(scratch->arrays, budget);
  }
  template <class... Given> std::string explain(Given&&... given) const {
    return lower(std::forward<Given>(given)...).explain();
  }

private:
  struct Shared;

  /// The arguments of a call, their tensors, and a key that two calls share only where they run the
  /// same program.
  struct Call {
    Call(Arguments given, detail::CallScratch& scratch, const Shared& shared)
        : arguments(std::move(given)), leaves(scratch.leaves), key(scratch.key) {
      const JitOptions& options = shared.options;
      std::optional<CallScope> scope;
      if (detail::is_tracing()) // lists of the trace are taken apart
        scope.emplace("jit", shared.where);
      Pytree<Arguments>::flatten(arguments, leaves, key);
      int count = static_cast<int>(leaves.size());
      detail::require_known(options, count, static_cast<int>(std::tuple_size_v<Arguments>));
      for (int number = 0; number < count; ++number)
        detail::append_signature(leaves[number], number, options, key);
    }
    ~Call() {
      leaves.clear();
      key.clear();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Arguments arguments;
    std::vector<Tensor>& leaves;
    std::string& key;
  };

  /// The arguments of the function's types.
  template <class... Given> Arguments taken(Given&&... given) const {
    return [&]<size_t... number>(std::index_sequence<number...>) {
      return Arguments(detail::Parameter<std::tuple_element_t<number, Arguments>>::take(
          std::forward<Given>(given), static_cast<int>(number), shared_->where)...);
    }(std::index_sequence_for<Given...>());
  }

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
    Shared(F function, JitOptions options, SourceLocation where)
        : function(std::move(function)), options(std::move(options)), where(std::move(where)) {}

    Entry& find(const Call& call) {
      std::lock_guard lock(mutex);
      auto found = entries.find(call.key);
      if (found != entries.end() && found->second.program)
        return found->second;
      Entry& entry = entries[call.key];
      std::vector<TensorSpec> specs;
      for (const Tensor& leaf : call.leaves)
        specs.push_back(detail::parameter_of(leaf, static_cast<int>(specs.size()), options));
      Program program = trace(specs, [&](std::vector<Tensor> leaves) {
        const Tensor* next = leaves.data();
        auto arguments = [&] {
          CallScope scope("jit", where);
          return Pytree<Arguments>::unflatten(call.arguments, next);
        };
        entry.result = std::apply(function, arguments());
        CallScope scope("jit", where);
        std::vector<Tensor> results;
        std::string structure;
        Pytree<Result>::flatten(*entry.result, results, structure);
        return results;
      });
      if (options.checks.any())
        program = program.with_checks(options.checks);
      entry.program =
          options.order == ScanOrder::automatic ? program : program.in_order(options.order);
      return entry;
    }

    F function;
    JitOptions options;
    SourceLocation where;
    std::recursive_mutex
        mutex; ///< a function may call itself, jitted, on arrays while it is traced
    std::unordered_map<std::string, Entry> entries; ///< by Call::key; entries do not move
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
template <class F>
Jitted<std::decay_t<F>> jit(F&& function, JitOptions options = {},
                            std::source_location where = std::source_location::current()) {
  static_assert(
      detail::Monomorphic<F>,
      "jit needs a function with declared parameter types: write kolam::Tensor, not auto");
  return {std::forward<F>(function),
          std::move(options),
          {where.file_name(), static_cast<int>(where.line())}};
}

} // namespace kolam
