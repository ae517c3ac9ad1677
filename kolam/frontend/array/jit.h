/// jit: a C++ function of tensors, traced once per dtypes and shapes, compiled and cached.
#pragma once

#include "kolam/frontend/array/arguments.h"
#include "kolam/frontend/array/likely_sizes.h"
#include "kolam/frontend/array/outputs.h"
#include "kolam/frontend/array/program.h"
#include "kolam/frontend/array/pytree.h"

#include <algorithm>
#include <atomic>
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
  /// Loops of the program's nests, given by hand (Program::with_schedules).
  std::map<std::string, std::string> schedules = {};
};

namespace detail {

/// The parameter that tensor number `number` of the arguments becomes. Throws
/// `[axis-out-of-range]`.
TensorSpec parameter_of(const Tensor& tensor, int number, const JitOptions& options);
/// Throws `[bad-option]` where `dynamic` or `donate` name a tensor or an argument that is not
/// there.
void require_known(const JitOptions& options, int tensors, int arguments);
/// Throws `[bad-option]`: there is nothing that `function` could measure.
[[noreturn]] void fail_interpreted(const std::string& function);

/// The shape of each array; none of what is traced.
std::vector<std::vector<int64_t>> sizes_of(const std::vector<Tensor>& tensors);
/// How the user reaches each tensor among the arguments of a call, by the structure that begins its
/// key: `1["w"]` is part "w" of argument 1. None where a class of the user's has another structure.
std::vector<std::string> argument_paths(const std::string& key, size_t tensors);

/// Appends to a call's key what decides the parameter that tensor number `number` becomes: dtype
/// and extents, but for those of dynamic dims. Throws as `parameter_of`.
void append_signature(const Tensor& tensor, int number, const JitOptions& options,
                      std::string& key);

/// Throws `[traced-value]`: results of a call inside a trace have no elements to write.
[[noreturn]] void fail_traced_into();

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
/// A function of Kolam's own, whose calls know their lines.
template <class F>
  requires requires { typename F::Called; }
struct CallSignature<F> : CallSignature<typename F::Called> {};
template <class R, class... Args> struct CallSignature<R (*)(Args...)> {
  using Result = std::decay_t<R>;
  using Arguments = std::tuple<std::decay_t<Args>...>;
};
template <class R, class... Args>
struct CallSignature<R (*)(Args...) noexcept> : CallSignature<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct CallSignature<R (C::*)(Args...) const> : CallSignature<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct CallSignature<R (C::*)(Args...)> : CallSignature<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct CallSignature<R (C::*)(Args...) const noexcept> : CallSignature<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct CallSignature<R (C::*)(Args...) noexcept> : CallSignature<R (*)(Args...)> {};

template <class F>
concept Monomorphic = std::is_function_v<std::remove_pointer_t<std::decay_t<F>>> ||
                      requires { &std::decay_t<F>::operator(); };

/// What `jit` gives for what it refuses: it takes every call, so that one error is enough.
struct NotJitted {
  template <class... Given> NotJitted operator()(Given&&...) const;
  template <class... Given> void into(Given&&...) const;
  template <class T> operator T() const;
};

} // namespace detail

/// A function that `jit` made. Calls with known dtypes, shapes and statics run the compiled
/// program. May be called from several threads.
template <class F, class Arguments = typename detail::CallSignature<F>::Arguments> class Jitted;

