// Finds same dims by signatures, by groups of reshapes, and by rows.
#include "kolam/analysis/data_dim/same_dims.h"

#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reshape_groups.h"

namespace kolam::analysis {
namespace {

bool is_whole(const space::Operand& operand, size_t dim) {
  return space::is_constant(operand.projection.map.rows[dim]) &&
         operand.projection.size[dim] == operand.shape[dim];
}

/// The index dim that walks all of a tensor's dim, element by element, from either end, by windows
/// that are combined too; -1 where none does.
int walked_by(const space::Signature& signature, const space::Operand& operand, size_t dim) {
  const space::AffineRow& row = operand.projection.map.rows[dim];
  if (!space::is_affine(row) || !(operand.projection.size[dim] == Extent(1)))
    return -1;
  std::vector<size_t> walking;
  for (size_t index = 0; index < row.coefficients.size(); ++index)
    if (row.coefficients[index] != 0)
      walking.push_back(index);
  if (walking.size() > 1) // a window
    std::erase_if(walking, [&](size_t index) {
      return signature.dims[index].kind == space::DimKind::reduce;
    });
  if (walking.size() != 1)
    return -1;
  const size_t walked = walking[0];
  const bool is_step = row.coefficients[walked] == 1 || row.coefficients[walked] == -1;
  return is_step && signature.dims[walked].extent == operand.shape[dim] ? static_cast<int>(walked)
                                                                        : -1;
}

class Finder {
public:
  Finder(mlir::Operation* op, const std::function<int(mlir::Value)>& number_of)
      : op_(op), number_of_(number_of), signature_(llvm::cast<ir::SignedOp>(op).signature()) {}

  std::vector<SameDims> find(const space::DataDimTable& table) {
    const bool is_program = has_programs(op_);
    const bool has_operands =
        !signature_.opaque &&
        signature_.operands.size() == op_->getNumOperands() + op_->getNumResults();
    // Of lists and refs a signature counts other dims than those of their elements.
    const bool are_arrays = llvm::all_of(op_->getOperandTypes(), is_array) &&
                            llvm::all_of(op_->getResultTypes(), is_array);
    if (has_operands && are_arrays)
      add_walked();
    if (is_program || !are_arrays || is_indirect())
      add_rows(table, is_program);
    else if (has_operands && op_->getNumResults() > 0)
      add_whole();
    if (ir::facts_of(op_).keeps_order)
      add_groups();
    return std::move(found_);
  }

private:
  static bool is_array(mlir::Type type) { return llvm::isa<mlir::RankedTensorType>(type); }

  /// Whether data decide which elements of an operand a point touches.
  bool is_indirect() const {
    return llvm::any_of(signature_.operands,
                        [](const space::Operand& operand) { return operand.indirect; });
  }

  mlir::Value value_at(size_t number) const {
    const size_t operands = op_->getNumOperands();
    return number < operands ? op_->getOperand(static_cast<unsigned>(number))
                             : op_->getResult(static_cast<unsigned>(number - operands));
  }

  void add(SameDims& same, mlir::Value value, size_t first, size_t count = 1) const {
    if (const int number = number_of_(value); number >= 0)
      same.push_back({number, first, count});
  }

  void keep(SameDims same) {
    if (same.size() > 1)
      found_.push_back(std::move(same));
  }

  void add_walked() {
    std::vector<SameDims> walked(signature_.dims.size());
    for (size_t number = 0; number < signature_.operands.size(); ++number)
      for (size_t dim = 0; dim < signature_.operands[number].shape.size(); ++dim)
        if (int index = walked_by(signature_, signature_.operands[number], dim); index >= 0)
          add(walked[static_cast<size_t>(index)], value_at(number), dim);
    for (SameDims& same : walked)
      keep(std::move(same));
  }

  /// Dims that every point owns whole, in the last result and all tensors of its rank.
  void add_whole() {
    const space::Operand& result = signature_.operands.back();
    for (size_t dim = 0; dim < result.shape.size(); ++dim) {
      if (!is_whole(result, dim))
        continue;
      SameDims same;
      for (size_t number = 0; number < signature_.operands.size(); ++number)
        if (const space::Operand& of = signature_.operands[number];
            of.shape.size() == result.shape.size() && of.shape[dim] == result.shape[dim] &&
            is_whole(of, dim))
          add(same, value_at(number), dim);
      keep(std::move(same));
    }
  }

  /// Of an op that keeps the order of elements, what is not one dim on either side.
  void add_groups() {
    const mlir::Value from = op_->getOperand(0), to = op_->getResult(0);
    for (const ir::ReshapeGroup& group :
         ir::reshape_groups(ir::data_shape(from), ir::data_shape(to))) {
      if (group.from.count == 0 || group.to.count == 0 || group.from.count + group.to.count == 2)
        continue;
      SameDims same;
      add(same, from, group.from.first, group.from.count);
      add(same, to, group.to.first, group.to.count);
      keep(std::move(same));
    }
  }

  /// Rows tie the dims that they name; those of programs where they move nothing.
  void add_rows(const space::DataDimTable& table, bool is_program) {
    for (const space::DataDimRow& row : table.rows) {
      if (is_program && row.cost != space::DataDimCost::free)
        continue;
      SameDims same;
      std::optional<Extent> extent;
      for (size_t at = 0; at < table.places.size(); ++at) {
        const int dim = row.dims[at];
        if (dim < 0 || is_kept(dim))
          continue;
        const mlir::Value value = ir::value_at(op_, table.places[at]);
        const Extent own = ir::data_shape(value)[static_cast<size_t>(dim)];
        if (!extent)
          extent = own;
        if (own == *extent || llvm::isa<ir::KernelCallOp>(op_)) // a block's dim is the array's
          add(same, value, static_cast<size_t>(dim));
      }
      keep(std::move(same));
    }
  }

  mlir::Operation* op_;
  const std::function<int(mlir::Value)>& number_of_;
  space::Signature signature_;
  std::vector<SameDims> found_;
};

} // namespace

std::vector<SameDims> same_dims(mlir::Operation* op, const space::DataDimTable& table,
                                const std::function<int(mlir::Value)>& number_of) {
  return Finder(op, number_of).find(table);
}

} // namespace kolam::analysis
