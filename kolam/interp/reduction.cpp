// Combines elements with a monoid, straight from its definition.
#include "kolam/interp/reduction.h"

#include "kolam/interp/accumulation.h"
#include "kolam/interp/loop.h"
#include "kolam/support/elementwise_host.h"
#include "kolam/support/identity.h"

namespace kolam::interp {
namespace {

/// The parts of a monoid as functions of elements.
class Monoid {
public:
  Monoid(const ir::Reduction& reduction, Evaluation& e) : r_(reduction), e_(e) {}

  Cells zero() {
    if (!r_.function)
      return run(*r_.zero, {}, {});
    Cells cells;
    for (DType dtype : r_.states) {
      uint64_t bits = identity_bits(*r_.function, dtype);
      std::memcpy(cells.emplace_back().bytes, &bits, sizeof bits);
    }
    return cells;
  }

  Cells wrap(const Cells& element) {
    return r_.function ? cast(element, r_.elements, r_.states)
                       : run(*r_.wrap, element, r_.elements);
  }

  Cells merge(const Cells& a, const Cells& b) {
    if (!r_.function) {
      Cells both = a;
      both.append(b);
      std::vector<DType> dtypes = r_.states;
      dtypes.insert(dtypes.end(), r_.states.begin(), r_.states.end());
      return run(*r_.merge, both, dtypes);
    }
    Cells merged(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const void* inputs[] = {a[i].bytes, b[i].bytes};
      int64_t strides[] = {1, 1};
      apply_elementwise(*r_.function, r_.states[i], inputs, strides, merged[i].bytes, 1);
    }
    return merged;
  }

  Cells unwrap(const Cells& state) {
    return r_.function ? cast(state, r_.states, r_.elements) : run(*r_.unwrap, state, r_.states);
  }

  Cells wrap_all(const std::vector<Cells>& chunk) {
    auto count = static_cast<int64_t>(chunk.size());
    std::vector<Array> arrays;
    for (auto [number, dtype] : llvm::enumerate(r_.elements)) {
      Array array = Array::uninitialized(dtype, {count});
      auto* out = static_cast<std::byte*>(array.mutable_data());
      for (const Cells& element : chunk) {
        std::memcpy(out, element[number].bytes, byte_width(dtype));
        out += byte_width(dtype);
      }
      arrays.push_back(std::move(array));
    }
    Evaluation inner = e_.with_size(std::string(ir::kChunkSymbol), count);
    return cells_of(inner.run(*r_.wrap_all, arrays));
  }

private:
  static Cells cast(const Cells& cells, const std::vector<DType>& from,
                    const std::vector<DType>& to) {
    Cells result(cells.size());
    for (size_t i = 0; i < cells.size(); ++i)
      apply_cast(from[i], to[i], cells[i].bytes, result[i].bytes, 1);
    return result;
  }

  static Cells cells_of(const std::vector<Array>& arrays) {
    Cells cells;
    for (const Array& array : arrays)
      cells.push_back(to_cell(array));
    return cells;
  }

  Cells run(mlir::Region& region, const Cells& cells, const std::vector<DType>& dtypes) {
    std::vector<Array> arguments;
    for (auto [cell, dtype] : llvm::zip(cells, dtypes))
      arguments.push_back(to_array(cell, dtype));
    return cells_of(e_.run(region, arguments));
  }

  const ir::Reduction& r_;
  Evaluation& e_;
};

} // namespace

Array to_array(const Cell& cell, DType dtype) { return Array::copy_of(dtype, {}, cell.bytes); }

Cell to_cell(const Array& array) {
  Cell cell{};
  std::memcpy(cell.bytes, array.data(), byte_width(array.dtype()));
  return cell;
}

void reduce_cells(const ir::Reduction& reduction, const std::vector<int64_t>& space,
                  const std::function<Cells(const Index&)>& element,
                  llvm::MutableArrayRef<Array> results, Evaluation& evaluation) {
  Monoid monoid(reduction, evaluation);
  auto merge = [&](const Cells& a, const Cells& b) { return monoid.merge(a, b); };
  std::vector<int64_t> kept = reduction.kept_dims(static_cast<int64_t>(space.size()));

  // Elements are numbered row-major over the reduced dims: those of the run are neighbours.
  int64_t segments = 1, length = 1;
  size_t outer = reduction.dims.size() - reduction.run_length();
  for (auto [i, dim] : llvm::enumerate(reduction.dims))
    (i < outer ? segments : length) *= space[dim];

  std::vector<int64_t> kept_shape;
  for (int64_t dim : kept)
    kept_shape.push_back(space[dim]);
  Index index(space.size());
  int64_t out = 0;
  for_each_index(kept_shape, [&](const Index& kept_index) {
    for (auto [dim, i] : llvm::zip(kept, kept_index))
      index[dim] = i;
    auto element_at = [&](int64_t i) {
      poll_cancel(evaluation.options());
      for (int64_t dim : llvm::reverse(reduction.dims)) {
        index[dim] = i % space[dim];
        i /= space[dim];
      }
      return element(index);
    };
    auto first = [&](int64_t i) { return monoid.wrap(element_at(i)); };
    auto step = [&](const Cells& state, int64_t i) { return merge(state, first(i)); };
    auto wrap_all = [&](int64_t start, int64_t count) {
      std::vector<Cells> chunk;
      for (int64_t i = start; i < start + count; ++i)
        chunk.push_back(element_at(i));
      return monoid.wrap_all(chunk);
    };
    std::optional<Cells> state =
        reduction.wrap_all
            ? accumulate_chunks<Cells>(reduction.accumulate.chunk, segments, length, wrap_all,
                                       merge)
            : accumulate<Cells>(reduction.accumulate, segments, length, first, step, merge);
    Cells unwrapped = monoid.unwrap(state ? *state : monoid.zero());
    for (auto [result, cell] : llvm::zip(results, unwrapped)) {
      int width = byte_width(result.dtype());
      std::memcpy(static_cast<std::byte*>(result.mutable_data()) + out * width, cell.bytes, width);
    }
    ++out;
  });
}

} // namespace kolam::interp
