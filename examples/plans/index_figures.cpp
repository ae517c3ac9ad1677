// The figures of index projections: which part of each tensor a point of an op's index space owns,
// and what cutting the index space does to them.
//
//     plans_figures FOLDER
//
// Each is an SVG of its own; index_figures.py draws plans that were found.
#include <kolam/kolam.h>
#include <kolam/plan/figure.h>
#include <kolam/space/projection_forms.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

using namespace kolam::space;

constexpr int64_t kRows = 6, kTerms = 5, kColumns = 8;

Operand reads(std::string name, kolam::Shape shape, Projection projection) {
  return {std::move(name), Role::in, std::move(shape), std::move(projection)};
}
Operand writes(std::string name, kolam::Shape shape, Projection projection) {
  return {std::move(name), Role::out, std::move(shape), std::move(projection)};
}

/// y[i, n] = sum over m of x[i, m] w[m, n], and b[n].
Signature linear() {
  return {.op = "linear",
          .dims = {map_dim("i", kRows), map_dim("n", kColumns)},
          .operands = {reads("x", {kRows, kTerms}, axial(2, {0, kWhole}, {kRows, kTerms})),
                       reads("w", {kTerms, kColumns}, axial(2, {kWhole, 1}, {kTerms, kColumns})),
                       reads("b", {kColumns}, axial(2, {1}, {kColumns})),
                       writes("y", {kRows, kColumns}, identity(2))}};
}

/// Its sums in parts: v[k, i, n] is the part of term k.
Signature terms() {
  const kolam::Shape parts = {kTerms, kRows, kColumns};
  return {.op = "terms of linear",
          .dims = {map_dim("k", kTerms), map_dim("i", kRows), map_dim("n", kColumns)},
          .operands = {reads("x", {kRows, kTerms}, axial(3, {1, 0}, {kRows, kTerms})),
                       reads("w", {kTerms, kColumns}, axial(3, {0, 2}, {kTerms, kColumns})),
                       writes("v", parts, identity(3))}};
}

/// z[p] from a window of x around p times the stride.
Signature windows(std::string name, int64_t points, int64_t length, const WindowDim& dim) {
  return {.op = std::move(name),
          .dims = {map_dim("p", points)},
          .operands = {reads("x", {length}, window({dim})), writes("z", {points}, identity(1))}};
}

/// The same, walked from the last element to the first: its offset has two parts.
Signature backwards() {
  return reverse_dim(windows("a window, backwards", 8, 8, {.kernel = 3, .centre = 1}), 0);
}

Signature sum() {
  return {.op = "sum over m",
          .dims = {map_dim("i", kRows)},
          .operands = {reads("x", {kRows, kTerms}, axial(1, {0, kWhole}, {kRows, kTerms})),
                       writes("y", {kRows}, identity(1))}};
}

Signature view() {
  return {
      .op = "a fixed view",
      .dims = {map_dim("i", 4)},
      .operands = {reads("x", {6, 6}, fixed(1, {1, 2}, {3, 2})), writes("y", {4}, identity(1))}};
}

std::vector<Box> halves(const Signature& signature, int dim) {
  return split_evenly(index_box(signature), dim, 2);
}

std::vector<Box> quarters(const Signature& signature) {
  std::vector<Box> boxes;
  for (const Box& half : halves(signature, 0))
    for (const Box& quarter : split_evenly(half, 1, 2))
      boxes.push_back(quarter);
  return boxes;
}

Box point(Point at) {
  Point end = at;
  for (int64_t& place : end)
    ++place;
  return {std::move(at), std::move(end)};
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: plans_figures FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  auto draw = [&](const char* name, const Signature& signature, const std::vector<Box>& boxes) {
    std::ofstream(folder / (std::string(name) + ".svg")) << kolam::plans::figure(signature, boxes);
    std::cout << name << ": " << boxes.size() << " boxes\n";
  };
  draw("linear_point", linear(), {point({2, 3})});
  draw("linear_rows", linear(), halves(linear(), 0));
  draw("linear_columns", linear(), halves(linear(), 1));
  draw("linear_index", linear(), quarters(linear()));
  draw("linear_terms", terms(), halves(terms(), 0));
  const Signature dense = windows("a window of three", 8, 8, {.kernel = 3, .centre = 1}),
                  strided = windows("every second window", 4, 9, {.kernel = 3, .stride = 2}),
                  dilated = windows("a dilated window", 6, 10, {.kernel = 3, .dilation = 2});
  draw("window", dense, halves(dense, 0));
  draw("window_strided", strided, halves(strided, 0));
  draw("window_dilated", dilated, halves(dilated, 0));
  draw("window_backwards", backwards(), {point({1})});
  draw("sum", sum(), halves(sum(), 0));
  draw("fixed_view", view(), halves(view(), 0));
}
