// Registers the dialect; reads, prints and checks its attributes.
#include "kolam/ir/dialect.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/types.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "kolam/ir/dialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kolam/ir/attributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "kolam/ir/types.cpp.inc"

namespace kolam::ir {

void KolamDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kolam/ir/ops.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kolam/ir/attributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "kolam/ir/types.cpp.inc"
      >();
}

mlir::Operation* KolamDialect::materializeConstant(mlir::OpBuilder& builder, mlir::Attribute value,
                                                   mlir::Type type, mlir::Location loc) {
  if (auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value))
    return ConstantOp::create(builder, loc, elements.getType(), elements);
  return nullptr;
}

ExtentsAttr ExtentsAttr::of(mlir::MLIRContext* context, const Shape& shape) {
  llvm::SmallVector<mlir::Attribute> dims;
  for (const Extent& extent : shape)
    dims.push_back(mlir::StringAttr::get(context, extent.to_string()));
  return get(context, mlir::ArrayAttr::get(context, dims));
}

Shape ExtentsAttr::shape() const {
  Shape result;
  for (mlir::Attribute dim : getDims())
    result.push_back(*Extent::parse(llvm::cast<mlir::StringAttr>(dim).getValue()));
  return result;
}

llvm::LogicalResult ExtentsAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emit_error,
                                        mlir::ArrayAttr dims) {
  for (mlir::Attribute dim : dims) {
    auto text = llvm::dyn_cast<mlir::StringAttr>(dim);
    auto extent = text ? Extent::parse(text.getValue()) : std::nullopt;
    if (!extent)
      return emit_error() << "expected an extent expression, but got " << dim;
    if (extent->to_string() != text.getValue())
      return emit_error() << "expected the normal form '" << extent->to_string() << "', but got "
                          << dim;
  }
  return mlir::success();
}

void AccumulateAttr::print(mlir::AsmPrinter& printer) const {
  printer << "<\"" << to_string(accumulate_of(*this)) << "\">";
}

mlir::Attribute AccumulateAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  std::string text;
  if (parser.parseLess() || parser.parseString(&text) || parser.parseGreater())
    return {};
  auto accumulate = parse_accumulate(text);
  if (!accumulate) {
    parser.emitError(parser.getCurrentLocation())
        << "expected an accumulation order such as 'lanes<64>, chunk<4096>', but got '" << text
        << "'";
    return {};
  }
  return accumulate_attr(parser.getContext(), *accumulate);
}

AccumulateAttr accumulate_attr(mlir::MLIRContext* context, const Accumulate& accumulate) {
  return AccumulateAttr::get(context, accumulate.order, accumulate.lanes, accumulate.chunk,
                             accumulate.in_order);
}

Accumulate accumulate_of(AccumulateAttr attr) {
  return {attr.getOrder(), attr.getLanes(), attr.getChunk(), attr.getInOrder()};
}

} // namespace kolam::ir
