// Finds products of matrices by the signatures of contractions.
#include "kolam/nest/products.h"

#include "kolam/analysis/access.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/ops.h"
#include "kolam/support/accumulate.h"
#include "kolam/support/machine.h"

namespace kolam::nest {
namespace {

/// Whether pairs of such factors are multiplied and added by vpmaddwd, which all x86-64 machines
/// have: exact, but for sums that wrap as the result does.
bool has_integer_pairs(DType factor, DType result) {
  return result == DType::i32 &&
         (factor == DType::i8 || factor == DType::u8 || factor == DType::i16);
}

bool goes_by_chain(mlir::Operation* op) {
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
    // Instructions that multiply several pairs have no mask for one of them.
    const DType factor = ir::dtype_of(contract.getLhs());
    const bool goes_in_groups =
        factor == DType::bf16 || has_integer_pairs(factor, ir::dtype_of(contract.getResult()));
    return !(contract.getWhere() && goes_in_groups) &&
           ir::accumulate_of(contract.getAccumulate()).order == Order::chain;
  }
  auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op);
  if (!convolution || convolution.getGroups() != 1)
    return false;
  auto is_added = [](int64_t width) { return width > 0; };
  return ir::accumulate_of(convolution.getAccumulate()).order == Order::chain &&
         llvm::none_of(convolution.getLow(), is_added) &&
         llvm::none_of(convolution.getHigh(), is_added);
}

bool uses(const space::Operand& operand, int64_t dim) {
  return llvm::any_of(operand.projection.map.rows,
                      [&](const space::AffineRow& row) { return row.coefficients[dim] != 0; });
}

/// Whether a gather, perhaps behind views, chooses the value's rows by data.
bool is_chosen_by_data(mlir::Value value) {
  mlir::Operation* op = value.getDefiningOp();
  while (op && (analysis::view_of_operand(op) || llvm::isa<ir::ReshapeOp>(op)))
    op = op->getOperand(0).getDefiningOp();
  return llvm::isa_and_present<ir::GatherOp>(op) && analysis::is_view_by_data(op);
}

bool has_few_summed(const space::Signature& signature, int64_t rank) {
  int64_t count = 1;
  for (size_t dim = rank; dim < signature.dims.size(); ++dim)
    count *= std::min(signature.dims[dim].extent.constant().value_or(kTiles.few_summed),
                      kTiles.few_summed);
  return count < kTiles.few_summed;
}

} // namespace

/// The places along some dims of the result.
static Extent count_along(const Product& product, const std::vector<int>& dims) {
  Shape shape = ir::shape_of(product.op->getResult(0));
  Extent count = 1;
  for (int dim : dims)
    count = count * shape[dim];
  return count;
}

Extent row_count(const Product& product) { return count_along(product, product.dims.rows); }

Extent summed_count(const Product& product) {
  space::Signature signature = llvm::cast<ir::SignedOp>(product.op).signature();
  Extent count = 1;
  for (size_t dim = ir::rank_of(product.op->getResult(0)); dim < signature.dims.size(); ++dim)
    count = count * signature.dims[dim].extent;
  return count;
}

static DType factor_dtype(const Product& product) {
  return ir::dtype_of(product.op->getOperand(0));
}

DType sum_dtype(const Product& product) {
  return is_narrow_float(factor_dtype(product)) ? DType::f32
                                                : ir::dtype_of(product.op->getResult(0));
}

DType held_dtype(const Product& product, const Machine& machine) {
  DType factor = factor_dtype(product), result = ir::dtype_of(product.op->getResult(0));
  const int group = dot_group(factor, result, machine);
  if (factor == DType::bf16 || group == 4)
    return factor;
  return group == 2 ? DType::i16 : sum_dtype(product);
}

int dot_group(DType factor, DType result, const Machine& machine) {
  if (factor == DType::bf16 && machine.has_bf16_dots)
    return 2;
  if (!has_integer_pairs(factor, result))
    return 0;
  return factor == DType::i8 && machine.has_i8_dots ? 4 : 2;
}

Accumulate accumulate_of(const Product& product) {
  return ir::accumulate_of(product.op->getAttrOfType<ir::AccumulateAttr>("accumulate"));
}

bool is_one_chain(const Product& product) {
  std::optional<int64_t> count = summed_count(product).constant();
  const int64_t chunk = accumulate_of(product).chunk;
  return !is_float(sum_dtype(product)) || chunk == kEndless || (count && *count <= chunk);
}

