// Writes and reads signatures.
#include "kolam/plan/signature_json.h"

#include "kolam/support/error.h"

namespace kolam::plans {
namespace {

using space::DimKind;
using space::Direction;
using space::Policy;
using space::Role;

constexpr std::string_view kKinds[]{"map", "reduce", "scan"};
constexpr std::string_view kDirections[]{"forward", "backward"};
constexpr std::string_view kRoles[]{"in", "out", "inout", "scratch"};
constexpr std::string_view kPolicies[]{"forbid",  "pad",      "clamp", "wrap",
                                       "reflect", "negative", "drop"};

template <class E> std::string name_in(std::span<const std::string_view> names, E value) {
  return std::string(names[static_cast<size_t>(value)]);
}

Json json_of(const Extent& extent) {
  if (std::optional<int64_t> number = extent.constant())
    return *number;
  fail(ErrorKind::value, "bad-plan",
       "expected extents that are numbers, but got '" + extent.to_string() + "'");
}
Json json_of(const Shape& shape) {
  Json list = Json::array();
  for (const Extent& extent : shape)
    list.push_back(json_of(extent));
  return list;
}
Shape shape_from_json(const Place& place) {
  return list_of(place, [](const Place& each) { return Extent(each.integer()); });
}

Json json_of(const space::Monoid& monoid) {
  Json state = Json::array();
  for (DType dtype : monoid.state)
    state.push_back(std::string(name(dtype)));
  return {{"id", monoid.id},
          {"state", state},
          {"commutative", monoid.commutative},
          {"exact", monoid.exact},
          {"idempotent", monoid.idempotent},
          {"has_wrap_all", monoid.has_wrap_all}};
}
space::Monoid monoid_from_json(const Place& place) {
  place.expect_keys({"id", "state", "commutative", "exact", "idempotent", "has_wrap_all"});
  space::Monoid monoid;
  monoid.id = place["id"].text();
  const Place state = place["state"];
  monoid.state = list_of(state, dtype_from_json);
  monoid.commutative = place["commutative"].truth();
  monoid.exact = place["exact"].truth();
  monoid.idempotent = place["idempotent"].truth();
  monoid.has_wrap_all = place["has_wrap_all"].truth();
  return monoid;
}

Json json_of(const space::IndexDim& dim) {
  return {{"name", dim.name},
          {"extent", json_of(dim.extent)},
          {"kind", name_in(kKinds, dim.kind)},
          {"monoid", dim.monoid ? json_of(*dim.monoid) : Json()},
          {"direction", name_in(kDirections, dim.direction)},
          {"distance", dim.distance}};
}
space::IndexDim dim_from_json(const Place& place) {
  place.expect_keys({"name", "extent", "kind", "monoid", "direction", "distance"});
  space::IndexDim dim;
  dim.name = place["name"].text();
  dim.extent = place["extent"].integer();
  dim.kind = static_cast<DimKind>(place["kind"].one_of(kKinds));
  if (const Place monoid = place["monoid"]; !monoid.is_null())
    dim.monoid = monoid_from_json(monoid);
  dim.direction = static_cast<Direction>(place["direction"].one_of(kDirections));
  dim.distance = place["distance"].integer();
  return dim;
}

Json json_of(const space::AffineRow& row) {
  return {{"coefficients", row.coefficients},
          {"offset", json_of(row.offset)},
          {"divisor", row.divisor},
          {"modulus", row.modulus}};
}
space::AffineRow row_from_json(const Place& place) {
  place.expect_keys({"coefficients", "offset", "divisor", "modulus"});
  space::AffineRow row;
  row.coefficients = integers(place["coefficients"]);
  row.offset = place["offset"].integer();
  row.divisor = place["divisor"].integer();
  row.modulus = place["modulus"].integer();
  return row;
}

Json json_of(const space::Projection& projection) {
  Json rows = Json::array();
  for (const space::AffineRow& row : projection.map.rows)
    rows.push_back(json_of(row));
  return {{"input_rank", projection.map.input_rank},
          {"rows", rows},
          {"adjustment", json_of(projection.adjustment)},
          {"size", json_of(projection.size)}};
}
space::Projection projection_from_json(const Place& place) {
  place.expect_keys({"input_rank", "rows", "adjustment", "size"});
  space::Projection projection;
  projection.map.input_rank = static_cast<int>(place["input_rank"].integer(0, INT32_MAX));
  const Place rows = place["rows"];
  projection.map.rows = list_of(rows, row_from_json);
  projection.adjustment = shape_from_json(place["adjustment"]);
  projection.size = shape_from_json(place["size"]);
  return projection;
}

/// A pad value is an integer or, written with a point, an exponent or as a text, a float.
Json json_of(const Policy& policy) {
  const auto* integer = std::get_if<int64_t>(&policy.value);
  return {{"kind", name_in(kPolicies, policy.kind)},
          {"value", integer ? Json(*integer) : number_json(std::get<double>(policy.value))}};
}
Policy policy_from_json(const Place& place) {
  place.expect_keys({"kind", "value"});
  Policy policy;
  policy.kind = static_cast<Policy::Kind>(place["kind"].one_of(kPolicies));
  const Place value = place["value"];
  if (value.is_integer())
    policy.value = value.integer();
  else
    policy.value = value.number();
  return policy;
}

Json json_of(const space::Operand& operand) {
  return {{"name", operand.name},
          {"role", name_in(kRoles, operand.role)},
          {"shape", json_of(operand.shape)},
          {"projection", json_of(operand.projection)},
          {"policy", json_of(operand.policy)},
          {"indirect", operand.indirect},
          {"origin", json_of(operand.origin)}};
}
space::Operand operand_from_json(const Place& place) {
  place.expect_keys({"name", "role", "shape", "projection", "policy", "indirect", "origin"});
  space::Operand operand;
  operand.name = place["name"].text();
  operand.role = static_cast<Role>(place["role"].one_of(kRoles));
  operand.shape = shape_from_json(place["shape"]);
  operand.projection = projection_from_json(place["projection"]);
  operand.policy = policy_from_json(place["policy"]);
  operand.indirect = place["indirect"].truth();
  operand.origin = shape_from_json(place["origin"]);
  return operand;
}

} // namespace

DType dtype_from_json(const Place& place) {
  std::optional<DType> dtype = parse_dtype(place.text());
  if (!dtype)
    place.refuse("a dtype");
  return *dtype;
}

Json json_of(const space::Signature& signature) {
  Json dims = Json::array(), operands = Json::array();
  for (const space::IndexDim& dim : signature.dims)
    dims.push_back(json_of(dim));
  for (const space::Operand& operand : signature.operands)
    operands.push_back(json_of(operand));
  return {{"op", signature.op},
          {"dims", std::move(dims)},
          {"operands", std::move(operands)},
          {"opaque", signature.opaque}};
}

space::Signature signature_from_json(const Place& place) {
  place.expect_keys({"op", "dims", "operands", "opaque"});
  space::Signature signature;
  signature.op = place["op"].text();
  const Place dims = place["dims"], operands = place["operands"];
  signature.dims = list_of(dims, dim_from_json);
  signature.operands = list_of(operands, operand_from_json);
  signature.opaque = place["opaque"].truth();
  return signature;
}

} // namespace kolam::plans
