// Builds block graphs from what the walk over a program finds.
#include "kolam/analysis/block_graph.h"

#include "kolam/analysis/block_graph_states.h"
#include "kolam/analysis/written_part.h"
#include "kolam/ir/ops.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <functional>

namespace kolam::analysis {
namespace {

class Graph {
public:
  explicit Graph(Walked walked) : walked_(std::move(walked)), states_(walked_, placing_) {}

  BlockGraph build() {
    for (Walked::Block& block : walked_.blocks)
      for (Walked::ReadValue& read : block.reads)
        read.places = tidy(states_.resolved(read.places), block.dims);
    for (auto& [function, places] : walked_.data)
      places = tidy(states_.resolved(places), {});
    add_moves();
    std::vector<size_t> order(walked_.blocks.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return walked_.blocks[a].order < walked_.blocks[b].order;
    });
    note_used();
    for (size_t block : order)
      add_block(block);
    for (size_t block : order)
      add_reads(block);
    add_results();
    add_distances();
    return std::move(graph_);
  }

private:
  /// Symbols normalized, ranges that always hold left out, by what the block's dims say.
  Places tidy(const Places& places, const std::vector<Dim>& dims) {
    Places result = placing_.substitute(places, {});
    std::vector<Part> parts;
    for (const Part& part : result.parts)
      if (std::optional<Part> kept = tidy(part, dims))
        parts.push_back(std::move(*kept));
    result.parts = std::move(parts);
    simplify(result.parts);
    return result;
  }

  /// nullopt where it holds at no point.
  std::optional<Part> tidy(const Part& given, const std::vector<Dim>& dims) {
    auto [up, down] = least_lengths(dims);
    auto with = [](const PlaceBounds& range, const Replacements& replacements) {
      return PlaceBounds{range.value.substitute(replacements), range.lower.substitute(replacements),
                         range.upper.substitute(replacements), range.outside};
    };
    Part part = placing_.substitute(given, {});
    for (Extent& index : part.index)
      index = index.substitute(up).substitute(down);
    std::vector<PlaceBounds> kept;
    for (const PlaceBounds& range : part.where) {
      std::vector<PlaceBounds> alone{with(range, up)};
      if (!simplify(alone))
        return std::nullopt;
      if (!alone.empty() && !covers(alone[0], dims, up))
        kept.push_back(with(with(range, up), down));
    }
    part.where = std::move(kept);
    for (const PlaceBounds& range : part.where)
      if (std::optional<std::string> symbol = range.value.as_symbol();
          symbol && (*symbol)[0] == 'k' && !range.outside && range.upper == range.lower + Extent(1))
        for (Extent& index : part.index) // the only place
          index = placing_.substitute(index, {{*symbol, range.lower}});
    return part;
  }

  /// 0 <= i < its length.
  bool covers(const PlaceBounds& range, const std::vector<Dim>& dims, const Replacements& up) {
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (!range.outside && range.value.as_symbol() == dim_name(dim) && range.lower == Extent(0) &&
          range.upper == placing_.substitute(dims[dim].length, {}).substitute(up))
        return true;
    return false;
  }

  /// Where a block has points the lists of its dims have elements: lengths from c on, as
  /// replacements that add c, which makes expressions simpler, and that take it away again.
  std::pair<Replacements, Replacements> least_lengths(const std::vector<Dim>& dims) {
    Replacements up, down;
    for (const Dim& dim : dims)
      for (const Extent& given : dim.lengths) {
        Extent length = placing_.substitute(given, {});
        for (const std::string& symbol : length.symbols()) {
          Extent whole = Extent::symbol(symbol);
          for (const Extent::Step& step : length.steps())
            if (Extent less = whole - Extent(std::max(step.value, -step.value));
                step.op == 'k' && (length == max(less, Extent(0)) || length == less)) {
              Extent least = whole - less + Extent(1);
              up.insert_or_assign(symbol, whole + least);
              down.insert_or_assign(symbol, whole - least);
            }
          if (length == whole) {
            up.try_emplace(symbol, whole + Extent(1));
            down.try_emplace(symbol, whole - Extent(1));
          }
        }
      }
    return {up, down};
  }

  /// Blocks for states that no cell computes.
  void add_moves() {
    for (size_t i = 0; i < walked_.states.size(); ++i) {
      if (!states_.is_kept(i))
        continue;
      const Walked::State& state = walked_.states[i];
      Walked::Block block{state.order, state.around, {}, {}};
      Replacements places;
      for (size_t level = 0; level < state.next.lengths.size(); ++level) {
        block.dims.push_back(
            {DimKind::map, placing_.substitute(state.next.lengths[level], places), false, {}});
        places.emplace(place_name(level), Extent::symbol(dim_name(state.around.size() + level)));
      }
      Places next = placing_.substitute(states_.resolved(state.next), places);
      block.reads.push_back({{}, tidy(next, block.dims)});
      moves_[state.buffer] = walked_.blocks.size();
      walked_.blocks.push_back(std::move(block));
    }
  }

