// Records what kernels do to Refs.
#include "kolam/frontend/pallas/ref.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/ir/kernels.h"
#include "kolam/language/promotion.h"
#include "kolam/language/refs.h"

namespace kolam::pallas {
namespace {

/// Runs `make` on the values of a Ref and operands; numbers take the dtype of the Ref.
template <class Make>
std::vector<Tensor> apply_to(std::string_view function, const Ref& ref, SourceLocation where,
                             const std::vector<Operand>& operands, const Make& make) {
  CallScope scope(function, where);
  if (!Trace::current())
    fail(ErrorKind::runtime, "escaped-tracer",
         "expected a Ref of the kernel being traced, but got one that outlived its kernel; use it "
         "inside, and give what it holds as a result (out_shape)");
  std::vector<Operand> all{ref.handle()};
  all.insert(all.end(), operands.begin(), operands.end());
  return apply_traced(function, all, [&](Trace& trace, const language::Values& values) {
    return make(trace.builder(), values);
  });
}

DType unsigned_of(int bytes) {
  return bytes == 1 ? DType::u8 : bytes == 2 ? DType::u16 : bytes == 4 ? DType::u32 : DType::u64;
}

/// The dim that a bitcast to another width makes longer or shorter.
int64_t recast_dim(int64_t rank) { return rank == 1 ? 0 : rank - 2; }

/// The elements as those of a dtype of another width.
Tensor recast(const Tensor& x, DType dtype, const Shape& shape) {
  const int from = byte_width(x.dtype()), to = byte_width(dtype);
  const int parts = std::max(from, to) / std::min(from, to), bits = 8 * std::min(from, to);
  const int64_t dim = recast_dim(x.rank());
  Tensor raw = bitcast(x, unsigned_of(from));
  if (from > to) {
    std::vector<Operand> pieces;
    for (int part = 0; part < parts; ++part)
      pieces.emplace_back(astype(bitwise_right_shift(raw, part * bits), unsigned_of(to)));
    return bitcast(reshape(stack(pieces, dim + 1), shape), dtype);
  }
  Shape split = x.shape();
  split[static_cast<size_t>(dim)] = shape[static_cast<size_t>(dim)];
  split.insert(split.begin() + dim + 1, Extent(parts));
  Tensor all = reshape(raw, split);
  std::optional<Tensor> sum;
  for (int part = 0; part < parts; ++part) {
    std::vector<Index> at_part(static_cast<size_t>(dim) + 1, Slice());
    at_part.emplace_back(part);
    Tensor piece = bitwise_left_shift(astype(index(all, at_part), unsigned_of(to)), part * bits);
    sum = sum ? bitwise_or(*sum, piece) : piece;
  }
  return bitcast(*sum, dtype);
}

/// Optional operands behind a Ref.
struct Optionals {
  std::vector<Operand> given;
  std::vector<int> places; ///< of each among the values; -1: not given

