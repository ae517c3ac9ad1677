// Writes the schedules of products: panels of columns, tiles of rows, parts of what is summed.
#include "kolam/nest/product_schedule.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/schedule_writer.h"
#include "kolam/nest/strided.h"
#include "kolam/support/accumulate.h"

#include <algorithm>
#include <functional>

namespace kolam::nest {
namespace {

/// Tiles of one height, where some height of at least half of `most` divides the rows; else of like
/// heights.
int like_height(int64_t rows, int most) {
  for (int height = most; 2 * height >= most; --height)
    if (rows % height == 0)
      return height;
  int64_t tiles = (rows + most - 1) / most;
  return static_cast<int>(std::max<int64_t>(1, (rows + tiles - 1) / std::max<int64_t>(tiles, 1)));
}

class ProductWriter {
public:
  ProductWriter(const Nest& nest, const Machine& machine)
      : nest_(nest), machine_(machine), dims_(nest.products[0].dims), unit_(unit_of(nest.products)),
        lanes_(machine.lanes()), registers_(sum_registers(nest)), writer_(nest), joined_(nest),
        known_rows_(row_count(nest.products[0]).constant()),
        shape_(ir::shape_of(nest.root->getResult(0))), known_columns_(shape_.back().constant()),
        most_rows_(std::max<int64_t>(known_rows_.value_or(kTiles.few_rows), 1)) {
    if (dims_.is_grouped)
      most_rows_ = std::min(most_rows_, unit_.rows);
    auto last = static_cast<int>(shape_.size()) - 1;
    if (!dims_.batch.empty())
      batch_ = writer_.add_dim(joined(shape_, dims_.batch));
    if (!dims_.rows.empty())
      rows_ = writer_.add_dim(joined(shape_, dims_.rows));
    columns_ = writer_.add_dim(joined(shape_, {last}));
  }

  /// `given`: a tile other than the rules'.
  Schedule write(std::optional<ProductTile> given) {
    given_ = given;
    if (nest_.packs)
      write_packing();
    else if (dims_.is_grouped)
      write_groups();
    else
      write_product();
    return std::move(writer_.schedule);
  }

  /// What the rules say for so many rows.
  ProductTile tile() const {
    return given_.value_or(rule_tile(nest_, machine_, most_rows_, known_columns_));
  }

private:
  using Inside = std::function<void(int vectors)>;

  void write_packing() {
    in_parallel({batch_, columns_}, [&] {
      for_columns(static_cast<int>(kTiles.packed_vectors), [&](int) {
        writer_.add(ScheduleStage{0, writer_.with(nest_.root, {}), Emitter::packing, lanes_});
      });
    });
  }

  /// Units of all columns of some rows, of which those with the same columns are a matrix.
  void write_groups() {
    bool by_parts = all(&ProductReading::is_cut);
    packs_ = !by_parts;
    in_parallel({rows_, columns_}, [&] {
      writer_.open(rows_, 1, LoopKind::runs);
      if (by_parts) { // a single row has wider tiles
        in({rows_, 1, false}, 1, [&] { write_parts(); });
        in({rows_, 1, true}, most_rows_, [&] { write_parts(); });
      } else {
        write_panels();
      }
      writer_.close();
    });
  }

  void write_product() {
    bool is_before =
        llvm::all_of(nest_.products, [](const Product& p) { return p.is_packed_before; });
    bool has_few = known_rows_.value_or(0) <= kTiles.few_rows;
    bool by_parts =
        has_few && all(&ProductReading::is_cut) && !(all(&ProductReading::is_small) && known_rows_);
    turns_ =
        known_rows_ && *known_rows_ <= rows_for(tile().vectors) && all(&ProductReading::is_turned);
    packs_ = !((has_few && known_rows_ && all(&ProductReading::is_direct)) ||
               all(&ProductReading::is_nearest) || turns_);
    auto panels = [&] { in_parallel({batch_, columns_, rows_}, [&] { write_panels(); }); };
    auto parts = [&] { in_parallel({batch_, columns_}, [&] { write_parts(); }); };
    if (by_parts && known_rows_)
      return parts();
    if (by_parts) {
      in({rows_, kTiles.few_rows, false}, most_rows_, parts);
      return in({rows_, kTiles.few_rows, true}, most_rows_, panels);
    }
    if (known_rows_ || !is_before || given_)
      return panels();
    // Few sums would wait for one another in a tile of few columns.
    in({rows_, kTiles.widest_rows, false}, kTiles.widest_rows,
       [&] { in_parallel({batch_, columns_}, [&] { write_wide_panels(); }); });
    in({rows_, kTiles.widest_rows, true}, most_rows_, panels);
  }

