// A running maximum and sum over blocks of keys. Scores lie with rows side by side, [keys, rows],
// and so do maxima, sums and what is found.
#include "kolam/kernels/attention.h"

#include "kolam/frontend/array/activation.h"
#include "kolam/frontend/array/contraction.h"
#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/custom_rules.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/reduction.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/frontend/array/vmap.h"
#include "kolam/kernels/attention_operands.h"

#include <algorithm>
#include <limits>

namespace kolam::kernels {
namespace {

namespace pl = kolam::pallas;

/// Meaning: the running maximum and sum go on from one block of keys to the next.
constexpr int64_t kBlockKeys = 128;
constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// Rows as columns, and columns as rows.
Tensor turned(const Tensor& x) { return matrix_transpose(x); }
Tensor beside(const Tensor& rows) { return expand_dims(rows, {0}); }
Tensor below(const Tensor& keys) { return expand_dims(keys, {1}); }

/// Of rows: maxima [rows], sums [rows] and values [e, rows].
using State = std::tuple<Tensor, Tensor, Tensor>;

/// Which row sees which key, [n, rows] or either alone, which sees some, and what is added to
/// scores; empty where every row sees every key, and where nothing is added.
struct Seen {
  Tensor by_key, some, added;
};

/// A block of keys [n, d] and values [n, e].
struct Block {
  Tensor keys, values;
};

/// The state after a block more.
State after(const State& state, const Tensor& queries, const Block& block, const Tensor& scale,
            const Seen& seen) {
  const auto& [most, total, found] = state;
  // Of 16 columns and more products are chains anyway, of 512 terms each as the op's.
  constexpr int64_t kColumnsOfChains = 16; // meaning
  const bool is_few = queries.extent(0).constant().value_or(0) < kColumnsOfChains;
  Terms terms{.accumulate = is_few ? "chain" : ""};
  Tensor scores = matmul(block.keys, turned(queries), {}, terms) * scale;
  if (!seen.added.is_empty())
    scores = scores + seen.added;
  if (!seen.by_key.is_empty()) {
    Tensor by_key = broadcast_to(seen.by_key, scores.shape());
    scores = where(by_key, scores, kHidden);
    terms.where = turned(by_key);
  }
  Tensor higher = maximum(most, max(scores, 0));
  Tensor shift = where(isfinite(higher), higher, 0);
  Tensor powers = exp(scores - shift), kept = exp(most - shift);
  Tensor more = found * kept + matmul(turned(block.values), powers, {}, terms);
  if (!seen.some.is_empty()) // a row that sees none of the keys keeps what it has, to the bit
    more = where(seen.some, more, found);
  return {higher, total * kept + sum(turned(powers), -1), more};
}

/// The blocks of keys that a block of rows sees.
struct Walk {
  const AttentionOperands& operands;
  DType places; ///< of numbers of rows and keys
  int64_t rows, size;
  Tensor first; ///< row

  Tensor row() const { return first + arange(rows, places); }
  Tensor key(const Tensor& start) const { return start + arange(size, places); }
  Tensor place(const Extent& number) const {
    if (auto known = number.constant())
      return places == DType::i32 ? Tensor(static_cast<int32_t>(*known)) : Tensor(*known);
    return astype(extent(number), places);
  }
  bool is_whole() const { return operands.keys.constant().value_or(1) % size == 0; }

  /// Every row sees all keys of blocks inner to inner_stop, and none before start and from stop on.
  struct Bounds {
    Tensor start, inner, inner_stop, stop;
  };
  Bounds bounds() const {
    Tensor last = first + (rows - 1);
    Tensor stop = place(ceildiv(operands.keys, size));
    Tensor inner_stop = place(floordiv(operands.keys, size));
    Bounds at{place(0), place(0), inner_stop, stop};
    if (operands.right) {
      at.stop = clip(floor_divide(last + *operands.right + size, size), 0, stop);
      at.inner_stop = minimum(floor_divide(first + *operands.right + 1, size), inner_stop);
    }
    if (operands.left) {
      at.start = minimum(floor_divide(maximum(first - *operands.left, 0), size), at.stop);
      at.inner = clip(floor_divide(last - *operands.left + (size - 1), size), at.start, at.stop);
      at.inner_stop = maximum(at.inner_stop, at.inner);
    }
    return at;
  }

