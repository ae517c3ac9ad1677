// Converts between MLIR tensor types and dtypes with extents.
#include "kolam/ir/types.h"

#include "kolam/ir/dialect.h"
#include "kolam/support/error.h"

namespace kolam::ir {
namespace {

std::optional<DType> find_dtype(mlir::Type type) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    if (integer.isSigned())
      return std::nullopt;
    bool is_unsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return is_unsigned ? std::nullopt : std::optional(DType::boolean);
    case 8:
      return is_unsigned ? DType::u8 : DType::i8;
    case 16:
      return is_unsigned ? DType::u16 : DType::i16;
    case 32:
      return is_unsigned ? DType::u32 : DType::i32;
    case 64:
      return is_unsigned ? DType::u64 : DType::i64;
    default:
      return std::nullopt;
    }
  }
  if (type.isF16())
    return DType::f16;
  if (type.isBF16())
    return DType::bf16;
  if (type.isF32())
    return DType::f32;
  if (type.isF64())
    return DType::f64;
  return std::nullopt;
}

} // namespace

bool is_countable(const Shape& shape) {
  constexpr int64_t kMostWidth = 8, kLine = 64; // format: of the widest dtype and of buffers
  try {
    element_count(shape) * Extent(kMostWidth) + Extent(kLine);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_program_type(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !find_dtype(tensor.getElementType()))
    return false;
  if (!tensor.getEncoding())
    return tensor.hasStaticShape() && is_countable(shape_of(type));
  if (tensor.hasStaticShape())
    return false;
  auto extents = llvm::dyn_cast<ExtentsAttr>(tensor.getEncoding());
  if (!extents || static_cast<int64_t>(extents.getDims().size()) != tensor.getRank())
    return false;
  Shape shape = extents.shape();
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (extent.constant().value_or(mlir::ShapedType::kDynamic) != tensor.getDimSize(dim))
      return false;
  return is_countable(shape);
}

mlir::Type element_type(mlir::MLIRContext* context, DType dtype) {
  switch (dtype) {
  case DType::f16:
    return mlir::Float16Type::get(context);
  case DType::bf16:
    return mlir::BFloat16Type::get(context);
  case DType::f32:
    return mlir::Float32Type::get(context);
  case DType::f64:
    return mlir::Float64Type::get(context);
  case DType::boolean:
    return mlir::IntegerType::get(context, 1);
  default:
    return mlir::IntegerType::get(context, 8 * byte_width(dtype),
                                  is_unsigned_integer(dtype) ? mlir::IntegerType::Unsigned
                                                             : mlir::IntegerType::Signless);
  }
}

DType dtype_of(mlir::Type type) {
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
    type = tensor.getElementType();
  auto dtype = find_dtype(type);
  KOLAM_CHECK(dtype.has_value());
  return *dtype;
}

mlir::RankedTensorType tensor_type(mlir::MLIRContext* context, DType dtype, const Shape& shape) {
  llvm::SmallVector<int64_t> sizes;
  bool is_static = true;
  for (const Extent& extent : shape) {
    sizes.push_back(extent.constant().value_or(mlir::ShapedType::kDynamic));
    is_static &= extent.is_constant();
  }
  mlir::Attribute encoding;
  if (!is_static)
    encoding = ExtentsAttr::of(context, shape);
  return mlir::RankedTensorType::get(sizes, element_type(context, dtype), encoding);
}

Shape shape_of(mlir::Type type) {
  auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  if (auto extents = llvm::dyn_cast_if_present<ExtentsAttr>(tensor.getEncoding()))
    return extents.shape();
  return Shape(tensor.getShape().begin(), tensor.getShape().end());
}

} // namespace kolam::ir
