// Records or runs the functions on lists.
#include "kolam/frontend/fractal/functions.h"

#include "kolam/frontend/array/shape.h"
#include "kolam/frontend/fractal/apply_lists.h"
#include "kolam/frontend/fractal/known_lengths.h"
#include "kolam/frontend/fractal/places.h"
#include "kolam/ir/location.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/lists.h"

#include <algorithm>

namespace kolam::fractal::detail {
namespace {

using language::Values;

Data as_data(const std::vector<List>& lists) { return Data(lists.begin(), lists.end()); }

Data joined(Data first, const std::vector<List>& lists) {
  first.insert(first.end(), lists.begin(), lists.end());
  return first;
}

List as_list(const Datum& datum) { return std::get<List>(datum); }
std::vector<List> as_lists(std::span<const Datum> data) {
  std::vector<List> lists;
  for (const Datum& datum : data)
    lists.push_back(as_list(datum));
  return lists;
}

llvm::SmallVector<mlir::Type> element_types(const Values& lists) {
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value list : lists)
    types.push_back(language::element_type(list));
  return types;
}

Values head(const Values& values, size_t count) {
  return Values(values.begin(), values.begin() + static_cast<int64_t>(count));
}
Values tail(const Values& values, size_t first) {
  return Values(values.begin() + static_cast<int64_t>(first), values.end());
}

Tensor one_tensor(const Data& data) { return std::get<Tensor>(data[0]); }

/// `body`, whose states keep the default dtypes that plain numbers among `inits` have. Throws
/// `[carry-mismatch]`.
Body keeping_dtypes(const Body& body, const Data& inits, const std::vector<bool>& are_numbers) {
  return [&](const Data& arguments) {
    Data next = body(arguments);
    for (size_t i = 0; i < std::min(next.size(), are_numbers.size()); ++i) {
      if (!are_numbers[i])
        continue;
      auto* first = std::get_if<Tensor>(&inits[i]);
      auto* given = std::get_if<Tensor>(&next[i]);
      if (given && given->rank() == 0 && given->dtype() != first->dtype())
        fail(ErrorKind::type, "carry-mismatch",
             "state " + std::to_string(i) + ": expected " + describe(*first) + ", but got " +
                 describe(*given) + "; a plain number as initial value is " +
                 std::string(name(first->dtype())) + ": pass an array of " +
                 std::string(name(given->dtype())));
    }
    return next;
  };
}

} // namespace

std::vector<List> map(const std::vector<List>& lists, const Body& body, Here where) {
  return as_lists(
      apply_lists("map", as_data(lists), where, [&](Trace& trace, const Values& values) {
        return language::list_map(trace.builder(), values,
                                  record_body(trace, element_types(values), values, body));
      }));
}

ScanResult scan(const Data& inits, const std::vector<List>& lists, const ScanOptions& options,
                const Body& body, Here where) {
  size_t states = inits.size();
  Data results = apply_lists(
      options.name, joined(inits, lists), where, [&](Trace& trace, const Values& values) {
        Values first = head(values, states), over = tail(values, states);
        llvm::SmallVector<mlir::Type> types(mlir::ValueRange(first).getTypes());
        llvm::append_range(types, element_types(over));
        language::ListScan scan{options.reverse ? language::Direction::reverse
                                                : language::Direction::forward,
                                options.associative, options.after_first, options.name == "reduce"};
        return language::list_scan(
            trace.builder(), first, over, scan,
            record_body(trace, types, over, keeping_dtypes(body, inits, options.numbers)));
      });
  auto middle = results.begin() + static_cast<int64_t>(states);
  return {Data(results.begin(), middle), as_lists(std::span(middle, results.end()))};
}

Data reduce(const Data& inits, const std::vector<List>& lists, const Body& body, Here where) {
  return apply_lists(
      "reduce", joined(inits, lists), where, [&](Trace& trace, const Values& values) {
        Values first = head(values, inits.size()), over = tail(values, inits.size());
        llvm::SmallVector<mlir::Type> types = element_types(over);
        llvm::append_range(types, element_types(over));
        return language::list_reduce(
            trace.builder(), first, over,
            record_body(trace, types, {}, body)); // merged elements are none of a list
      });
}

std::vector<List> filter(const std::vector<List>& lists, const List& mask, Here where) {
  return as_lists(
      apply_lists("filter", joined({mask}, lists), where, [&](Trace& trace, const Values& values) {
        Values results;
        for (mlir::Value list : tail(values, 1))
          results.push_back(language::list_filter(trace.builder(), list, values[0]));
        return results;
      }));
}

List list_access(const List& list, const Access& access, Here where) {
  Data operands{list};
  operands.insert(operands.end(), access.scalars.begin(), access.scalars.end());
  if (access.pad)
    operands.emplace_back(*access.pad);
  return as_list(apply_lists(access.name, operands, where, [&](Trace& trace, const Values& values) {
    language::Access form{access.lengths, access.index};
    for (size_t i = 0; i < access.scalars.size(); ++i)
      form.scalars.push_back(values[1 + i]);
    if (access.pad)
      form.pad = values.back();
    return Values{language::access(trace.builder(), values[0], form)};
  })[0]);
}

Datum list_index(const List& list, const Tensor& i, Here where) {
  return apply_lists("index", {list, i}, where, [&](Trace& trace, const Values& values) {
    return Values{language::list_index(trace.builder(), values[0], values[1])};
  })[0];
}

