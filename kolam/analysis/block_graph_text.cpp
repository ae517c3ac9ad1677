// Prints block graphs.
#include "kolam/analysis/block_graph.h"

#include "kolam/ir/ops.h"

#include "llvm/ADT/StringExtras.h"

namespace kolam::analysis {
namespace {

std::string_view name_of(DimKind kind) {
  switch (kind) {
  case DimKind::map:
    return "map";
  case DimKind::scan:
    return "scan";
  case DimKind::fold:
    return "fold";
  default:
    return "reduce";
  }
}

std::string to_string(const PlaceBounds& range, const std::vector<Dim>& dims) {
  std::string value = range.value.to_string(), lower = range.lower.to_string(),
              upper = range.upper.to_string();
  bool is_single = range.upper - range.lower == Extent(1);
  if (range.outside)
    return is_single ? value + " != " + lower : value + " outside [" + lower + ", " + upper + ")";
  if (is_single)
    return value + " = " + lower;
  bool starts_at_0 = range.lower == Extent(0), is_open = false;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    is_open |= range.value.as_symbol() == dim_name(dim) && range.upper == dims[dim].length;
  if (is_open)
    return value + " >= " + lower;
  bool is_dim = range.value.as_symbol().has_value();
  return (starts_at_0 && is_dim ? "" : lower + " <= ") + value + " < " + upper;
}

/// The dividend and divisor of each floordiv in an expression.
std::vector<std::pair<Extent, Extent>> divisions(const Extent& expression) {
  std::vector<std::pair<Extent, Extent>> result;
  expression.visit<Extent>([](int64_t value) { return Extent(value); },
                           [](const std::string& name) { return Extent::symbol(name); },
                           [&](char op, const Extent& a, const Extent& b) {
                             if (op == 'f')
                               result.emplace_back(a, b);
                             return apply_extent_op(op, a, b);
                           });
  return result;
}

/// `(k0 + 1) mod L0` in place of `k0 - L0*floordiv(k0 + 1, L0) + 1`.
std::string index_text(const Extent& index) {
  for (const auto& [dividend, divisor] : divisions(index))
    if (index == dividend - divisor * floordiv(dividend, divisor))
      return "(" + dividend.to_string() + ") mod " + divisor.to_string();
  return index.to_string();
}

/// `data0(i0, i3)` in place of the symbol `data0.1`.
std::string with_points(const BlockGraph& graph, const std::string& text,
                        const Replacements& replaced) {
  auto is_of_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '_' || c == '$';
  };
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_of_name(text[end]))
      ++end;
    std::string word = text.substr(at, std::max<size_t>(end - at, 1));
    at += word.size();
    auto found = graph.data.find(word);
    if (found == graph.data.end()) {
      result += word;
      continue;
    }
    result += found->second.first + "(";
    for (size_t i = 0; i < found->second.second.size(); ++i)
      result += (i ? ", " : "") + found->second.second[i].substitute(replaced).to_string();
    result += ")";
  }
  return result;
}

std::string name_of(const BlockGraph& graph, int buffer) {
  return buffer == kUnlisted ? "more parts than are listed" : graph.buffers[buffer].name;
}

std::string cell_text(const Block& block) {
  if (block.cell.empty())
    return "moves a state";
  std::string text;
  for (mlir::Operation* op : block.cell)
    text += (text.empty() ? "" : " ") + label_of(op);
  return text;
}

/// Whether an index, or the place of data that it takes, is made of a dim.
bool uses_dim(const BlockGraph& graph, const Extent& index, const std::string& dim) {
  return llvm::any_of(index.symbols(), [&](const std::string& symbol) {
    auto found = graph.data.find(symbol);
    return symbol == dim || (found != graph.data.end() &&
                             llvm::any_of(found->second.second, [&](const Extent& place) {
                               return uses_dim(graph, place, dim);
                             }));
  });
}

/// The dims that no index of a read uses: the same is read again along them.
std::string reuse_text(const BlockGraph& graph, const Read& read, const std::vector<Dim>& dims) {
  std::string text;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    auto uses = [&](const Extent& index) { return uses_dim(graph, index, dim_name(dim)); };
    bool is_used = false;
    for (const Part& part : read.parts)
      is_used |= llvm::any_of(part.index, uses);
    if (!is_used)
      text += (text.empty() ? "; again along " : ", ") + dim_name(dim);
  }
  return text;
}

std::string lengths_text(const Shape& lengths) {
  std::string text;
  for (const Extent& length : lengths)
    text += "[" + length.to_string() + "]";
  return text;
}

} // namespace

