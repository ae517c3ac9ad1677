// Calls the array functions behind SambaFlow's names.
#include "kolam/frontend/samba/samba.h"

#include "kolam/frontend/array/gather.h"
#include "kolam/frontend/array/scatter.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/broadcast.h"

namespace kolam::samba {
namespace {

/// The highest value of an integer dtype, as far as int64 holds it.
int64_t highest(DType dtype) {
  int bits = 8 * byte_width(dtype) - (is_signed_integer(dtype) ? 1 : 0);
  return bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
}

/// Throws where a coordinate along `dim` is beyond `dtype`, or has the run check it.
void require_fit(int64_t dim, DType dtype) {
  Trace* trace = Trace::current();
  if (!trace || !trace->space() || !is_integer(dtype))
    return; // iter_idx says what is wrong
  const Shape& space = *trace->space();
  dim = language::normalize_axis(dim, static_cast<int64_t>(space.size()), "dim");
  Extent last = space[dim] - 1;
  int64_t most = highest(dtype);
  std::string message = "argument 'dtype': expected a dtype that holds " + last.to_string() +
                        ", the last coordinate along dim " + std::to_string(dim) + ", but got " +
                        std::string(name(dtype));
  if (!last.is_constant())
    return trace->before_region([=](language::Builder& b) {
      language::require_at_most(b, last, most, "extent-does-not-fit", message);
    });
  if (*last.constant() > most)
    fail(ErrorKind::value, "extent-does-not-fit", message);
}

} // namespace

Tensor sn_gather(const Operand& input_tensor, const Operand& start_indices,
                 const std::vector<int64_t>& gather_dims,
                 const std::vector<int64_t>& gather_lengths, int64_t batched_dims) {
  CallScope scope("sn_gather", input_tensor.where());
  return gather(input_tensor, start_indices, gather_dims, gather_lengths, batched_dims);
}

Tensor sn_scatter(const Operand& operand, const Operand& update, const Operand& start_indices,
                  const std::vector<int64_t>& scatter_dims, std::string_view rmw_op,
                  bool unique_indices, int64_t batched_dims) {
  CallScope scope("sn_scatter", operand.where());
  return scatter(operand, update, start_indices, scatter_dims, rmw_op, unique_indices,
                 batched_dims);
}

Tensor sn_iteridx(const Attrs& attrs, int64_t dim, std::optional<DType> dtype,
                  std::source_location where) {
  CallScope scope("sn_iteridx", {where.file_name(), static_cast<int>(where.line())});
  DType chosen =
      dtype.value_or(get_int_type(std::max(32, get_int_or_float_bit_width(attrs.first_input))));
  require_fit(dim, chosen);
  return iter_idx(dim, chosen, where);
}

Tensor sn_reduce(const Operand& input, const Axis& dim, const std::string& fn) {
  CallScope scope("sn_reduce", input.where());
  auto itself = [](const std::vector<Tensor>& cells) { return cells; };
  return zip_map_reduce_list(itself, {&input, 1}, {.reduce = fn, .axis = dim, .keepdims = true})[0];
}

int get_int_or_float_bit_width(DType dtype) {
  return dtype == DType::boolean ? 1 : 8 * byte_width(dtype);
}

DType get_int_type(int width) {
  switch (width) {
  case 8:
    return DType::i8;
  case 16:
    return DType::i16;
  case 32:
    return DType::i32;
  case 64:
    return DType::i64;
  default:
    fail(ErrorKind::value, "unknown-width",
         "argument 'width': expected 8, 16, 32 or 64, but got " + std::to_string(width));
  }
}

namespace detail {

Attrs attrs_of(std::span<const Operand> inputs) {
  const Tensor* first = inputs.empty() ? nullptr : std::get_if<Tensor>(&inputs[0].value());
  return first && !first->is_empty() ? Attrs{first->dtype()} : Attrs{};
}

void refuse_stochastic(bool stoc_accum, std::span<const Operand> inputs) {
  if (!stoc_accum)
    return;
  CallScope scope("sn_zipmapreduce", inputs.empty() ? SourceLocation() : inputs[0].where());
  fail(ErrorKind::value, "unsupported-stoc-accum",
       "argument 'stoc_accum': expected false, for stochastic rounding is not supported, but got "
       "true");
}

} // namespace detail

} // namespace kolam::samba