Datum list_end(const List& list, int64_t i, Here where) {
  if (list.depth() > 1)
    return list_flatten(
        list_access(
            list,
            {"index", {min(Extent::symbol("L"), 1)}, {i < 0 ? Extent::symbol("L") - 1 : Extent(0)}},
            where),
        where);
  return apply_lists("index", {list, Tensor(Array::scalar(i))}, where,
                     [&](Trace& trace, const Values& values) {
                       return Values{language::list_index(trace.builder(), values[0], values[1],
                                                          language::OutsideOfList::zeros)};
                     })[0];
}

Tensor list_length(const List& list, Here where) {
  if (!list.is_traced())
    return Array::scalar(list.host().size());
  return one_tensor(apply_lists("len", {list}, where, [&](Trace& trace, const Values& values) {
    return Values{language::list_length(trace.builder(), values[0])};
  }));
}

void require(const Tensor& condition, std::string_view slug, const std::string& message,
             std::string_view name, Here where) {
  Scope scope(name, where);
  if (!condition.is_traced()) {
    if (!condition.item<bool>())
      fail(slug == "list-index" ? ErrorKind::index : ErrorKind::value, slug, message);
    return;
  }
  Trace& trace = *Trace::current();
  trace.locate();
  language::check(trace.builder(), trace.value_of(condition), slug,
                  std::string(name) + ": " + message);
}

void require_one_length(const List& a, const List& b, const char* function, Here where) {
  apply_lists(function, {a, b}, where, [&](Trace& trace, const Values& values) {
    language::LocationNote note(trace.builder(), function); // whatever reads it
    language::require_one_length(trace.builder(), values[0], values[1]);
    return Values{};
  });
}

/// The place, as `[0][2]`, of the first list that has another length, and both lengths.
struct OtherLength {
  std::string place;
  int64_t expected, found;
};
static std::optional<OtherLength> other_length(const runtime::List& like,
                                               const runtime::List& list) {
  if (like.size() != list.size())
    return OtherLength{"", like.size(), list.size()};
  if (like.depth() == 1)
    return std::nullopt;
  for (int64_t i = 0; i < like.size(); ++i)
    if (auto inner = other_length(like.sublist(i), list.sublist(i))) {
      inner->place = "[" + std::to_string(i) + "]" + inner->place;
      return inner;
    }
  return std::nullopt;
}

void require_lengths_of(const List& like, const List& list, std::string_view slug,
                        const std::string& what, std::string_view function, Here where) {
  Scope scope(function, where);
  if (like.is_traced() || list.is_traced()) {
    apply_lists(function, {like, list}, where, [&](Trace& trace, const Values& values) {
      language::require_lengths_of(trace.builder(), values[0], values[1], slug,
                                   std::string(function) + ": " + what);
      return Values{};
    });
    return;
  }
  auto other = other_length(like.host(), list.host());
  if (!other)
    return;
  std::string place = other->place.empty() ? "" : " (at " + other->place + ")";
  fail(ErrorKind::value, slug,
       what + ": expected " + std::to_string(other->expected) + " elements, but got " +
           std::to_string(other->found) + place);
}

List list_positions(const List& list, Here where) {
  return as_list(apply_lists("enumerate", {list}, where, [&](Trace& trace, const Values& values) {
    return Values{language::list_positions(trace.builder(), values[0])};
  })[0]);
}

List list_join(const std::vector<List>& lists, Here where) {
  return as_list(
      apply_lists("join", as_data(lists), where, [&](Trace& trace, const Values& values) {
        return Values{language::join(trace.builder(), values)};
      })[0]);
}

List list_flatten(const List& list, Here where) {
  return as_list(apply_lists("flatten", {list}, where, [&](Trace& trace, const Values& values) {
    return Values{language::list_flatten(trace.builder(), values[0])};
  })[0]);
}

std::optional<int64_t> known_length(const List& list) {
  if (!list.is_traced())
    return list.host().size();
  Trace* current = Trace::current();
  if (!current)
    fail(ErrorKind::runtime, "escaped-tracer",
         "expected a list with elements, but got a traced one that outlived its trace; return it "
         "from the traced function instead of storing it");
  current->require_open(*list.traced());
  return fractal::known_length(*current, list.traced()->value);
}

Tensor leaves(const List& list, Here where) {
  Tensor all = unpack(list, where)[0];
  std::optional<int64_t> count =
      list.is_traced() ? known_leaf_count(*Trace::current(), list.traced()->value) : std::nullopt;
  if (!count)
    return all;
  Shape shape = list.leaf_shape();
  shape.insert(shape.begin(), *count);
  return reshape(all, shape);
}

std::vector<Tensor> unpack(const List& list, Here where) {
  std::vector<Tensor> parts;
  if (!list.is_traced()) {
    parts.emplace_back(list.host().leaves());
    for (int64_t level = 1; level < list.depth(); ++level)
      parts.emplace_back(list.host().offsets(level));
    return parts;
  }
  for (const Datum& datum :
       apply_lists("unpack", {list}, where, [&](Trace& trace, const Values& values) {
         return language::unpack(trace.builder(), values[0], trace.new_symbols(list.depth()));
       }))
    parts.push_back(std::get<Tensor>(datum));
  return parts;
}

List pack(const Tensor& leaves, const std::vector<Tensor>& offsets, Here where) {
  Data operands{leaves};
  bool is_traced = leaves.is_traced();
  for (const Tensor& level : offsets) {
    operands.emplace_back(level);
    is_traced |= level.is_traced();
  }
  if (!is_traced) {
    Scope scope("pack", where);
    std::vector<Array> arrays(offsets.begin(), offsets.end());
    return runtime::List::from_offsets(leaves.array(), arrays);
  }
  return as_list(apply_lists("pack", operands, where, [&](Trace& trace, const Values& values) {
    return Values{language::pack(trace.builder(), values[0], tail(values, 1))};
  })[0]);
}

} // namespace kolam::fractal::detail
