// Coherency: any partition of an index space into boxes is a composition of choices, and each box
// is one dense op. Cuts alone can't make five boxes around a middle one; cuts and joins can.
#include "choice_programs.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/space/box.h"

#include <gtest/gtest.h>

#include <functional>

namespace kolam::rewrite {
namespace {

using mlir::Operation;
using space::Box;

/// All partitions of a grid of cells into boxes.
void for_each_partition(int64_t rows, int64_t columns,
                        const std::function<void(const std::vector<Box>&)>& f) {
  std::vector<bool> taken(static_cast<size_t>(rows * columns), false);
  std::vector<Box> boxes;
  std::function<void()> next = [&] {
    const auto free = std::ranges::find(taken, false);
    if (free == taken.end())
      return f(boxes);
    const int64_t cell = free - taken.begin(), row = cell / columns, column = cell % columns;
    auto set = [&](const Box& box, bool value) {
      space::for_each_point(box, [&](const space::Point& p) {
        taken[static_cast<size_t>(p[0] * columns + p[1])] = value;
      });
    };
    for (int64_t end = column + 1;
         end <= columns && !taken[static_cast<size_t>(row * columns + end - 1)]; ++end)
      for (int64_t last = row + 1; last <= rows; ++last) {
        const Box box({row, column}, {last, end});
        set(box, true);
        boxes.push_back(box);
        next();
        boxes.pop_back();
        set(box, false);
      }
  };
  next();
}

std::vector<Operation*> ops_of(const driver::Module& program) {
  std::vector<Operation*> ops;
  for (Operation& op : program.main().getBody().front().without_terminator())
    ops.push_back(&op);
  return ops;
}

/// A grid of ops of a program, by their numbers, while steps are taken.
struct Grid {
  std::string op; ///< its name
  int64_t columns = 1;
  std::vector<int64_t> cells;

  void follow(const Taken& taken, const driver::Module& program) {
    const std::vector<Operation*> ops = ops_of(program);
    for (int64_t& cell : cells)
      for (int64_t now : taken.ops[static_cast<size_t>(cell)])
        if (ir::name_of(ops[static_cast<size_t>(now)]) == op) {
          cell = now;
          break;
        }
  }
};

class Composition {
public:
  explicit Composition(driver::Module program) : program_(std::move(program)) {}

  /// Takes a step, which must keep every bit.
  Taken take(const std::string& name, int64_t op, Parameters parameters = {}) {
    Taken taken = rewrite::take(program_.main(), {name, op, std::move(parameters)}, Keeps::exact);
    for (Grid& grid : grids_)
      grid.follow(taken, program_);
    return taken;
  }

  /// Cuts op `number` along two dims of its index space, at borders.
  void cut(int64_t number, int64_t dims[2], const std::vector<int64_t>& rows,
           const std::vector<int64_t>& columns) {
    const std::string name = ir::name_of(ops_of(program_)[static_cast<size_t>(number)]);
    Grid grid{name, static_cast<int64_t>(columns.size()) + 1, {}};
    std::vector<int64_t> strips =
        made(take("split_op", number, {{"dim", {dims[0]}}, {"cuts", rows}}), number, name);
    grids_.push_back({name, 1, strips});
    const size_t own = grids_.size() - 1;
    for (size_t strip = 0; strip < strips.size(); ++strip) {
      const int64_t at = grids_[own].cells[strip];
      std::vector<int64_t> cells =
          made(take("split_op", at, {{"dim", {dims[1]}}, {"cuts", columns}}), at, name);
      grids_.push_back({name, 1, cells});
    }
    for (size_t strip = 0; strip < strips.size(); ++strip)
      grid.cells.insert(grid.cells.end(), grids_[own + 1 + strip].cells.begin(),
                        grids_[own + 1 + strip].cells.end());
    grids_.resize(own);
    grids_.push_back(std::move(grid));
  }

  /// Pushes slices of what concat makes until there is none.
  void push_slices() {
    for (bool is_done = false; !is_done;) {
      is_done = true;
      const std::vector<Operation*> ops = ops_of(program_);
      for (size_t number = 0; number < ops.size(); ++number)
        if (llvm::isa<ir::SliceOp>(ops[number]) &&
            ops[number]->getOperand(0).getDefiningOp<ir::ConcatOp>()) {
          take("push_slice", static_cast<int64_t>(number));
          is_done = false;
          break;
        }
    }
  }

  /// Joins the cells of a grid that a box holds, row by row, then the rows. `dims` are of results.
  void join(size_t grid, const Box& box, const int64_t dims[2]) {
    auto cell = [&](int64_t row, int64_t column) -> int64_t& {
      return grids_[grid].cells[static_cast<size_t>(row * grids_[grid].columns + column)];
    };
    for (int64_t row = box.start()[0]; row < box.end()[0]; ++row)
      for (int64_t column = box.start()[1] + 1; column < box.end()[1]; ++column) {
        take("join_ops", cell(row, column),
             {{"with", {cell(row, box.start()[1])}}, {"dim", {dims[1]}}});
      }
    for (int64_t row = box.start()[0] + 1; row < box.end()[0]; ++row)
      take("join_ops", cell(row, box.start()[1]),
           {{"with", {cell(box.start()[0], box.start()[1])}}, {"dim", {dims[0]}}});
  }

