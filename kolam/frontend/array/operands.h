/// Operands: the tensors of a function that takes any number of them.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// Several operands: `concat({x, y})`, or a vector of tensors.
class Operands {
public:
  Operands(std::initializer_list<Operand> operands) : values_(operands) {}
  Operands(std::vector<Operand> operands) : values_(std::move(operands)) {}
  Operands(const std::vector<Tensor>& tensors, Operand::Here here = Operand::Here::current()) {
    for (const Tensor& tensor : tensors)
      values_.emplace_back(tensor, here);
  }

  const std::vector<Operand>& values() const { return values_; }

private:
  std::vector<Operand> values_;
};

} // namespace kolam
