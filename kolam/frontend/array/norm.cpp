// Calls norms.
#include "kolam/frontend/array/norm.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/reduced_dims.h"
#include "kolam/language/norm.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam {

Tensor norm(const Operand& x, const std::optional<NormOrder>& ord, const Axis& axis,
            bool keepdims) {
  return apply_one("norm", {x}, [&](language::Builder& b, const language::Values& v) {
    int64_t rank = ir::rank_of(v[0]);
    language::Axes dims = reduced_dims(axis, rank);
    bool is_whole = !axis.axes() && !ord;
    if (!is_whole && dims.size() != 1 && dims.size() != 2)
      language::fail_argument(ErrorKind::value, "rank-mismatch", axis.axes() ? "axis" : "x",
                              "one dim for vectors or two for matrices",
                              std::to_string(dims.size()));
    auto* number = ord ? std::get_if<double>(&*ord) : nullptr;
    if (ord && !number && (std::get<std::string>(*ord) != "fro" || dims.size() != 2))
      language::fail_argument(ErrorKind::value, "bad-option", "ord",
                              "a number, or 'fro' for matrices",
                              "'" + std::get<std::string>(*ord) + "'");
    mlir::Value result;
    if (number && dims.size() == 2) {
      // In the order that the user names them: rows, then columns.
      int64_t rows = axis.axes() ? normalize_axis((*axis.axes())[0], rank) : dims[0];
      result = language::matrix_norm(b, v[0], rows, rows == dims[0] ? dims[1] : dims[0], *number);
    } else {
      result = language::vector_norm(b, v[0], dims, number ? *number : 2);
    }
    return keepdims ? language::keep_dims(b, result, dims) : result;
  });
}

} // namespace kolam
