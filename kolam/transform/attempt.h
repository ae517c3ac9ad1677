/// Ops that are made to see whether they can be.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::transform {

/// Takes back what was inserted while it lived, unless that is to be kept.
class Attempt {
public:
  explicit Attempt(language::Builder& b) : b_(b), before_(last()) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    while (!is_kept_ && last() != before_)
      last()->erase();
  }
  void keep() { is_kept_ = true; }

private:
  /// What stands in front of the builder's place.
  mlir::Operation* last() const {
    mlir::Block::iterator place = b_.getInsertionPoint();
    return place == b_.getInsertionBlock()->begin() ? nullptr : &*std::prev(place);
  }

  language::Builder& b_;
  mlir::Operation* before_;
  bool is_kept_ = false;
};

} // namespace kolam::transform
