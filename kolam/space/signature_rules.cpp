// Checks signatures: every broken rule becomes an issue.
#include <algorithm>
#include <set>

#include "kolam/space/cover.h"
#include "kolam/space/exact.h"
#include "kolam/space/region.h"
#include "kolam/space/signature.h"

namespace kolam::space {
namespace {

using Issues = std::vector<Issue>;

bool is_negative(const Extent& extent) { return extent.constant().value_or(0) < 0; }

std::string subject_of(const IndexDim& dim) { return "dim '" + dim.name + "'"; }
std::string subject_of(const Operand& operand) { return "operand '" + operand.name + "'"; }

void check_dim(const IndexDim& dim, Issues& issues) {
  std::string subject = subject_of(dim);
  if (is_negative(dim.extent))
    issues.push_back(
        {"space-size", subject, "expected an extent >= 0, but got " + dim.extent.to_string()});
  if (dim.kind == DimKind::reduce && (!dim.monoid || dim.monoid->state.empty()))
    issues.push_back({"space-monoid", subject, "expected a monoid with a state on a reduce dim"});
  if (dim.kind != DimKind::reduce && dim.monoid)
    issues.push_back(
        {"space-monoid", subject, "expected no monoid here, but got " + to_string(*dim.monoid)});
  if (dim.kind == DimKind::scan && dim.distance < 1)
    issues.push_back(
        {"space-distance", subject,
         "expected a dependence distance >= 1, but got " + std::to_string(dim.distance)});
}

/// Names that are empty or come twice.
template <class Things> void check_names(const Things& things, Issues& issues) {
  std::set<std::string> seen;
  for (const auto& thing : things) {
    if (thing.name.empty())
      issues.push_back({"space-name", subject_of(thing), "expected a name"});
    else if (!seen.insert(thing.name).second)
      issues.push_back({"space-name", subject_of(thing), "expected distinct names"});
  }
}

/// The structure of a projection: ranks, divisors, sizes. Later checks need it sound.
bool check_structure(const Operand& operand, size_t index_rank, Issues& issues) {
  size_t before = issues.size();
  std::string subject = subject_of(operand);
  auto expect_rank = [&](size_t actual, size_t expected, const char* what) {
    if (actual != expected)
      issues.push_back({"space-rank", subject,
                        std::string("expected rank ") + std::to_string(expected) + " of its " +
                            what + ", but got " + std::to_string(actual)});
  };
  const Projection& projection = operand.projection;
  size_t rank = operand.shape.size();
  expect_rank(static_cast<size_t>(projection.index_rank()), index_rank, "index space");
  expect_rank(projection.map.rows.size(), rank, "projection");
  if (!operand.origin.empty())
    expect_rank(operand.origin.size(), rank, "origin");
  try {
    check_projection(projection);
  } catch (const Error& error) {
    issues.push_back({error.slug(), subject, error.message()});
  }
  for (const Extent& extent : operand.shape)
    if (is_negative(extent))
      issues.push_back({"space-size", subject,
                        "expected extents >= 0, but got " + kolam::to_string(operand.shape)});
  return issues.size() == before;
}

void check_policy(const Operand& operand, Issues& issues) {
  bool fits = (!reads(operand.role) || can_read(operand.policy)) &&
              (!writes(operand.role) || can_write(operand.policy) ||
               (reads(operand.role) && operand.policy.kind == Policy::Kind::pad));
  if (!fits)
    issues.push_back(
        {"space-policy", subject_of(operand),
         "expected a policy that fits its role, but got " + to_string(operand.policy)});
}

void check_indirect(const Operand& operand, Issues& issues) {
  if (!operand.indirect)
    return;
  for (size_t k = 0; k < operand.shape.size(); ++k) {
    Extent origin = operand.origin.empty() ? Extent(0) : operand.origin[k];
    const AffineRow& row = operand.projection.map.rows[k];
    if (is_constant(row) && row.offset == origin && operand.projection.size[k] == operand.shape[k])
      return;
  }
  issues.push_back(
      {"space-indirect", subject_of(operand),
       "expected a dim that every point owns whole, but got " + to_string(operand.projection)});
}

bool has_numbers(const Operand& operand, const Signature& signature) {
  auto is_number = [](const Extent& extent) { return extent.is_constant(); };
  auto all_numbers = [&](const Shape& shape) {
    return std::all_of(shape.begin(), shape.end(), is_number);
  };
  const auto& rows = operand.projection.map.rows;
  return all_numbers(index_shape(signature)) && all_numbers(operand.shape) &&
         all_numbers(operand.origin) && all_numbers(operand.projection.size) &&
         std::all_of(rows.begin(), rows.end(),
                     [](const AffineRow& row) { return row.offset.is_constant(); });
}

void check_bounds(const Operand& operand, const Box& index, Issues& issues) {
  if (operand.policy.kind != Policy::Kind::forbid || is_empty(index))
    return;
  Box touched = region(operand.projection, index);
  if (!is_empty(touched) && !contains(tensor_box(operand), touched))
    issues.push_back({"space-out-of-bounds", subject_of(operand),
                      "expected a region inside " + to_string(tensor_box(operand)) + ", but got " +
                          to_string(touched)});
}

/// The index space with reduce dims of one point: what the writes of an output range over. A
/// reduction over nothing writes too.
Box writing_points(const Signature& signature) {
  Box index = index_box(signature);
  for (int j = 0; j < index.rank(); ++j)
    if (signature.dims[j].kind == DimKind::reduce)
      index = with_range(index, j, 0, 1);
  return index;
}

void check_reduced(const Operand& operand, const Signature& signature, Issues& issues) {
  for (size_t j = 0; j < signature.dims.size(); ++j) {
    if (signature.dims[j].kind != DimKind::reduce)
      continue;
    for (const AffineRow& row : operand.projection.map.rows)
      if (row.coefficients[j] != 0) {
        issues.push_back({"space-reduce", subject_of(operand),
                          "expected an output that does not depend on reduce dim '" +
                              signature.dims[j].name + "'"});
        break;
      }
  }
}

void check_disjoint(const Operand& operand, const Signature& signature, Issues& issues) {
  if (are_disjoint(operand.projection, writing_points(signature)) == false)
    issues.push_back(
        {"space-overlap", subject_of(operand),
         "expected points that write disjoint regions, but got " + to_string(operand.projection)});
}

/// Runs a check that may overflow; the Error becomes an issue.
template <class F> void guarded(const Operand& operand, Issues& issues, F&& check) {
  try {
    check();
  } catch (const Error& error) {
    issues.push_back({error.slug(), subject_of(operand), error.message()});
  }
}

} // namespace

std::vector<Issue> validate(const Signature& signature) {
  Issues issues;
  check_names(signature.dims, issues);
  check_names(signature.operands, issues);
  for (const IndexDim& dim : signature.dims)
    check_dim(dim, issues);
  bool sound_dims = std::none_of(signature.dims.begin(), signature.dims.end(),
                                 [](const IndexDim& dim) { return is_negative(dim.extent); });
  for (const Operand& operand : signature.operands) {
    check_policy(operand, issues);
    if (!check_structure(operand, signature.dims.size(), issues))
      continue;
    check_indirect(operand, issues);
    if (operand.role == Role::out && !operand.indirect)
      check_reduced(operand, signature, issues);
    if (!sound_dims || !has_numbers(operand, signature))
      continue;
    guarded(operand, issues, [&] { check_bounds(operand, index_box(signature), issues); });
    if (operand.role == Role::out && !operand.indirect)
      guarded(operand, issues, [&] { check_disjoint(operand, signature, issues); });
  }
  return issues;
}

std::vector<Issue> validate_total_outputs(const Signature& signature) {
  Issues issues = validate(signature);
  if (!issues.empty())
    return issues;
  for (const Operand& operand : signature.operands) {
    if (operand.role != Role::out || operand.indirect)
      continue;
    Box tensor = tensor_box(operand);
    guarded(operand, issues, [&] {
      std::optional<bool> covers =
          is_exact_cover(operand.projection, writing_points(signature), tensor);
      if (covers != true)
        issues.push_back({"space-cover", subject_of(operand),
                          "expected points that write " + to_string(tensor) +
                              " exactly once, but got " + to_string(operand.projection)});
    });
  }
  return issues;
}

std::vector<Issue> validate_single_writers(const std::vector<Signature>& program) {
  Issues issues;
  std::map<std::string, std::string> writer;
  for (const Signature& signature : program)
    for (const Operand& operand : signature.operands) {
      if (!writes(operand.role))
        continue;
      auto [found, is_new] = writer.emplace(operand.name, signature.op);
      if (!is_new)
        issues.push_back(
            {"space-writers", subject_of(operand),
             "expected one op that writes it, but got " + found->second + " and " + signature.op});
    }
  return issues;
}

} // namespace kolam::space
