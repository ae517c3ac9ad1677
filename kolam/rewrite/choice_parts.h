/// What rows of choices share: values whose extents are numbers, and cutting these.
#pragma once

#include "kolam/rewrite/choice.h"
#include "kolam/space/box.h"

namespace kolam::rewrite {

/// All elements of a value.
space::Box whole_of(mlir::Value value);
/// The extent of a dim, a number.
int64_t extent_of(mlir::Value value, int64_t dim);

/// Whether all extents are numbers, and the op does nothing but give results.
bool is_plain(mlir::Operation* op);

/// Bound of the parts that one step makes: each is ops of the program.
inline constexpr int64_t kMostParts = 4096;

/// Where `parts` nearly equal parts of [0, extent) start, behind the first; fewer of a short one.
std::vector<int64_t> even_borders(int64_t extent, int64_t parts);
/// The boxes between borders along a dim; none where borders are not inside, or don't increase.
std::vector<space::Box> boxes_between(const space::Box& whole, int dim,
                                      const std::vector<int64_t>& borders);
/// The numbers of a parameter; none where it is not given.
const std::vector<int64_t>& numbers_in(const Parameters& parameters, std::string_view name);

/// The op with that number in the block of `near`; null where there is none.
mlir::Operation* op_numbered(mlir::Operation* near, int64_t number);

/// A letter for a contraction that `used` does not have; none where the alphabet ends.
std::optional<char> free_letter(const std::string& used);

/// `x` as [..., parts, extent / parts, ...] along `dim`, whose extent is a multiple of `parts`.
mlir::Value in_parts(language::Builder& b, mlir::Value x, int64_t dim, int64_t parts);
/// Dims `dim` and `dim` + 1 as one.
mlir::Value in_one(language::Builder& b, mlir::Value x, int64_t dim);

} // namespace kolam::rewrite
