// Finds identities.
#include "kolam/support/identity.h"

#include "kolam/support/error.h"

namespace kolam {
namespace {

uint64_t one_bits(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return 0x3c00;
  case DType::bf16:
    return 0x3f80;
  case DType::f32:
    return 0x3f800000;
  case DType::f64:
    return 0x3ff0000000000000;
  default:
    return 1;
  }
}

uint64_t infinity_bits(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return 0x7c00;
  case DType::bf16:
    return 0x7f80;
  case DType::f32:
    return 0x7f800000;
  default:
    return 0x7ff0000000000000;
  }
}

} // namespace

uint64_t identity_bits(Fn fn, DType dtype) {
  int width = 8 * byte_width(dtype);
  uint64_t sign = uint64_t{1} << (width - 1);
  uint64_t all = sign | (sign - 1);
  switch (elementwise_row(fn).identity) {
  case Identity::zero:
    return 0;
  case Identity::one:
    return one_bits(dtype);
  case Identity::lowest:
    return is_float(dtype) ? infinity_bits(dtype) | sign : is_signed_integer(dtype) ? sign : 0;
  case Identity::highest:
    return is_float(dtype) ? infinity_bits(dtype) : is_signed_integer(dtype) ? sign - 1 : all;
  case Identity::all_ones:
    return dtype == DType::boolean ? 1 : all;
  case Identity::none:
    break;
  }
  KOLAM_CHECK(!"a function with an identity");
  return 0;
}

} // namespace kolam
