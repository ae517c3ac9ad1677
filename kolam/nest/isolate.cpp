// Copies a nest out of its program.
#include "kolam/nest/isolate.h"

#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

namespace kolam::nest {

static std::string content_of(const IsolatedNest& isolated) {
  // A new member of Nest must be found here, or lower must not look at it.
  const auto& [name, root, fused, outputs, inputs, symbols, products, packs, parallel,
               aligned_outputs, layouts] = isolated.nest;
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const std::string& symbol : symbols)
    stream << symbol << " ";
  stream << "over " << parallel.to_string() << (aligned_outputs ? " aligned" : "")
         << (packs ? " packs" : "") << " products";
  for (const Product& product : products) // whose dims and factors follow from the op
    stream << " " << std::distance(root->getBlock()->begin(), product.op->getIterator())
           << (product.is_packed_before ? " packed" : "");
  for (const auto& [number, layout] : llvm::enumerate(layouts))
    if (layout)
      stream << "; " << number << " at " << layout->offset.to_string()
             << llvm::join(llvm::map_range(
                               layout->strides,
                               [](const Extent& stride) { return " / " + stride.to_string(); }),
                           "");
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

static Extent read_extent(llvm::StringRef text) {
  std::optional<Extent> extent = Extent::parse(text.str());
  KOLAM_CHECK(extent);
  return *extent;
}

/// `2 at 0 / n / 1`: how a parameter lies.
static void read_layouts(llvm::ArrayRef<llvm::StringRef> parts, Nest& nest) {
  for (llvm::StringRef part : parts) {
    nest.layouts.resize(nest.outputs.size() + nest.inputs.size());
    auto [number_text, rest] = part.split(" at ");
    size_t number = 0;
    KOLAM_CHECK(!number_text.getAsInteger(10, number) && number < nest.layouts.size());
    mlir::Value value = number < nest.outputs.size() ? nest.outputs[number]
                                                     : nest.inputs[number - nest.outputs.size()];
    llvm::SmallVector<llvm::StringRef> extents;
    rest.split(extents, " / ");
    space::Layout layout{read_extent(extents[0]), ir::shape_of(value), {}};
    for (llvm::StringRef stride : llvm::drop_begin(extents))
      layout.strides.push_back(read_extent(stride));
    nest.layouts[number] = std::move(layout);
  }
}

/// What stands in the first line of a nest's text.
static void read_header(llvm::StringRef header, IsolatedNest& isolated) {
  Nest& nest = isolated.nest;
  llvm::SmallVector<llvm::StringRef> parts;
  header.split(parts, "; ");
  read_layouts(llvm::ArrayRef(parts).drop_front(), nest);
  auto [symbols, rest] = parts[0].split("over ");
  for (llvm::StringRef word : llvm::split(symbols.trim(), ' '))
    if (!word.empty())
      nest.symbols.push_back(word.str());
  auto [range, products] = rest.split(" products");
  nest.packs = range.consume_back(" packs");
  nest.aligned_outputs = range.consume_back(" aligned");
  nest.parallel = read_extent(range);
  analysis::Signatures signatures;
  for (llvm::StringRef word : llvm::split(products.trim(), ' ')) {
    size_t number = 0;
    if (word == "packed") {
      KOLAM_CHECK(!nest.products.empty());
      nest.products.back().is_packed_before = true;
    } else if (!word.empty()) {
      KOLAM_CHECK(!word.getAsInteger(10, number) && number <= nest.fused.size());
      std::optional<Product> product = as_product(
          number == nest.fused.size() ? nest.root : nest.fused[nest.fused.size() - 1 - number],
          signatures);
      KOLAM_CHECK(product);
      nest.products.push_back(*product);
    }
  }
}

IsolatedNest read_isolated(const std::string& content, mlir::MLIRContext& context) {
  auto [header, module] = llvm::StringRef(content).split('\n');
  IsolatedNest result;
  // A nest behind a check may be one that no sizes make right.
  result.module = mlir::parseSourceString<mlir::ModuleOp>(
      module, mlir::ParserConfig(&context, /*verifyAfterParse=*/false));
  KOLAM_CHECK(result.module);
  auto function = result.module->lookupSymbol<mlir::func::FuncOp>("nest");
  KOLAM_CHECK(function && !function.isExternal());
  mlir::Block& block = function.front();
  Nest& nest = result.nest;
  nest.inputs.assign(block.args_begin(), block.args_end());
  llvm::append_range(nest.outputs, block.getTerminator()->getOperands());
  for (mlir::Operation& op : block.without_terminator())
    nest.fused.insert(nest.fused.begin(), &op);
  KOLAM_CHECK(!nest.fused.empty());
  nest.root = nest.fused.front();
  nest.fused.erase(nest.fused.begin());
  read_header(header, result);
  result.content = content;
  return result;
}

} // namespace kolam::nest