  void add(const std::optional<Operand>& operand) {
    places.push_back(operand ? static_cast<int>(given.size()) + 1 : -1);
    if (operand)
      given.push_back(*operand);
  }
  mlir::Value of(const language::Values& values, size_t number) const {
    return places[number] < 0 ? mlir::Value() : values[static_cast<size_t>(places[number])];
  }
};

std::optional<Operand> apart(const std::optional<Operand>& mask) {
  return mask ? std::optional(mask->apart()) : mask;
}

Tensor update(std::string_view function, std::string_view kind, const Ref& ref,
              const Operand& value, const std::optional<Operand>& compare,
              const std::optional<Operand>& mask) {
  Optionals optionals;
  optionals.add(value);
  optionals.add(compare);
  optionals.add(apart(mask));
  ref.refresh();
  Tensor old = apply_to(function, ref, value.where(), optionals.given,
                        [&](language::Builder& b, const language::Values& values) {
                          return language::Values{language::ref_update(
                              b, kind, values[0], optionals.of(values, 0), optionals.of(values, 1),
                              optionals.of(values, 2))};
                        })[0];
  ref.write_back();
  return old;
}

} // namespace

/// A view of another width: an array of its own, which has what `base` has before it is looked at,
/// and gives it back when it has changed.
struct Ref::Recast {
  Ref base, own;
};

void Ref::refresh() const {
  if (recast_)
    recast_->own.set(recast(recast_->base.get(), recast_->own.dtype(), recast_->own.shape()));
}

void Ref::write_back() const {
  if (recast_)
    recast_->base.set(recast(recast_->own.get(), recast_->base.dtype(), recast_->base.shape()));
}

std::vector<Operand> Ref::valid_shape() const {
  if (valid_)
    return valid_();
  const Shape all = shape();
  return {all.begin(), all.end()};
}

Ref Ref::view(const std::vector<Tensor>& results) const { return Ref(results[0], {}, recast_); }

Ref Ref::at(const std::vector<RefIndex>& items, Here here) const {
  Optionals optionals;
  for (const RefIndex& item : items)
    if (auto* window = std::get_if<Ds>(&item.value());
        window && !std::holds_alternative<int64_t>(window->start.value()))
      optionals.add(window->start.apart());
    else if (auto* places = std::get_if<Tensor>(&item.value()))
      optionals.add(Operand(*places).apart());
    else
      optionals.add(std::nullopt);
  return view(apply_to("at", *this, detail::to_location(here), optionals.given,
                       [&](language::Builder& b, const language::Values& values) {
                         std::vector<language::RefItem> own;
                         for (auto [number, item] : llvm::enumerate(items))
                           own.push_back(std::visit(
                               [&](const auto& given) -> language::RefItem {
                                 using T = std::decay_t<decltype(given)>;
                                 if constexpr (std::is_same_v<T, Tensor>) {
                                   return optionals.of(values, number);
                                 } else if constexpr (std::is_same_v<T, Ds>) {
                                   mlir::Value start = optionals.of(values, number);
                                   if (start)
                                     return language::DynamicSlice{start, given.size, given.stride};
                                   return language::DynamicSlice{
                                       std::get<int64_t>(given.start.value()), given.size,
                                       given.stride};
                                 } else {
                                   return given;
                                 }
                               },
                               item.value()));
                         return language::Values{language::ref_at(b, values[0], own)};
                       }));
}

Ref Ref::reshape(const Shape& shape, Here here) const {
  return view(apply_to("reshape", *this, detail::to_location(here), {},
                       [&](language::Builder& b, const language::Values& values) {
                         return language::Values{language::ref_reshape(b, values[0], shape)};
                       }));
}

Ref Ref::transpose(const std::vector<int64_t>& axes, Here here) const {
  std::vector<int64_t> order = axes;
  if (order.empty())
    for (int64_t dim = rank(); dim-- > 0;)
      order.push_back(dim);
  return view(apply_to("transpose", *this, detail::to_location(here), {},
                       [&](language::Builder& b, const language::Values& values) {
                         return language::Values{language::ref_transpose(b, values[0], order)};
                       }));
}

Ref Ref::bitcast(DType to, Here here) const {
  const int from = byte_width(dtype()), width = byte_width(to);
  if (from == width || dtype() == DType::boolean || to == DType::boolean)
    return view(apply_to("bitcast", *this, detail::to_location(here), {},
                         [&](language::Builder& b, const language::Values& values) {
                           return language::Values{language::ref_bitcast(b, values[0], to)};
                         }));
  CallScope scope("bitcast", detail::to_location(here));
  Shape recasted = shape();
  if (recasted.empty())
    fail(ErrorKind::value, "rank-mismatch",
         "argument 'dtype': expected one as wide as " + std::string(name(dtype())) +
             " for a Ref without dims, but got " + std::string(name(to)));
  Extent& extent = recasted[static_cast<size_t>(recast_dim(rank()))];
  const int parts = std::max(from, width) / std::min(from, width);
  if (from > width) {
    extent = extent * Extent(parts);
  } else {
    if (auto count = extent.constant(); !count || *count % parts != 0)
      fail(ErrorKind::value, "shape-mismatch",
           "argument 'dtype': expected " + std::string(name(to)) + " for a multiple of " +
               std::to_string(parts) + " elements along dim " + std::to_string(recast_dim(rank())) +
               ", but got " + std::string(name(dtype())) + to_string(shape()));
    extent = floordiv(extent, Extent(parts));
  }
  Tensor memory = apply_to("bitcast", *this, detail::to_location(here), {},
                           [&](language::Builder& b, const language::Values&) {
                             return language::Values{ir::RefAllocOp::create(
                                 b, ir::RefType::get(language::tensor_type(b, to, recasted)))};
                           })[0];
  return Ref(memory, {}, std::make_shared<Recast>(Recast{*this, Ref(memory)}));
}

Tensor Ref::get(Here here) const { return load(*this, {}, {}, here); }

void Ref::set(const Operand& value) const { store(*this, value); }

Ref select_ref(const Operand& index, const std::vector<Ref>& refs) {
  CallScope scope("select_ref", index.where());
  for (const Ref& ref : refs)
    if (ref.recast_)
      fail(ErrorKind::type, "dtype-mismatch",
           "expected Refs in the width of their arrays, but got a bitcast to " +
               std::string(name(ref.dtype())) + "; select first, then bitcast");
  if (refs.empty())
    fail(ErrorKind::value, "no-operands", "expected at least one Ref, but got none");
  for (const Ref& ref : refs)
    if (ref.dtype() != refs[0].dtype() || ref.shape() != refs[0].shape())
      fail(ErrorKind::value, "shape-mismatch",
           "expected Refs of one dtype and shape, but got " + std::string(name(ref.dtype())) +
               to_string(ref.shape()) + " beside " + std::string(name(refs[0].dtype())) +
               to_string(refs[0].shape()));
  std::vector<Operand> operands;
  for (const Ref& ref : refs)
    operands.push_back(Operand(ref.handle()).apart());
  operands.push_back(index.apart());
  return Ref(apply_traced("select_ref", operands, [](Trace& trace, const language::Values& v) {
    return language::Values{
        language::ref_select(trace.builder(), v.back(), {v.begin(), v.end() - 1})};
  })[0]);
}

Tensor load(const Ref& ref, const std::optional<Operand>& mask, const std::optional<Operand>& other,
            std::source_location here) {
  Optionals optionals;
  optionals.add(apart(mask));
  optionals.add(other);
  ref.refresh();
  return apply_to("load", ref, detail::to_location(here), optionals.given,
                  [&](language::Builder& b, const language::Values& values) {
                    return language::Values{language::ref_read(
                        b, values[0], optionals.of(values, 0), optionals.of(values, 1))};
                  })[0];
}

void store(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  Optionals optionals;
  optionals.add(value);
  optionals.add(apart(mask));
  ref.refresh();
  apply_to("store", ref, value.where(), optionals.given,
           [&](language::Builder& b, const language::Values& values) {
             language::ref_write(b, values[0], optionals.of(values, 0), optionals.of(values, 1));
             return language::Values{};
           });
  ref.write_back();
}

Tensor swap(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  Tensor old = update("swap", "exchange", ref, value, {}, mask);
  return mask ? where(*mask, old, value) : old;
}
Tensor atomic_add(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  return update("atomic_add", "add", ref, value, {}, mask);
}
Tensor atomic_max(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  return update("atomic_max", "max", ref, value, {}, mask);
}
Tensor atomic_min(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  return update("atomic_min", "min", ref, value, {}, mask);
}
Tensor atomic_and(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  return update("atomic_and", "and", ref, value, {}, mask);
}
Tensor atomic_or(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  return update("atomic_or", "or", ref, value, {}, mask);
}
Tensor atomic_xor(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  return update("atomic_xor", "xor", ref, value, {}, mask);
}
Tensor atomic_xchg(const Ref& ref, const Operand& value, const std::optional<Operand>& mask) {
  return update("atomic_xchg", "exchange", ref, value, {}, mask);
}
Tensor atomic_cas(const Ref& ref, const Operand& compare, const Operand& value,
                  const std::optional<Operand>& mask) {
  return update("atomic_cas", "compare_exchange", ref, value, compare, mask);
}

} // namespace kolam::pallas
