/// The words of checks: messages with values, and the rows of a program's checks.
#pragma once

#include "kolam/runtime/array.h"
#include "kolam/support/error.h"

#include <optional>
#include <string>
#include <vector>

namespace kolam::detail {

/// The texts between the values of a format. Throws `[bad-format]` where it has another number of
/// `{}`, or anything else in braces.
std::vector<std::string> texts_between(const std::string& format, size_t values);
/// The texts with values between them.
std::string filled(const std::vector<std::string>& texts, const std::vector<std::string>& values);

/// One check of a program (transform/checkify.h).
struct CheckRow {
  std::string slug;
  std::vector<std::string> texts; ///< between the values
  SourceLocation where;
  /// Of the place: the path of elements, the point of a grid, the index into the condition.
  size_t path = 0, grid = 0, rank = 0;
  std::vector<DType> values;
};
struct CheckTable {
  std::vector<CheckRow> rows;
  size_t places = 0; ///< ints of the place in each error

  /// Equal for tables that say the same.
  std::string key() const;
};

/// The first error of errors, int64[..., width], in program order, of the lowest index.
std::optional<Error> first_error(const CheckTable& table, const runtime::Array& errors);

} // namespace kolam::detail
