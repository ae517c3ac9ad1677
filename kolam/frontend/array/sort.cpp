// Calls sorts.
#include "kolam/frontend/array/sort.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/sort.h"

namespace kolam {

Tensor sort(const Operand& x, int64_t axis, bool descending) {
  return apply_one("sort", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::sort(b, v[0], axis, descending).values;
  });
}

Tensor argsort(const Operand& x, int64_t axis, bool descending) {
  return apply_one("argsort", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::sort(b, v[0], axis, descending).indices;
  });
}

TopK top_k(const Operand& x, int64_t k, int64_t axis, bool largest) {
  auto results = apply("top_k", {&x, 1}, [&](language::Builder& b, const language::Values& v) {
    language::Sorted sorted = language::top_k(b, v[0], k, axis, largest);
    return language::Values{sorted.values, sorted.indices};
  });
  return {results[0], results[1]};
}

} // namespace kolam