  void note_used() {
    for (const Walked::Block& block : walked_.blocks)
      for (const Walked::ReadValue& read : block.reads)
        note_used(read.places);
    for (Walked::Result& result : walked_.results) {
      result.places = tidy(states_.resolved(result.places), {});
      note_used(result.places);
    }
    for (const auto& [function, places] : walked_.data)
      note_used(places);
  }
  void note_used(const Places& places) {
    for (const Part& part : places.parts)
      used_.insert(part.buffer);
  }

  void add_block(size_t number) {
    const Walked::Block& from = walked_.blocks[number];
    std::string name = "b" + std::to_string(graph_.blocks.size());
    Block block{name, {}, from.cell, {}, {}, {}, false};
    for (const Dim& dim : from.dims)
      block.dims.push_back({dim.kind, named(placing_.substitute(dim.length, {})), dim.reverse, {}});
    for (size_t dim = 0; dim < from.dims.size(); ++dim)
      for (const Extent& length : from.dims[dim].lengths)
        block.dims[dim].lengths.push_back(named(placing_.substitute(length, {})));
    int result = 0;
    auto write = [&](size_t buffer) {
      Buffer made = walked_.buffers[buffer].buffer;
      made.name = name + "." + std::to_string(result++);
      Part part{add_buffer(static_cast<int>(buffer), made),
                dim_symbols(walked_.buffers[buffer].dims),
                {}};
      Shape inside = from.cell.empty() ? Shape{} : place_symbols(made.lengths.size());
      part.index.insert(part.index.end(), inside.begin(), inside.end());
      if (from.cell.empty())
        part.index = dim_symbols(from.dims.size());
      block.writes.push_back({part, part.buffer});
      writer_[part.buffer] = graph_.blocks.size();
    };
    for (size_t buffer = 0; buffer < walked_.buffers.size(); ++buffer) {
      if (!used_.contains(static_cast<int>(buffer)))
        continue;
      auto moved = moves_.find(static_cast<int>(buffer));
      mlir::Operation* writer = walked_.buffers[buffer].writer;
      if (writer ? walked_.block_of.lookup(writer) == number && walked_.block_of.contains(writer)
                 : moved != moves_.end() && moved->second == number)
        write(buffer);
    }
    graph_.blocks.push_back(std::move(block));
    places_of_blocks_.push_back(number);
  }

  int add_buffer(int walked, Buffer buffer) {
    for (Extent& length : buffer.lengths)
      length = named(placing_.substitute(length, {}));
    graph_.buffers.push_back(std::move(buffer));
    return buffer_of_[walked] = static_cast<int>(graph_.buffers.size()) - 1;
  }

  Part named(Part part) {
    if (part.buffer >= 0) {
      auto found = buffer_of_.find(part.buffer);
      part.buffer = found != buffer_of_.end()
                        ? found->second
                        : add_buffer(part.buffer, walked_.buffers[part.buffer].buffer);
    }
    for (Extent& index : part.index)
      index = named(index);
    for (PlaceBounds& range : part.where)
      range = {named(range.value), named(range.lower), named(range.upper), range.outside};
    return part;
  }

  void add_reads(size_t number) {
    size_t at = std::find(places_of_blocks_.begin(), places_of_blocks_.end(), number) -
                places_of_blocks_.begin();
    for (const Walked::ReadValue& read : walked_.blocks[number].reads) {
      Read made;
      made.value = read.value;
      for (const Part& part : read.places.parts)
        made.parts.push_back(named(part));
      made.leaf = made.parts.empty() || made.parts[0].buffer == kUnlisted
                      ? ""
                      : graph_.buffers[made.parts[0].buffer].leaf;
      graph_.blocks[at].reads.push_back(std::move(made));
    }
  }

  void add_results() {
    for (size_t number = 0; number < walked_.results.size(); ++number) {
      const Walked::Result& result = walked_.results[number];
      Buffer buffer{Buffer::Kind::written, "result" + std::to_string(number), result.leaf,
                    result.places.lengths};
      for (Extent& length : buffer.lengths)
        length = named(placing_.substitute(length, {}));
      graph_.buffers.push_back(buffer);
      int into = static_cast<int>(graph_.buffers.size()) - 1;
      std::vector<Part> shown;
      if (result.places.number) {
        graph_.known.emplace_back(into, named(placing_.substitute(*result.places.number, {})));
        continue;
      }
      for (const Part& part : result.places.parts) {
        auto writer =
            part.buffer == kUnlisted
                ? writer_.end()
                : writer_.find(buffer_of_.contains(part.buffer) ? buffer_of_[part.buffer] : -2);
        std::optional<Part> write;
        if (writer != writer_.end())
          write = written_part(part, result.places.lengths.size(), placing_);
        if (!write) {
          shown.push_back(named(part));
          continue;
        }
        const Walked::Block& from = walked_.blocks[places_of_blocks_[writer->second]];
        if (std::optional<Part> tidied = tidy(*write, from.dims)) {
          Part made = named(std::move(*tidied));
          made.buffer = into;
          graph_.blocks[writer->second].writes.push_back({made, buffer_of_[part.buffer]});
        }
      }
      if (!shown.empty())
        graph_.shown.emplace_back(into, std::move(shown));
    }
  }

