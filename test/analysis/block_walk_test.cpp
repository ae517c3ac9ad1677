// Random programs that only move elements of lists, run by the interpreter and followed by the
// walk: each element must lie where the walk says.
#include "kolam/analysis/block_walk.h"

#include "kolam/driver/parse.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/program.h"
#include "kolam/frontend/fractal/functions.h"

#include <gtest/gtest.h>

#include <random>

namespace kolam::analysis {
namespace {

using fractal::Data;
using fractal::List;
namespace lists = fractal::detail;

Shape parse(const std::vector<std::string>& texts) {
  Shape result;
  for (const std::string& text : texts)
    result.push_back(Extent::parse(text).value());
  return result;
}

List list_access(const List& list, const std::vector<std::string>& lengths,
                 const std::vector<std::string>& index) {
  return lists::list_access(list, {"access", parse(lengths), parse(index)});
}

/// Programs over a list of lists of integers.
class Programs {
public:
  explicit Programs(unsigned seed) : random_(seed) {}

  List chain(List list, int steps) {
    for (int step = 0; step < steps; ++step)
      list = change(list);
    return list;
  }

private:
  int draw(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  List change(const List& list) {
    if (list.depth() > 1 && draw(3) == 0)
      return on_rows(list);
    switch (draw(list.depth() > 2 ? 6 : 9)) {
    case 0:
      return list_access(list, {"L"}, {"L - j0 - 1"});
    case 1:
      return slice(list);
    case 2:
      return lists::list_join({list, slice(list)});
    case 3:
      return carried(list);
    case 4:
      return list.depth() > 1 ? lists::list_flatten(list)
                              : list_access(list, {"L"}, {"L - j0 - 1"});
    case 5: {
      std::string d = std::to_string(1 + draw(3));
      List rows =
          list_access(list, {d, "ceildiv(max(L - j0, 0), " + d + ")"}, {"j0 + " + d + "*j1"});
      return draw(2) ? rows
                     : list_access(
                           rows, {"N"},
                           {"j0 - " + d + "*floordiv(j0, " + d + ")", "floordiv(j0, " + d + ")"});
    }
    case 6:
      return list_access(list, {"L", "3"}, {"j0 + j1 - 1 - L*floordiv(j0 + j1 - 1, L)"});
    case 7:
      return list_access(list, {"2", "L"}, {"j1"});
    default:
      return padded(list);
    }
  }

  List slice(const List& list) {
    std::string a = std::to_string(draw(3)), b = std::to_string(draw(3)),
                s = std::to_string(1 + draw(2));
    std::string start = "min(" + a + ", L)", stop = "min(L, max(L - " + b + ", 0))";
    return list_access(list, {"ceildiv(max(" + stop + " - " + start + ", 0), " + s + ")"},
                       {start + " + " + s + "*j0"});
  }

  List padded(const List& list) {
    if (list.depth() > 1)
      return slice(list);
    lists::Access form{"slide", parse({"floordiv(L + 1, 2) + 1", "3"}), parse({"2*j0 + j1 - 2"})};
    form.pad = full({}, -1, DType::i64);
    return lists::list_access(list, form);
  }

  List on_rows(const List& list) {
    return lists::map({list}, [&](const Data& row) -> Data {
      return {chain(std::get<List>(row[0]), 1 + draw(2))};
    })[0];
  }

  /// Two states, turned or swapped at each step.
  List carried(const List& list) {
    bool swaps = draw(2), reverse = draw(2), keeps = draw(2);
    lists::ScanResult result =
        lists::scan({list, list_access(list, {"L"}, {"L - j0 - 1"})}, {list}, {"scan", reverse},
                    [&](const Data& values) -> Data {
                      List first = std::get<List>(values[0]), second = std::get<List>(values[1]);
                      List turned = list_access(second, {"L"}, {"j0 + 1 - L*floordiv(j0 + 1, L)"});
                      return swaps ? Data{turned, first} : Data{first, turned};
                    });
    size_t state = static_cast<size_t>(draw(2));
    return keeps && list.depth() < 3 ? result.all[state] : std::get<List>(result.last[state]);
  }

  std::mt19937 random_;
};

/// What the walk says of lengths and values, for one list of lists as argument.
class Followed {
public:
  struct Unknown {}; ///< lengths that nothing is known of

  Followed(Walked& walked, const std::vector<int64_t>& offsets)
      : walked_(walked), offsets_(offsets) {}

  using Names = std::map<std::string, int64_t>;

  int64_t evaluate(const Extent& given, const Names& names) {
    Extent expression = walked_.terms.normalized(given);
    Names all;
    for (const std::string& symbol : expression.symbols())
      if (const Terms::Value* value = walked_.terms.find(symbol))
        all[symbol] = length(*value, names);
      else
        all[symbol] = names.at(symbol);
    return expression.evaluate(all);
  }

