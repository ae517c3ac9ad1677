/// Random problems of data dimensions: up to eight ops over values of rank 1 to 3.
#pragma once

#include "kolam/analysis/data_dim/problem.h"

#include <random>

namespace kolam::analysis::test {

class RandomDataDims {
public:
  explicit RandomDataDims(unsigned seed) : random_(seed) {}

  DataDimProblem make(LayoutMode mode) {
    DataDimProblem problem;
    problem.mode = mode;
    const int arguments = 1 + pick(3), ops = 1 + pick(8);
    for (int number = 0; number < arguments; ++number) {
      const int value = add_value(problem);
      DataDimOp op = outside(problem, DataDimOp::Kind::argument, value);
      op.results = {value};
      problem.ops.push_back(std::move(op));
    }
    for (int number = 0; number < ops; ++number)
      problem.ops.push_back(make_op(problem));
    const int last = static_cast<int>(problem.values.size()) - 1;
    DataDimOp op = outside(problem, DataDimOp::Kind::result, last);
    op.operands = {last};
    problem.ops.push_back(std::move(op));
    return problem;
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

private:
  int add_value(DataDimProblem& problem) {
    DataDimValue value;
    value.shape.assign(static_cast<size_t>(1 + pick(3)), Extent(4));
    for (size_t dim = 0; dim < value.shape.size(); ++dim)
      value.dims.push_back(static_cast<int>(dim));
    for (int from : value.dims)
      for (int to : value.dims)
        value.relayouts.push_back(from == to ? 0 : 1 + pick(12));
    value.may_move = problem.mode == LayoutMode::repair;
    problem.values.push_back(std::move(value));
    return static_cast<int>(problem.values.size()) - 1;
  }

  DataDimOp outside(const DataDimProblem& problem, DataDimOp::Kind kind, int value) {
    DataDimOp op;
    op.kind = kind;
    op.name = "x" + std::to_string(value);
    op.is_pinned = pick(2) == 0;
    const int pinned = pick(static_cast<int>(problem.values[value].dims.size()));
    for (int dim : problem.values[value].dims)
      if (!op.is_pinned || dim == pinned)
        op.rows.push_back({{dim}, space::DataDimCost::free, {}, op.is_pinned ? 0 : pick(4)});
    return op;
  }

  DataDimOp make_op(DataDimProblem& problem) {
    DataDimOp op;
    op.name = "op" + std::to_string(problem.ops.size());
    op.where = {"model.py", static_cast<int>(problem.ops.size())};
    const int operands = 1 + pick(2), known = static_cast<int>(problem.values.size());
    for (int at = 0; at < operands; ++at)
      op.operands.push_back(pick(known));
    op.results.push_back(add_value(problem));
    const int rows = 1 + pick(4);
    for (int row = 0; row < rows; ++row) {
      PricedRow priced;
      for (int value : op.operands)
        priced.dims.push_back(pick(8) == 0 ? space::kAnyDim : dim_of(problem, value));
      priced.dims.push_back(dim_of(problem, op.results[0]));
      priced.time = pick(10);
      op.rows.push_back(std::move(priced));
    }
    return op;
  }

  int dim_of(const DataDimProblem& problem, int value) {
    return pick(static_cast<int>(problem.values[value].dims.size()));
  }

  std::mt19937 random_;
};

} // namespace kolam::analysis::test
