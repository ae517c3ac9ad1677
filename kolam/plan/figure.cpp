// Draws figures of signatures.
#include "kolam/plan/figure.h"

#include "kolam/plan/drawn.h"
#include "kolam/space/region.h"

#include <algorithm>
#include <cstdio>

namespace kolam::plans {
namespace {

// Text: sizes in pixels.
constexpr double kGap = 40, kLine = 14, kMostSide = 260, kMostCell = 22, kLetter = 7;
/// Text: grids with more cells along a side have no lines; more panels are not drawn.
constexpr int64_t kMostLines = 40, kMostPanels = 4;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}

std::string rectangle(double x, double y, double width, double height, const std::string& rest) {
  return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
         attribute("height", height) + " " + rest + "/>";
}

std::string words(double x, double y, const std::string& text, const char* rest = "") {
  return "<text" + attribute("x", x) + attribute("y", y) + " " + rest + ">" + escaped(text) +
         "</text>";
}

std::string line(double x0, double y0, double x1, double y1, const char* rest) {
  return "<line" + attribute("x1", x0) + attribute("y1", y0) + attribute("x2", x1) +
         attribute("y2", y1) + " " + rest + "/>";
}

/// The part of a figure that shows one space.
struct Panel {
  std::string svg;
  double width = 0, height = 0;
};

/// A space as a grid, or several, one for each index of the dims in front of the last two.
class Grid {
public:
  Grid(std::string title, Box whole, std::vector<Box> regions, std::vector<std::string> below)
      : title_(std::move(title)), whole_(std::move(whole)), regions_(std::move(regions)),
        below_(std::move(below)) {
    // What lies outside is drawn too: a window's part beyond the border.
    Box shown = whole_;
    for (const Box& region : regions_)
      if (!space::is_empty(region))
        shown = space::bounding({shown, region});
    shown_ = shown;
    const double most =
        static_cast<double>(std::max<int64_t>({rows(shown_), columns(shown_), int64_t{1}}));
    cell_ = std::min(kMostCell, kMostSide / most);
  }

  /// A point of it, as arrows need it: of its first panel.
  void add_arrow(const Point& from, const Point& to, std::string text) {
    arrows_.push_back({from, to, std::move(text)});
  }

  Panel draw() const {
    Panel panel;
    double y = 2 * kLine;
    std::string svg = words(0, kLine, title_, "font-weight=\"bold\"");
    double width = static_cast<double>(title_.size()) * kLetter;
    int64_t drawn = 0;
    space::for_each_point(leading(whole_), [&](const Point& point) {
      if (drawn++ >= kMostPanels)
        return;
      svg += grid_at(point, y);
      if (drawn == 1)
        for (const Arrow& arrow : arrows_)
          svg += arrow_at(arrow, y);
      y += static_cast<double>(rows(shown_)) * cell_ + kLine / 2;
    });
    if (drawn > kMostPanels) {
      y += kLine;
      svg += words(0, y, "and " + std::to_string(drawn - kMostPanels) + " more of these");
    }
    for (const std::string& text : below_) {
      y += kLine;
      svg += words(0, y, text, "class=\"row\"");
      width = std::max(width, static_cast<double>(text.size()) * kLetter);
    }
    for (const Arrow& arrow : arrows_) {
      y += kLine;
      svg += words(0, y, arrow.text, "class=\"offset\"");
      width = std::max(width, static_cast<double>(arrow.text.size()) * kLetter);
    }
    return {.svg = svg,
            .width = std::max(width, static_cast<double>(columns(shown_)) * cell_),
            .height = y + kLine};
  }

private:
  struct Arrow {
    Point from, to;
    std::string text;
  };

  static int64_t rows(const Box& box) { return box.rank() >= 2 ? box.extent(box.rank() - 2) : 1; }
  static int64_t columns(const Box& box) {
    return box.rank() >= 1 ? box.extent(box.rank() - 1) : 1;
  }
  static Box leading(const Box& box) {
    Point start = box.start(), end = box.end();
    for (int dim = 0; dim < 2 && !start.empty(); ++dim) {
      start.pop_back();
      end.pop_back();
    }
    return {start, end};
  }
  /// Where the last two dims of a point lie in a panel.
  double x_of(const Point& point) const {
    return point.empty() ? 0 : static_cast<double>(point.back() - shown_.start().back()) * cell_;
  }
  double y_of(const Point& point) const {
    const size_t rank = point.size();
    return rank < 2 ? 0 : static_cast<double>(point[rank - 2] - shown_.start()[rank - 2]) * cell_;
  }

  std::string grid_at(const Point& point, double y) const {
    std::string svg;
    for (size_t box = 0; box < regions_.size(); ++box) {
      const Box& region = regions_[box];
      if (space::is_empty(region) || !space::contains(leading(region), point))
        continue;
      svg += rectangle(x_of(region.start()), y + y_of(region.start()),
                       static_cast<double>(columns(region)) * cell_,
                       static_cast<double>(rows(region)) * cell_,
                       "class=\"region\" fill=\"" + colour_of(static_cast<int64_t>(box)) + "\"");
    }
    const double x = x_of(whole_.start()), top = y + y_of(whole_.start());
    const auto wide = static_cast<double>(columns(whole_)),
               high = static_cast<double>(rows(whole_));
    if (columns(whole_) <= kMostLines && rows(whole_) <= kMostLines) {
      for (int64_t column = 1; column < columns(whole_); ++column) {
        const double at = x + static_cast<double>(column) * cell_;
        svg += line(at, top, at, top + high * cell_, "class=\"cell\"");
      }
      for (int64_t row = 1; row < rows(whole_); ++row) {
        const double at = top + static_cast<double>(row) * cell_;
        svg += line(x, at, x + wide * cell_, at, "class=\"cell\"");
      }
    }
    return svg + rectangle(x, top, wide * cell_, high * cell_, "class=\"space\"");
  }

