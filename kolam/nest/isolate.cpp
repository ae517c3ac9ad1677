// Copies a nest out of its program.
#include "kolam/nest/isolate.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace kolam::nest {

static std::string content_of(const IsolatedNest& isolated) {
  // A new member of Nest must be found here, or lower must not look at it.
  const auto& [name, root, fused, outputs, inputs, symbols, products, packs, parallel,
               aligned_outputs] = isolated.nest;
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const std::string& symbol : symbols)
    stream << symbol << " ";
  stream << "over " << parallel.to_string() << (aligned_outputs ? " aligned" : "")
         << (packs ? " packs" : "") << " products";
  for (const Product& product : products) // whose dims and factors follow from the op
    stream << " " << std::distance(root->getBlock()->begin(), product.op->getIterator())
           << (product.is_packed_before ? " packed" : "");
  stream << "\n";
  // The generic form prints every attribute.
  isolated.module.get()->print(stream,
                               mlir::OpPrintingFlags().useLocalScope().printGenericOpForm());
  return text;
}

IsolatedNest isolate(const Nest& nest) {
  mlir::Location loc = mlir::UnknownLoc::get(nest.root->getContext());
  IsolatedNest result{mlir::ModuleOp::create(loc), nest, {}};
  mlir::OpBuilder builder(result.module->getBodyRegion());
  mlir::TypeRange inputs = mlir::ValueRange(nest.inputs).getTypes(),
                  outputs = mlir::ValueRange(nest.outputs).getTypes();
  auto function =
      mlir::func::FuncOp::create(builder, loc, "nest", builder.getFunctionType(inputs, outputs));
  builder.setInsertionPointToStart(function.addEntryBlock());
  mlir::IRMapping mapping;
  mapping.map(nest.inputs, function.getArguments());
  for (mlir::Operation*& op : llvm::reverse(result.nest.fused)) // producers first
    op = builder.clone(*op, mapping);
  result.nest.root = builder.clone(*nest.root, mapping);
  for (Product& product : result.nest.products)
    product.op = mapping.lookup(product.op);
  for (mlir::Value& input : result.nest.inputs)
    input = mapping.lookup(input);
  for (mlir::Value& output : result.nest.outputs)
    output = mapping.lookup(output);
  mlir::func::ReturnOp::create(builder, loc, result.nest.outputs);
  result.content = content_of(result);
  return result;
}

} // namespace kolam::nest
