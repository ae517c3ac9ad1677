/// Unimodular transformations of loop nests: from the distances of dependences to an order of loops
/// whose inner ones are parallel.
///
/// Source: M. Wolf, M. Lam, "A loop transformation theory and an algorithm to maximize
/// parallelism", 1991.
#pragma once

#include <optional>

#include "kolam/space/affine_map.h"

namespace kolam::space {

/// Distances of dependences: point x of a nest needs the point x - d, for each d that lies in it.
using Distances = std::vector<Point>;

/// Loops y = matrix x for the points x of a nest. `matrix` and `inverse` hold integers only.
struct Transformation {
  Matrix matrix, inverse;
  /// How many of the outermost loops run in order, 0 or 1. Points that agree in them are
  /// independent.
  int sequential = 0;
};

/// The dims in which some distance is not 0.
std::vector<int> active_dims(int rank, const Distances& distances);

/// Whether each distance has a component that is not 0, and the first such one is above 0: the
/// order in which a nest is written.
bool are_lexicographically_positive(const Distances& distances);

/// Whether loops y = matrix x keep the order of all dependences: every transformed distance is
/// lexicographically positive.
bool is_legal(const Matrix& matrix, const Distances& distances);

/// Loops with at most one that runs in order:
///
///     no active dim      all parallel, as they stand
///     one                it goes outermost
///     k >= 2             the outermost loop is a hyperplane, a sum of the active dims with factors
///                        that make it grow along each distance; then the first k - 1 active dims
///
/// then the other dims, those of maps last. Factors are 1 where no distance has a negative
/// component: (1, 0), (0, 1) give t + i. Distances (1, -1), (0, 1) give 2 t + i. nullopt where a
/// distance is not lexicographically positive.
std::optional<Transformation> wavefront(const std::vector<bool>& is_map,
                                        const Distances& distances);

/// The inverse of a square matrix whose determinant is 1 or -1; else nullopt.
std::optional<Matrix> unimodular_inverse(const Matrix& matrix);
/// matrix x.
Point image(const Matrix& matrix, const Point& x);

/// `[1 1 0; 1 0 0; 0 0 1]`.
std::string to_string(const Matrix& matrix);

} // namespace kolam::space
