/// Nested ragged lists: making, reading and running over them, on values.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/language/control.h"

#include <optional>

namespace kolam::language {

/// The list of `leaves` [n, leaf...] with `offsets` of levels 1, 2, ... (i64 vectors).
Value pack(Builder& b, Value leaves, const Values& offsets);

/// The leaves and offsets of a list; `symbols`, one a level, are new names for its extents.
Values unpack(Builder& b, Value list, const std::vector<std::string>& symbols);

/// Number of elements, an i64 scalar.
Value list_length(Builder& b, Value list);

/// The list that a list of results of maps and scans has an element for each of; else the list
/// itself.
Value counted(Value list);

/// Whether two lists are surely of one length: one op makes both, or reads lists of one length
/// alike, or a check of it stands in a block around `b`.
bool have_one_length(Builder& b, Value x, Value y);

/// Where two lists have other lengths the run raises `[list-lengths]`.
void require_one_length(Builder& b, Value x, Value y);
/// Where two lists of one depth have other lengths at some level the run raises `[slug]`: `what`:
/// expected the lengths of the first.
void require_lengths_of(Builder& b, Value like, Value list, std::string_view slug,
                        const std::string& what);

/// Element i; `i` is an integer scalar. Throws `[dtype-mismatch]` and `[shape-mismatch]`; outside
/// the list the run raises `[list-index]` or, of a list of tensors, gives zeros.
enum class OutsideOfList : uint8_t { refused, zeros };
Value list_index(Builder& b, Value list, Value i, OutsideOfList outside = OutsideOfList::refused);

/// What an access reads (ir/lists.td, kolam.access).
struct Access {
  Shape lengths;              ///< of the one or two new dims, over L, N, j0, a0, a1, ...
  Shape index;                ///< into one or two levels, over these and j1
  Values scalars = {};        ///< a0, a1, ...: i64 scalars
  std::optional<Value> pad{}; ///< what lies outside; of the elements' type
};
Value access(Builder& b, Value list, const Access& access);

/// 0, 1, ... for its elements: a list of i64 scalars.
Value list_positions(Builder& b, Value list);

/// Lists of one type, one after the other. Throws `[list-type]`.
Value join(Builder& b, const Values& lists);
/// The elements of all elements. Throws `[list-depth]` for a list of depth 1.
Value list_flatten(Builder& b, Value list);
/// The elements whose mask is true. Throws `[list-type]` unless that is a list of bool scalars.
Value list_filter(Builder& b, Value list, Value mask);

/// `results[i] = body(lists[i]...)`.
Values list_map(Builder& b, const Values& lists, Body body);

struct ListScan {
  Direction direction = Direction::forward;
  bool associative = false;
  bool after_first = false; ///< `inits` are the first element, which `lists` lack
  bool is_reduce = false;   ///< written as a reduce; its states are of other types than elements
};
/// `state = body(state, lists[i]...)` from `inits` on; the last states, then the lists of all.
/// Throws `[carry-mismatch]` where the body gives other types than it takes, with both.
Values list_scan(Builder& b, const Values& inits, const Values& lists, const ListScan& options,
                 Body body);
/// The elements combined by an associative body, behind `inits` where there are any. Throws
/// `[carry-mismatch]`.
Values list_reduce(Builder& b, const Values& inits, const Values& lists, Body body);

/// The type of the elements of a list.
mlir::Type element_type(Value list);
/// `list<list<float32[1, 64]>>` or, of a tensor, `float32[1, 64]`: how errors show a type.
std::string describe_type(mlir::Type type);

} // namespace kolam::language
