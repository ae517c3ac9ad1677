/// Rules: equations between programs, one row each. Every rule keeps every bit.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

#include <span>
#include <string_view>
#include <vector>

namespace kolam::rewrite {

/// left = right, read from left to right.
struct Rule {
  std::string_view name;
  std::string_view equation; ///< for readers, with the condition
  std::string_view
      example; ///< the body of a program on which the rule applies: tests run it before and after
  /// What equals the only result of `op`, or null where the rule does not apply. Makes no op before
  /// it is sure.
  mlir::Value (*apply)(mlir::Operation* op, mlir::OpBuilder& builder);
  /// Whether it says `fma` for what a contraction adds, which is that where the machine has it.
  bool needs_fma = false;
};

std::span<const Rule> contract_rules();
std::span<const Rule> convolution_rules();
std::span<const Rule> elementwise_rules();
std::span<const Rule> exact_reduction_rules();
std::span<const Rule> literal_rules();
std::span<const Rule> narrow_rules();
std::span<const Rule> reduction_rules();
std::span<const Rule> shape_rules();
std::span<const Rule> update_rules();
std::span<const Rule> view_rules();

/// The rules of all families.
std::vector<Rule> all_rules();

} // namespace kolam::rewrite
