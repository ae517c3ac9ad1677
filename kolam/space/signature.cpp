// Builds, transforms and prints signatures.
#include "kolam/space/signature.h"

#include "kolam/space/exact.h"

namespace kolam::space {

IndexDim map_dim(std::string name, Extent extent) { return {std::move(name), std::move(extent)}; }

IndexDim reduce_dim(std::string name, Extent extent, Monoid monoid) {
  return {std::move(name), std::move(extent), DimKind::reduce, std::move(monoid)};
}

IndexDim scan_dim(std::string name, Extent extent, Direction direction, int64_t distance) {
  return {std::move(name), std::move(extent), DimKind::scan, {}, direction, distance};
}

bool reads(Role role) { return role == Role::in || role == Role::inout; }
bool writes(Role role) { return role == Role::out || role == Role::inout; }

Shape index_shape(const Signature& signature) {
  Shape result;
  for (const IndexDim& dim : signature.dims)
    result.push_back(dim.extent);
  return result;
}

Box index_box(const Signature& signature) {
  Point result;
  for (const IndexDim& dim : signature.dims)
    result.push_back(number(dim.extent));
  return Box::of_shape(result);
}

Box tensor_box(const Operand& operand) {
  Point start(operand.shape.size(), 0), end;
  for (size_t k = 0; k < operand.origin.size() && k < start.size(); ++k)
    start[k] = number(operand.origin[k]);
  for (size_t k = 0; k < start.size(); ++k)
    end.push_back(add(start[k], number(operand.shape[k])));
  return Box(start, end);
}

Signature instantiate(const Signature& signature, const std::map<std::string, int64_t>& sizes) {
  Signature result = signature;
  for (IndexDim& dim : result.dims)
    dim.extent = dim.extent.evaluate(sizes);
  for (Operand& operand : result.operands) {
    operand.projection = instantiate(operand.projection, sizes);
    for (Shape* shape : {&operand.shape, &operand.origin})
      for (Extent& extent : *shape)
        extent = extent.evaluate(sizes);
  }
  return result;
}

Signature reverse_dim(const Signature& signature, int dim) {
  Signature result = signature;
  if (dim < 0 || dim >= static_cast<int>(signature.dims.size()))
    fail(ErrorKind::index, "space-rank",
         "expected an index dim below " + std::to_string(signature.dims.size()) + ", but got " +
             std::to_string(dim));
  for (Operand& operand : result.operands)
    operand.projection = reverse_index(operand.projection, dim, signature.dims[dim].extent);
  IndexDim& reversed = result.dims[dim];
  reversed.direction =
      reversed.direction == Direction::forward ? Direction::backward : Direction::forward;
  if (reversed.kind != DimKind::scan)
    reversed.direction = Direction::forward;
  if (reversed.kind == DimKind::reduce && reversed.monoid && !reversed.monoid->commutative)
    fail(ErrorKind::value, "space-order",
         "expected a commutative monoid to reverse dim '" + reversed.name + "', but got " +
             to_string(*reversed.monoid));
  return result;
}

Signature permute_dims(const Signature& signature, const std::vector<int>& order) {
  check_permutation(order, static_cast<int>(signature.dims.size()));
  Signature result{signature.op, {}, signature.operands, signature.opaque};
  for (int dim : order)
    result.dims.push_back(signature.dims[dim]);
  for (Operand& operand : result.operands)
    operand.projection = permute_index(operand.projection, order);
  return result;
}

namespace {

std::string to_string(const IndexDim& dim) {
  std::string text = "  dim " + dim.name + ": ";
  switch (dim.kind) {
  case DimKind::map:
    return text + "map " + dim.extent.to_string();
  case DimKind::reduce:
    return text + "reduce " + dim.extent.to_string() +
           (dim.monoid ? " " + space::to_string(*dim.monoid) : "");
  default:
    return text + "scan " + dim.extent.to_string() +
           (dim.direction == Direction::forward ? " forward" : " backward") + " distance " +
           std::to_string(dim.distance);
  }
}

std::string to_string(const Operand& operand) {
  static constexpr const char* roles[] = {"in", "out", "inout", "scratch"};
  std::string text = std::string("  ") + roles[static_cast<int>(operand.role)] + " " +
                     operand.name + " " + kolam::to_string(operand.shape);
  if (!operand.origin.empty())
    text += " from " + kolam::to_string(operand.origin);
  text += ": " + space::to_string(operand.projection);
  if (operand.policy.kind != Policy::Kind::forbid)
    text += " " + space::to_string(operand.policy);
  return text + (operand.indirect ? " indirect" : "");
}

} // namespace

std::string to_string(const Signature& signature) {
  std::string text = signature.op + (signature.opaque ? " opaque\n" : "\n");
  for (const IndexDim& dim : signature.dims)
    text += to_string(dim) + "\n";
  for (const Operand& operand : signature.operands)
    text += to_string(operand) + "\n";
  return text;
}

} // namespace kolam::space
