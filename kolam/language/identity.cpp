// Makes identities of monoids.
#include "kolam/language/identity.h"

#include "kolam/support/identity.h"

namespace kolam::language {

Value identity(Builder& b, Fn fn, DType dtype) {
  uint64_t bits = identity_bits(fn, dtype);
  auto type = tensor_type(b, dtype, {});
  if (dtype == DType::boolean)
    return make_constant(b, mlir::DenseElementsAttr::get(type, bits != 0));
  return make_constant(
      b, mlir::DenseElementsAttr::getFromRawBuffer(
             type, {reinterpret_cast<const char*>(&bits), static_cast<size_t>(byte_width(dtype))}));
}

} // namespace kolam::language
