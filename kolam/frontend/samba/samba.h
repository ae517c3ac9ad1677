/// SambaFlow's parallel patterns under their own names.
///
/// Source: SambaNova, "Compose complex operations with parallel patterns", and SambaNova's model
/// zoo. What they leave open is decided as in gather.h, scatter.h and zip_map_reduce.h: a gather
/// clips, a scatter drops.
#pragma once

#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/zip_map_reduce.h"

namespace kolam::samba {

using SambaTensor = Tensor;

/// `kolam::gather` with mode "clip".
Tensor sn_gather(const Operand& input_tensor, const Operand& start_indices,
                 const std::vector<int64_t>& gather_dims,
                 const std::vector<int64_t>& gather_lengths, int64_t batched_dims = 0);

/// `kolam::scatter` with mode "drop".
Tensor sn_scatter(const Operand& operand, const Operand& update, const Operand& start_indices,
                  const std::vector<int64_t>& scatter_dims, std::string_view rmw_op = "kUpdate",
                  bool unique_indices = false, int64_t batched_dims = 0);

/// What the body of an sn_zipmapreduce knows of its iteration space: opaque, for sn_iteridx.
struct Attrs {
  DType first_input = DType::f32;
};

/// In a body: the coordinate along `dim` of the iteration space before the reduction. Its dtype is
/// the signed integer of the first input's width, at least i32, unless given. Throws
/// `[extent-does-not-fit]` where the last coordinate is beyond the dtype, `[iter-idx-outside]`,
/// `[axis-out-of-range]` and `[dtype-mismatch]`.
Tensor sn_iteridx(const Attrs& attrs, int64_t dim, std::optional<DType> dtype = {},
                  std::source_location where = std::source_location::current());

/// A scalar of a dtype of its own.
inline Tensor sn_imm(const Operand& input, DType dtype) { return imm(input, dtype); }
/// cond ? true_val : false_val, both computed; an integer cond is true unless 0.
inline Tensor sn_select(const Operand& cond, const Operand& true_val, const Operand& false_val) {
  return select(cond, true_val, false_val);
}
/// a b + c, rounded once.
inline Tensor sn_fma(const Operand& a, const Operand& b, const Operand& c) { return fma(a, b, c); }

/// `input` reduced over `dim`, which stays with extent 1. `fn` as `reduce_func` below.
Tensor sn_reduce(const Operand& input, const Axis& dim, const std::string& fn);

/// 8 for int8, 16 for bfloat16.
int get_int_or_float_bit_width(DType dtype);
/// The signed integer of a width of 8, 16, 32 or 64 bits; throws `[unknown-width]`.
DType get_int_type(int width);

namespace detail {
Attrs attrs_of(std::span<const Operand> inputs);
void refuse_stochastic(bool stoc_accum, std::span<const Operand> inputs);
} // namespace detail

/// func over the zipped elements of the inputs, then a reduction.
///
///     sn_zipmapreduce([](Attrs attrs, Tensor x) {
///       Tensor keep = sn_iteridx(attrs, 2) >= sn_iteridx(attrs, 3);
///       return sn_select(keep, x, sn_imm(fill, DType::f32));
///     }, {x})                                               // the strict upper triangle filled
///
/// The inputs broadcast; func is called once, on traced scalars. `reduce_func` is SUM, ADD, PROD,
/// MUL, MIN, MAX, MEAN, ANY, ALL, ARGMIN or ARGMAX in any case, over the dims `reduce_dim` (all
/// unless given), which stay with extent 1. Throws what `zip_map_reduce` throws, and
/// `[unsupported-stoc-accum]`: stochastic rounding has no published meaning.
template <class F>
auto sn_zipmapreduce(F func, std::initializer_list<Operand> inputs, std::string reduce_func = "",
                     Axis reduce_dim = {}, bool stoc_accum = false) {
  using Signature = kolam::detail::CallSignature<F>;
  using Result = typename Signature::Result;
  constexpr size_t count = std::tuple_size_v<typename Signature::Arguments> - 1;
  std::span<const Operand> operands(inputs.begin(), inputs.size());
  detail::refuse_stochastic(stoc_accum, operands);
  Attrs attrs = detail::attrs_of(operands);
  std::optional<Result> structure;
  auto body = [&](const std::vector<Tensor>& cells) {
    kolam::detail::require_parameters(count, cells.size());
    structure = [&]<size_t... i>(std::index_sequence<i...>) {
      return func(attrs, cells[i]...);
    }(std::make_index_sequence<count>{});
    return kolam::detail::leaves_of(*structure);
  };
  std::vector<Tensor> results = zip_map_reduce_list(
      body, operands, {.reduce = reduce_func, .axis = reduce_dim, .keepdims = true});
  const Tensor* next = results.data();
  return Pytree<Result>::unflatten(*structure, next);
}

} // namespace kolam::samba
