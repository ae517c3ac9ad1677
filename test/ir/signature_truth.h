/// The truth about who touches what, found by changing elements and running the interpreter, and
/// how a signature compares.
#pragma once

#include <random>

#include "kolam/driver/parse.h"
#include "kolam/interp/interpreter.h"
#include "kolam/ir/ops.h"
#include "kolam/space/region.h"

#include <gtest/gtest.h>

namespace kolam::ir {

using runtime::Array;

/// A program of one op whose operands are the function's arguments, in order.
struct OneOp {
  driver::Module program;
  SignedOp op;
};

inline OneOp parse_one_op(const std::string& text) {
  OneOp result{driver::parse(text, "test").program, nullptr};
  mlir::Block& body = result.program.main().getBody().front();
  result.op = llvm::cast<SignedOp>(&body.front());
  return result;
}

/// Row-major element numbers.
using Cells = std::set<int64_t>;

inline int64_t ravel(const space::Point& point, const std::vector<int64_t>& shape) {
  int64_t number = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    number = number * shape[dim] + point[dim];
  return number;
}

inline std::vector<int64_t> numbers(const Shape& shape) {
  std::vector<int64_t> result;
  for (const Extent& extent : shape)
    result.push_back(*extent.constant());
  return result;
}

/// The elements inside the tensor that a point owns; those outside land where the policy says.
inline Cells owned_cells(const space::Operand& operand, const space::Point& point) {
  Cells cells;
  std::vector<int64_t> shape = numbers(operand.shape);
  space::for_each_point(space::region(operand.projection, point), [&](const space::Point& cell) {
    space::Point landed;
    for (size_t dim = 0; dim < cell.size(); ++dim) {
      space::Landing landing = space::land(operand.policy, cell[dim], shape[dim]);
      if (landing.kind != space::Landing::Kind::cell)
        return;
      landed.push_back(landing.index);
    }
    cells.insert(ravel(landed, shape));
  });
  return cells;
}

/// Whether what `before` does can reach `after`: the same point, or an earlier one along the scan
/// dims.
inline bool reaches(const space::Signature& signature, const space::Point& before,
                    const space::Point& after) {
  bool earlier = false, has_scan = false;
  for (size_t dim = 0; dim < before.size(); ++dim) {
    if (signature.dims[dim].kind != space::DimKind::scan) {
      if (before[dim] != after[dim])
        return false;
      continue;
    }
    has_scan = true;
    bool forward = signature.dims[dim].direction == space::Direction::forward;
    if (!earlier && before[dim] != after[dim]) {
      if ((before[dim] < after[dim]) != forward)
        return false;
      earlier = true;
    }
  }
  return earlier || !has_scan || before == after;
}

/// By operand and element, the result elements (result number, element) that the signature lets
/// depend on it.
using Reach = std::vector<std::map<int64_t, std::set<std::pair<int64_t, int64_t>>>>;

inline Reach reach_of(const space::Signature& signature, size_t operand_count) {
  std::vector<space::Point> all = space::points(space::index_box(signature));
  std::vector<std::vector<Cells>> owned;
  for (const space::Operand& operand : signature.operands) {
    owned.emplace_back();
    for (const space::Point& point : all)
      owned.back().push_back(owned_cells(operand, point));
  }
  Reach reach(operand_count);
  bool scans = llvm::any_of(
      signature.dims, [](const space::IndexDim& dim) { return dim.kind == space::DimKind::scan; });
  for (size_t reader = 0; reader < all.size(); ++reader)
    for (size_t writer = scans ? 0 : reader; writer < (scans ? all.size() : reader + 1); ++writer) {
      if (!reaches(signature, all[reader], all[writer]))
        continue;
      for (size_t i = 0; i < operand_count; ++i)
        for (int64_t cell : owned[i][reader])
          for (size_t r = operand_count; r < owned.size(); ++r)
            for (int64_t written : owned[r][writer])
              reach[i][cell].insert({static_cast<int64_t>(r - operand_count), written});
    }
  return reach;
}

/// How a test fills an operand and changes an element of it.
inline void set_cell(Array& array, int64_t cell, int64_t value) {
  visit_dtype(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_arithmetic_v<T>)
      array.mutable_values<T>()[cell] = static_cast<T>(value);
  });
}

inline Array random_array(mlir::Type type, std::mt19937& random, int64_t most) {
  Array array = Array::zeros(dtype_of(type), numbers(shape_of(type)));
  for (int64_t cell = 0; cell < array.size(); ++cell)
    set_cell(array, cell, static_cast<int64_t>(random() % (most + 1)));
  return array;
}

/// The result elements that differ between two runs.
inline std::set<std::pair<int64_t, int64_t>> changes(const std::vector<Array>& before,
                                                     const std::vector<Array>& after) {
  std::set<std::pair<int64_t, int64_t>> result;
  for (size_t r = 0; r < before.size(); ++r) {
    int width = byte_width(before[r].dtype());
    auto* x = static_cast<const std::byte*>(before[r].data());
    auto* y = static_cast<const std::byte*>(after[r].data());
    for (int64_t cell = 0; cell < before[r].size(); ++cell)
      if (std::memcmp(x + cell * width, y + cell * width, width) != 0)
        result.insert({static_cast<int64_t>(r), cell});
  }
  return result;
}

/// Changes every operand element in turn: what changes must be what the signature lets change, and
/// where `exact`, all of it.
inline void compare_with_truth(OneOp& one, std::mt19937& random, bool exact, int64_t most = 9) {
  space::Signature signature = one.op.signature();
  SCOPED_TRACE(space::to_string(signature));
  unsigned operand_count = one.op->getNumOperands();
  Reach reach = reach_of(signature, operand_count);
  std::vector<Array> arguments;
  for (mlir::Value operand : one.op->getOperands())
    arguments.push_back(random_array(operand.getType(), random, most));
  std::vector<Array> before = interp::interpret(one.program.main(), arguments);
  for (unsigned i = 0; i < operand_count; ++i) {
    bool places = is_integer(arguments[i].dtype());
    for (int64_t cell = 0; cell < arguments[i].size(); ++cell) {
      std::vector<Array> changed = arguments;
      changed[i] = Array::copy_of(arguments[i].dtype(), arguments[i].shape(), arguments[i].data());
      set_cell(changed[i], cell, places ? static_cast<int64_t>(random() % (most + 1)) : 100 + most);
      auto actual = changes(before, interp::interpret(one.program.main(), changed));
      const auto& allowed = reach[i][cell];
      for (const auto& [result, written] : actual)
        EXPECT_TRUE(allowed.contains({result, written}))
            << "operand " << i << " element " << cell << " changes result element " << written;
      if (exact && !places)
        EXPECT_EQ(actual, allowed) << "operand " << i << " element " << cell;
    }
  }
}

} // namespace kolam::ir
