// Chooses lanes and blocks of ops with loops of their own.
#include "kolam/nest/whole_schedule.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/attention.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/visit.h"
#include "kolam/nest/end_to_end.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/scattered_elements.h"
#include "kolam/nest/schedule_writer.h"
#include "kolam/nest/symbols.h"

#include "llvm/ADT/bit.h"

namespace kolam::nest {
namespace {

/// Whether elements along the innermost dim may be combined in any grouping.
bool combines_exactly(mlir::Operation* op) {
  auto cumulative = llvm::dyn_cast<ir::CumulativeOp>(op);
  DType dtype = ir::dtype_of(op->getResult(0));
  return cumulative && dtype != DType::boolean &&
         ir::is_exact(*ir::parse_monoid(cumulative.getFunction()), dtype);
}

/// Elements of an op with a scan dim that go side by side: along the innermost dim, where that is
/// another, or may be grouped.
int elements_at_once(const Nest& nest, const Machine& machine) {
  space::Signature signature = llvm::cast<ir::SignedOp>(nest.root).signature();
  bool has_scan = llvm::any_of(
      signature.dims, [](const space::IndexDim& dim) { return dim.kind == space::DimKind::scan; });
  if (!has_scan || signature.dims.empty() ||
      (signature.dims.back().kind == space::DimKind::scan && !combines_exactly(nest.root)))
    return 1;
  analysis::Signatures signatures;
  NestRelation relation(nest.root, nest.fused, signatures);
  return choose_lanes(nest, relation, ir::rank_of(nest.root->getResult(0)) - 1, {}, machine).count;
}

/// A register of the widest of these values, or a part of it that so many elements fill.
int lanes_of(mlir::ValueRange values, const Extent& elements, const Machine& machine) {
  int64_t run = elements.constant().value_or(INT64_MAX), width = 1;
  for (mlir::Value value : values)
    width = std::max<int64_t>(width, byte_width(ir::dtype_of(value)));
  return run < kShortRun ? 1
                         : static_cast<int>(llvm::bit_floor(
                               static_cast<uint64_t>(std::min(run, machine.vector_bytes / width))));
}

/// A line for each op that has more than tasks.
class WholeWriter {
public:
  WholeWriter(const Nest& nest, const Machine& machine, bool past_caches)
      : nest_(nest), machine_(machine), writer_(nest) {
    stage_ = {0, writer_.with(nest.root, {}), Emitter::whole, 1, past_caches};
    tasks_ = writer_.add_dim({"t", parallel_extent(nest)});
  }

  Schedule write() {
    ir::visit<void>(
        nest_.root,
        [&](auto op) {
          if constexpr (requires { write(op); })
            write(op);
          else
            write_tasks(elements_at_once(nest_, machine_));
        },
        [](mlir::Operation*) {});
    writer_.add(std::move(stage_));
    return std::move(writer_.schedule);
  }

private:
  void write_tasks(int lanes) {
    stage_.lanes = lanes;
    writer_.open(tasks_, 1, LoopKind::parallel);
  }
  void write_block(int dim, int64_t step) { writer_.open(dim, step, LoopKind::serial, Rest::mask); }

  /// Lines along the innermost dim that step through memory by squares of lanes.
  bool has_lines_side_by_side(const Shape& shape, int64_t dim) const {
    const int64_t lanes = machine_.lanes();
    return dim > 0 && ir::dtype_of(nest_.root->getResult(0)) != DType::boolean &&
           dim + 1 == static_cast<int64_t>(shape.size()) &&
           shape[dim].constant().value_or(lanes) >= lanes &&
           shape[dim - 1].constant().value_or(lanes) >= lanes &&
           !nest_.layout_of(nest_.root->getResult(0)) && llvm::none_of(nest_.fused, has_loop) &&
           llvm::none_of(nest_.fused, loop_inside);
  }

  /// AVX-512 packs lanes of 32 or 64 bits, AVX2 a register of 32 bits; elsewhere elements go one by
  /// one, without a branch.
  void write(ir::CompressOp op) {
    const Extent elements = ir::shape_of(op.getMask())[0];
    const int most = machine_.lanes();
    const int lanes = std::min(most, lanes_of({op.getOperand()}, elements, machine_));
    const bool packs = machine_.has_avx2() && lanes == most &&
                       byte_width(ir::dtype_of(op.getOperand())) <= byte_width(DType::f32);
    write_tasks(machine_.has_avx512() || packs ? lanes : 1);
  }

  /// Neighbouring lines go side by side, row by row, so many of them as stay near.
  void write(ir::CumulativeOp op) {
    Shape shape = ir::shape_of(op.getResult());
    auto last = static_cast<int64_t>(shape.size()) - 1, dim = static_cast<int64_t>(op.getDim());
    const int lanes = elements_at_once(nest_, machine_);
    if (lanes == 1 && has_lines_side_by_side(shape, dim)) {
      write_tasks(machine_.lanes());
      return write_block(parallel_dim(nest_) == last - 1
                             ? tasks_
                             : writer_.add_dim(joined(shape, {static_cast<int>(last - 1)})),
                         machine_.lanes());
    }
    const bool by_rows = lanes > 1 && dim < last;
    if (by_rows && !op.getReverse())
      for (const EndToEnd& walk : walked_by_rows(nest_, dim + 1, machine_))
        writer_.add(ScheduleAhead{writer_.parameter_of(walk.value), walk.first_of_row});
    write_tasks(lanes);
    if (by_rows)
      write_block(parallel_dim(nest_) == last
                      ? tasks_
                      : writer_.add_dim(joined(shape, {static_cast<int>(last)})),
                  kThreads.block_columns);
  }

  /// Vectors of queries side by side: as many as there are, and three or two by the registers.
  void write(ir::AttentionOp op) {
    write_tasks(machine_.vector_bytes / byte_width(ir::dtype_of(op.getScale())));
    const int64_t lanes = stage_.lanes;
    int64_t vectors = 1 + machine_.registers() / 16;
    if (auto rows = ir::shape_of(op.getResult()).rbegin()[1].constant()) {
      if (*rows <= lanes)
        vectors = 1;
      else if (*rows % (3 * lanes) != 0 && *rows % (2 * lanes) == 0)
        vectors = 2;
    }
    write_block(writer_.add_dim({"q", ir::kAttentionRows}), lanes * vectors);
  }

  /// The elements of a window that lie side by side in the destination; of single elements the
  /// updates side by side.
  void write(ir::ScatterOp op) {
    if (places_by_vectors(op))
      return write_tasks(machine_.lanes());
    Shape window = ir::shape_of(op.getUpdates()[0]);
    window.erase(window.begin(), window.begin() + ir::rank_of(op.getIndices()) - 1);
    auto dims = static_cast<size_t>(std::max(analysis::shared_dims(op).trailing, 1));
    window.erase(window.begin(), window.end() - std::min(dims, window.size()));
    write_tasks(lanes_of(op.getDestinations(), element_count(window), machine_));
  }

  void write(ir::DynamicUpdateSliceOp op) {
    bool is_short = ir::shape_of(op.getUpdate()).back().constant().value_or(kWideRun) < kShortRun;
    write_tasks(is_short ? 1 : machine_.vector_bytes / byte_width(ir::dtype_of(op.getResult())));
  }

  const Nest& nest_;
  const Machine& machine_;
  ScheduleWriter writer_;
  ScheduleStage stage_;
  int tasks_;
};

} // namespace

Schedule whole_schedule(const Nest& nest, const Machine& machine, bool past_caches) {
  return WholeWriter(nest, machine, past_caches).write();
}

} // namespace kolam::nest
