/// The user's line that ops which stand for one of the program are made at.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::transform {

/// While it lives, ops are made at a line of the user's.
class AtLine {
public:
  AtLine(language::Builder& b, mlir::Location loc) : b_(b), outer_(b.getLoc()) { b.setLoc(loc); }
  ~AtLine() { b_.setLoc(outer_); }
  AtLine(const AtLine&) = delete;
  AtLine& operator=(const AtLine&) = delete;

private:
  language::Builder& b_;
  mlir::Location outer_;
};

} // namespace kolam::transform
