/// What rows of choices share: values whose extents are numbers, and cutting these.
#pragma once

#include "kolam/language/zip_map_reduce.h"
#include "kolam/rewrite/choice.h"
#include "kolam/transform/cut.h"

namespace kolam::rewrite {

/// All elements of a value.
space::Box whole_of(mlir::Value value);
/// The extent of a dim, a number.
int64_t extent_of(mlir::Value value, int64_t dim);

/// Whether all extents are numbers, and the op does nothing but give results.
bool is_plain(mlir::Operation* op);

/// Bound of the parts that one step makes: each is ops of the program.
inline constexpr int64_t kMostParts = 4096;

/// Whether index dim `dim` is one of that kind along which the op can be cut.
bool can_cut_along(transform::Cuts& cuts, mlir::Operation* op, int64_t dim, space::DimKind kind);

/// Where `parts` nearly equal parts of [0, extent) start, behind the first; fewer of a short one.
std::vector<int64_t> even_borders(int64_t extent, int64_t parts);
/// The boxes between borders along a dim, two or more; none where there are no borders, or they are
/// not inside, or don't increase.
std::vector<space::Box> boxes_between(const space::Box& whole, int dim,
                                      const std::vector<int64_t>& borders);
/// The numbers of a parameter; none where it is not given.
const std::vector<int64_t>& numbers_in(const Parameters& parameters, std::string_view name);
/// The one number of a parameter, `otherwise` where none is given.
int64_t number_in(const Parameters& parameters, std::string_view name, int64_t otherwise);
/// The ways of a row without parameters.
std::vector<Parameters> once_if(bool applies);
/// Whether the op gives integers, which wrap: sums and products of them are exact in any order.
bool is_of_integers(mlir::Operation* op, const Parameters& parameters);

/// The op with that number in the block of `near`; null where there is none.
mlir::Operation* op_numbered(mlir::Operation* near, int64_t number);

/// A letter for a contraction that `used` does not have; none where the alphabet ends.
std::optional<char> free_letter(const std::string& used);

/// `x` as [..., parts, extent / parts, ...] along `dim`, whose extent is a multiple of `parts`.
mlir::Value in_parts(language::Builder& b, mlir::Value x, int64_t dim, int64_t parts);
/// Dims `dim` and `dim` + 1 as one.
mlir::Value in_one(language::Builder& b, mlir::Value x, int64_t dim);
/// The reduction of values by a monoid, in that order of accumulation.
language::Values reduced(language::Builder& b, const language::Values& inputs,
                         language::Monoid monoid, const language::Axes& dims,
                         ir::AccumulateAttr accumulate);

/// For samples: floats, wide and narrow, or integers.
DType any_dtype(Sample& sample);

} // namespace kolam::rewrite
