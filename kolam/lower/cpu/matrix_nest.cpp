// Follows the schedules of products of matrices: units, panels, tiles, parts of what is summed.
#include "kolam/lower/cpu/matrix_nest.h"

#include "kolam/lower/cpu/held_sums.h"
#include "kolam/lower/cpu/result_cells.h"
#include "kolam/lower/cpu/tiled_product.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/nest/panels.h"
#include "kolam/nest/read_where.h"
#include "kolam/support/error.h"

#include <set>

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
using nest::ScheduleWhen;
using nest::StoreSpace;
using Nodes = std::vector<ScheduleNode>;

class MatrixNest {
public:
  explicit MatrixNest(Emission& e)
      : e_(e), root_(e.nest().root), lanes_(e.machine.lanes()),
        shape_(e.shape(root_->getResult(0))), dims_(e.nest().products[0].dims), rows_(e.i64(1)),
        columns_(shape_.back()) {
    for (auto [number, product] : llvm::enumerate(e.nest().products)) {
      products_.emplace_back(product, e.packed_columns(number), e);
      read_where_[product.op] = nest::read_where(product, e.nest());
    }
    for (int dim : dims_.rows) {
      row_extents_.push_back(shape_[dim]);
      rows_ = e.mul(rows_, shape_[dim]);
    }
    for (int dim : dims_.batch)
      batch_extents_.push_back(shape_[dim]);
    row_dim_ = dims_.rows.empty() ? -1 : dims_.batch.empty() ? 0 : 1;
    column_dim_ = static_cast<int>(!dims_.batch.empty()) + static_cast<int>(!dims_.rows.empty());
    matrix_ = row_block_ = {e.i64(0), rows_};
    column_block_ = {e.i64(0), columns_};
    tile_rows_ = {e.i64(0), 1};
  }

  void emit() {
    find_needs(e_.schedule.nodes);
    for (auto [number, product] : llvm::enumerate(products_))
      if (!packed_.contains(product.op()) && !product.is_packed_before())
        product.use_direct_columns();
    keep_rows();
    for (TiledProduct& product : products_)
      product.ask_for_columns();
    with_working_memory([&] { run(e_.schedule.nodes); });
  }

private:
  /// What the code at hand is to compute of a dim.
  struct Block {
    Value first, last;
  };
  /// Where a loop has left columns for the next one: of the matrix, maybe behind the block.
  struct Left {
    Value first;
    nest::PanelColumns columns;
  };