std::optional<Product> as_product(mlir::Operation* op, analysis::Signatures& signatures) {
  if (!goes_by_chain(op))
    return std::nullopt;
  const space::Signature& signature = signatures.of(op);
  int64_t rank = ir::rank_of(op->getResult(0));
  if (rank == 0 || has_few_summed(signature, rank))
    return std::nullopt;
  const space::Operand &first = signature.operands[0], &second = signature.operands[1];
  bool by_first = uses(first, rank - 1), by_second = uses(second, rank - 1);
  if (by_first == by_second)
    return std::nullopt;
  Product product{op, by_first ? 1u : 0u, by_first ? 0u : 1u, {}};
  for (int dim = 0; dim + 1 < rank; ++dim) {
    bool is_row = uses(signature.operands[product.rows_of], dim) &&
                  !uses(signature.operands[product.columns_of], dim);
    (is_row ? product.dims.rows : product.dims.batch).push_back(dim);
  }
  if (product.dims.batch == std::vector{0} &&
      is_chosen_by_data(op->getOperand(product.columns_of)) &&
      row_count(product).constant().value_or(INT64_MAX) <= kTiles.grouped_rows) {
    product.dims.batch.clear();
    product.dims.rows.insert(product.dims.rows.begin(), 0);
    product.dims.is_grouped = true;
  }
  return product;
}

static Extent batch_count(const Product& product) {
  return count_along(product, product.dims.batch);
}

Extent packing_units(const Product& product) {
  Shape shape = ir::shape_of(product.op->getResult(0));
  return batch_count(product) * ceildiv(shape.back(), unit_of(product).columns);
}

UnitShape unit_of(llvm::ArrayRef<Product> products) {
  constexpr UnitShape kLarge{kTiles.unit, kTiles.unit};
  mlir::Value result = products[0].op->getResult(0);
  int64_t rows = row_count(products[0]).constant().value_or(kTiles.few_rows);
  int64_t columns = ir::shape_of(result).back().constant().value_or(0);
  double cells = static_cast<double>(rows) * static_cast<double>(columns);
  if (cells >= static_cast<double>(kTiles.many_units * kLarge.rows * kLarge.columns))
    return kLarge;
  UnitShape unit = kLarge;
  if (rows > kTiles.few_rows)
    unit.rows = kTiles.small_unit;
  bool has_wide_sums = llvm::any_of(products, [](const Product& product) {
    return byte_width(ir::dtype_of(product.op->getResult(0))) > 4;
  });
  bool may_have_few = rows <= kTiles.wide_rows || products[0].dims.is_grouped;
  if (!may_have_few && columns > kLarge.columns && !has_wide_sums)
    unit.columns = kTiles.small_unit;
  return unit;
}

Extent product_units(llvm::ArrayRef<Product> products) {
  UnitShape unit = unit_of(products);
  Extent columns = ir::shape_of(products[0].op->getResult(0)).back();
  return batch_count(products[0]) * ceildiv(columns, unit.columns) *
         ceildiv(row_count(products[0]), unit.rows);
}

Extent packed_bytes(const Product& product) {
  constexpr int64_t kMostLanes = kWideRun, kMostGrouped = 4; // format: of bytes in a dot product
  Shape shape = ir::shape_of(product.op->getResult(0));
  Extent summed = summed_count(product);
  Extent cells = ceildiv(summed, kMostGrouped) * Extent(kMostGrouped) + Extent(kPackedBehind);
  // Factors may be held in the dtype of the sums, of 32 bits at least.
  int width = std::max({byte_width(ir::dtype_of(product.op->getOperand(0))),
                        byte_width(ir::dtype_of(product.op->getResult(0))), 4});
  return batch_count(product) * ceildiv(shape.back(), kMostLanes) * Extent(kMostLanes) * cells *
         Extent(width);
}

std::vector<Product> products_of(mlir::Operation* root, llvm::ArrayRef<mlir::Operation*> fused,
                                 const NestRelation& relation, analysis::Signatures& signatures) {
  std::vector<Product> products;
  if (root->getNumResults() != 1 || !analysis::computes_cells(root, signatures))
    return products;
  for (mlir::Operation* op :
       llvm::concat<mlir::Operation* const>(llvm::ArrayRef<mlir::Operation*>(root), fused)) {
    std::optional<Product> product = as_product(op, signatures);
    if (!product || !relation.is_at_own_index(op))
      continue;
    if (!products.empty() && !(products[0].dims == product->dims))
      return {};
    products.push_back(*product);
  }
  return products;
}

} // namespace kolam::nest
