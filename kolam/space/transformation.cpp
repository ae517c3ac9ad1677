// Chooses and checks unimodular transformations.
#include "kolam/space/transformation.h"

#include <algorithm>

#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

/// The first component that is not 0; the rank where all are.
size_t leading(const Point& distance) {
  return std::find_if(distance.begin(), distance.end(), [](int64_t d) { return d != 0; }) -
         distance.begin();
}

int64_t dot(const std::vector<int64_t>& row, const Point& x) {
  int64_t sum = 0;
  for (size_t j = 0; j < row.size(); ++j)
    sum = add(sum, multiply(row[j], x[j]));
  return sum;
}

std::vector<int64_t> unit_row(size_t rank, int dim) {
  std::vector<int64_t> row(rank, 0);
  row[dim] = 1;
  return row;
}

/// Factors, one for each active dim, with factors . d >= 1 for each distance: from the innermost
/// dim outward the least one that outweighs what the inner dims take away. The last one is 1.
std::vector<int64_t> hyperplane(int rank, const std::vector<int>& active,
                                const Distances& distances) {
  std::vector<int64_t> factors(rank, 0);
  for (auto dim = active.rbegin(); dim != active.rend(); ++dim) {
    int64_t factor = 1;
    for (const Point& distance : distances)
      if (leading(distance) == static_cast<size_t>(*dim))
        factor = std::max(factor, ceil_divide(subtract(1, dot(factors, distance)), distance[*dim]));
    factors[*dim] = factor;
  }
  return factors;
}

void add_multiple(std::vector<int64_t>& row, const std::vector<int64_t>& other, int64_t factor) {
  for (size_t j = 0; j < row.size(); ++j)
    row[j] = add(row[j], multiply(other[j], factor));
}

} // namespace

std::vector<int> active_dims(int rank, const Distances& distances) {
  std::vector<int> active;
  for (int dim = 0; dim < rank; ++dim)
    if (std::any_of(distances.begin(), distances.end(),
                    [&](const Point& d) { return d[dim] != 0; }))
      active.push_back(dim);
  return active;
}

bool are_lexicographically_positive(const Distances& distances) {
  return std::all_of(distances.begin(), distances.end(), [](const Point& distance) {
    size_t dim = leading(distance);
    return dim < distance.size() && distance[dim] > 0;
  });
}

bool is_legal(const Matrix& matrix, const Distances& distances) {
  Distances transformed;
  for (const Point& distance : distances)
    transformed.push_back(image(matrix, distance));
  return are_lexicographically_positive(transformed);
}

std::optional<Transformation> wavefront(const std::vector<bool>& is_map,
                                        const Distances& distances) {
  if (!are_lexicographically_positive(distances))
    return std::nullopt;
  int rank = static_cast<int>(is_map.size());
  std::vector<int> active = active_dims(rank, distances), rest;
  for (bool maps : {false, true})
    for (int dim = 0; dim < rank; ++dim)
      if (is_map[dim] == maps && std::find(active.begin(), active.end(), dim) == active.end())
        rest.push_back(dim);
  Transformation result;
  if (active.empty()) {
    for (int dim = 0; dim < rank; ++dim)
      result.matrix.push_back(unit_row(rank, dim));
  } else {
    result.sequential = 1;
    result.matrix.push_back(hyperplane(rank, active, distances));
    active.pop_back();
    for (const std::vector<int>& dims : {active, rest})
      for (int dim : dims)
        result.matrix.push_back(unit_row(rank, dim));
  }
  result.inverse = unimodular_inverse(result.matrix).value();
  return result;
}

std::optional<Matrix> unimodular_inverse(const Matrix& matrix) {
  size_t rank = matrix.size();
  Matrix rows = matrix, inverse;
  for (size_t i = 0; i < rank; ++i) {
    if (rows[i].size() != rank)
      return std::nullopt;
    inverse.push_back(unit_row(rank, static_cast<int>(i)));
  }
  for (size_t column = 0; column < rank; ++column) {
    // Euclid's algorithm on the rows from `column` on, until one of them alone is not 0.
    for (size_t i = column + 1; i < rank; ++i)
      while (rows[i][column] != 0) {
        int64_t divisor = rows[i][column];
        int64_t factor =
            divisor == -1 ? rows[column][column] : multiply(-1, rows[column][column] / divisor);
        add_multiple(rows[column], rows[i], factor);
        add_multiple(inverse[column], inverse[i], factor);
        std::swap(rows[column], rows[i]);
        std::swap(inverse[column], inverse[i]);
      }
    int64_t pivot = rows[column][column];
    if (pivot != 1 && pivot != -1)
      return std::nullopt;
    for (std::vector<int64_t>* row : {&rows[column], &inverse[column]})
      for (int64_t& value : *row)
        value = multiply(value, pivot);
    for (size_t i = 0; i < column; ++i) {
      int64_t factor = multiply(-1, rows[i][column]);
      add_multiple(rows[i], rows[column], factor);
      add_multiple(inverse[i], inverse[column], factor);
    }
  }
  return inverse;
}

Point image(const Matrix& matrix, const Point& x) {
  Point result;
  for (const std::vector<int64_t>& row : matrix)
    result.push_back(dot(row, x));
  return result;
}

std::string to_string(const Matrix& matrix) {
  std::string text;
  for (const std::vector<int64_t>& row : matrix) {
    text += text.empty() ? "[" : "; ";
    for (size_t j = 0; j < row.size(); ++j)
      text += (j ? " " : "") + std::to_string(row[j]);
  }
  return text.empty() ? "[]" : text + "]";
}

} // namespace kolam::space
