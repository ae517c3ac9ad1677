// Follows a schedule: its loops over dims of the result, the stages inside, and what they keep.
#include "kolam/lower/cpu/map.h"

#include "kolam/lower/cpu/prefetch.h"
#include "kolam/lower/cpu/reduction.h"
#include "kolam/lower/cpu/restarting_scan.h"
#include "kolam/lower/cpu/result_cells.h"
#include "kolam/lower/interleaved.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/segments.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/parts.h"
#include "kolam/nest/restarts.h"
#include "kolam/nest/row_reductions.h"
#include "kolam/support/error.h"

namespace kolam::lower::cpu {
namespace {

using mlir::arith::CmpIPredicate;
using nest::Emitter;
using nest::LoopKind;
using nest::Rest;
using nest::ScheduleAhead;
using nest::ScheduleLoop;
using nest::ScheduleNode;
using nest::ScheduleStage;
using nest::ScheduleStore;
using Nodes = std::vector<ScheduleNode>;

/// The elements along a dim that the code at hand is to compute.
struct Block {
  Value first, last;
  std::optional<int64_t> length = {}; ///< where it is known now
  int64_t multiple = 1;               ///< its length is one of this
  std::optional<int64_t> most = {};   ///< where lanes are masked behind its end
  bool is_aligned = false;            ///< it starts at a multiple of the lanes
  bool is_part = false;               ///< one of several of its dim
  std::optional<int64_t> tail = {};   ///< what whole vectors leave of it, where they leave any
};

class MapEmitter {
public:
  explicit MapEmitter(Emission& e)
      : schedule_(e.schedule), root_(e.nest().root), e_(e), shape_(e.shape(root_->getResult(0))),
        stage_(*nest::root_stage(schedule_)), run_(schedule_.dims.size() - 1) {}

  void emit() {
    if (shape_.empty())
      return run(schedule_.nodes);
    index_.assign(shape_.size(), Coordinate(e_.i64(0)));
    size_t dim = 0;
    for (const nest::ScheduleDim& of : schedule_.dims) {
      Value last = e_.extent(of.extent);
      dims_.push_back(dim++ == run_ ? shape_.size() - 1 : dim - 1);
      blocks_.push_back({e_.i64(0), last, constant_of(last), 1, {}, true});
      blocks_.back().multiple = constant_of(last).value_or(1);
      bounds_.push_back({0, of.extent});
    }
    run(schedule_.nodes);
  }

private:
  void run(const Nodes& nodes) {
    if (!blocks_.empty() && llvm::any_of(nodes, is_by_columns) && blocks_[run_].length)
      return emit_columns_together(nodes);
    for (const ScheduleNode& node : nodes)
      std::visit([&](const auto& what) { run(what, node, nodes); }, node.what);
  }

  void run(const ScheduleAhead& ahead, const ScheduleNode&, const Nodes&) {
    emit_prefetch(ahead, e_);
  }

  void run(const ScheduleStore& store, const ScheduleNode&, const Nodes& nodes) {
    bool keeps_itself = llvm::any_of(nodes, [&](const ScheduleNode& node) {
      auto* stage = std::get_if<ScheduleStage>(&node.what);
      return stage && stage->op == store.op;
    });
    if (!keeps_itself)
      e_.kept_rows.push_back(op_of(store.op));
  }

  void run(const nest::ScheduleWhen&, const ScheduleNode&, const Nodes&) { KOLAM_CHECK(false); }

  /// Whether the rows at hand are few, at a border of a dim further out.
  bool are_few_rows() const {
    return llvm::any_of(llvm::zip(blocks_, bounds_), [](const auto& dim) {
      const auto& [block, bounds] = dim;
      return block.is_part && (bounds.second - bounds.first).constant().value_or(nest::kFewRows) <
                                  nest::kFewRows / 2;
    });
  }

  /// Part after part, each with code of its own; but for few rows one code that asks will do.
  void run(const nest::ScheduleParts& parts, const ScheduleNode& node, const Nodes&) {
    auto dim = static_cast<size_t>(parts.dim);
    if (dim != run_ && are_few_rows())
      return run(node.body);
    const Block around = blocks_[dim];
    const Extents bounds = bounds_[dim];
    Value first = around.first;
    for (size_t part = 0; part <= parts.at.size(); ++part) {
      if (part > 0)
        bounds_[dim].first = parts.at[part - 1];
      bounds_[dim].second = part < parts.at.size() ? parts.at[part] : bounds.second;
      Value last = around.last;
      if (part < parts.at.size())
        last = e_.b.createOrFold<mlir::arith::MinSIOp>(
            e_.b.createOrFold<mlir::arith::MaxSIOp>(e_.extent(parts.at[part]), first), around.last);
      auto begins = constant_of(first), ends = constant_of(last);
      Block block{first, last};
      if (begins && ends)
        block.length = block.multiple = *ends - *begins;
      block.is_part = true;
      block.is_aligned = around.is_aligned && begins && *begins % stage_.lanes == 0;
      if (block.length != 0)
        with_block(dim, block, [&] { run(node.body); });
      first = last;
    }
    bounds_[dim] = bounds;
  }