  int64_t value(const Places& places, const Names& names) {
    const Part* found = nullptr;
    for (const Part& part : places.parts)
      if (holds(part, names)) {
        EXPECT_EQ(found, nullptr) << "an element in two parts";
        found = &part;
      }
    if (!found || found->buffer == kUnlisted)
      throw Unknown();
    const Walked::Buffer& buffer = walked_.buffers[found->buffer];
    std::vector<int64_t> index;
    for (const Extent& at : found->index)
      index.push_back(evaluate(at, names));
    if (buffer.is_state)
      return state(found->buffer, index);
    if (buffer.buffer.kind == Buffer::Kind::constant)
      return -1;
    EXPECT_LT(index[1], offsets_[index[0] + 1] - offsets_[index[0]]) << "outside";
    return offsets_[index[0]] + index[1];
  }

private:
  bool holds(const Part& part, const Names& names) {
    for (const PlaceBounds& range : part.where) {
      int64_t value = evaluate(range.value, names);
      bool inside = evaluate(range.lower, names) <= value && value < evaluate(range.upper, names);
      if (inside == range.outside)
        return false;
    }
    return true;
  }

  int64_t state(int buffer, const std::vector<int64_t>& index) {
    for (const Walked::State& state : walked_.states) {
      if (state.buffer != buffer)
        continue;
      Names names;
      for (size_t i = 0; i < index.size(); ++i)
        names[i < state.around.size() ? dim_name(i) : place_name(i - state.around.size())] =
            index[i];
      return value(state.next, names);
    }
    throw Unknown();
  }

  int64_t length(const Terms::Value& value, const Names& names) {
    if (walked_.terms.text(value.function) != "length of arg0")
      throw Unknown();
    if (value.arguments.empty())
      return std::ssize(offsets_) - 1;
    int64_t row = evaluate(value.arguments[0], names);
    if (row < 0 || row + 1 >= std::ssize(offsets_))
      return 0; // of no element
    return offsets_[row + 1] - offsets_[row];
  }

  Walked& walked_;
  const std::vector<int64_t>& offsets_;
};

/// The elements, in order, and the lengths of all lists on the way.
void collect(Followed& followed, const Places& places, size_t level, Followed::Names names,
             std::vector<int64_t>& values, std::vector<std::vector<int64_t>>& lengths) {
  if (level == places.lengths.size()) {
    values.push_back(followed.value(places, names));
    return;
  }
  int64_t length = std::max<int64_t>(0, followed.evaluate(places.lengths[level], names));
  lengths[level].push_back(length);
  for (int64_t i = 0; i < length; ++i) {
    names[place_name(level)] = i;
    collect(followed, places, level + 1, names, values, lengths);
  }
}

std::vector<int64_t> numbers(const Array& array) {
  return std::vector<int64_t>(array.values<int64_t>().begin(), array.values<int64_t>().end());
}

TEST(BlockWalk, RandomProgramsMoveElementsToWhereItSays) {
  int followed_programs = 0, unknown = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> offsets{0};
    for (int row = 0; row < 3; ++row)
      offsets.push_back(offsets.back() + static_cast<int64_t>(random() % 5));
    std::vector<TensorSpec> specs{{DType::i64, {Extent::symbol("n0")}},
                                  {DType::i64, {Extent::symbol("n1")}}};
    Programs programs(seed);
    Program program = trace(specs, [&](std::vector<Tensor> given) {
      List list = lists::pack(given[0], {given[1]});
      return lists::unpack(programs.chain(list, 1 + static_cast<int>(random() % 4)));
    });
    std::vector<int64_t> ids(static_cast<size_t>(offsets.back()));
    for (size_t i = 0; i < ids.size(); ++i)
      ids[i] = static_cast<int64_t>(i);
    std::vector<Array> results =
        program.run({Array::of<int64_t>(ids), Array::of<int64_t>(offsets)}, Backend::interpret);
    driver::Module module = driver::parse(program.as_text(), "test").program;
    Walked walked = walk_blocks(module.main());
    ASSERT_EQ(walked.results.size(), 1u);
    const Places places = walked.results[0].places;
    std::vector<int64_t> values;
    std::vector<std::vector<int64_t>> lengths(places.lengths.size());
    try {
      Followed followed(walked, offsets);
      collect(followed, places, 0, {}, values, lengths);
    } catch (const Followed::Unknown&) {
      ++unknown;
      continue;
    }
    ++followed_programs;
    ASSERT_EQ(values, numbers(results[0])) << "seed " << seed << "\n" << program.as_text();
    for (size_t level = 1; level < lengths.size(); ++level) {
      std::vector<int64_t> ends{0};
      for (int64_t length : lengths[level])
        ends.push_back(ends.back() + length);
      ASSERT_EQ(ends, numbers(results[level])) << "seed " << seed << "\n" << program.as_text();
    }
  }
  // Flattened ragged lists and joins of lists of unequal lists have places that only data gives.
  EXPECT_GE(followed_programs, 200) << unknown << " programs of unknown lengths";
}

} // namespace
} // namespace kolam::analysis