  void run(const Nodes& nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const ScheduleNode& node = nodes[i];
      if (auto* when = std::get_if<ScheduleWhen>(&node.what)) {
        // Two conditions of which one holds.
        auto* next = i + 1 < nodes.size() ? std::get_if<ScheduleWhen>(&nodes[i + 1].what) : nullptr;
        bool is_pair = next && next->most == when->most && next->is_more && !when->is_more;
        static const Nodes kNothing;
        run(*when, node, is_pair ? std::as_const(nodes[++i].body) : kNothing);
      } else {
        std::visit([&](const auto& what) { run(what, node); }, node.what);
      }
    }
  }

  void run(const nest::ScheduleParts&, const ScheduleNode&) { KOLAM_CHECK(false); }
  void run(const nest::ScheduleSegments&, const ScheduleNode&) { KOLAM_CHECK(false); }

  /// Conditions are on the rows of a matrix.
  void run(const ScheduleWhen& when, const ScheduleNode& node, const Nodes& otherwise) {
    Value count = e_.sub(matrix_.last, matrix_.first);
    Value holds = e_.compare(when.is_more ? CmpIPredicate::sgt : CmpIPredicate::sle, count,
                             e_.i64(when.most));
    auto in_body = [&](const Nodes& nodes) {
      return [&] {
        run(nodes);
        return Values();
      };
    };
    e_.choose(holds, in_body(node.body), in_body(otherwise));
  }
  void run(const ScheduleWhen&, const ScheduleNode&) { KOLAM_CHECK(false); }
  void run(const ScheduleAhead&, const ScheduleNode&) { KOLAM_CHECK(false); }

  void run(const ScheduleLoop& loop, const ScheduleNode& node) {
    if (loop.kind == LoopKind::parallel)
      return run_units(node);
    if (loop.kind == LoopKind::runs)
      return for_runs(row_block_.first, row_block_.last, [&] { run(node.body); });
    const int64_t step = *loop.step.constant();
    if (loop.dim == row_dim_)
      return run_rows(step, loop.rest, node.body);
    if (loop.dim > column_dim_)
      return run_summed(step, node.body);
    if (has_inner(node))
      return run_groups(step, node.body);
    run_panels(step, loop.rest, node.body);
  }

  /// Parallel loops one inside the other, of which the innermost has a range of units of its dim.
  void run_units(const ScheduleNode& outermost) {
    std::vector<std::pair<int, Value>> dims; // and their units
    const ScheduleNode* node = &outermost;
    Values steps;
    for (;; node = &node->body[0]) {
      const auto& loop = std::get<ScheduleLoop>(node->what);
      Value step = e_.extent(loop.step);
      Value count = loop.dim == column_dim_ ? columns_
                    : loop.dim == row_dim_  ? rows_
                                            : e_.extent(e_.schedule.dims[loop.dim].extent);
      steps.push_back(step);
      dims.emplace_back(loop.dim, ceil_div(count, step));
      auto* inner =
          node->body.size() == 1 ? std::get_if<ScheduleLoop>(&node->body[0].what) : nullptr;
      if (!inner || inner->kind != LoopKind::parallel)
        break;
    }
    Value units = dims.back().second, first_number = floor_div(e_.begin(), units);
    e_.loop(first_number, ceil_div(e_.end(), units), [&](Value number) {
      // The first columns may have some of the rows only, and all have those of their batch.
      if (dims.back().first == row_dim_ && are_all_kept()) {
        Value column = remainder(number, dims[dims.size() - 2].second);
        are_new_ = e_.b.createOrFold<mlir::arith::OrIOp>(
            e_.compare(CmpIPredicate::sle, e_.sub(number, first_number), e_.i64(1)),
            e_.compare(CmpIPredicate::eq, column, e_.i64(0)));
      }
      Value first = e_.mul(number, units);
      Block range{bounded(e_.sub(e_.begin(), first), units),
                  bounded(e_.sub(e_.end(), first), units)};
      enter(dims.back().first, range, steps.back());
      for (size_t i = dims.size() - 1; i-- > 0;) {
        Value own = i == 0 ? number : remainder(number, dims[i].second);
        enter(dims[i].first, {own, e_.add(own, e_.i64(1))}, steps[i]);
        if (i > 0)
          number = floor_div(number, dims[i].second);
      }
      run_row_blocks(node->body);
    });
  }

  /// Blocks of as many rows as are kept packed for all columns.
  void run_row_blocks(const Nodes& body) {
    if (kept_rows_ == 0 || are_all_kept())
      return run(body);
    run_in_blocks(row_block_, kept_rows_, body);
  }

  /// The body for `step` after `step` of a block of rows or columns.
  void run_in_blocks(Block& block, int64_t step, const Nodes& body) {
    const Block all = block;
    e_.loop(
        all.first, all.last,
        [&](Value first) {
          block = {first, smaller(e_.add(first, e_.i64(step)), all.last)};
          run(body);
        },
        step);
    block = all;
  }

  bool are_all_kept() { return constant_of(rows_).value_or(INT64_MAX) <= kept_rows_; }

  /// Whether no panel before has met the rows of the block.
  Value are_rows_new(Value panel) {
    Value is_first = e_.compare(CmpIPredicate::eq, panel, column_block_.first);
    return are_new_ ? e_.b.createOrFold<mlir::arith::AndIOp>(is_first, are_new_) : is_first;
  }

  /// The block of a dim is a range of units.
  void enter(int dim, const Block& units, Value step) {
    if (dim != column_dim_ && dim != row_dim_) {
      batch_.clear();
      for (const Coordinate& place : e_.unravel(units.first, batch_extents_))
        batch_.push_back(place.base);
      return;
    }
    Value all = dim == column_dim_ ? columns_ : rows_;
    Block& block = dim == column_dim_ ? column_block_ : row_block_;
    if (dim == column_dim_)
      column_unit_ = *constant_of(step);
    block = {e_.mul(units.first, step), smaller(e_.mul(units.last, step), all)};
  }

  static bool has_inner(const ScheduleNode& node) {
    int dim = std::get<ScheduleLoop>(node.what).dim;
    bool found = false;
    nest::for_each_node(node.body, [&](const ScheduleNode& inner, const auto&) {
      auto* loop = std::get_if<ScheduleLoop>(&inner.what);
      found |= loop && loop->dim == dim;
    });
    return found;
  }

  void run_groups(int64_t step, const Nodes& body) {
    column_unit_ = step;
    run_in_blocks(column_block_, step, body);
  }

  /// Panels of `step` columns, then what the schedule says of those behind them.
  void run_panels(int64_t step, Rest rest, const Nodes& body) {
    const int vectors = static_cast<int>(step / lanes_);
    std::optional<Left> left = std::exchange(left_, std::nullopt);
    const nest::PanelColumns columns =
        left ? left->columns : nest::PanelColumns(constant_of(columns_), column_unit_);
    const Value first = left ? left->first : column_block_.first;
    auto panel = [&](Value at, Value active) {
      panel_ = {at, vectors, active};
      for (TiledProduct& product : products_)
        product.use_rows(row_block_.first, are_rows_new(at));
      for (TiledProduct& product : products_)
        if (!summed_block_ && !e_.nest().packs)
          product.find_terms(batch_, panel_);
      run(body);
      for (TiledProduct& product : products_)
        product.forget_terms();
    };
    auto panels = [&](Value last) { e_.loop(first, last, [&](Value at) { panel(at, {}); }, step); };
    auto one_panel = [&](Value at, Value active) {
      when_more(column_block_.last, at, [&] { panel(at, active); });
    };
    Value whole; // behind the whole panels
    if (auto split = columns.split(step)) {
      whole = left ? e_.add(first, e_.i64(split->whole)) : e_.i64(split->whole);
      if (split->whole == step && split->left == 0)
        one_panel(first, {});
      else if (split->whole > 0)
        panels(smaller(column_block_.last, whole));
      if (rest != Rest::next && split->left > 0) {
        int64_t active = split->left % lanes_;
        one_panel(whole, active == 0 ? Value() : e_.i64(active));
      }
    } else {
      Value count = e_.sub(column_block_.last, first);
      whole = e_.sub(column_block_.last, remainder(count, e_.i64(step)));
      panels(whole);
      if (rest == Rest::mask && constant_of(remainder(columns_, e_.i64(lanes_))) != 0)
        one_panel(whole, e_.sub(column_block_.last, whole));
    }
    if (rest == Rest::next)
      left_ = {whole, columns.behind(step)};
  }

  /// Tiles of `height` rows, and those of what is left at the end of the matrix.
  void run_rows(int64_t height, Rest rest, const Nodes& body) {
    Value left = remainder(e_.sub(matrix_.last, matrix_.first), e_.i64(height));
    Value whole = e_.sub(matrix_.last, left);
    auto tile = [&](Value first, int64_t count) {
      tile_rows_ = {first, static_cast<int>(count)};
      run(body);
    };
    e_.loop(
        row_block_.first, smaller(row_block_.last, whole), [&](Value row) { tile(row, height); },
        height);
    if (constant_of(left) != 0)
      when_more(row_block_.last, whole, [&] {
        if (auto known = constant_of(left))
          return tile(whole, *known);
        KOLAM_CHECK(rest == Rest::fewer);
        Value next = whole;
        for (int rows : nest::kFewer) {
          if (rows >= height)
            continue;
          Value tiles = floor_div(e_.sub(matrix_.last, next), e_.i64(rows));
          Value until = e_.add(next, e_.mul(tiles, e_.i64(rows)));
          e_.loop(next, until, [&](Value row) { tile(row, rows); }, rows);
          next = until;
        }
      });
    tile_rows_ = {e_.i64(0), 1};
  }

  /// Chunks of what is summed, whose sums are merged, and parts of them.
  void run_summed(int64_t step, const Nodes& body) {
    TiledProduct& product = *product_of(first_stage(body));
    HeldSums& sums = held_.at(product.op());
    std::optional<Block> around = summed_block_;
    auto in = [&](Value begin, Value last) {
      summed_block_ = {begin, smaller(e_.add(begin, e_.i64(step)), last)};
      run(body);
    };
    if (!around && !product.is_one_chain()) {
      e_.loop(e_.i64(0), product.chunks(), [&](Value chunk) {
        sums.clear();
        in(e_.mul(chunk, e_.i64(step)), product.summed_count());
        sums.merge(ChunkPlace(chunk, product.chunks(), product.merges_in_order(), e_));
      });
    } else {
      if (!around)
        sums.clear();
      Block block = around.value_or(Block{e_.i64(0), product.summed_count()});
      e_.loop(block.first, block.last, [&](Value begin) { in(begin, block.last); }, step);
    }
    summed_block_ = around;
  }

  void run(const ScheduleStore& store, const ScheduleNode&) {
    TiledProduct& product = *product_of(store.op);
    HeldShape shape = held_shape(store);
    Value memory = e_.advanced(memory_, e_.i64(held_at_.at(&store)));
    HeldRange range{matrix_.first, matrix_.last, column_block_.first, column_block_.last};
    held_.erase(product.op());
    held_.try_emplace(product.op(), memory, shape, range, product.arithmetic(), e_);
  }

  void run(const ScheduleStage& stage, const ScheduleNode&) {
    TiledProduct* product = product_of(stage.op);
    if (stage.by == Emitter::packing)
      return e_.nest().packs ? products_[0].pack_before(batch_, panel_)
                             : product->pack(batch_, panel_);
    e_.with_lanes(lanes_, {}, [&] {
      if (stage.by == Emitter::products && summed_block_) {
        HeldSums& sums = held_.at(product->op());
        Values before = sums.load(tile_rows_, panel_);
        sums.store(tile_rows_, panel_,
                   product->add_part(batch_, tile_rows_, panel_, before, summed_block_->first,
                                     summed_block_->last));
        return;
      }
      std::vector<Values> sums;
      for (TiledProduct& own : products_)
        sums.push_back(stage.by == Emitter::products ? tile_sums(own)
                                                     : held_.at(own.op()).load(tile_rows_, panel_));
      emit_results(batch_, tile_rows_, panel_, sums);
    });
  }

  /// The sums of a tile; zeros where nothing reads one of them.
  Values tile_sums(TiledProduct& product) {
    auto sums = [&] { return product.sums(batch_, tile_rows_, panel_); };
    const auto& where = read_where_.at(product.op());
    if (!where)
      return sums();
    ScalarBuilder s(e_.b);
    Value read; // by some element
    for_vectors_of_tile(batch_, tile_rows_, panel_, [&](const Index& index, int, int) {
      Value holds = e_.cell(where->condition, index);
      Value here = where->holds ? holds : s.not_(holds);
      here = e_.any(here);
      read = read ? s.or_(read, here) : here;
    });
    return e_.choose(read, sums, [&] {
      const size_t count = static_cast<size_t>(tile_rows_.count) * panel_.vectors;
      return product.arithmetic().zeros(count);
    });
  }

  void emit_results(const Batch& batch, const Rows& rows, const Panel& panel,
                    llvm::ArrayRef<Values> sums) {
    for_vectors_of_tile(batch, rows, panel, [&](const Index& index, int number, int lanes) {
      for (auto [product, values] : llvm::zip(products_, sums)) {
        Values sum{values[number]};
        if (lanes < lanes_)
          sum = e_.lanes_from(sum, 0, lanes);
        e_.remember(product.op()->getResult(0), index, product.arithmetic().result(sum[0]));
      }
      emit_result_cells(index, e_);
    });
  }

  /// For each vector of a tile, row by row: its index, its number and how many lanes it has.
  void for_vectors_of_tile(const Batch& batch, const Rows& rows, const Panel& panel,
                           llvm::function_ref<void(const Index&, int, int)> body) {
    for (int row = 0; row < rows.count; ++row)
      for (int vector = 0; vector < panel.vectors; ++vector) {
        bool is_last = vector + 1 == panel.vectors;
        with_cells(lanes_, is_last ? panel.active : Value(), e_, [&](int lanes) {
          Index index(shape_.size());
          for (auto [dim, place] : llvm::zip(dims_.batch, batch))
            index[dim] = place;
          Value number = e_.add(rows.first, e_.i64(row));
          for (auto [dim, place] : llvm::zip(dims_.rows, e_.unravel(number, row_extents_)))
            index[dim] = place;
          index.back() = Coordinate::progression(e_.add(panel.first, e_.i64(vector * lanes_)),
                                                 lanes > 1 ? 1 : 0);
          body(index, row * panel.vectors + vector, lanes);
        });
      }
  }

  /// For each run of rows of [first, last) with the same columns: `body`, while `matrix_` is it.
  void for_runs(Value first, Value last, llvm::function_ref<void()> body) {
    e_.loop(first, last, {first}, [&](Value row, ValueSpan state) {
      Value next = e_.add(row, e_.i64(1));
      Value is_last = e_.compare(CmpIPredicate::eq, next, last);
      Value ends = e_.choose(
          is_last, [&] { return Values{is_last}; },
          [&] {
            Value differ = is_last; // false here
            for (TiledProduct& product : products_)
              differ =
                  mlir::arith::OrIOp::create(e_.b, differ, product.have_other_columns(row, next));
            return Values{differ};
          })[0];
      Block all = std::exchange(matrix_, {state[0], next}), rows = row_block_;
      row_block_ = matrix_;
      e_.when(ends, [&] {
        for (TiledProduct& product : products_)
          product.use_columns_of(state[0]);
        body();
      });
      matrix_ = all;
      row_block_ = rows;
      return Values{mlir::arith::SelectOp::create(e_.b, ends, next, state[0])};
    });
  }

  /// What the schedule's stages need, before any is emitted.
  void find_needs(const Nodes& nodes) {
    nest::for_each_node(nodes, [&](const ScheduleNode& node, const auto& around) {
      auto step_of = [&](int dim) {
        int64_t step = 1;
        for (const ScheduleLoop* loop : around)
          if (loop->dim == dim && loop->kind == LoopKind::serial)
            step = *loop->step.constant();
        return step;
      };
      if (auto* stage = std::get_if<ScheduleStage>(&node.what)) {
        if (stage->by == Emitter::packing)
          packed_.insert(op_of(stage->op));
        bool is_part = llvm::any_of(around, [&](auto* loop) { return loop->dim > column_dim_; });
        has_panels_ |= stage->by == Emitter::products && !is_part;
        auto rows = static_cast<int>(step_of(row_dim_));
        auto vectors = static_cast<int>(step_of(column_dim_) / lanes_);
        bounds_ = {std::max(bounds_.rows, rows), std::max(bounds_.vectors, vectors),
                   std::max(bounds_.sums, rows * vectors)};
      } else if (auto* store = std::get_if<ScheduleStore>(&node.what)) {
        width_of_[store] = step_of(column_dim_);
      }
    });
    held_bytes_ = place_stores(nodes, 0);
  }

  /// Rows that are packed are so for all columns, where every tile computes all its sums.
  void keep_rows() {
    auto columns = constant_of(columns_);
    bool is_one_panel = columns && *columns <= int64_t{bounds_.vectors} * lanes_;
    bool are_all_read = llvm::none_of(read_where_, [](const auto& own) { return own.second; });
    if (e_.nest().packs || dims_.is_grouped || is_one_panel || !are_all_read)
      return;
    int64_t most = INT64_MAX;
    for (TiledProduct& product : products_)
      if (int64_t rows = product.rows_worth_keeping())
        most = std::min(most, rows);
    if (most == INT64_MAX || constant_of(rows_).value_or(INT64_MAX) > most)
      most = most == INT64_MAX ? 0 : most / kTiles.unit * kTiles.unit; // tiles end where units do
    kept_rows_ = most;
    for (TiledProduct& product : products_)
      if (most > 0 && product.rows_worth_keeping() > 0)
        product.keep_rows(smaller(rows_, e_.i64(most)));
  }

  /// Where stores lie, from `bytes` on; those of different bodies share memory.
  int64_t place_stores(const Nodes& nodes, int64_t bytes) {
    int64_t most = bytes;
    for (const ScheduleNode& node : nodes)
      if (auto* store = std::get_if<ScheduleStore>(&node.what)) {
        TiledProduct& product = *product_of(store->op);
        held_at_[store] = bytes;
        int64_t slots = *constant_of(chunk_slots(product.chunks(), product.merges_in_order(), e_));
        bytes += held_shape(*store).bytes(slots, product.arithmetic().sum_dtype());
      }
    for (const ScheduleNode& node : nodes)
      most = std::max(most, place_stores(node.body, bytes));
    return std::max(most, bytes);
  }

  HeldShape held_shape(const ScheduleStore& store) const {
    int64_t width = width_of_.at(&store);
    return {store.count / width, width};
  }

  /// Runs `body` with working memory for panels and for sums between parts, or fails the nest.
  void with_working_memory(llvm::function_ref<void()> body) {
    if (e_.nest().packs)
      return body();
    const int64_t line = e_.machine.caches.line;
    Value bytes = e_.i64(held_bytes_);
    Values offsets;
    for (TiledProduct& product : products_) {
      bytes = e_.mul(ceil_div(bytes, e_.i64(line)), e_.i64(line));
      offsets.push_back(bytes);
      if (has_panels_)
        bytes = e_.add(bytes, product.working_bytes(bounds_));
    }
    e_.with_working_memory(e_.add(bytes, e_.i64(line)), [&](Value memory) {
      memory_ = memory;
      for (auto [product, offset] : llvm::zip(products_, offsets))
        product.set_working_memory(e_.advanced(memory_, offset), bounds_);
      body();
    });
  }

  mlir::Operation* op_of(int number) const {
    return number == 0 ? root_ : e_.nest().fused[number - 1];
  }
  TiledProduct* product_of(int number) {
    auto found = llvm::find_if(
        products_, [&](const TiledProduct& product) { return product.op() == op_of(number); });
    return found == products_.end() ? nullptr : &*found;
  }
  static int first_stage(const Nodes& nodes) {
    std::optional<int> op;
    nest::for_each_node(nodes, [&](const ScheduleNode& node, const auto&) {
      if (auto* stage = std::get_if<ScheduleStage>(&node.what); stage && !op)
        op = stage->op;
    });
    return *op;
  }

  void when_more(Value x, Value y, llvm::function_ref<void()> body) {
    e_.when(e_.compare(CmpIPredicate::sgt, x, y), body);
  }
  /// min(max(x, 0), upper)
  Value bounded(Value x, Value upper) { return e_.clip(x, upper); }
  Value smaller(Value x, Value y) { return e_.b.createOrFold<mlir::arith::MinSIOp>(x, y); }
  Value floor_div(Value x, Value y) { return e_.b.createOrFold<mlir::arith::DivUIOp>(x, y); }
  Value remainder(Value x, Value y) { return e_.b.createOrFold<mlir::arith::RemUIOp>(x, y); }
  Value ceil_div(Value x, Value y) { return floor_div(e_.add(x, e_.sub(y, e_.i64(1))), y); }

  Emission& e_;
  mlir::Operation* root_;
  int lanes_;
  Values shape_, row_extents_, batch_extents_;
  nest::MatrixDims dims_;
  Value rows_, columns_;
  int row_dim_, column_dim_; ///< of the schedule; the one behind is summed
  std::vector<TiledProduct> products_;
  std::map<mlir::Operation*, std::optional<nest::ReadWhere>> read_where_; ///< by product

  // What the code at hand computes.
  Batch batch_;
  Block matrix_; ///< its rows: partial tiles are at its end
  Block row_block_, column_block_;
  int64_t column_unit_ = 1; ///< a multiple of which the block starts at, and ends at or all columns
  Panel panel_{};
  Rows tile_rows_;
  std::optional<Block> summed_block_;
  std::optional<Left> left_;
  std::map<mlir::Operation*, HeldSums> held_; ///< by product

  // What the schedule needs.
  std::set<mlir::Operation*> packed_; ///< products of which panels are packed
  bool has_panels_ = false;
  TileBounds bounds_{1, 1, 1};
  std::map<const ScheduleStore*, int64_t> width_of_, held_at_;
  int64_t held_bytes_ = 0;
  Value memory_;
  int64_t kept_rows_ = 0; ///< that are packed for all columns
  Value are_new_;         ///< of the unit at hand they are; null where that is not known
};

} // namespace

void emit_matrix_nest(Emission& emission) { MatrixNest(emission).emit(); }

} // namespace kolam::lower::cpu
