/// vmap: a function of one instance, for many at once.
#pragma once

#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/jit.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kolam {

namespace detail {

/// A tensor whose slices along `axis` are the instances'.
struct Mapped {
  Tensor tensor;
  int64_t axis = 0;
  std::string name; ///< for errors: how the user reaches it
};
/// What the function gives for an instance, and along which axis the results of all are stacked;
/// none for what must be the same for all.
struct MappedResult {
  Tensor tensor;
  std::optional<int64_t> axis;
  std::string name;
};

/// How many instances there are, where nothing is mapped, and the name by which collectives
/// (collectives.h) mean them; empty for none.
struct Instances {
  std::optional<Extent> axis_size;
  std::string axis_name;
};

/// `body` of the slices, for all of them at once; its results, stacked. Throws `[batch-axis]` where
/// nothing is mapped and `axis_size` is not given, where a tensor has no such axis, where extents
/// differ, and where a result that is to be the same for all is not.
Leaves vmap(const std::vector<Mapped>& mapped, const Instances& instances,
            const std::function<std::vector<MappedResult>(const Leaves& slices)>& body,
            Operand::Here where);

/// MappedAxes by argument or result; one stands for all.
using MappedAxes = std::vector<std::optional<int64_t>>;
/// Throws `[batch-axis]` unless there are `count` of them, or one.
void require_axes(const MappedAxes& axes, std::string_view option, size_t count);
inline std::optional<int64_t> axis_of(const MappedAxes& axes, size_t number) {
  return axes.size() == 1 ? axes[0] : axes[number];
}

} // namespace detail

struct VmapOptions {
  /// Of each argument the axis that counts the instances, in all its tensors; nullopt for one that
  /// is the same for all. One for all arguments, or one each.
  std::vector<std::optional<int64_t>> in_axes = {0};
  /// Of each result, where the function gives a tuple or a pair, the axis that will count them;
  /// nullopt for one that is the same for all. One for all results, or one each.
  std::vector<std::optional<int64_t>> out_axes = {0};
  std::optional<Extent> axis_size = {}; ///< needed where no argument is mapped
  std::string axis_name = {}; ///< by which psum and its kin mean the instances (collectives.h)
};

namespace detail {

template <class T> constexpr size_t part_count() {
  if constexpr (requires { std::tuple_size<T>::value; })
    return std::tuple_size_v<T>;
  else
    return 1;
}

template <class F, class Arguments = typename CallSignature<F>::Arguments> class Vmapped;

/// A function that `vmap` made.
template <class F, class... Args> class Vmapped<F, std::tuple<Args...>> {
public:
  using Result = Traceable<typename CallSignature<F>::Result>;

  Vmapped(F function, VmapOptions options, Operand::Here where)
      : function_(std::move(function)), options_(std::move(options)), where_(where) {}

  Result operator()(const Args&... args) const {
    const CallSite call{"vmap", to_location(where_)};
    std::vector<Mapped> mapped;
    {
      CallScope scope(call.function, call.where);
      require_axes(options_.in_axes, "in_axes", sizeof...(Args));
      size_t number = 0;
      (add(args, number++, mapped, call), ...);
    }
    std::optional<Result> like;
    Leaves results = vmap(
        mapped, {options_.axis_size, options_.axis_name},
        [&](const Leaves& slices) {
          const Tensor* next = slices.data();
          size_t number = 0;
          // Braces: arguments are taken in order.
          std::tuple<Args...> taken{slice_of(args, number++, next)...};
          like.emplace(std::apply(function_, taken));
          return results_of(*like, call);
        },
        where_);
    return unflatten(*like, results, call);
  }

private:
  template <class T>
  void add(const T& argument, size_t number, std::vector<Mapped>& mapped,
           const CallSite& call) const {
    if (std::optional<int64_t> axis = axis_of(options_.in_axes, number))
      for (const Tensor& leaf : flatten(argument, call).leaves)
        mapped.push_back({leaf, *axis, "argument " + std::to_string(number)});
  }
  /// The argument of one instance: where it is mapped, with the next slices for its tensors.
  template <class T> T slice_of(const T& argument, size_t number, const Tensor*& next) const {
    if (!axis_of(options_.in_axes, number))
      return argument;
    return Pytree<T>::unflatten(argument, next);
  }
  std::vector<MappedResult> results_of(const Result& result, const CallSite& call) const {
    std::vector<MappedResult> results;
    constexpr size_t count = part_count<Result>();
    require_axes(options_.out_axes, "out_axes", count);
    auto append = [&](const auto& part, size_t number) {
      for (Tensor& leaf : flatten(part, call).leaves)
        results.push_back({std::move(leaf), axis_of(options_.out_axes, number),
                           "result " + std::to_string(number)});
    };
    if constexpr (requires { std::tuple_size<Result>::value; })
      [&]<size_t... i>(std::index_sequence<i...>) {
        (append(std::get<i>(result), i), ...);
      }(std::make_index_sequence<count>());
    else
      append(result, 0);
    return results;
  }

  F function_;
  VmapOptions options_;
  Operand::Here where_;
};

} // namespace detail

/// `f` for many instances at once: slice i of each result is, bit by bit, what `f` gives for the
/// slices i of the arguments.
///
///     auto rows = kolam::vmap([](kolam::Tensor x, kolam::Tensor w) { return matmul(w, x); },
///                             {.in_axes = {0, std::nullopt}});
///     kolam::Tensor y = rows(xs, w);   // y[i] = f(xs[i], w)
///
/// `f` is called once, on traced slices; products become one product, loops run until the last
/// instance stops. Arguments and results are pytrees; tensors that are not mapped are the same for
/// all, as is what `f` captures. The result is a function like `f`: vmap again, `jit` it, or call
/// it in a program. Extents may be symbolic; where only the run can see that they differ it throws
/// `[shape-mismatch]`. What can't run for all at once (functions of the host, lists of data's
/// lengths) runs one instance after the other. With `axis_name` the function may ask for its
/// instance's number and reduce over all of them (collectives.h). Throws `[batch-axis]` where
/// nothing is mapped, where there is no such axis, where extents differ, and where a result that
/// out_axes says to be the same for all is not.
template <class F>
detail::Vmapped<std::decay_t<F>> vmap(F&& f, VmapOptions options = {},
                                      Operand::Here where = Operand::Here::current()) {
  static_assert(
      detail::Monomorphic<F>,
      "vmap needs a function with declared parameter types: write kolam::Tensor, not auto");
  return {std::forward<F>(f), std::move(options), where};
}

} // namespace kolam