  void run(const nest::ScheduleSegments& segments, const ScheduleNode& node, const Nodes&) {
    auto dim = static_cast<size_t>(segments.dim);
    const Block around = blocks_[dim];
    mlir::Value offsets = llvm::cast<ir::SegmentIdsOp>(op_of(segments.op)).getOffsets();
    Value one = e_.i64(1);
    Value some =
        e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::slt, around.first, around.last);
    e_.when(some, [&] {
      Value first = emit_segment_of(offsets, Coordinate(around.first), e_);
      Value last = emit_segment_of(offsets, Coordinate(e_.sub(around.last, one)), e_);
      if (segments.whole) {
        Value begin = emit_bounds(offsets, Coordinate(first), e_).first;
        Value is_cut = mlir::arith::CmpIOp::create(e_.b, CmpIPredicate::slt, begin, around.first);
        first = e_.add(first, mlir::arith::ExtUIOp::create(e_.b, one.getType(), is_cut));
      }
      e_.loop(first, e_.add(last, one), [&](Value segment) {
        auto [begin, end] = emit_bounds(offsets, Coordinate(segment), e_);
        Block block{begin, end};
        if (!segments.whole)
          block = {mlir::arith::MaxSIOp::create(e_.b, around.first, begin),
                   mlir::arith::MinSIOp::create(e_.b, around.last, end)};
        block.is_part = true;
        e_.enter();
        e_.bind_segment(offsets, segment);
        with_block(dim, block, [&] { run(node.body); });
        e_.leave();
      });
    });
  }

