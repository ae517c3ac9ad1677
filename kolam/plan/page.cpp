// Writes pages about plans.
#include "kolam/plan/page.h"

#include "kolam/plan/drawn.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <numeric>

namespace kolam::plans {
namespace {

// Text: places and sizes in pixels.
constexpr int kNode = 230, kGap = 30, kLayer = 130, kCell = 14, kStage = 40, kTensor = 82;
constexpr int kWidth = 1000, kRow = 22, kLeft = 90;
constexpr size_t kLetters = 36, kShardRows = 4; // text that a node has room for

constexpr const char* kStyle = R"(
body { font: 14px sans-serif; margin: 24px; color: #222 }
svg { display: block; margin: 8px 0 24px; overflow: visible } svg text { font-size: 11px }
table { border-collapse: collapse; margin-bottom: 16px } td, th { border: 1px solid #ccc; padding: 3px 8px; text-align: right }
.graph { overflow-x: auto } .edge { stroke: #888; fill: none } .small { fill: #555; font: 9px monospace }
)";

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

std::string shortened(const std::string& text) {
  if (text.size() <= kLetters)
    return escaped(text);
  return escaped(text.substr(0, kLetters / 2 - 2) + " ... " +
                 text.substr(text.size() - (kLetters / 2 - 3)));
}

std::string titled(const std::string& text) { return "<title>" + escaped(text) + "</title>"; }

class Page {
public:
  Page(const Plan& plan, const Simulated& simulated)
      : drawn_(plan), plan_(plan), simulated_(simulated) {}

  std::string run(const std::string& explained) {
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
           "<title>A plan of Kolam</title><style>" +
           std::string(kStyle) + "</style></head><body>\n<h1>A plan of Kolam</h1>\n" + costs() +
           "\n<h2>Graph</h2>\n" + legend() + "\n<div class=\"graph\">" + graph() +
           "</div>\n<h2>Timeline</h2>\n" + timeline() + "\n<h2>Memory</h2>\n" + memory() +
           "\n<h2>How it was found</h2>\n<pre>" + escaped(explained) + "</pre>\n</body></html>\n";
  }

private:
  struct Node {
    bool is_stage;
    size_t number;
  };
  struct Place {
    int x = 0, y = 0;
  };

  static int64_t most(const std::vector<int64_t>& numbers) {
    return numbers.empty() ? 0 : std::ranges::max(numbers);
  }

  std::string costs() const {
    std::string names, numbers;
    for (const auto& [name, value] : plan_.cost) {
      names += "<th>" + escaped(name) + "</th>";
      numbers += formatted("<td>%.4g</td>", value);
    }
    return "<table><tr>" + names + "</tr><tr>" + numbers +
           "</tr></table><p>Simulated: " + formatted("%.4g", simulated_.time) + " s, at most " +
           grouped(most(simulated_.bytes_in)) + " bytes into a worker, at most " +
           grouped(most(simulated_.peak_memory)) + " held by one.</p>";
  }

  std::string legend() const {
    constexpr int64_t kShown = 64; // bound of the line
    std::string text = "<p>Workers:";
    for (int64_t worker = 0; worker < std::min(plan_.workers, kShown); ++worker)
      text += " <span style=\"background:" + colour_of(worker) + "\">&nbsp;" +
              std::to_string(worker) + "&nbsp;</span>";
    return text + (plan_.workers > kShown ? " ...</p>" : "</p>");
  }

  /// A stage lies below what it reads, a tensor below the stages that write it.
  void find_layers() {
    tensor_layers_.assign(plan_.tensors.size(), 0);
    stage_layers_.assign(plan_.stages.size(), -1);
    for (bool changed = true, bounded = true; changed && bounded;) {
      changed = false;
      for (size_t stage = 0; stage < plan_.stages.size(); ++stage) {
        if (plan_.stages[stage].work == Work::load)
          continue;
        int layer = 1;
        for (const DrawnEdge& edge : drawn_.edges[stage])
          if (!edge.is_written && !writes(stage, edge.tensor))
            layer = std::max(layer, 1 + tensor_layers_[static_cast<size_t>(edge.tensor)]);
        changed |= raise(stage_layers_[stage], layer);
        for (const DrawnEdge& edge : drawn_.edges[stage])
          if (edge.is_written)
            changed |= raise(tensor_layers_[static_cast<size_t>(edge.tensor)], layer + 1);
        bounded = layer <= static_cast<int>(2 * plan_.stages.size()); // else there is a cycle
      }
    }
    for (size_t tensor = 0; tensor < plan_.tensors.size(); ++tensor)
      if (plan_.tensors[tensor].argument >= 0) // right above its first reader
        tensor_layers_[tensor] = above_readers(tensor);
  }
  static bool raise(int& layer, int to) {
    const bool is_lower = layer < to;
    layer = std::max(layer, to);
    return is_lower;
  }
  bool writes(size_t stage, int64_t tensor) const {
    return std::ranges::any_of(drawn_.edges[stage], [&](const DrawnEdge& edge) {
      return edge.is_written && edge.tensor == tensor;
    });
  }
  int above_readers(size_t tensor) const {
    int least = -1;
    for (size_t stage = 0; stage < plan_.stages.size(); ++stage)
      if (plan_.stages[stage].work != Work::load)
        for (const DrawnEdge& edge : drawn_.edges[stage])
          if (!edge.is_written && edge.tensor == static_cast<int64_t>(tensor) &&
              (least < 0 || stage_layers_[stage] < least))
            least = stage_layers_[stage];
    return least < 0 ? tensor_layers_[tensor] : least - 1;
  }

  std::string graph() {
    find_layers();
    std::map<int, std::vector<Node>> rows;
    for (size_t tensor = 0; tensor < plan_.tensors.size(); ++tensor)
      rows[tensor_layers_[tensor]].push_back({false, tensor});
    for (size_t stage = 0; stage < plan_.stages.size(); ++stage)
      if (plan_.stages[stage].work != Work::load)
        rows[stage_layers_[stage]].push_back({true, stage});
    std::vector<Place> tensors(plan_.tensors.size()), stages(plan_.stages.size());
    int row = 0;
    size_t widest = 0;
    for (const auto& [layer, nodes] : rows) {
      for (size_t at = 0; at < nodes.size(); ++at)
        (nodes[at].is_stage ? stages : tensors)[nodes[at].number] = {
            kGap + static_cast<int>(at) * (kNode + kGap), kGap + row * kLayer};
      widest = std::max(widest, nodes.size());
      ++row;
    }
    std::string edges, nodes;
    int drawn = 0;
    for (size_t tensor = 0; tensor < plan_.tensors.size(); ++tensor)
      nodes += tensor_node(tensor, tensors[tensor]);
    for (size_t stage = 0; stage < plan_.stages.size(); ++stage) {
      if (plan_.stages[stage].work == Work::load)
        continue;
      nodes += stage_node(plan_.stages[stage], stages[stage]);
      for (const DrawnEdge& edge : drawn_.edges[stage]) {
        const Place tensor = tensors[static_cast<size_t>(edge.tensor)];
        edges += edge.is_written ? edge_line(stages[stage], tensor, edge.rows, drawn++)
                                 : edge_line(tensor, stages[stage], edge.rows, drawn++);
      }
    }
    return formatted("<svg width=\"%d\" height=\"%d\">",
                     kGap + static_cast<int>(widest) * (kNode + kGap), kGap + row * kLayer) +
           edges + nodes + "</svg>";
  }

  std::string stage_node(const Stage& stage, Place at) const {
    return formatted("<g class=\"stage\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                     "rx=\"9\" fill=\"#f4f4f4\" stroke=\"#888\"/>"
                     "<text x=\"%d\" y=\"%d\">",
                     at.x, at.y, kNode, kStage, at.x + 8, at.y + 16) +
           shortened(stage.name) + titled(stage.name) +
           formatted("</text><text x=\"%d\" y=\"%d\">", at.x + 8, at.y + 32) +
           escaped(dims_text(stage.signature)) + "</text></g>";
  }

  std::string tensor_node(size_t number, Place at) const {
    const std::string title = title_of(plan_.tensors[number]);
    const std::vector<Shard>& shards = drawn_.shards[number];
    std::string text =
        formatted("<g class=\"tensor\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                  "fill=\"#fff\" stroke=\"#222\"/><text x=\"%d\" y=\"%d\">",
                  at.x, at.y, kNode, kTensor, at.x + 6, at.y + 15) +
        shortened(title) + titled(title + ": " + std::to_string(shards.size()) + " shards") +
        "</text>";
    if (shards.size() > kDrawnShards)
      return text + "</g>";
    const std::vector<std::vector<Shard>> rows = rows_of_shards(shards);
    for (size_t row = 0; row < std::min(rows.size(), kShardRows); ++row)
      for (size_t cell = 0; cell < std::min<size_t>(rows[row].size(), kNode / kCell); ++cell) {
        const Shard& shard = rows[row][cell];
        text += formatted("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                          "stroke=\"#fff\">",
                          at.x + 4 + static_cast<int>(cell) * kCell,
                          at.y + 22 + static_cast<int>(row) * kCell, kCell, kCell,
                          colour_of(shard.worker).c_str()) +
                titled(space::to_string(shard.box) + " at worker " + std::to_string(shard.worker)) +
                "</rect>";
      }
    return text + "</g>";
  }

  /// Edges between the same nodes, or along one column, lie apart.
  static std::string edge_line(Place above, Place below, const std::vector<std::string>& rows,
                               int number) {
    const double aside = number * 7 % 19 * 10 - 90;
    const double x0 = above.x + kNode / 2.0 + aside, y0 = above.y + kStage;
    const double x1 = below.x + kNode / 2.0 + aside, y1 = below.y;
    std::string text =
        formatted("<path class=\"edge\" d=\"M%.0f %.0f L%.0f %.0f\"/>", x0, y0, x1, y1);
    for (size_t row = 0; row < rows.size(); ++row)
      text += formatted("<text class=\"small\" x=\"%.0f\" y=\"%.0f\">", (x0 + 2 * x1) / 3 + 4,
                        (y0 + 2 * y1) / 3 + 10 * static_cast<double>(row) - 8) +
              "[" + escaped(rows[row]) + "]</text>";
    return text;
  }

  std::string timeline() const {
    std::vector<size_t> longest(simulated_.timeline.size());
    std::iota(longest.begin(), longest.end(), 0);
    auto key = [&](size_t span) {
      return std::pair(simulated_.timeline[span].start - simulated_.timeline[span].end, span);
    };
    std::ranges::sort(longest, {}, key);
    const size_t left_out = longest.size() - std::min(longest.size(), kDrawnEvents);
    longest.resize(longest.size() - left_out);
    std::string text = formatted("<svg class=\"timeline\" width=\"%d\" height=\"%lld\">", kWidth,
                                 static_cast<long long>(plan_.workers * kRow)) +
                       names_of_workers();
    for (size_t span : longest)
      text += span_mark(simulated_.timeline[span]);
    text += "</svg>";
    if (left_out > 0)
      text += "<p>" + std::to_string(left_out) + " shorter events are not drawn.</p>";
    return text;
  }

  std::string span_mark(const Span& span) const {
    const double scale = (kWidth - kLeft) / (simulated_.time > 0 ? simulated_.time : 1);
    const double y = static_cast<double>(span.worker * kRow) + (span.is_move ? 14 : 0);
    std::string name, fill = "#999";
    if (span.is_move) {
      const int64_t tensor = plan_.moves[static_cast<size_t>(span.family)].tensor;
      name = "move " + plan_.tensors[static_cast<size_t>(tensor)].name;
    } else {
      const Stage& stage = drawn_.stage_of_family(span.family);
      name = stage.name;
      fill = colour_of(&stage - plan_.stages.data());
    }
    return formatted("<rect class=\"event\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" "
                     "fill=\"%s\">",
                     kLeft + span.start * scale, y, std::max((span.end - span.start) * scale, 0.5),
                     span.is_move ? 5 : 13, fill.c_str()) +
           titled(name + formatted(": %.4g s to %.4g s", span.start, span.end)) + "</rect>";
  }

  /// What a worker holds from each event on, in the order of the plan.
  using Moments = std::vector<std::pair<int64_t, int64_t>>;
  std::vector<Moments> moments() const {
    const BlockTable table = find_blocks(plan_, drawn_.events);
    std::vector<std::map<int64_t, int64_t>> changes(static_cast<size_t>(plan_.workers));
    for (const Block& block : table.blocks) {
      std::map<int64_t, int64_t>& own = changes[static_cast<size_t>(block.worker)];
      own[2 * block.made_by] += block.bytes; // events are even, what is freed after them odd
      if (!stays(plan_, drawn_.events, block))
        own[2 * std::max(block.made_by, block.last_use) + 1] -= block.bytes;
    }
    std::vector<Moments> all;
    for (const std::map<int64_t, int64_t>& own : changes) {
      all.emplace_back();
      int64_t held = 0;
      for (const auto& [moment, change] : own)
        all.back().emplace_back(moment, held += change);
    }
    return all;
  }

  std::string memory() const {
    const int64_t highest =
        std::max<int64_t>({plan_.memory_per_worker, most(simulated_.peak_memory), int64_t{1}});
    const double end = std::max<double>(1, 2 * static_cast<double>(drawn_.events.size()));
    const int height = kRow - 4;
    std::string text = formatted("<svg width=\"%d\" height=\"%lld\">", kWidth,
                                 static_cast<long long>(plan_.workers * kRow)) +
                       names_of_workers();
    const std::vector<Moments> all = moments();
    for (size_t worker = 0; worker < all.size(); ++worker) {
      const double base = static_cast<double>(worker) * kRow + height;
      auto level = [&](int64_t held) {
        return base - height * static_cast<double>(held) / static_cast<double>(highest);
      };
      int64_t held = 0;
      std::string path = formatted("M%d %.0f", kLeft, base);
      for (const auto& [moment, now] : thinned(all[worker])) {
        const double x = kLeft + (kWidth - kLeft) * static_cast<double>(moment) / end;
        path += formatted(" L%.1f %.1f L%.1f %.1f", x, level(held), x, level(now));
        held = now;
      }
      path += formatted(" L%d %.1f L%d %.0f Z", kWidth, level(held), kWidth, base);
      text += "<path class=\"memory\" d=\"" + path + "\" fill=\"" +
              colour_of(static_cast<int64_t>(worker)) + "\">" +
              titled("worker " + std::to_string(worker) + ": at most " +
                     grouped(simulated_.peak_memory[worker]) + " bytes") +
              "</path>";
    }
    return text + "</svg><p>Full height is " + grouped(highest) + " bytes" +
           (highest == plan_.memory_per_worker ? ", the limit" : "") +
           "; from left to right the order of the plan.</p>";
  }

  /// Of neighbours the highest.
  static Moments thinned(const Moments& moments) {
    const size_t step = std::max<size_t>(1, (moments.size() + kDrawnMoments - 1) / kDrawnMoments);
    Moments result;
    for (size_t first = 0; first < moments.size(); first += step)
      result.push_back(*std::max_element(
          moments.begin() + static_cast<std::ptrdiff_t>(first),
          moments.begin() + static_cast<std::ptrdiff_t>(std::min(first + step, moments.size())),
          [](const auto& a, const auto& b) { return a.second < b.second; }));
    return result;
  }

  std::string names_of_workers() const {
    std::string text;
    for (int64_t worker = 0; worker < plan_.workers; ++worker)
      text += formatted("<text x=\"0\" y=\"%lld\">worker %lld</text>",
                        static_cast<long long>(worker * kRow + 13), static_cast<long long>(worker));
    return text;
  }

  const Drawn drawn_;
  const Plan& plan_;
  const Simulated& simulated_;
  std::vector<int> tensor_layers_, stage_layers_;
};

} // namespace

std::string as_html(const Plan& plan, const Simulated& simulated, const std::string& explained) {
  return Page(plan, simulated).run(explained);
}

} // namespace kolam::plans