  /// For all columns of a panel the tiles of rows.
  void write_panels() {
    // A square that one tile reads has no use for columns beside it.
    for_columns(turns_ ? 1 : tile().vectors, [&](int vectors) {
      for (const Product& product : nest_.products)
        if (packs_ && !product.is_packed_before)
          writer_.add(ScheduleStage{writer_.number_of(product.op), {}, Emitter::packing, lanes_});
      for_rows(rows_for(vectors), [&] { add_root(Emitter::products, {}); });
    });
  }

  /// The widest tiles, then smaller ones for the columns behind them.
  void write_wide_panels() {
    for (int vectors = machine_.registers() / 4 / registers_; vectors >= 1; vectors /= 2) {
      bool is_whole = known_columns_ && *known_columns_ % lanes_ == 0;
      writer_.open(columns_, int64_t{vectors} * lanes_, LoopKind::serial,
                   vectors > 1 ? Rest::next
                   : is_whole  ? Rest::none
                               : Rest::mask);
      for_rows(static_cast<int>(kTiles.widest_rows), [&] { add_root(Emitter::products, {}); });
      writer_.close();
    }
  }

  /// Sums of many columns wait in memory while their factors are read part after part.
  void write_parts() {
    writer_.open(columns_, held_width(), LoopKind::serial, Rest::mask);
    std::vector<mlir::Operation*> known;
    for (const Product& product : nest_.products)
      writer_.add(ScheduleStore{writer_.number_of(product.op), StoreSpace::tile,
                                most_rows_ * held_width()});
    for (const Product& product : nest_.products) {
      write_parts_of(product, known);
      known.push_back(product.op);
    }
    for_tiles([&] { add_root(Emitter::elements, known); });
    writer_.close();
  }

  void write_parts_of(const Product& product, llvm::ArrayRef<mlir::Operation*> known) {
    Extent count = summed_count(product);
    if (summed_ < 0)
      summed_ = writer_.add_dim({dim_name(shape_.size()), count});
    const int64_t chunk = accumulate_of(product).chunk;
    const bool has_chunks = !is_one_chain(product);
    int64_t part = most_rows_ <= kTiles.widest_rows ? kTiles.short_part : kTiles.summed_part;
    auto open = [&](int64_t step, std::optional<int64_t> of) {
      writer_.open(summed_, step, LoopKind::serial,
                   of && *of % step == 0 ? Rest::none : Rest::peeled);
    };
    if (has_chunks)
      open(chunk, count.constant());
    open(part, has_chunks && *count.constant() % chunk == 0 ? chunk : count.constant());
    for_tiles([&] {
      int number = writer_.number_of(product.op);
      writer_.add(
          ScheduleStage{number, writer_.with(product.op, known), Emitter::products, lanes_});
    });
    writer_.close();
    if (has_chunks)
      writer_.close();
  }

  void for_tiles(const std::function<void()>& inside) {
    for_columns(tile().vectors,
                [&](int vectors) { for_rows(rows_for(vectors), [&] { inside(); }); });
  }

  void add_root(Emitter by, llvm::ArrayRef<mlir::Operation*> known) {
    bool is_known = llvm::is_contained(known, nest_.root);
    writer_.add(ScheduleStage{0, is_known ? std::vector<int>() : writer_.with(nest_.root, known),
                              by, lanes_});
  }

  /// Panels of so many vectors, and what is left of the columns behind them.
  void for_columns(int vectors, const Inside& inside) {
    const int64_t width = int64_t{vectors} * lanes_;
    auto panel = [&](int64_t step, Rest rest) {
      writer_.open(columns_, step, LoopKind::serial, rest);
      inside(static_cast<int>(step / lanes_));
      writer_.close();
    };
    if (!known_columns_) {
      panel(width, Rest::next);
      return panel(lanes_, Rest::mask);
    }
    const int64_t left = *known_columns_ % width;
    if (*known_columns_ >= width || left == 0)
      panel(width, left == 0 ? Rest::none : Rest::next);
    if (left > 0)
      panel((left + lanes_ - 1) / lanes_ * lanes_, left % lanes_ == 0 ? Rest::none : Rest::mask);
  }