  /// Which row sees which key, by places: [keys, rows].
  std::vector<Tensor> conditions(const Tensor& start) const {
    Tensor keys = below(key(start)), own = beside(row());
    std::vector<Tensor> all;
    if (operands.left)
      all.push_back(own - keys <= *operands.left);
    if (operands.right)
      all.push_back(keys - own <= *operands.right);
    if (!is_whole())
      all.push_back(keys < place(operands.keys));
    return all;
  }
  /// Which row sees a key at all, by these conditions.
  Tensor sees_some(const Tensor& from) const {
    Tensor least = from, last = from + (size - 1);
    if (!is_whole())
      last = minimum(last, place(operands.keys - 1));
    if (operands.left)
      least = maximum(row() - *operands.left, least);
    if (operands.right)
      last = minimum(row() + *operands.right, last);
    return broadcast_to(least <= last, {rows});
  }
};

/// The user's function of one place, for all of [keys, rows].
Tensor of_places(const AttentionMask& mask, const std::vector<Tensor>& heads, const Walk& walk,
                 const Tensor& start) {
  Tensor batch = walk.place(0), head = walk.place(0);
  for (size_t dim = 0; dim < heads.size(); ++dim)
    if (dim + 1 == heads.size())
      head = heads[dim];
    else
      batch = batch * walk.place(walk.operands.leading[dim]) + heads[dim];
  auto one = [&](Tensor row, Tensor key) {
    Tensor seen = mask(batch, head, row, key);
    if (seen.dtype() != DType::boolean || seen.rank() > 0)
      fail(ErrorKind::type, "dtype-mismatch",
           "argument 'mask': expected a function that gives a boolean, but got " + describe(seen));
    return seen;
  };
  auto of_rows = vmap(one, {.in_axes = {0, std::nullopt}});
  return vmap([&](Tensor rows, Tensor key) { return of_rows(rows, key); },
              {.in_axes = {std::nullopt, 0}})(walk.row(), walk.key(start));
}

/// What a point of the grid does.
class PointOfGrid {
public:
  PointOfGrid(const Refs& refs, const AttentionOperands& operands, const AttentionMask& mask,
              Walk walk, std::vector<Tensor> heads, Tensor scale)
      : refs_(refs), operands_(operands), mask_(mask), walk_(std::move(walk)),
        heads_(std::move(heads)), scale_(std::move(scale)),
        queries_(astype(refs[0].get(), operands.wide)) {}

  void run() const {
    Walk::Bounds at = walk_.bounds();
    Tensor none = zeros({walk_.rows}, operands_.wide);
    State state{none + kHidden, none, zeros({operands_.width, walk_.rows}, operands_.wide)};
    auto over = [&](const Tensor& from, const Tensor& to, auto step) {
      state = fori_loop(
          from, to,
          [&](const Tensor& j, const State& before) { return step(j * walk_.size, before); },
          state);
    };
    if (is_masked()) {
      over(at.start, at.stop,
           [&](const auto& start, const auto& before) { return masked(start, before); });
    } else {
      auto partly = [&](const Tensor& start, const State& before) {
        return step(start, before, {seen_from(start).by_key, walk_.sees_some(start), {}});
      };
      if (operands_.left)
        over(at.start, at.inner, partly);
      over(at.inner, at.inner_stop,
           [&](const auto& start, const auto& before) { return step(start, before, {}); });
      if (operands_.right || !walk_.is_whole())
        over(at.inner_stop, at.stop, partly);
    }
    const auto& [most, total, found] = state;
    refs_.back().set(astype(turned(where(total == 0, 0, found / total)), operands_.dtype));
  }

private:
  bool is_masked() const { return operands_.has_mask || operands_.has_segments || mask_; }

  State step(const Tensor& start, const State& before, const Seen& seen) const {
    auto part = [&](const pl::Ref& ref) {
      return astype(ref.at({pl::ds(start, walk_.size), Slice()}).get(), operands_.wide);
    };
    return after(before, queries_, {part(refs_[1]), part(refs_[2])}, scale_, seen);
  }

  /// Without which rows see some.
  Seen seen_from(const Tensor& start) const {
    std::vector<Tensor> conditions = walk_.conditions(start);
    const pl::Ds part = pl::ds(start, walk_.size);
    Tensor added;
    size_t next = 3;
    if (operands_.has_mask) {
      const pl::Ref& mask = refs_[next++];
      const bool is_one_key = mask.shape()[1] == Extent(1);
      Tensor own = turned(is_one_key ? mask.get() : mask.at({Slice(), part}).get());
      if (own.dtype() != DType::boolean) {
        added = own;
        own = own != kHidden;
      }
      conditions.push_back(own);
    }
    if (operands_.has_segments)
      conditions.push_back(below(refs_[next + 1].at({part}).get()) == beside(refs_[next].get()));
    if (mask_)
      conditions.push_back(of_places(mask_, heads_, walk_, start));
    Tensor seen = conditions[0];
    for (size_t i = 1; i < conditions.size(); ++i)
      seen = seen & conditions[i];
    return {seen, {}, added};
  }

  /// Blocks that are hidden whole are skipped; those of which every row sees all go without masks.
  State masked(const Tensor& start, const State& before) const {
    Seen seen = seen_from(start);
    seen.some = any(seen.by_key, 0);
    using Branch = std::function<State(State)>;
    const std::vector<Branch> branches{
        [](State state) { return state; }, [&](State state) { return step(start, state, seen); },
        [&](State state) { return step(start, state, {{}, {}, seen.added}); }};
    Tensor which =
        astype(any(seen.some), DType::i32) + astype(all(all(seen.by_key, 0)), DType::i32);
    return switch_(which, branches, before);
  }

