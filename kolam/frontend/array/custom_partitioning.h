/// Functions that plans cut as their users say.
#pragma once

#include "kolam/frontend/array/operands.h"
#include "kolam/frontend/array/program.h"
#include "kolam/space/box.h"
#include "kolam/space/signature.h"

#include <functional>

namespace kolam {

/// A function of tensors of which the user says what parts of its results need: where Kolam can't
/// look into it (opaque_call), or where parts are better computed in another way than by parts of
/// its ops. Make one for each function: it is kept for the life of the process, as plans may be
/// made of programs that call it until then.
///
/// A program that calls it computes what `function` does. A plan may cut it: `function` is traced
/// once more for what a part reads, and must give what the part writes; the bits are then those of
/// the function on parts. It uses nothing but its operands, and does nothing but give results.
///
/// When a plan is made, what is said is tried by running: whether results change with elements that
/// they do not need, and whether parts are parts. Throws `[bad-partitioning]`, naming the operand
/// and the box.
class CustomPartitioning {
public:
  using Function = std::function<std::vector<Tensor>(std::vector<Tensor>)>;
  /// The boxes of the operands that a box of the results, which have one shape, needs.
  using Boxes = std::function<std::vector<space::Box>(const space::Box& result)>;

  /// `signature` has the operands, in, and then the results, out; extents may be symbols, which the
  /// operands' extents bind. Of a dim that is reduced the monoid's name is an elementwise function,
  /// by which results of parts are merged.
  CustomPartitioning(std::string name, Function function, space::Signature signature);
  CustomPartitioning(std::string name, Function function, Boxes boxes);

  /// The function's results. Outside a trace it is called at once.
  std::vector<Tensor> operator()(const Operands& operands) const;

private:
  std::string name_, key_;
  Function function_;
};

} // namespace kolam
