// Makes the function of a nest.
#include "kolam/lower/lower.h"

#include "kolam/lower/lanes.h"
#include "kolam/lower/matrix_nest.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"

namespace kolam::lower {
namespace {

/// for every cell of the result: result[i] = cells(i). The outermost dim is the nest's parallel
/// range; the innermost goes by vectors.
class MapEmitter {
public:
  MapEmitter(const nest::Nest& nest, Emission& e)
      : root_(nest.root), lanes_(choose_lanes(nest, e.machine)), e_(e),
        shape_(e.shape(root_->getResult(0))) {}

  void emit() {
    if (shape_.empty())
      return e_.loop(e_.begin(), e_.end(), [&](Value) { emit_cell({}); });
    if (shape_.size() == 1)
      return emit_row(e_.begin(), e_.end());
    if (shape_.size() == 2)
      return emit_rows(e_.begin(), e_.end());
    e_.loop(e_.begin(), e_.end(), [&](Value outer) {
      e_.loops(ValueSpan(shape_).drop_front().drop_back(2), [&](IndexSpan inner) {
        index_ = {outer};
        index_.append(inner.begin(), inner.end());
        emit_rows(e_.i64(0), shape_[shape_.size() - 2]);
      });
    });
  }

private:
  void emit_cell(IndexSpan index) {
    Values values = e_.cells(root_, index);
    Coordinate number = e_.ravel(index, shape_);
    for (auto [parameter, result] : llvm::enumerate(root_->getResults()))
      e_.store(static_cast<int>(parameter), ir::dtype_of(result), number, values[parameter]);
  }

  /// Note [One lane].
  static bool is_single(Value active) {
    auto count = active ? active.getDefiningOp<mlir::arith::ConstantIntOp>() : nullptr;
    return count && count.value() == 1;
  }

  void emit_cells_at(Value i, int64_t stride) {
    Index index = index_;
    index.push_back(Coordinate::progression(i, stride));
    emit_cell(index);
  }

  void emit_rows(Value first, Value last) {
    e_.loop(first, last, [&](Value row) {
      index_.push_back(row);
      emit_row(e_.i64(0), shape_.back());
      index_.pop_back();
    });
  }

  void emit_row(Value first, Value last) {
    if (lanes_ == 1)
      return e_.loop(first, last, [&](Value i) { emit_cells_at(i, 0); });
    Value count = e_.sub(last, first);
    Value left = e_.b.createOrFold<mlir::arith::RemSIOp>(count, e_.i64(lanes_));
    Value whole = e_.sub(last, left);
    e_.loop(
        first, whole, [&](Value i) { e_.with_lanes(lanes_, {}, [&] { emit_cells_at(i, 1); }); },
        lanes_);
    Value some =
        e_.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, left, e_.i64(0));
    e_.when(some, [&] {
      if (is_single(left))
        return emit_cells_at(whole, 0);
      e_.with_lanes(lanes_, left, [&] { emit_cells_at(whole, 1); });
    });
  }

  mlir::Operation* root_;
  int lanes_;
  Emission& e_;
  Values shape_;
  Index index_; ///< of the dims around
};

} // namespace

void load_dialects(mlir::MLIRContext& context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect>();
}

mlir::OwningOpRef<mlir::ModuleOp> lower_nest(const nest::Nest& nest, const Machine& machine) {
  mlir::MLIRContext* context = nest.root->getContext();
  // Locations stay out: equal nests of different lines are one object.
  mlir::Location loc = mlir::UnknownLoc::get(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  mlir::OpBuilder builder(module->getBodyRegion());
  auto pointer = mlir::LLVM::LLVMPointerType::get(context);
  auto i64 = builder.getI64Type();
  auto function = mlir::func::FuncOp::create(
      builder, loc, kNestFunction,
      builder.getFunctionType({pointer, pointer, pointer, i64, i64, pointer},
                              {builder.getI32Type()}));
  Emission emission(builder, nest, function, machine);
  if (!nest.products.empty())
    emit_matrix_nest(emission);
  else if (!dispatch_whole(nest.root, emission))
    MapEmitter(nest, emission).emit();
  emission.finish();
  declare_library_calls(*module);
  return module;
}

} // namespace kolam::lower

// Note [One lane]
// LLVM 22 turns a masked store whose mask holds one constant lane into a store of that lane. Where
// the stored vector was narrowed just before (f16 and bf16 results), it stores the wide lane, over
// the next cell. A single cell is scalar code here, so such masks do not come up.