template <class F, class... Parameters> class Jitted<F, std::tuple<Parameters...>> {
  using Line = std::source_location;

public:
  using Result = typename detail::CallSignature<F>::Result;
  using Arguments = std::tuple<Parameters...>;
  static_assert(!std::is_void_v<Result>, "jit needs a function that returns its results");
  static_assert(std::is_invocable_v<F&, Parameters...>,
                "jit needs a function that takes its parameters by value or by const reference");

  /// `where` is the user's line, of what no other line of theirs makes or raises.
  Jitted(F function, JitOptions options, SourceLocation where = {})
      : shared_(
            std::make_shared<Shared>(std::move(function), std::move(options), std::move(where))) {}

  /// Runs the function on what converts to its parameters. Memory of the caller's (a span, a
  /// vector, a View) is read without a copy where its elements lie one after the other.
  Result operator()(detail::Argument<Parameters>... given, Line here = Line::current()) const {
    return located("jit", here, [&] { return run(here, given...); });
  }

  /// The same; writes the results to memory of the caller's.
  ///
  ///     std::vector<float> y(6);
  ///     layer.into(y, x, w);                               // a span of all elements, row-major
  ///     layer.into(kolam::View(p, {2, 3}, {1, 2}), x, w);  // column by column
  ///     both.into(std::tie(y, count), x);                  // several results
  ///
  /// `out` is a View of the result's shape; a span, vector or array of as many elements; a
  /// variable, for rank 0; a kolam::Array that no other handle shares; or a tuple, vector or struct
  /// with `fields` of these, one for each tensor of the result. Memory that is dense is computed
  /// in, else results are copied. It may overlap the memory of arguments, which are read before:
  /// then, too, it is copied. Throws `[dtype-mismatch]`, `[shape-mismatch]`, `[output-count]`,
  /// `[overlapping-outputs]` where two outputs share memory, `[shared-output]`, `[traced-value]`
  /// inside a trace; behind an error of the run itself the elements are unspecified.
  template <class Out>
  void into(Out&& out, detail::Argument<Parameters>... given, Line here = Line::current()) const {
    located("into", here, [&] {
      std::vector<detail::Memory> outputs;
      detail::append_outputs(std::forward<Out>(out), outputs);
      run_into(outputs, here, given...);
    });
  }

  /// The program that a call with these arguments runs.
  Program lower(detail::Argument<Parameters>... given, Line here = Line::current()) const {
    return located("lower", here, [&] {
      detail::LentScratch scratch;
      Call call(taken(here, given...), *scratch, *shared_, here);
      return *shared_->find(call).program;
    });
  }
  /// That program, and the arrays of the arguments: for functions that run it in ways of their own.
  std::pair<Program, std::vector<Array>> lower_with_arrays(detail::Argument<Parameters>... given,
                                                           Line here = Line::current()) const {
    return located("lower", here, [&] {
      auto both = [](const Program& program, const std::vector<Array>& arrays) {
        return std::pair(program, arrays);
      };
      return on_arrays("lower", both, here, given...);
    });
  }
  /// As kolam::tune (tune.h).
  std::vector<TunedNest> tune(double budget, detail::Argument<Parameters>... given,
                              Line here = Line::current()) const {
    return located("tune", here, [&] {
      auto tune = [&](const Program& program, const std::vector<Array>& arrays) {
        return program.tune(arrays, budget);
      };
      return on_arrays("tune", tune, here, given...);
    });
  }
  std::string explain(detail::Argument<Parameters>... given, Line here = Line::current()) const {
    return located("explain", here, [&] { return lower(given..., here).explain(); });
  }
  /// As Program::explain_measured, on these arguments. Throws `[bad-option]` for a function that is
  /// interpreted.
  std::string explain_measured(detail::Argument<Parameters>... given,
                               Line here = Line::current()) const {
    return located("explain", here, [&] {
      auto explain = [](const Program& program, const std::vector<Array>& arrays) {
        return program.explain_measured(arrays);
      };
      return on_arrays("explain_measured", explain, here, given...);
    });
  }

  /// Another number of arguments than the function has.
  template <class... Given>
    requires(sizeof...(Given) != sizeof...(Parameters) &&
             !(std::is_same_v<std::remove_cvref_t<Given>, Line> || ...))
  Result operator()(Given&&...) const {
    static_assert(sizeof...(Given) == sizeof...(Parameters),
                  "this call of a jitted function has another number of arguments than the "
                  "function has parameters");
    return std::declval<Result>();
  }

private:
  struct Shared;
  struct Entry;

  /// The arguments of a call, their tensors, and a key that two calls share only where they run the
  /// same program.
  struct Call {
    Call(Arguments given, detail::CallScratch& scratch, const Shared& shared, const Line& here)
        : arguments(std::move(given)), leaves(scratch.leaves), key(scratch.key) {
      const JitOptions& options = shared.options;
      std::optional<CallScope> scope;
      if (detail::is_tracing()) // lists of the trace are taken apart
        scope.emplace("jit", user_line(here));
      Pytree<Arguments>::flatten(arguments, leaves, key);
      int count = static_cast<int>(leaves.size());
      detail::require_known(options, count, static_cast<int>(sizeof...(Parameters)));
      for (int number = 0; number < count; ++number)
        detail::append_signature(leaves[static_cast<size_t>(number)], number, options, key);
    }
    ~Call() {
      leaves.clear();
      key.clear();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    bool is_traced() const {
      return std::ranges::any_of(leaves, [](const Tensor& leaf) { return leaf.is_traced(); });
    }

    Arguments arguments;
    std::vector<Tensor>& leaves;
    std::string& key;
  };

  /// The arguments as the function's types.
  Arguments taken(const Line& here, const detail::Argument<Parameters>&... given) const {
    return taken_in_order(std::index_sequence_for<Parameters...>(), here, given...);
  }

  template <size_t... numbers>
  static Arguments taken_in_order(std::index_sequence<numbers...>, const Line& here,
                                  const detail::Argument<Parameters>&... given) {
    return Arguments{given.take(static_cast<int>(numbers), here)...}; // braces: in order
  }

  /// What `use` gives of the program and the arrays of a call, for a function that measures.
  template <class Use>
  auto on_arrays(const char* function, const Use& use, const Line& here,
                 const detail::Argument<Parameters>&... given) const {
    if (shared_->options.backend != Backend::cpu)
      detail::fail_interpreted(function);
    detail::LentScratch scratch;
    Call call(taken(here, given...), *scratch, *shared_, here);
    Program program = *shared_->find(call).program;
    for (const Tensor& leaf : call.leaves)
      scratch->arrays.push_back(leaf.array(here));
    return use(program, scratch->arrays);
  }

  /// The program of a call whose arrays it moves to `arrays`; null inside another trace.
  Entry* find(Call& call, std::vector<Array>& arrays) const {
    if (call.is_traced())
      return nullptr;
    Entry& entry = shared_->find(call);
    for (const Tensor& leaf : call.leaves)
      arrays.push_back(leaf.array());
    return &entry;
  }

  Result run(const Line& here, const detail::Argument<Parameters>&... given) const {
    detail::LentScratch scratch;
    Entry* entry = nullptr;
    {
      Call call(taken(here, given...), *scratch, *shared_, here);
      entry = find(call, scratch->arrays);
      if (!entry)
        return inlined(call);
    } // the arrays alone hold what is used up
    use_up(given...);
    std::vector<Array> results =
        entry->program->run_emptying(scratch->arrays, shared_->options.backend);
    scratch->leaves.assign(std::make_move_iterator(results.begin()),
                           std::make_move_iterator(results.end()));
    const Tensor* next = scratch->leaves.data();
    return Pytree<Result>::unflatten(*entry->result, next);
  }

  void run_into(std::span<const detail::Memory> outputs, const Line& here,
                const detail::Argument<Parameters>&... given) const {
    detail::LentScratch scratch;
    Entry* entry = nullptr;
    {
      Call call(taken(here, given...), *scratch, *shared_, here);
      entry = find(call, scratch->arrays);
    }
    if (!entry)
      detail::fail_traced_into();
    use_up(given...);
    detail::run_into(*entry->program, entry->specs, scratch->arrays, outputs,
                     shared_->options.backend);
  }

  Result inlined(const Call& call) const {
    std::optional<Result> result;
    trace_checked(shared_->options.checks,
                  [&] { result.emplace(std::apply(shared_->function, call.arguments)); });
    return std::move(*result);
  }

  /// Empties the caller's handles of donated arguments.
  void use_up(const detail::Argument<Parameters>&... given) const {
    int number = 0;
    auto one = [&](const auto& argument) {
      if (std::ranges::count(shared_->options.donate, number++))
        argument.use_up();
    };
    (one(given), ...);
  }

  struct Entry {
    std::optional<Program> program;
    std::optional<Result> result;  ///< the structure of what the function gives, with traced leaves
    std::vector<TensorSpec> specs; ///< of the results
  };

  struct Shared {
    Shared(F traced, JitOptions given_options, SourceLocation line)
        : function(std::move(traced)), options(std::move(given_options)), where(std::move(line)) {}

    Entry& find(const Call& call) {
      // Most calls are as the one before.
      if (Known* last = latest.load(std::memory_order_acquire); last && last->first == call.key)
        return last->second;
      std::lock_guard lock(mutex);
      auto found = entries.find(call.key);
      if (found != entries.end() && found->second.program) {
        latest.store(&*found, std::memory_order_release);
        return found->second;
      }
      Entry& entry = entries[call.key];
      std::vector<TensorSpec> specs;
      for (const Tensor& leaf : call.leaves)
        specs.push_back(detail::parameter_of(leaf, static_cast<int>(specs.size()), options));
      const detail::LikelySizes sizes(specs, detail::sizes_of(call.leaves));
      Program program = trace(
          specs,
          [&](std::vector<Tensor> leaves) {
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
          },
          detail::argument_paths(call.key, call.leaves.size()));
      if (options.checks.any())
        program = program.with_checks(options.checks);
      if (!options.schedules.empty())
        program = program.with_schedules(options.schedules);
      entry.program =
          options.order == ScanOrder::automatic ? program : program.in_order(options.order);
      entry.specs = entry.program->results();
      return entry;
    }

    F function;
    JitOptions options;
    SourceLocation where;
    std::recursive_mutex
        mutex; ///< a function may call itself, jitted, on arrays while it is traced
    std::unordered_map<std::string, Entry> entries; ///< by Call::key; entries do not move
    using Known = std::pair<const std::string, Entry>;
    std::atomic<Known*> latest = nullptr; ///< an entry with its program
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
template <detail::Monomorphic F>
Jitted<std::decay_t<F>> jit(F&& function, JitOptions options = {},
                            std::source_location where = std::source_location::current()) {
  return {std::forward<F>(function),
          std::move(options),
          {where.file_name(), static_cast<int>(where.line())}};
}

/// Refuses all else.
template <class F>
  requires(!detail::Monomorphic<F>)
detail::NotJitted jit(F&&, JitOptions = {}) {
  static_assert(detail::Monomorphic<F>,
                "jit needs a function or lambda with declared parameter types: write "
                "kolam::Tensor, not auto");
  return {};
}

} // namespace kolam