  // Names of symbols.

  Extent named(const Extent& expression) {
    Replacements names;
    for (const std::string& symbol : expression.symbols())
      if (const Terms::Value* value = walked_.terms.find(symbol))
        names.emplace(symbol, Extent::symbol(name_of(symbol, *value)));
    return names.empty() ? expression : expression.substitute(names);
  }

  /// `L0`; values of one function at other arguments are `L0.1`, `L0.2`. The places of a list stand
  /// for those of all its readers.
  std::string name_of(const std::string& symbol, const Terms::Value& value) {
    if (auto known = symbol_names_.find(symbol); known != symbol_names_.end())
      return known->second;
    Shape arguments;
    for (const Extent& argument : value.arguments)
      arguments.push_back(named(placing_.substitute(argument, {})));
    bool is_data = walked_.data.contains(value.function);
    auto [base, is_new] = bases_.try_emplace(value.function, Base{});
    if (is_new)
      base->second.name =
          is_data ? "data" + std::to_string(data_names_++) : "L" + std::to_string(length_names_++);
    bool is_general = !is_data && !arguments.empty() &&
                      std::all_of(arguments.begin(), arguments.end(), [](const Extent& k) {
                        return k.as_symbol() && (*k.as_symbol())[0] == 'k';
                      });
    std::string name = base->second.name;
    if (!is_general && base->second.used++ > 0)
      name += "." + std::to_string(base->second.used - 1);
    symbol_names_[symbol] = name;
    if (!arguments.empty())
      graph_.ragged.insert(name);
    if (auto length = walked_.argument_lengths.find(value.function);
        length != walked_.argument_lengths.end())
      graph_.argument_lengths.emplace(name, length->second);
    if (is_data)
      graph_.data.emplace(name, std::make_pair(base->second.name, arguments));
    bool is_listed = std::any_of(graph_.symbols.begin(), graph_.symbols.end(),
                                 [&](const auto& listed) { return listed.first == name; });
    if (!is_data && !is_listed)
      graph_.symbols.emplace_back(name, walked_.terms.text(value.function) + indices(arguments));
    if (is_data && is_new)
      add_data(base->second.name, value.function);
    return name;
  }

  static std::string indices(const Shape& arguments) {
    std::string text;
    for (const Extent& argument : arguments)
      text += "[" + argument.to_string() + "]";
    return text;
  }

  void add_data(const std::string& name, int function) {
    size_t at = graph_.symbols.size();
    graph_.symbols.emplace_back();
    Read read;
    for (const Part& part : walked_.data.at(function).parts)
      read.parts.push_back(named(part));
    graph_.symbols[at] = {name, walked_.terms.text(function) +
                                    (read.parts.empty() ? "" : to_string(graph_, read, {}))};
  }

  // Dependences.

  void add_distances() {
    std::vector<std::set<size_t>> needs(graph_.blocks.size());
    for (size_t i = 0; i < graph_.blocks.size(); ++i) {
      Block& block = graph_.blocks[i];
      for (const Read& read : block.reads)
        for (const Part& part : read.parts) {
          auto writer = writer_.find(part.buffer);
          if (writer == writer_.end())
            continue;
          if (writer->second != i)
            needs[i].insert(writer->second);
          else if (Distance distance = distance_of(part, block);
                   !llvm::is_contained(block.distances, distance))
            block.distances.push_back(std::move(distance));
        }
    }
    for (size_t i = 0; i < graph_.blocks.size(); ++i)
      graph_.blocks[i].depends_through_others = reaches(needs, i);
  }

  static Distance distance_of(const Part& part, const Block& block) {
    Distance distance;
    for (size_t dim = 0; dim < block.dims.size(); ++dim)
      distance.push_back((Extent::symbol(dim_name(dim)) - part.index[dim]).constant());
    return distance;
  }

  static bool reaches(const std::vector<std::set<size_t>>& needs, size_t from) {
    std::vector<size_t> open(needs[from].begin(), needs[from].end());
    std::set<size_t> seen(needs[from]);
    while (!open.empty()) {
      size_t at = open.back();
      open.pop_back();
      if (at == from)
        return true;
      for (size_t next : needs[at])
        if (seen.insert(next).second)
          open.push_back(next);
    }
    return false;
  }

  struct Base {
    std::string name;
    int used = 0;
  };

  Walked walked_;
  Placing placing_{walked_.terms};
  States states_;
  BlockGraph graph_;
  std::set<int> used_;                   ///< buffers of the walk that somebody reads
  std::map<int, int> buffer_of_;         ///< by that of the walk
  std::map<int, size_t> writer_;         ///< blocks by buffers
  std::map<int, size_t> moves_;          ///< blocks of the walk by states' buffers
  std::vector<size_t> places_of_blocks_; ///< their numbers in the walk
  std::map<int, Base> bases_;            ///< names of functions
  std::map<std::string, std::string> symbol_names_;
  int length_names_ = 0, data_names_ = 0;
};

} // namespace

BlockGraph block_graph_of(mlir::func::FuncOp function) {
  return Graph(walk_blocks(function)).build();
}

} // namespace kolam::analysis
