// Counts the ops of a traced program.
#include "kolam/frontend/pallas/estimate_cost.h"

#include "kolam/frontend/array/program_state.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/elementwise.h"

#include <bit>
#include <cmath>

namespace kolam::pallas {
namespace {

struct Count {
  double flops = 0, transcendentals = 0, bytes = 0;

  void add(const Count& other, double times) {
    flops += times * other.flops;
    transcendentals += times * other.transcendentals;
    bytes += times * other.bytes;
  }
};

/// The number that all elements of a value are; nullopt where they differ, or only the run knows.
std::optional<double> number_of(mlir::Value value) {
  while (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  auto elements = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                           : mlir::DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return std::nullopt;
  if (llvm::isa<mlir::FloatType>(elements.getElementType())) {
    llvm::APFloat number = elements.getSplatValue<llvm::APFloat>();
    bool loses = false;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
    return number.convertToDouble();
  }
  return static_cast<double>(elements.getSplatValue<llvm::APInt>().getSExtValue());
}

/// Flops of x ** n by squarings and products; 0 for other exponents.
double flops_of_power(mlir::Value exponent) {
  constexpr double kMost = 1 << 30;
  auto number = number_of(exponent);
  if (!number || *number != std::floor(*number) || *number < 2 || *number > kMost)
    return 0;
  auto n = static_cast<uint64_t>(*number);
  return static_cast<double>(std::bit_width(n) - 1 + std::popcount(n));
}

Count count_block(mlir::Block& block);

Count count_op(mlir::Operation& op) {
  if (auto function = llvm::dyn_cast<ir::ElementwiseOp>(op)) {
    const Fn fn = *parse_fn(function.getFunction());
    const ElementwiseRow& row = elementwise_row(fn);
    const double elements = ir::rough_count(ir::shape_of(function.getResult()));
    const double flops =
        fn == Fn::pow ? flops_of_power(function.getOperands()[1]) : static_cast<double>(row.flops);
    return {elements * flops, elements * row.transcendentals};
  }
  if (auto product = llvm::dyn_cast<ir::ContractOp>(op))
    return {2 * ir::rough_count(space::index_shape(product.signature()))};
  if (auto call = llvm::dyn_cast<ir::KernelCallOp>(op)) {
    if (auto cost = call.getCost())
      return {static_cast<double>((*cost)[0]), static_cast<double>((*cost)[1]),
              static_cast<double>((*cost)[2])};
    Count count;
    count.add(count_block(call.getBody().front()), ir::rough_count(call.getGrid().shape()));
    return count;
  }
  return {};
}

Count count_block(mlir::Block& block) {
  Count count;
  for (mlir::Operation& op : block)
    count.add(count_op(op), 1);
  return count;
}

} // namespace

CostEstimate estimate_cost(const Program& program) {
  Program::State& state = Program::State::of(program);
  std::lock_guard lock(state.mutex);
  Count count = count_block(state.program.main().getBody().front());
  for (const auto& specs : {program.parameters(), program.results()})
    for (const TensorSpec& spec : specs)
      count.bytes += ir::rough_count(spec.shape) * byte_width(spec.dtype);
  return {static_cast<int64_t>(count.flops), static_cast<int64_t>(count.transcendentals),
          static_cast<int64_t>(count.bytes)};
}

CostEstimate estimate_cost(const std::function<std::vector<Tensor>(std::vector<Tensor>)>& function,
                           const std::vector<TensorSpec>& arguments) {
  return estimate_cost(trace(arguments, function));
}

} // namespace kolam::pallas
