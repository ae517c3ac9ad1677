/// Nested ragged lists of tensors in hand: with elements, or inside `jit` values of the running
/// program.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/runtime/list.h"

namespace kolam::fractal {

/// A list of tensors, or of lists, to any depth.
///
/// Depth, dtype and leaf shape are known in both cases; lengths of a traced list are not.
class List {
public:
  List() = default;
  List(runtime::List list) : host_(std::move(list)) {}
  explicit List(std::shared_ptr<const TracedValue> traced) : traced_(std::move(traced)) {}

  bool is_empty() const { return !traced_ && !host_; }
  bool is_traced() const { return traced_ != nullptr; }
  int64_t depth() const;
  DType dtype() const;
  Shape leaf_shape() const;
  /// The elements; throws `[traced-value]`.
  const runtime::List& host() const;
  /// `list<list<float32[1, 64]>>`.
  std::string type_text() const;
  const std::shared_ptr<const TracedValue>& traced() const { return traced_; }
  /// How it is reached in the tuples that a list holds, for errors: `xs[1]`; empty where it is the
  /// whole list.
  const std::string& path() const { return path_; }
  void set_path(std::string path) { path_ = std::move(path); }

private:
  runtime::List host_;
  std::shared_ptr<const TracedValue> traced_;
  std::string path_;
};

/// An element, a state, a captured value.
using Datum = std::variant<Tensor, List>;
using Data = std::vector<Datum>;

} // namespace kolam::fractal