  void for_rows(int height, const std::function<void()>& inside) {
    if (rows_ < 0)
      return inside();
    Rest rest = Rest::fewer;
    if (height == 1)
      rest = Rest::none;
    else if (known_rows_ && !dims_.is_grouped)
      rest = *known_rows_ % height == 0 ? Rest::none : Rest::peeled;
    writer_.open(rows_, height, LoopKind::serial, rest);
    inside();
    writer_.close();
  }

  /// Tiles of fewer vectors may have more rows.
  int rows_for(int vectors) const {
    ProductTile whole = tile();
    if (given_ || vectors >= whole.vectors || most_rows_ < kTiles.few_rows)
      return whole.rows;
    return vectors == 2 ? whole.rows * 3 / 2 : whole.rows * 2;
  }

  /// Units of these dims, where the result has them.
  void in_parallel(std::initializer_list<int> dims, const std::function<void()>& inside) {
    size_t open = 0;
    for (int dim : dims) {
      if (dim < 0)
        continue;
      Extent step = dim == batch_ ? 1 : dim == rows_ ? unit_.rows : unit_.columns;
      writer_.open(dim, step, LoopKind::parallel, dim == batch_ ? Rest::none : Rest::mask);
      ++open;
    }
    inside();
    for (; open > 0; --open)
      writer_.close();
  }

  /// What is written for a number of rows that is known when it runs.
  void in(ScheduleWhen when, int64_t most_rows, const std::function<void()>& inside) {
    int64_t most = std::exchange(most_rows_, most_rows);
    writer_.open(when);
    inside();
    writer_.close();
    most_rows_ = most;
  }

  /// Columns whose sums the first level of the caches holds.
  int64_t held_width() const {
    int64_t bytes = 0;
    for (const Product& product : nest_.products)
      bytes += byte_width(sum_dtype(product));
    int64_t unit = std::max<int64_t>(1, most_rows_) * bytes * unit_.columns;
    return std::max<int64_t>(1, machine_.caches.first / unit) * unit_.columns;
  }

  bool all(bool ProductReading::* holds) {
    if (readings_.empty())
      for (const Product& product : nest_.products)
        readings_.push_back(product_reading(product, nest_, joined_, machine_));
    return llvm::all_of(readings_, [&](const ProductReading& reading) { return reading.*holds; });
  }

