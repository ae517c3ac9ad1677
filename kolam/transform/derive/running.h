/// Running results of an associative function, as `associative_scan` groups them.
#pragma once

#include "kolam/language/builder.h"

#include <functional>
#include <optional>

namespace kolam::transform::derive {

using Combine =
    std::function<language::Values(const language::Values& left, const language::Values& right)>;

/// s[0] = x[0], s[i] = combine(s[i - 1], x[i]) along the first dim, from the first row on or, with
/// `is_reverse`, from the last: s[i] = combine(s[i + 1], x[i]).
///
/// In chunks of 4096 rows, as `associative_scan` (frontend/array/associative_scan.h) says: with p
/// the prefix inside a chunk, s is p in the first chunk and combine(carry, p) in others. Only the
/// first `given` of the values are given; all by default. `combine` is elementwise, and is called
/// for rows that nothing reads, too.
language::Values running(language::Builder& b, const language::Values& xs, bool is_reverse,
                         const Combine& combine, std::optional<size_t> given = {});

/// Each row where the next one in that direction was; the row that comes first is `first`.
language::Values moved_on(language::Builder& b, const language::Values& rows, bool is_reverse,
                          const language::Values& first);

/// Factors by result and argument, rows each; null where they are 0.
using Factors = std::vector<language::Values>;

/// y[0] = u[0], y[i] = factors[i] y[i - 1] + u[i], from either end: `running` of (factors, u).
/// Terms are guarded products (`scale`), in the order of the arguments, then u. Factors of the
/// first row are not read.
language::Values recurrence(language::Builder& b, const Factors& factors, const language::Values& u,
                            bool is_reverse);

} // namespace kolam::transform::derive