  const Refs& refs_;
  const AttentionOperands& operands_;
  const AttentionMask& mask_;
  Walk walk_;
  std::vector<Tensor> heads_;
  Tensor scale_, queries_;
};

/// Of numbers of rows and keys, and of those that a window reaches.
DType places_of(const AttentionOperands& operands) {
  constexpr int64_t kNear = int64_t{1} << 30; // bound: sums of two are int32
  Extent heads = element_count(operands.leading), most = operands.queries + operands.keys;
  auto is_near = [=](const Extent& extent) { return extent.constant().value_or(kNear) < kNear; };
  const int64_t left = operands.left.value_or(0), right = operands.right.value_or(0);
  return is_near(heads) && is_near(most) && left < kNear && right < kNear ? DType::i32 : DType::i64;
}

/// Of q, k, v, and the mask where that is another than that of `options`.
Tensor kernel_of(const std::vector<Tensor>& arrays, AttentionOptions options) {
  if (arrays.size() > 3)
    options.masks.mask = arrays[3];
  const AttentionOperands operands(arrays[0], arrays[1], arrays[2], options.masks);
  constexpr int64_t kRows = 128, kRowsOfWindow = 64; // size of blocks
  const int64_t block_q = options.block_q.value_or(operands.left ? kRowsOfWindow : kRows);
  require_count("block_q", block_q);
  Shape shape = operands.leading, grid = operands.leading;
  shape.insert(shape.end(), {operands.queries, operands.width});
  if (is_empty(shape) || is_empty({operands.keys}))
    return zeros(shape, operands.dtype);
  const int64_t rows = block_of(operands.queries, block_q);
  const int64_t size = block_of(operands.keys, kBlockKeys);
  grid.push_back(ceildiv(operands.queries, rows));
  Tensor scale = options.masks.scale ? astype(Tensor(*options.masks.scale), operands.wide)
                                     : 1 / sqrt(astype(tensor_of(operands.depth), operands.wide));
  const DType places = places_of(operands);
  auto kernel = [&](const Refs& refs) {
    std::vector<Tensor> at;
    for (size_t axis = 0; axis < grid.size(); ++axis)
      at.push_back(astype(pl::program_id(static_cast<int64_t>(axis)), places));
    Walk walk{operands, places, rows, size, at.back() * rows};
    at.pop_back();
    PointOfGrid(refs, operands, options.masks.mask_function, walk, at, scale).run();
  };
  const std::vector<AttentionOperand>& of = operands.of;
  pl::Call call{
      .out_shape = {{operands.dtype, shape}},
      .grid = {grid.begin(), grid.end()},
      .in_specs = {of[0].by_rows({rows, operands.depth}),
                   of[1].whole({of[1].tensor().extent(-2), of[1].tensor().extent(-1)}),
                   of[2].whole({of[2].tensor().extent(-2), operands.width})},
      .name = "attention",
      .interpret = options.interpret,
  };
  size_t next = call.in_specs.size();
  if (operands.has_mask) {
    const AttentionOperand& mask = of[next++];
    const Extent of_keys = mask.tensor().extent(-1);
    call.in_specs.push_back(mask.tensor().extent(-2) == Extent(1) ? mask.whole({1, of_keys})
                                                                  : mask.by_rows({rows, of_keys}));
  }
  if (operands.has_segments) {
    call.in_specs.push_back(of[next].by_rows({rows}));
    call.in_specs.push_back(of[next + 1].whole({of[next + 1].tensor().extent(-1)}));
  }
  std::vector<pl::BlockDim> result(operands.leading.size(), pl::squeezed);
  result.insert(result.end(), {rows, operands.width});
  call.out_specs = {block_at(result, [](Point at) {
    at.emplace_back(0);
    return at;
  })};
  std::vector<Operand> inputs;
  for (const AttentionOperand& operand : of)
    inputs.emplace_back(operand.tensor());
  return pl::pallas_call(kernel, call, inputs)[0];
}

} // namespace

Tensor attention(const Operand& q, const Operand& k, const Operand& v,
                 const AttentionOptions& options) {
  CallScope scope("attention", q.where());
  std::vector<Tensor> arrays{tensor_of(q), tensor_of(k), tensor_of(v)};
  if (const auto& mask = options.masks.mask)
    if (Tensor given = tensor_of(*mask); is_float(given.dtype()))
      arrays.push_back(given); // which has a derivative
  if (std::ranges::none_of(arrays, [](const Tensor& x) { return is_float(x.dtype()); }))
    return kernel_of(arrays, options);
  auto kernel = custom_jvp([&](std::vector<Tensor> given) { return kernel_of(given, options); });
  // The op gives the same bits, and its derivatives are fast.
  auto op = [&](std::vector<Tensor> given) {
    kolam::AttentionOptions masks = options.masks;
    if (given.size() > 3)
      masks.mask = given[3];
    return kolam::attention(given[0], given[1], given[2], masks);
  };
  kernel.defjvp(
      [&](const auto& primals, const auto& tangents) { return jvp(op, primals, tangents); });
  return kernel(arrays);
}

} // namespace kolam::kernels
