// kolam.dynamic_update_slice as the root of a nest: writes the update's elements over the
// operand's.
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/cpu/map.h"
#include "kolam/lower/cpu/result_cells.h"
#include "kolam/lower/cpu/whole.h"
#include "kolam/lower/scalar_builder.h"

#include "kolam/nest/in_place.h"
#include "kolam/nest/symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kolam::lower::cpu {

namespace {

/// A result as the root of a nest: the operand's elements, unless they are there, then the update's
/// over them. Asking each element which of both it is would take a masked load of either.
class UpdateEmitter {
public:
  UpdateEmitter(ir::DynamicUpdateSliceOp op, Emission& e)
      : op_(op), e_(e), dtype_(ir::dtype_of(op.getResult())), shape_(e.shape(op.getResult())),
        window_(e.shape(op.getUpdate())), shared_(nest::parallel_dim(e.nest()).value()),
        start_(clipped_starts(op, op.getStarts(), ir::shape_of(op.getOperand()),
                              ir::shape_of(op.getUpdate()), e)) {}

  void emit() {
    e_.when(e_.lies_apart(0, op_.getOperand()), [&] { emit_copy(); });
    Index source;
    emit_update(source);
  }

private:
  /// for every vector of places [first, last): body(place)
  void emit_run(Value first, Value last, int lanes,
                llvm::function_ref<void(const Coordinate&)> body) {
    Value left = e_.b.createOrFold<mlir::arith::RemUIOp>(e_.sub(last, first), e_.i64(lanes));
    Value end = e_.sub(last, left);
    auto at = [&](Value place) {
      return [&body, place](int count) {
        body(count > 1 ? Coordinate::progression(place, 1) : Coordinate(place));
      };
    };
    e_.loop(first, end, [&](Value i) { with_cells(lanes, {}, e_, at(i)); }, lanes);
    Value some =
        e_.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, left, e_.i64(0));
    e_.when(some, [&] { with_cells(lanes, left, e_, at(end)); });
  }

  /// The operand's elements at the call's places along the shared dim, which follow one another:
  /// the dims in front have one place.
  void emit_copy() {
    Shape behind = ir::shape_of(op_.getResult());
    behind.erase(behind.begin(), behind.begin() + shared_ + 1);
    Extent cells = element_count(behind);
    Value inner = e_.extent(cells);
    // Calls share whole lines.
    bool has_lines =
        cells.constant().value_or(1) * byte_width(dtype_) % e_.machine.caches.line == 0;
    bool streams = has_lines && nest::root_stage(e_.schedule)->past_caches;
    e_.with_streams(streams, [&] {
      emit_run(e_.mul(e_.begin(), inner), e_.mul(e_.end(), inner),
               e_.machine.vector_bytes / byte_width(dtype_), [&](const Coordinate& place) {
                 Index index(shape_.size(), Coordinate(e_.i64(0)));
                 index.back() = place;
                 e_.store(0, dtype_, place, e_.cell(op_.getOperand(), index));
               });
    });
  }

  /// The update's places along a dim that are this call's.
  std::pair<Value, Value> places_along(size_t dim) {
    Value first = e_.i64(0), last = window_[dim];
    if (static_cast<int64_t>(dim) != shared_)
      return {first, last};
    Value from = e_.sub(e_.begin(), start_[dim].base), to = e_.sub(e_.end(), start_[dim].base);
    first = mlir::arith::MaxSIOp::create(e_.b, from, first);
    last = mlir::arith::MinSIOp::create(e_.b, to, last);
    return {first, mlir::arith::MaxSIOp::create(e_.b, first, last)};
  }

  void emit_update(Index& source) {
    size_t dim = source.size();
    auto [first, last] = places_along(dim);
    auto with = [&](const Coordinate& i, llvm::function_ref<void()> body) {
      source.push_back(i);
      body();
      source.pop_back();
    };
    if (dim + 1 == window_.size())
      return emit_run(first, last, nest::root_stage(e_.schedule)->lanes,
                      [&](const Coordinate& i) { with(i, [&] { emit_cells_of_update(source); }); });
    e_.loop(first, last, [&](Value i) { with(i, [&] { emit_update(source); }); });
  }

  void emit_cells_of_update(IndexSpan source) {
    Index target;
    for (auto [first, offset] : llvm::zip(start_, source))
      target.push_back(e_.add(first, offset));
    e_.store(0, dtype_, e_.ravel(target, shape_), e_.cell(op_.getUpdate(), source));
  }

  ir::DynamicUpdateSliceOp op_;
  Emission& e_;
  DType dtype_;
  Values shape_, window_;
  int64_t shared_; ///< the dim whose places calls share
  Index start_;
};

} // namespace

void emit_whole(ir::DynamicUpdateSliceOp op, Emission& e) { UpdateEmitter(op, e).emit(); }

} // namespace kolam::lower::cpu
