/// The functions on lists, over lists and tensors without types of their own: what fractal.h in C++
/// and kolam.fractal in Python are made of.
#pragma once

#include "kolam/frontend/fractal/list.h"

#include <functional>
#include <optional>
#include <source_location>

namespace kolam::fractal::detail {

using Here = std::source_location;
using Body = std::function<Data(const Data& arguments)>;

/// The public function that is running, and the user's line.
struct Scope : CallScope {
  Scope(std::string_view function, Here where)
      : CallScope(function, {where.file_name(), static_cast<int>(where.line())}) {}
};

/// results[i] = body(lists[i]...).
std::vector<List> map(const std::vector<List>& lists, const Body& body,
                      Here where = Here::current());

struct ScanOptions {
  std::string_view name = "scan"; ///< the public function; explain tells folds from reductions
  bool reverse = false;
  bool associative = false;
  bool after_first = false; ///< the initial states are the first element, which the lists lack
  std::vector<bool> numbers = {}; ///< which initial states were plain numbers; none where empty
};
struct ScanResult {
  Data last;
  std::vector<List> all;
};
/// state = body(state..., lists[i]...) from `inits` on; the last states and the lists of all.
ScanResult scan(const Data& inits, const std::vector<List>& lists, const ScanOptions& options,
                const Body& body, Here where = Here::current());

/// body(state..., state...) merges; `inits` come first, where there are any.
Data reduce(const Data& inits, const std::vector<List>& lists, const Body& body,
            Here where = Here::current());

/// The elements of each list where the mask, a list of bool scalars, is true.
std::vector<List> filter(const std::vector<List>& lists, const List& mask,
                         Here where = Here::current());

/// An access (ir/lists.td): expressions over L, N, j0, j1, a0, ...
struct Access {
  std::string_view name = "access"; ///< for errors
  Shape lengths, index;
  std::vector<Tensor> scalars = {};
  std::optional<Tensor> pad = {};
};
List list_access(const List& list, const Access& access, Here where = Here::current());

/// Where a bool scalar is false the run raises `[slug] message`.
void require(const Tensor& condition, std::string_view slug, const std::string& message,
             std::string_view name, Here where = Here::current());

Datum list_index(const List& list, const Tensor& i, Here where = Here::current());
/// The element at 0 or -1; of an empty list one that nobody is to see.
Datum list_end(const List& list, int64_t i, Here where = Here::current());
/// The number of elements, an int64 scalar.
Tensor list_length(const List& list, Here where = Here::current());
/// The same, where it is known already. Throws `[escaped-tracer]`.
std::optional<int64_t> known_length(const List& list);
/// Where lists, of which one is traced, have two lengths the run raises `[list-lengths]`, naming
/// `function`.
void require_one_length(const List& a, const List& b, const char* function = "zip",
                        Here where = Here::current());
/// Throws `[slug]` where a list has other lengths than `like`, which is as deep, at some level;
/// `what` says which list. Where one of them is traced the run does, naming `function`.
void require_lengths_of(const List& like, const List& list, std::string_view slug,
                        const std::string& what, std::string_view function,
                        Here where = Here::current());
/// 0, 1, ... for its elements, as int64 scalars.
List list_positions(const List& list, Here where = Here::current());
List list_join(const std::vector<List>& lists, Here where = Here::current());
/// The two outer levels as one.
List list_flatten(const List& list, Here where = Here::current());
/// All leaves in order as one tensor [n, leaf...]; where the list is traced, n is a symbol.
Tensor leaves(const List& list, Here where = Here::current());
/// Leaves and offsets of levels 1, 2, ...; the opposite of `pack`.
std::vector<Tensor> unpack(const List& list, Here where = Here::current());
List pack(const Tensor& leaves, const std::vector<Tensor>& offsets, Here where = Here::current());

} // namespace kolam::fractal::detail