  std::string arrow_at(const Arrow& arrow, double y) const {
    const double half = cell_ / 2;
    const double x0 = x_of(arrow.from) + half, y0 = y + y_of(arrow.from) + half;
    return "<circle" + attribute("cx", x0) + attribute("cy", y0) + " r=\"3\"/>" +
           line(x0, y0, x_of(arrow.to) + half, y + y_of(arrow.to) + half,
                "class=\"arrow\" marker-end=\"url(#head)\"");
  }

  std::string title_;
  Box whole_, shown_;
  std::vector<Box> regions_;
  std::vector<std::string> below_;
  std::vector<Arrow> arrows_;
  double cell_ = kMostCell;
};

Point numbers_of(const Shape& shape) {
  Point numbers;
  for (const Extent& extent : shape) {
    const auto value = extent.constant();
    if (!value)
      fail(ErrorKind::value, "space-symbolic",
           "expected a signature of numbers, but got " + extent.to_string());
    numbers.push_back(*value);
  }
  return numbers;
}

Point sum_of(Point a, const Point& b, int64_t factor) {
  for (size_t dim = 0; dim < a.size(); ++dim)
    a[dim] += factor * b[dim];
  return a;
}

/// The two parts of the offset of an operand's projection, for one index point.
void add_offsets(Grid& grid, const space::Projection& projection, const Point& point) {
  if (!space::is_affine(projection.map) || projection.tensor_rank() == 0)
    return;
  const Point start = space::region(projection, point).start();
  const Point adjustment = numbers_of(projection.adjustment),
              relative = numbers_of(space::relative_start(projection));
  const Point mapped = sum_of(start, relative, -1);
  auto is_zero = [](const Point& part) {
    return std::ranges::all_of(part, [](int64_t value) { return value == 0; });
  };
  if (!is_zero(adjustment))
    grid.add_arrow(sum_of(mapped, adjustment, -1), mapped,
                   "adjustment " + space::to_string(adjustment) + ", as it counts backwards");
  if (!is_zero(relative))
    grid.add_arrow(mapped, start, "relative start " + space::to_string(relative));
}

constexpr const char* kHead =
    "<style>text { font: 12px sans-serif } .row, .offset { font: 11px monospace; fill: #555 } "
    ".region { fill-opacity: 0.6; stroke: #555; stroke-width: 1.5 } .cell { stroke: #ccc } "
    ".space { fill: none; stroke: #000; stroke-width: 1.5 } .arrow { stroke: #000; stroke-width: "
    "1.5 }</style><defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"6\" "
    "refY=\"3\" orient=\"auto\"><path d=\"M0 0 L6 3 L0 6 Z\"/></marker></defs>";

} // namespace

std::string figure(const space::Signature& signature, const std::vector<Box>& boxes) {
  std::vector<Grid> grids{{signature.op + ": index (" + dims_text(signature) + ")",
                           Box::of_shape(numbers_of(space::index_shape(signature))),
                           boxes,
                           {}}};
  for (const space::Operand& operand : signature.operands) {
    std::vector<Box> regions;
    for (const Box& box : boxes)
      regions.push_back(space::is_empty(box) ? box : space::region(operand.projection, box));
    std::vector<std::string> rows;
    for (const std::string& row : projection_rows(operand.projection))
      rows.push_back("[" + row + "]");
    numbers_of(operand.shape); // refuses symbols
    grids.emplace_back((space::reads(operand.role) ? "reads " : "writes ") + operand.name,
                       space::tensor_box(operand), std::move(regions), std::move(rows));
    if (!boxes.empty() && !space::is_empty(boxes[0]))
      add_offsets(grids.back(), operand.projection, boxes[0].start());
  }
  std::string svg;
  double x = kGap / 2, height = 0;
  for (const Grid& grid : grids) {
    const Panel panel = grid.draw();
    svg += "<g transform=\"translate(" + number(x) + " " + number(kGap / 2) + ")\">" + panel.svg +
           "</g>";
    x += panel.width + kGap;
    height = std::max(height, panel.height);
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", x) +
         attribute("height", height + kGap) + ">" + kHead + svg + "</svg>\n";
}

std::string figure(const Plan& plan, int64_t stage) {
  const Drawn drawn(plan);
  const auto number = static_cast<size_t>(stage);
  if (stage < 0 || number >= plan.stages.size() || plan.stages[number].work != Work::compute)
    fail(ErrorKind::index, "no-such-stage",
         "expected the number of a stage that computes, below " +
             std::to_string(plan.stages.size()) + ", but got " + std::to_string(stage));
  std::vector<Box> boxes;
  for (const Event& event : drawn.events)
    if (!event.is_move && &drawn.stage_of_family(event.family) == &plan.stages[number])
      boxes.push_back(event.index);
  space::Signature signature = plan.stages[number].signature;
  signature.op = plan.stages[number].name;
  return figure(signature, boxes);
}

} // namespace kolam::plans
