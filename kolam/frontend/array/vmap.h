/// vmap: a function of one instance, for many at once.
#pragma once

#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/jit.h"
#include "kolam/frontend/array/traced_calls.h"

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

} // namespace detail

/// Which axis counts the instances: one for all tensors of a tree, nullopt where these are the same
/// for all instances, or one for each part of it, `{0, std::nullopt}`, whose parts may be told
/// apart again.
class MappedAxis {
public:
  template <std::integral T> MappedAxis(T axis) : axis_(static_cast<int64_t>(axis)) {}
  MappedAxis(std::nullopt_t) {}
  MappedAxis(std::optional<int64_t> axis) : axis_(axis) {}
  MappedAxis(std::initializer_list<MappedAxis> parts) : parts_(parts), has_parts_(true) {}

  bool has_parts() const { return has_parts_; }
  const std::optional<int64_t>& axis() const { return axis_; }
  const std::vector<MappedAxis>& parts() const { return parts_; }
  /// That no tensor is mapped.
  bool is_none() const { return !has_parts_ && !axis_; }

private:
  std::optional<int64_t> axis_;
  std::vector<MappedAxis> parts_;
  bool has_parts_ = false;
};

namespace detail {

/// Axes by argument or result; one stands for all.
using MappedAxes = std::vector<MappedAxis>;
/// Throws `[batch-axis]` unless there are `count` of them, or one.
void require_axes(const MappedAxes& axes, std::string_view option, size_t count);
inline const MappedAxis& axis_of(const MappedAxes& axes, size_t number) {
  return axes.size() == 1 ? axes[0] : axes[number];
}
/// One axis for each tensor of a tree of that structure (pytree.h). Throws `[batch-axis]` where the
/// tree, called `name`, has other parts than `axis`.
std::vector<std::optional<int64_t>> leaf_axes(const MappedAxis& axis, const std::string& structure,
                                              const std::string& name);

} // namespace detail

struct VmapOptions {
  /// Of each argument the axis that counts the instances, in all its tensors; nullopt for one that
  /// is the same for all, or what `MappedAxis` says of parts. One for all arguments, or one each.
  std::vector<MappedAxis> in_axes = {0};
  /// The same of each result, where the function gives a tuple or a pair: the axis that will count
  /// them. One for all results, or one each.
  std::vector<MappedAxis> out_axes = {0};
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
    return traced_once<Result>(calls_, std::tuple<Args...>(args...), {"vmap", to_location(where_)},
                               [this](const Args&... given) { return inlined(given...); });
  }

private:
  using LeafAxes = std::vector<std::optional<int64_t>>;

  Result inlined(const Args&... args) const {
    const CallSite call{"vmap", to_location(where_)};
    std::vector<Mapped> mapped;
    std::vector<LeafAxes> axes;
    {
      CallScope scope(call.function, call.where);
      require_axes(options_.in_axes, "in_axes", sizeof...(Args));
      (axes.push_back(add(args, axes.size(), mapped, call)), ...);
    }
    std::optional<Result> like;
    Leaves results = vmap(
        mapped, {options_.axis_size, options_.axis_name},
        [&](const Leaves& slices) {
          const Tensor* next = slices.data();
          size_t number = 0;
          // Braces: arguments are taken in order.
          std::tuple<Args...> taken{slice_of(args, axes[number++], next, call)...};
          like.emplace(std::apply(function_, taken));
          return results_of(*like, call);
        },
        where_);
    return unflatten(*like, results, call);
  }
  /// Appends the mapped tensors of an argument; the axes of all its tensors, none for an argument
  /// that is the same for all.
  template <class T>
  LeafAxes add(const T& argument, size_t number, std::vector<Mapped>& mapped,
               const CallSite& call) const {
    const MappedAxis& asked = axis_of(options_.in_axes, number);
    if (asked.is_none())
      return {};
    const std::string name = "argument " + std::to_string(number);
    Flat flat = flatten(argument, call);
    LeafAxes axes = leaf_axes(asked, flat.structure, name);
    for (size_t leaf = 0; leaf < axes.size(); ++leaf)
      if (axes[leaf])
        mapped.push_back({flat.leaves[leaf], *axes[leaf], name});
    return axes;
  }
  /// The argument of one instance, with the next slices for the tensors that are mapped.
  template <class T>
  T slice_of(const T& argument, const LeafAxes& axes, const Tensor*& next,
             const CallSite& call) const {
    if (axes.empty())
      return argument;
    Leaves leaves = flatten(argument, call).leaves;
    for (size_t leaf = 0; leaf < axes.size(); ++leaf)
      if (axes[leaf])
        leaves[leaf] = *next++;
    return unflatten(argument, leaves, call);
  }
  std::vector<MappedResult> results_of(const Result& result, const CallSite& call) const {
    std::vector<MappedResult> results;
    constexpr size_t count = part_count<Result>();
    require_axes(options_.out_axes, "out_axes", count);
    auto append = [&](const auto& part, size_t number) {
      const std::string name = "result " + std::to_string(number);
      Flat flat = flatten(part, call);
      LeafAxes axes = leaf_axes(axis_of(options_.out_axes, number), flat.structure, name);
      for (size_t leaf = 0; leaf < axes.size(); ++leaf)
        results.push_back({std::move(flat.leaves[leaf]), axes[leaf], name});
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
  TracedCalls calls_;
};

} // namespace detail

/// `f` for many instances at once: slice i of each result is, bit by bit, what `f` gives for the
/// slices i of the arguments.
///
///     auto rows = kolam::vmap([](kolam::Tensor x, kolam::Tensor w) { return matmul(w, x); },
///                             {.in_axes = {0, std::nullopt}});
///     kolam::Tensor y = rows(xs, w);   // y[i] = f(xs[i], w)
///     auto layers = kolam::vmap(layer, {.in_axes = {{0, std::nullopt}, 1}});   // of layer(pair,
///     x)
///
/// `f` is called once, on traced slices; products become one product, loops run until the last
/// instance stops. Arguments and results are pytrees; tensors that are not mapped are the same for
/// all, as is what `f` captures. The result is a function like `f`: vmap again, `jit` it, or call
/// it in a program. Extents may be symbolic; where only the run can see that they differ it throws
/// `[shape-mismatch]`. What can't run for all at once (functions of the host, lists of data's
/// lengths) runs one instance after the other. With `axis_name` the function may ask for its
/// instance's number and reduce over all of them (collectives.h). Throws `[batch-axis]` where
/// nothing is mapped, where there is no such axis, where extents differ, and where a result that
/// out_axes says to be the same for all is not, and where axes of parts do not fit their tree.
template <class F>
detail::Vmapped<std::decay_t<F>> vmap(F&& f, VmapOptions options = {},
                                      Operand::Here where = Operand::Here::current()) {
  static_assert(
      detail::Monomorphic<F>,
      "vmap needs a function with declared parameter types: write kolam::Tensor, not auto");
  return {std::forward<F>(f), std::move(options), where};
}

} // namespace kolam
