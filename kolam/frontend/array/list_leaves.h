/// Lists among the leaves of pytrees, as values of a trace.
#pragma once

#include "kolam/frontend/array/control.h"
#include "kolam/language/builder.h"

namespace kolam {
class Trace;
}

namespace kolam::detail {

/// Lists come to pytrees as leaves and offsets; loops, branches and composites take each as one
/// value.
class Lists {
public:
  /// For each value how many leaves hold it: of a list its depth, of a tensor 0.
  using Depths = std::vector<int64_t>;

  static Depths depths_of(const Leaves& leaves);
  /// How many leaves values of these depths have.
  static size_t leaves_of(const Depths& depths);

  static language::Values pack(language::Builder& b, const language::Values& parts,
                               const Depths& depths);
  static Leaves pack(Trace& trace, const Leaves& leaves);

  static language::Values unpack(Trace& trace, const language::Values& values);
  /// The arguments of a body as its pytree takes them.
  static Leaves unpack(Trace& trace, const Leaves& arguments);

  /// Says of results which are lists.
  static Leaves marked(Leaves leaves, const Depths& depths);

  /// Takes out what took lists apart for pytrees that put them together again.
  static void drop_unused(mlir::Block& block);
};

} // namespace kolam::detail
