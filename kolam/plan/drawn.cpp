// Finds what pictures of plans show.
#include "kolam/plan/drawn.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

namespace kolam::plans {
namespace {

std::vector<DrawnEdge> edges_of(const Stage& stage) {
  std::vector<DrawnEdge> edges;
  if (stage.work == Work::load) // it is not drawn
    return edges;
  for (size_t place = 0; place < stage.tensors.size(); ++place) {
    DrawnEdge edge{.tensor = stage.tensors[place], .is_written = place == 1, .rows = {}};
    if (stage.work != Work::merge) {
      const space::Operand& operand = stage.signature.operands[place];
      edge.is_written = operand.role != space::Role::in;
      edge.rows = projection_rows(operand.projection);
    }
    edges.push_back(std::move(edge));
  }
  return edges;
}

} // namespace

Drawn::Drawn(const Plan& plan)
    : plan(plan), shards(plan.tensors.size()), tasks(plan.stages.size(), 0) {
  space::fail_on(check_structure(plan));
  events = expand(plan);
  std::vector<StageTensors> tensors;
  for (const Stage& stage : plan.stages) {
    tensors.push_back(tensors_of(stage));
    edges.push_back(edges_of(stage));
  }
  for (const Event& event : events) {
    if (event.is_move)
      continue;
    const auto stage = static_cast<size_t>(
        plan.pieces[static_cast<size_t>(plan.tasks[static_cast<size_t>(event.family)].piece)]
            .stage);
    ++tasks[stage];
    for (size_t write = 0; write < event.writes.size(); ++write)
      shards[static_cast<size_t>(tensors[stage].writes[write])].push_back(
          {event.writes[write], event.worker});
  }
  for (std::vector<Shard>& own : shards) {
    auto is_before = [](const Shard& a, const Shard& b) {
      return std::tie(a.box.start(), a.box.end(), a.worker) <
             std::tie(b.box.start(), b.box.end(), b.worker);
    };
    std::ranges::sort(own, is_before);
    auto is_same = [](const Shard& a, const Shard& b) { return a.box == b.box; };
    own.erase(std::ranges::unique(own, is_same).begin(), own.end());
  }
}

const Stage& Drawn::stage_of_family(int64_t family) const {
  const Family& own = plan.tasks[static_cast<size_t>(family)];
  return plan.stages[static_cast<size_t>(plan.pieces[static_cast<size_t>(own.piece)].stage)];
}

std::vector<std::vector<Shard>> rows_of_shards(const std::vector<Shard>& shards) {
  std::map<Point, std::vector<Shard>> rows;
  for (const Shard& shard : shards) {
    Point start = shard.box.start();
    if (!start.empty())
      start.pop_back();
    rows[start].push_back(shard);
  }
  std::vector<std::vector<Shard>> all;
  for (auto& [start, row] : rows)
    all.push_back(std::move(row));
  return all;
}

std::string title_of(const Tensor& tensor) {
  std::string extents;
  for (int64_t extent : tensor.shape)
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  return tensor.name + ": " + std::string(name(tensor.dtype)) + "[" + extents + "]";
}

std::string dims_text(const space::Signature& signature) {
  std::string text;
  for (const space::IndexDim& dim : signature.dims)
    text += (text.empty() ? "" : ", ") + dim.name + " < " + dim.extent.to_string();
  return text;
}

std::vector<std::string> projection_rows(const space::Projection& projection) {
  std::vector<std::string> rows;
  for (size_t dim = 0; dim < projection.map.rows.size(); ++dim) {
    const space::AffineRow& row = projection.map.rows[dim];
    std::string text;
    for (int64_t coefficient : row.coefficients)
      text += (text.empty() ? "" : " ") + std::to_string(coefficient);
    if (row.divisor != 1)
      text += " // " + std::to_string(row.divisor);
    if (row.modulus != 0)
      text += " % " + std::to_string(row.modulus);
    rows.push_back((text.empty() ? " " : text) + " | " + row.offset.to_string() + " | " +
                   projection.size[dim].to_string());
  }
  return rows.empty() ? std::vector<std::string>{" | | "} : rows;
}

std::string colour_of(int64_t number) {
  constexpr double kTurn = 0.381966;                    // the golden angle, a bound of likeness
  constexpr double kLightness = 0.78, kStrength = 0.65; // text stays readable on them
  const double hue = std::fmod(static_cast<double>(number) * kTurn, 1.0);
  const double chroma = (1 - std::fabs(2 * kLightness - 1)) * kStrength;
  std::string text = "#";
  for (int shift : {0, 8, 4}) { // red, green, blue: the format's usual formula of a hue
    const double place = std::fmod(shift + hue * 12, 12.0);
    const double value =
        kLightness - chroma / 2 * std::max(-1.0, std::min({place - 3, 9 - place, 1.0}));
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(std::lround(value * 255)));
    text += digits;
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (char letter : text)
    switch (letter) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#x27;";
      break;
    default:
      result += letter;
    }
  return result;
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t place = static_cast<int64_t>(digits.size()) - 3; place > (number < 0 ? 1 : 0);
       place -= 3)
    digits.insert(static_cast<size_t>(place), ",");
  return digits;
}

} // namespace kolam::plans