  const Nest& nest_;
  const Machine& machine_;
  const MatrixDims& dims_;
  const UnitShape unit_;
  const int lanes_, registers_;
  ScheduleWriter writer_;
  JoinedDims joined_;
  std::optional<int64_t> known_rows_;
  Shape shape_;
  std::optional<int64_t> known_columns_;
  int64_t most_rows_; ///< of a matrix; many where that is not known
  std::optional<ProductTile> given_;
  bool packs_ = true;                                       ///< columns of each panel
  bool turns_ = false;                                      ///< columns of each tile
  int batch_ = -1, rows_ = -1, columns_ = -1, summed_ = -1; ///< dims of the schedule
  std::vector<ProductReading> readings_;
};

/// Tiles whose sums, with a vector of each factor, fit into the registers and leave few unused.
/// Their heights and widths divide a unit, so that units start where tiles do; the height of few
/// rows, which are one unit, is free.
std::vector<ProductTile> tiles_for(const Nest& nest, const Machine& machine) {
  std::vector<ProductTile> tiles;
  int lanes = machine.lanes(), registers = machine.registers();
  std::optional<int64_t> known = row_count(nest.products[0]).constant();
  UnitShape unit = unit_of(nest.products);
  bool is_one_unit = known && *known < unit.rows;
  int64_t most_rows = is_one_unit ? std::max<int64_t>(*known, 1) : unit.rows;
  for (int vectors = 1; vectors <= registers; ++vectors)
    for (int rows = 1; rows <= std::min<int64_t>(registers, most_rows); ++rows) {
      int used = (rows * vectors + vectors + 1) * sum_registers(nest);
      bool divides =
          unit.columns % (vectors * lanes) == 0 && (is_one_unit || unit.rows % rows == 0);
      bool is_useful = 2 * used > registers || rows == most_rows;
      if (divides && is_useful && used <= registers)
        tiles.push_back({rows, vectors});
    }
  return tiles;
}

} // namespace

int sum_registers(const Nest& nest) {
  int width = 4;
  for (const Product& product : nest.products)
    width = std::max(width, byte_width(sum_dtype(product)));
  return width / 4;
}

ProductReading product_reading(const Product& product, const Nest& nest, JoinedDims& joined,
                               const Machine& machine) {
  auto rank = static_cast<int>(ir::rank_of(product.op->getResult(0)));
  Extent all_columns = ir::shape_of(product.op->getResult(0)).back();
  auto columns = strided_operand(product.op, product.columns_of, rank - 1, nest, joined);
  auto rows = strided_operand(product.op, product.rows_of, rank - 1, nest, joined);
  DType factor = ir::dtype_of(product.op->getOperand(0));
  DType held = held_dtype(product, machine);
  bool has_dots = dot_group(factor, ir::dtype_of(product.op->getResult(0)), machine) != 0;
  space::Signature signature = llvm::cast<ir::SignedOp>(product.op).signature();
  ProductReading reading{};
  reading.is_direct = !product.is_packed_before && !has_dots && columns && factor == held &&
                      columns->stride(rank - 1) == Extent(1);
  std::optional<int64_t> count = summed_count(product).constant();
  reading.is_cut = reading.is_direct && rows && factor != DType::bf16 && count &&
                   static_cast<int>(signature.dims.size()) == rank + 1;
  const bool is_whole =
      count && *count % machine.lanes() == 0 &&
      (is_one_chain(product) || accumulate_of(product).chunk % machine.lanes() == 0);
  reading.is_turned = is_whole && !product.is_packed_before && !has_dots && columns &&
                      factor == held && factor != DType::bf16 && byte_width(factor) == 4 &&
                      columns->stride(rank) == Extent(1) &&
                      columns->stride(rank - 1) != Extent(1) && product.op->getNumOperands() == 2 &&
                      static_cast<int>(signature.dims.size()) == rank + 1;
  reading.is_small =
      count && all_columns.constant() &&
      *count * *all_columns.constant() * byte_width(held) <= machine.caches.second / 8;
  // Beside them go some rows. Packed, they would be read no other way.
  reading.is_nearest =
      reading.is_small && reading.is_cut && columns->stride(rank) == all_columns &&
      4 * *count * *all_columns.constant() * byte_width(held) <= 3 * machine.caches.first;
  return reading;
}

Schedule product_schedule(const Nest& nest, const Machine& machine) {
  return ProductWriter(nest, machine).write({});
}

std::vector<Schedule> product_schedules(const Nest& nest, const Machine& machine) {
  std::vector<Schedule> schedules{product_schedule(nest, machine)};
  if (nest.packs)
    return schedules;
  const ProductTile rules = ProductWriter(nest, machine).tile();
  for (ProductTile tile : tiles_for(nest, machine)) {
    Schedule schedule = ProductWriter(nest, machine).write(tile);
    if (!(tile == rules) && !llvm::is_contained(schedules, schedule))
      schedules.push_back(std::move(schedule));
  }
  return schedules;
}

/// Whether a product waits in a register until it is added to its sum.
static bool has_products_apart(const Nest& nest, const Machine& machine) {
  return llvm::any_of(nest.products, [&](const Product& product) {
    const DType sum = sum_dtype(product);
    const DType factor = ir::dtype_of(product.op->getOperand(0));
    return is_float(sum) ? !machine.has_fma : dot_group(factor, sum, machine) != 4;
  });
}

ProductTile rule_tile(const Nest& nest, const Machine& machine, int64_t most_rows,
                      std::optional<int64_t> columns) {
  // Sums fill three quarters of the registers; beside them lie the vectors of a row of columns, and
  // an element of the rows.
  int lanes = machine.lanes();
  ProductTile tile{machine.registers() / 4, 3};
  if (sum_registers(nest) > 1)
    tile = {machine.registers() * 3 / 16, 2};
  else if (machine.registers() == 16 && has_products_apart(nest, machine))
    tile = {6, 2}; // three vectors of columns would leave no register for a product
  if (most_rows <= tile.rows / 2)
    tile.vectors = tile.vectors == 3 ? 6 : 3; // divides a unit's columns, as all widths do
  int width = tile.vectors * lanes;
  if (columns && *columns <= 2 * width && *columns % width != 0 && tile.vectors == 3 &&
      *columns % (2 * lanes) == 0)
    // Twelve sums and four vectors of columns leave no register of 16 for an element of the rows.
    tile = *columns == 4 * lanes && machine.registers() > 16 ? ProductTile{tile.rows * 3 / 4, 4}
                                                             : ProductTile{tile.rows * 3 / 2, 2};
  if (most_rows < kTiles.few_rows)
    tile.rows = like_height(most_rows, tile.rows);
  return tile;
}

} // namespace kolam::nest