  const driver::Module& program() const { return program_; }
  size_t count(const std::string& name) const {
    size_t count = 0;
    for (Operation* op : ops_of(program_))
      count += ir::name_of(op) == name ? 1 : 0;
    return count;
  }
  Composition clone() const {
    Composition copy(program_.clone());
    copy.grids_ = grids_;
    return copy;
  }

private:
  /// The ops of that name that a step made for one.
  std::vector<int64_t> made(const Taken& taken, int64_t number, const std::string& name) const {
    std::vector<int64_t> numbers;
    for (int64_t now : taken.ops[static_cast<size_t>(number)])
      if (ir::name_of(ops_of(program_)[static_cast<size_t>(now)]) == name)
        numbers.push_back(now);
    return numbers;
  }

  driver::Module program_;
  std::vector<Grid> grids_;
};

TEST(Coherency, FiveBoxesAroundAMiddleOneAreAPartition) {
  int partitions = 0, pinwheels = 0;
  for_each_partition(3, 3, [&](const std::vector<Box>& boxes) {
    ++partitions;
    pinwheels += boxes.size() == 5 &&
                 llvm::count_if(boxes, [](const Box& box) { return space::size(box) == 2; }) == 4 &&
                 llvm::is_contained(boxes, Box({1, 1}, {2, 2}));
  });
  EXPECT_EQ(partitions, 322);
  EXPECT_EQ(pinwheels, 2);
}

TEST(Coherency, AnyPartitionOfLinearIsAComposition) {
  const driver::Module whole =
      driver::parse(
          R"(func.func @main(%x: tensor<6x5xf32>, %w: tensor<5x9xf32>, %b: tensor<9xf32>) -> tensor<6x9xf32> {
    %0 = kolam.contract "ik,kn->in" %x, %w <"chain<512>"> : (tensor<6x5xf32>, tensor<5x9xf32>) -> tensor<6x9xf32>
    %1 = kolam.broadcast %b [1] : tensor<9xf32> -> tensor<6x9xf32>
    %2 = kolam.elementwise "add" %0, %1 : (tensor<6x9xf32>, tensor<6x9xf32>) -> tensor<6x9xf32>
    return %2 : tensor<6x9xf32>
  })",
          "linear")
          .program;
  int64_t dims[] = {0, 1};
  Composition cells(whole.clone());
  cells.cut(0, dims, {1, 4}, {4, 5});
  std::vector<Operation*> ops = ops_of(cells.program());
  const auto add =
      std::ranges::find_if(ops, [](Operation* op) { return ir::name_of(op) == "elementwise"; });
  cells.cut(add - ops.begin(), dims, {1, 4}, {4, 5});
  cells.push_slices();
  EXPECT_EQ(cells.count("contract"), 9u);
  for_each_partition(3, 3, [&](const std::vector<Box>& boxes) {
    SCOPED_TRACE(testing::PrintToString(boxes.size()));
    Composition composed = cells.clone();
    for (size_t grid : {0u, 1u})
      for (const Box& box : boxes)
        composed.join(grid, box, dims);
    EXPECT_EQ(composed.count("contract"), boxes.size());
    EXPECT_EQ(composed.count("elementwise"), boxes.size());
    for (Operation* op : ops_of(composed.program()))
      if (ir::name_of(op) == "elementwise") // each box reads its own product
        EXPECT_EQ(ir::name_of(op->getOperand(0).getDefiningOp()), "contract");
    expect_equal(whole, composed.program(), Keeps::exact, Values::hard, boxes.size());
  });
}

/// Windows with halos: 3 x 2, moved by `stride`, over 7 x 9 elements with padding.
driver::Module windows(int64_t stride, int64_t dilation, const std::string& result) {
  return driver::parse("func.func @main(%x: tensor<2x7x9x3xf32>, %f: tensor<3x2x3x4xf32>) -> " +
                           result + " {\n" +
                           "%0 = kolam.convolution %x, %f <\"lanes<64>, chunk<4096>\"> {dilation = "
                           "array<i64: " +
                           std::to_string(dilation) +
                           ", 1>, groups = 1 : i64, high = array<i64: 2, 1>, low = "
                           "array<i64: 1, 0>, strides = array<i64: " +
                           std::to_string(stride) +
                           ", 1>} : "
                           "(tensor<2x7x9x3xf32>, tensor<3x2x3x4xf32>) -> " +
                           result + "\nreturn %0 : " + result + "\n}",
                       "windows")
      .program;
}

void expect_coherent(const driver::Module& whole, int64_t dims[2], std::vector<int64_t> rows,
                     std::vector<int64_t> columns) {
  Composition cells(whole.clone());
  cells.cut(0, dims, rows, columns);
  for_each_partition(3, 3, [&](const std::vector<Box>& boxes) {
    Composition composed = cells.clone();
    for (const Box& box : boxes)
      composed.join(0, box, dims);
    EXPECT_EQ(composed.count("convolution"), boxes.size());
    expect_equal(whole, composed.program(), Keeps::exact, Values::hard, boxes.size());
  });
}

TEST(Coherency, AnyPartitionOfAConvolutionIsAComposition) {
  int64_t positions[] = {1, 2}, channels[] = {2, 3};
  expect_coherent(windows(1, 1, "tensor<2x8x9x4xf32>"), positions, {1, 6}, {2, 5});
  expect_coherent(windows(2, 1, "tensor<2x4x9x4xf32>"), positions, {1, 3}, {2, 5});
  expect_coherent(windows(1, 2, "tensor<2x6x9x4xf32>"), channels, {1, 6}, {1, 2});
}

} // namespace
} // namespace kolam::rewrite