  void run(const ScheduleLoop& loop, const ScheduleNode& node, const Nodes&) {
    auto dim = static_cast<size_t>(loop.dim);
    if (loop.kind == LoopKind::parallel) {
      Value unit = e_.extent(loop.step);
      Block block{e_.mul(e_.begin(), unit), e_.mul(e_.end(), unit)};
      block.multiple = constant_of(unit).value_or(1);
      block.is_aligned = constant_of(block.first) == 0;
      auto run_block = [&](const Block& own) {
        with_block(dim, own, [&] { run(node.body); });
        return Values();
      };
      if (!is_mostly_one_block(dim)) {
        run_block(block);
        return;
      }
      Block whole = blocks_[dim];
      Value is_whole = e_.b.createOrFold<mlir::arith::AndIOp>(
          e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::eq, block.first, whole.first),
          e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::eq, block.last, whole.last));
      e_.choose(is_whole, [&] { return run_block(whole); }, [&] { return run_block(block); });
      return;
    }
    if (loop.step == Extent(1))
      return loop.kind == LoopKind::unrolled && blocks_[dim].length ? unroll(node)
                                                                    : run_single(dim, node.body);
    if (loop.kind == LoopKind::unrolled) {
      if (blocks_[dim].length)
        return unroll(node);
      return run(node.body); // its stage goes by as many elements at once, one after the other
    }
    run_steps(loop, node.body);
  }

  /// Whether threads share the elements of the last dim, of which one may have all: where masks are
  /// slow and stand in loops, code of its own knows which lanes count.
  bool is_mostly_one_block(size_t dim) const {
    const Block& block = blocks_[dim];
    return dim == run_ && !e_.machine.has_avx512() && stage_.lanes > 1 && block.length &&
           *block.length % stage_.lanes != 0 && llvm::any_of(e_.nest().ops(), nest::has_loop);
  }

  /// One element after the other.
  void run_single(size_t dim, const Nodes& body) {
    Block block = blocks_[dim];
    auto at = [&](Value i) {
      assume(i, dim, 0);
      index_[dims_[dim]] = i;
      with_block(dim, {i, e_.add(i, e_.i64(1)), 1}, [&] { run(body); });
    };
    if (block.length == 1)
      return at(block.first);
    loops_.push_back(dim);
    e_.loop(block.first, block.last, at);
    loops_.pop_back();
  }

  /// Block after block of `step` elements.
  void run_steps(const ScheduleLoop& loop, const Nodes& body) {
    auto dim = static_cast<size_t>(loop.dim);
    const int64_t step = *loop.step.constant();
    Block around = aligned(dim);
    loops_.push_back(dim);
    Value whole = around.last;
    if (loop.rest == Rest::peeled)
      whole = e_.sub(around.last, remainder(e_.sub(around.last, around.first), step));
    e_.loop(
        around.first, whole,
        [&](Value i) {
          Block block{i, e_.add(i, e_.i64(step)), step, step};
          if (loop.rest == Rest::mask) {
            Value left = e_.sub(around.last, i);
            Value count = e_.b.createOrFold<mlir::arith::MinSIOp>(left, e_.i64(step));
            block = {i, e_.add(i, count), {}, std::gcd(around.multiple, step), step};
          }
          block.is_aligned = around.is_aligned && step % stage_.lanes == 0;
          if (auto begins = constant_of(around.first), ends = constant_of(around.last);
              begins && ends && step % stage_.lanes == 0)
            block.tail = (*ends - *begins) % stage_.lanes;
          with_block(dim, block, [&] { run(body); });
        },
        step);
    if (loop.rest == Rest::peeled) {
      Block rest{whole, around.last, {}, std::gcd(around.multiple, step)};
      rest.is_aligned = around.is_aligned && step % stage_.lanes == 0;
      with_block(dim, rest, [&] { run(body); });
    }
    loops_.pop_back();
  }

  void run(const ScheduleStage& stage, const ScheduleNode&, const Nodes&) {
    switch (stage.by) {
    case Emitter::elements:
      return shape_.empty() ? emit_single() : emit_run(aligned(run_));
    case Emitter::reduction:
      return emit_reduction(stage);
    case Emitter::columns: // of a shorter block: with the elements that read them
    case Emitter::squares:
      return;
    case Emitter::rows:
      return emit_column_reductions(codes_of(stage), IndexSpan(index_).drop_back(), columns(), e_);
    case Emitter::tiles:
      return emit_tiles(loops_.back());
    case Emitter::interleaved:
      return emit_interleaved_rows();
    default:
      KOLAM_CHECK(false);
    }
  }

  mlir::Operation* op_of(int number) const {
    return number == 0 ? root_ : e_.nest().fused[number - 1];
  }

  void with_block(size_t dim, Block block, llvm::function_ref<void()> body) {
    std::swap(blocks_[dim], block);
    body();
    blocks_[dim] = block;
  }

  Value remainder(Value x, int64_t by) {
    return e_.b.createOrFold<mlir::arith::RemUIOp>(x, e_.i64(by));
  }

  /// A result of rank 0.
  void emit_single() {
    e_.loop(e_.begin(), e_.end(), [&](Value) { emit_only(); });
  }
  void emit_only() {
    auto starts = nest::restarts_by(e_.nest());
    if (starts && stage_.lanes > 1)
      return emit_restarting_scan(*starts, stage_.lanes, e_);
    emit_cell({});
  }

  void emit_cell(IndexSpan index) { emit_result_cells(index, e_); }

  /// Says of a number between which bounds it lies, with it those of lanes that step from it on.
  void assume(Value i, size_t dim, int64_t stride) {
    e_.assume(i, bounds_[dim].first, bounds_[dim].second - Extent(1), stride);
  }

  void emit_cells_at(Value i, int64_t stride, bool is_aligned) {
    assume(i, run_, stride);
    index_.back() = Coordinate::progression(i, stride);
    index_.back().is_aligned = is_aligned && stride == 1;
    emit_cell(index_);
  }

  /// A vector of which only the first `active` lanes count; nothing where these are none.
  void emit_part(Value i, Value active, bool is_aligned = false) {
    Value some = e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::sgt, active, e_.i64(0));
    e_.when(some, [&] {
      with_cells(stage_.lanes, active, e_,
                 [&](int lanes) { emit_cells_at(i, lanes > 1, is_aligned); });
    });
  }

  /// The block along a dim; where stores go past the caches, from the first multiple of the lanes
  /// on, the elements in front of which are computed here.
  Block aligned(size_t dim) {
    Block block = blocks_[dim];
    if (dim != run_ || !stage_.past_caches || block.is_aligned || block.most ||
        block.multiple % stage_.lanes == 0 || stage_.by == Emitter::tiles)
      return block;
    Value ahead = remainder(e_.sub(e_.i64(0), block.first), stage_.lanes);
    Value head = mlir::arith::MinSIOp::create(e_.b, ahead, e_.sub(block.last, block.first));
    emit_part(block.first, head);
    block.first = e_.add(block.first, head);
    block.multiple = 1;
    block.is_aligned = true;
    return block;
  }

  /// The elements of the run's block.
  void emit_run(const Block& block) {
    if (stage_.lanes == 1 && block.length == 1)
      return emit_cells_at(block.first, 0, false);
    bool is_border = block.is_part && block.length && 2 * *block.length <= stage_.lanes;
    if (stage_.lanes == 1 || is_border)
      return emit_single_cells(block.first, block.last);
    if (block.most && !block.length)
      return emit_columns(
          columns(),
          [&](const Coordinate&, const Coordinate& place) {
            assume(place.base, run_, place.stride);
            index_.back() = place;
            emit_cell(index_);
          },
          e_);
    bool is_aligned = stage_.past_caches || block.is_aligned ||
                      constant_of(block.first).value_or(1) % stage_.lanes == 0;
    Value left = block.multiple % stage_.lanes == 0
                     ? e_.i64(0)
                     : remainder(e_.sub(block.last, block.first), stage_.lanes);
    Value whole = e_.sub(block.last, left);
    e_.with_streams(stage_.past_caches, [&] {
      e_.loop(
          block.first, whole,
          [&](Value i) {
            e_.with_lanes(stage_.lanes, {}, [&] { emit_cells_at(i, 1, is_aligned); });
          },
          stage_.lanes);
    });
    const bool is_narrow = byte_width(ir::dtype_of(root_->getResult(0))) < 4;
    if (is_narrow && stage_.lanes > e_.machine.lanes() && !e_.machine.has_avx512())
      return emit_rest_by_halves(whole, block.last);
    emit_part(whole, left, is_aligned);
  }

  /// What one vector of narrow elements leaves, where these have no masks: by vectors of half as
  /// many lanes each, then one by one.
  void emit_rest_by_halves(Value first, Value last) {
    constexpr int kFewest = 8; // size of code
    for (int lanes = stage_.lanes / 2; lanes >= kFewest; lanes /= 2) {
      Value count = e_.i64(lanes);
      Value fits =
          e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::sge, e_.sub(last, first), count);
      e_.when(fits, [&] { e_.with_lanes(lanes, {}, [&] { emit_cells_at(first, 1, false); }); });
      first = e_.b.createOrFold<mlir::arith::SelectOp>(fits, e_.add(first, count), first);
    }
    e_.loop(first, last, [&](Value i) { emit_cells_at(i, 0, false); });
  }

  /// Element by element; few of them without a loop, so that loops that they share run once.
  void emit_single_cells(Value first, Value last) {
    constexpr int64_t kFew = 4; // size of code
    auto start = constant_of(first), end = constant_of(last);
    if (!start || !end || *end - *start > kFew || llvm::none_of(e_.nest().fused, nest::has_loop))
      return e_.loop(first, last, [&](Value i) { emit_cells_at(i, 0, false); });
    for (int64_t i = *start; i < *end; ++i)
      emit_cells_at(e_.i64(i), 0, false);
  }

  /// The run's block as columns.
  Columns columns() const {
    const Block& block = blocks_[run_];
    return {block.first, e_.sub(block.last, block.first),
            block.most.value_or(kThreads.block_columns), stage_.lanes};
  }

  /// All steps of unrolled loops, down to their stage, side by side.
  void unroll(const ScheduleNode& node) {
    std::vector<Index> indices;
    add_indices({node}, indices);
    emit_waiting(indices);
  }

  void add_indices(llvm::ArrayRef<ScheduleNode> nodes, std::vector<Index>& indices) {
    KOLAM_CHECK(nodes.size() == 1);
    auto* loop = std::get_if<ScheduleLoop>(&nodes[0].what);
    if (!loop) {
      indices.push_back(index_);
      indices.back().back() = Coordinate::progression(blocks_[run_].first, 1);
      assume(blocks_[run_].first, run_, 1);
      indices.back().back().is_aligned = stage_.past_caches || blocks_[run_].is_aligned;
      return;
    }
    auto dim = static_cast<size_t>(loop->dim);
    Block around = blocks_[dim];
    const int64_t step = *loop->step.constant();
    KOLAM_CHECK(loop->kind == LoopKind::unrolled && around.length);
    for (int64_t i = 0; i < *around.length; i += step) {
      Value first = e_.add(around.first, e_.i64(i));
      if (dim != run_)
        assume(first, dim, 0);
      index_[dims_[dim]] = first;
      with_block(dim, {first, e_.add(first, e_.i64(step)), step, step, {}, around.is_aligned},
                 [&] { add_indices(nodes[0].body, indices); });
    }
  }

  /// Elements whose ops wait for one another.
  void emit_waiting(const std::vector<Index>& indices) {
    e_.with_streams(stage_.past_caches, [&] {
      e_.with_lanes(stage_.lanes, {}, [&] {
        emit_interleaved(
            indices.size(), [&](size_t vector) { emit_cell(indices[vector]); }, e_.b,
            &e_.functions);
      });
    });
  }

  static bool is_by_columns(const ScheduleNode& node) {
    auto* stage = std::get_if<ScheduleStage>(&node.what);
    return stage && (stage->by == Emitter::columns || stage->by == Emitter::squares);
  }

  /// Vectors side by side, whose reductions run together.
  void emit_columns_together(const Nodes& nodes) {
    std::vector<Index> indices;
    add_indices({nodes.back()}, indices);
    e_.with_streams(stage_.past_caches, [&] {
      e_.with_lanes(stage_.lanes, {}, [&] {
        for (const ScheduleNode& node : nodes)
          if (is_by_columns(node))
            emit_together(std::get<ScheduleStage>(node.what), indices);
        for (const Index& index : indices)
          emit_cell(index);
      });
    });
  }

  /// The op of a stage and those beside it.
  std::vector<mlir::Operation*> ops_of(const ScheduleStage& stage) const {
    std::vector<mlir::Operation*> ops{op_of(stage.op)};
    for (int op : stage.beside)
      ops.push_back(op_of(op));
    return ops;
  }
  std::vector<ReductionCode> codes_of(const ScheduleStage& stage) const {
    std::vector<ReductionCode> codes;
    for (mlir::Operation* op : ops_of(stage))
      codes.push_back(reduction_code(op, e_));
    return codes;
  }

  void emit_reduction(const ScheduleStage& stage) {
    Index index(IndexSpan(index_).take_front(ir::rank_of(op_of(stage.op)->getResult(0))));
    if (auto segments = llvm::dyn_cast<ir::SegmentReduceOp>(op_of(stage.op)))
      index[0] = Coordinate(e_.segment_of(segments.getOffsets()));
    if (stage.beside.empty())
      e_.cells(op_of(stage.op), index);
    else
      emit_together(stage, {index});
  }

  void emit_together(const ScheduleStage& stage, const std::vector<Index>& indices) {
    std::vector<ReductionCode> codes = codes_of(stage);
    std::vector<mlir::Value> results;
    for (mlir::Operation* op : ops_of(stage))
      llvm::append_range(results, op->getResults());
    remember_together(codes, results, indices,
                      stage.by == Emitter::squares ? ReadBy::squares : ReadBy::elements);
  }

  /// Reductions at several indices, in one loop.
  void remember_together(llvm::ArrayRef<ReductionCode> codes, llvm::ArrayRef<mlir::Value> results,
                         const std::vector<Index>& indices, ReadBy by = ReadBy::elements) {
    for (auto [index, cells] : llvm::zip(indices, emit_reductions(codes, indices, e_, by)))
      for (auto [result, cell] : llvm::zip(results, cells))
        e_.remember(result, index, cell);
  }

  static bool combines_by_chunks(mlir::Operation* op) {
    const auto reduction = ir::reduction_of(op);
    return reduction && !reduction->wrap_all && reduction->accumulate.order == Order::chunk;
  }

  /// All elements of as many rows as there are lanes, a vector for each element of a row.
  void emit_interleaved_rows() {
    const Block& rows = blocks_[run_ - 1];
    const auto count = static_cast<int>(*blocks_[run_].length);
    auto at = [&](int number, bool has_lanes) {
      assume(rows.first, run_ - 1, has_lanes ? 1 : 0);
      index_[run_ - 1] = Coordinate::progression(rows.first, has_lanes ? 1 : 0);
      for (size_t dim = index_.size(); dim-- > run_;) {
        const auto extent = static_cast<int>(*constant_of(shape_[dim]));
        index_[dim] = Coordinate(e_.i64(number % extent));
        number /= extent;
      }
    };
    if (rows.length == stage_.lanes)
      return e_.with_lanes(stage_.lanes, {}, [&] {
        std::vector<Values> columns(root_->getNumResults()); // by result
        std::vector<Index> indices;
        for (int number = 0; number < count; ++number) {
          at(number, true);
          indices.push_back(index_);
        }
        e_.with_rows([&] {
          if (combines_by_chunks(root_) && count <= kShortRun)
            remember_together({reduction_code(root_, e_)}, Values(root_->getResults()), indices);
          for (const Index& index : indices)
            for (auto [column, value] : llvm::zip(columns, e_.cells(root_, index)))
              column.push_back(e_.spread(value));
        });
        at(0, false);
        for (auto [result, column] : llvm::zip(root_->getResults(), columns))
          e_.store_rows(result, index_, column);
      });
    Value left = e_.sub(rows.last, rows.first);
    Value some = e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::sgt, left, e_.i64(0));
    e_.when(some, [&] {
      with_cells(stage_.lanes, left, e_, [&](int lanes) {
        for (int number = 0; number < count; ++number) {
          at(number, lanes > 1);
          emit_cell(index_);
        }
      });
    });
  }

  static constexpr int kFewestTurned = 4; // assumed: fewer lanes are loaded one by one

  /// The block of the run at rows of a dim along which some operand's elements follow one another.
  void emit_tiles(size_t dim) {
    const Block& rows = blocks_[dim];
    const Block& run = blocks_[run_];
    auto each_row = [&](llvm::function_ref<void()> body) {
      e_.loop(rows.first, rows.last, [&](Value row) {
        index_[dims_[dim]] = row;
        body();
      });
    };
    Value left = run.multiple % stage_.lanes == 0
                     ? e_.i64(0)
                     : remainder(e_.sub(run.last, run.first), stage_.lanes);
    Value whole = e_.sub(run.last, left);
    auto each_vector = [&](llvm::function_ref<void(Value)> body) {
      e_.loop(run.first, whole, [&](Value at) { body(at); }, stage_.lanes);
    };
    if (rows.length)
      each_vector([&](Value at) { emit_tile(dim, rows.first, at, stage_.lanes, {}); });
    else
      each_row([&] {
        each_vector([&](Value at) {
          e_.with_lanes(stage_.lanes, {}, [&] { emit_cells_at(at, 1, false); });
        });
      });
    if (constant_of(left) == 0)
      return;
    Value some = e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::sgt, left, e_.i64(0));
    e_.when(some, [&] {
      const Value tail = run.tail > 0 ? e_.i64(*run.tail) : left;
      const int lanes = lanes_for(tail);
      if (!rows.length || lanes < kFewestTurned)
        return each_row([&] { emit_part(whole, tail); });
      for (int row = 0; row < stage_.lanes; row += lanes)
        emit_tile(dim, e_.add(rows.first, e_.i64(row)), whole, lanes,
                  constant_of(tail) == lanes ? Value() : tail);
    });
  }

  /// As few lanes as hold so many elements.
  int lanes_for(Value count) const {
    auto known = constant_of(count);
    return known ? static_cast<int>(llvm::bit_ceil(static_cast<uint64_t>(*known))) : stage_.lanes;
  }

  /// Vectors at as many rows as they have lanes, of which the first `active` take part where that
  /// is set.
  void emit_tile(size_t dim, Value row, Value column, int lanes, Value active) {
    Values rows;
    for (int r = 0; r < lanes; ++r)
      rows.push_back(e_.add(row, e_.i64(r)));
    e_.with_lanes(lanes, active, [&] {
      e_.with_tile(rows, active, [&] {
        e_.with_streams(stage_.past_caches, [&] {
          for (auto [number, at] : llvm::enumerate(rows)) {
            e_.at_tile_row(number);
            index_[dims_[dim]] = at;
            emit_cells_at(column, 1, false);
          }
        });
      });
    });
  }

  const nest::Schedule& schedule_;
  mlir::Operation* root_;
  Emission& e_;
  Values shape_;
  const ScheduleStage& stage_; ///< of the root
  const size_t run_;           ///< the schedule's last dim, along which stages go
  std::vector<size_t> dims_;   ///< by dim of the schedule, which of the result; of joined ones last
  std::vector<Block> blocks_;  ///< by dim of the schedule
  /// By dim of the schedule: numbers of that part lie from the first up to the second.
  using Extents = std::pair<Extent, Extent>;
  std::vector<Extents> bounds_;
  std::vector<size_t> loops_; ///< the dims of the loops around, but for parallel ones
  Index index_;
};

} // namespace

void emit_map(Emission& e) { MapEmitter(e).emit(); }

} // namespace kolam::lower::cpu
