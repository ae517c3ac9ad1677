// Columns and rows of Jacobians, all at once or some at a time.
#include "kolam/frontend/array/jacobians.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/index.h"
#include "kolam/frontend/array/rearrange.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/frontend/array/vmap.h"

namespace kolam::detail {
namespace {

Shape joined(const Shape& first, const Shape& second) {
  Shape shape = first;
  shape.insert(shape.end(), second.begin(), second.end());
  return shape;
}

/// One tensor for each element of x, 1 there and 0 elsewhere: [n, x...].
Tensor basis_of(const Tensor& x) {
  const Extent count = element_count(x.shape());
  return reshape(eye(count, {}, 0, x.dtype()), joined({count}, x.shape()));
}

Leaves at_once(const Tensor& directions, const LeavesFunction& linear, Operand::Here where) {
  return vmap(
      {{directions, 0, "directions"}}, {},
      [&](const Leaves& slices) {
        std::vector<MappedResult> results;
        for (Tensor& result : linear(slices))
          results.push_back({std::move(result), 0, "result"});
        return results;
      },
      where);
}

/// The first `whole` of the directions, `chunk` at a time.
Leaves in_chunks(const Tensor& directions, int64_t whole, int64_t chunk,
                 const LeavesFunction& linear, Operand::Here where) {
  Shape parts = directions.shape();
  parts[0] = Extent(chunk);
  parts.insert(parts.begin(), Extent(whole / chunk));
  const Tensor rows = reshape(index(directions, {Slice{0, whole}}), parts);
  Leaves found = scan(
                     {}, {{rows}, "*,"}, {},
                     [&](const Leaves&, const Leaves& part) {
                       return ScanTurn{{}, {at_once(part[0], linear, where), ""}};
                     },
                     where)
                     .ys;
  for (Tensor& each : found) {
    Shape shape = each.shape();
    shape.erase(shape.begin());
    shape[0] = Extent(whole);
    each = reshape(each, shape);
  }
  return found;
}

/// `linear` of each direction, stacked: its results that are tensors.
Leaves each_direction(const Tensor& directions, const JacobianOptions& options,
                      const LeavesFunction& linear, Operand::Here where) {
  if (!options.chunk)
    return at_once(directions, linear, where);
  if (*options.chunk < 1)
    fail(ErrorKind::value, "bad-option",
         "option 'chunk': expected a number from 1, but got " + std::to_string(*options.chunk));
  const std::optional<int64_t> count = directions.extent(0).constant();
  if (!count || *count <= *options.chunk)
    return at_once(directions, linear, where);
  const int64_t whole = *count / *options.chunk * *options.chunk;
  Leaves found = in_chunks(directions, whole, *options.chunk, linear, where);
  if (whole == *count)
    return found;
  Leaves rest = at_once(index(directions, {Slice{whole, *count}}), linear, where);
  for (size_t number = 0; number < found.size(); ++number)
    found[number] = concat({found[number], rest[number]});
  return found;
}

void require_floats(const Leaves& results, size_t count) {
  for (size_t number = 0; number < count; ++number)
    if (!is_float(results[number].dtype()))
      fail(ErrorKind::type, "not-differentiable",
           "result: expected floats, but got " + std::string(name(results[number].dtype())) +
               to_string(results[number].shape()));
}

} // namespace

std::vector<Leaves> jacobian_columns(const LinearisedLeaves& made, const Leaves& primals,
                                     size_t count, const JacobianOptions& options,
                                     Operand::Here where) {
  CallScope scope("jacfwd", to_location(where));
  require_floats(made.results, count);
  std::vector<Leaves> blocks(count);
  for (size_t place = 0; place < primals.size(); ++place) {
    auto column = [&](const Leaves& direction) {
      Leaves tangents;
      for (size_t other = 0; other < primals.size(); ++other)
        tangents.push_back(other == place ? direction[0]
                                          : zeros(primals[other].shape(), primals[other].dtype()));
      Leaves found = made.linear.forward(tangents, where);
      found.resize(count);
      return found;
    };
    Leaves columns = each_direction(basis_of(primals[place]), options, column, where);
    for (size_t row = 0; row < count; ++row)
      blocks[row].push_back(reshape(moveaxis(columns[row], {0}, {-1}),
                                    joined(made.results[row].shape(), primals[place].shape())));
  }
  return blocks;
}

std::vector<Leaves> jacobian_rows(const LinearisedLeaves& made, const Leaves& primals, size_t count,
                                  const JacobianOptions& options, Operand::Here where) {
  CallScope scope("jacrev", to_location(where));
  require_floats(made.results, count);
  std::vector<Leaves> blocks;
  for (size_t place = 0; place < count; ++place) {
    const Tensor& result = made.results[place];
    auto row = [&](const Leaves& direction) {
      Leaves cotangents(made.results.size());
      cotangents[place] = direction[0];
      return made.linear.transposed(cotangents, where);
    };
    Leaves rows = each_direction(basis_of(result), options, row, where);
    for (size_t number = 0; number < rows.size(); ++number)
      rows[number] = reshape(rows[number], joined(result.shape(), primals[number].shape()));
    blocks.push_back(std::move(rows));
  }
  return blocks;
}

} // namespace kolam::detail