std::string label_of(mlir::Operation* op) {
  if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op))
    return elementwise.getFunction().str();
  return op->getName().stripDialect().str();
}

std::string to_string(const BlockGraph& graph, const Part& part, const Replacements& replaced) {
  std::string text = name_of(graph, part.buffer);
  for (const Extent& index : part.index)
    text += "[" + with_points(graph, index_text(index), replaced) + "]";
  return text;
}

std::string to_string(const std::vector<PlaceBounds>& where, const std::vector<Dim>& dims) {
  std::string text;
  for (const PlaceBounds& range : where)
    text += (text.empty() ? " where " : ", ") + to_string(range, dims);
  return text;
}

std::string to_string(const BlockGraph& graph, const Read& read, const std::vector<Dim>& dims,
                      const Replacements& replaced) {
  std::string text;
  for (const Part& part : read.parts)
    text += (text.empty() ? "" : " | ") + to_string(graph, part, replaced) +
            with_points(graph, to_string(part.where, dims), replaced);
  return text.empty() ? "nothing" : text;
}

std::string to_string(const std::vector<Dim>& dims) {
  std::string text;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    text += (dim ? ", " : "") + std::string(name_of(dims[dim].kind)) + " " + dim_name(dim) + " < " +
            dims[dim].length.to_string() + (dims[dim].reverse ? " from the last" : "");
  return text.empty() ? "once" : text;
}

std::string to_string(const Distance& distance) {
  std::string text;
  for (const std::optional<int64_t>& component : distance)
    text += (text.empty() ? "(" : ", ") + (component ? std::to_string(*component) : "*");
  return text.empty() ? "()" : text + ")";
}

/// The results that are accesses alone: `result0 shows arg0[L0 - k0 - 1]`.
static std::string shown_text(const BlockGraph& graph) {
  std::string text;
  for (const auto& [result, parts] : graph.shown)
    text += graph.buffers[result].name + " shows " + to_string(graph, Read{"", parts}, {}) + "\n";
  return text;
}

std::string to_string(const BlockGraph& graph) {
  std::string text;
  for (const auto& [symbol, meaning] : graph.symbols)
    text += symbol + ": " + meaning + "\n";
  for (const Buffer& buffer : graph.buffers)
    if (buffer.kind != Buffer::Kind::constant)
      text += buffer.name + ": " + lengths_text(buffer.lengths) + buffer.leaf + "\n";
  for (const Block& block : graph.blocks) {
    text += block.name + ": " + to_string(block.dims) + "\n  cell: " + cell_text(block) + "\n";
    for (const Read& read : block.reads)
      text += "  reads " + to_string(graph, read, block.dims) +
              reuse_text(graph, read, block.dims) + "\n";
    for (const Write& write : block.writes) {
      bool is_own = write.source == write.part.buffer;
      text += "  writes " + to_string(graph, write.part) +
              (is_own ? "" : " = " + graph.buffers[write.source].name) +
              to_string(write.part.where, block.dims) + "\n";
    }
    if (!block.distances.empty()) {
      text += "  needs";
      for (const Distance& distance : block.distances)
        text += " " + to_string(distance);
      text += "\n";
    }
    if (block.depends_through_others)
      text += "  needs itself by way of other blocks\n";
  }
  for (const auto& [result, number] : graph.known)
    text += graph.buffers[result].name + " holds " + number.to_string() + "\n";
  return text + shown_text(graph);
}

std::string short_text(const BlockGraph& graph) {
  std::string text;
  for (const Block& block : graph.blocks) {
    text += "block " + block.name + ": " + to_string(block.dims) + "\n";
    std::string reads;
    for (const Read& read : block.reads) {
      std::vector<std::string> maps;
      for (const Part& part : read.parts) {
        bool is_constant =
            part.buffer >= 0 && graph.buffers[part.buffer].kind == Buffer::Kind::constant;
        if (std::string map = to_string(graph, part);
            !is_constant && !llvm::is_contained(maps, map))
          maps.push_back(map);
      }
      if (!maps.empty())
        reads += (reads.empty() ? "  reads " : ", ") + llvm::join(maps, " | ");
    }
    text += reads.empty() ? "" : reads + "\n";
  }
  bool has_accesses = llvm::any_of(graph.shown, [&](const auto& shown) {
    return llvm::any_of(shown.second, [&](const Part& part) {
      return part.buffer >= 0 && graph.buffers[part.buffer].kind != Buffer::Kind::constant;
    });
  });
  text += has_accesses ? shown_text(graph) : "";
  for (const auto& [symbol, meaning] : graph.symbols)
    text += "  " + symbol + ": " + meaning + "\n";
  return text;
}

} // namespace kolam::analysis
