// Sums products element by element, in f32 for narrow floats.
#include "kolam/interp/product.h"

#include "kolam/interp/accumulation.h"
#include "kolam/interp/convert.h"
#include "kolam/support/error.h"

#include <cfloat>
#include <cmath>
#include <type_traits>

namespace kolam::interp {
namespace {

DType accumulation_dtype(DType result, DType factor) {
  return is_narrow_float(factor) ? DType::f32 : result;
}

float flush(float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x; }

template <class T> T multiply_add(T a, T b, T sum, bool fused) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    using Wide = std::common_type_t<Unsigned, unsigned>;
    return static_cast<T>(
        static_cast<Unsigned>(Wide(Unsigned(a)) * Wide(Unsigned(b)) + Wide(Unsigned(sum))));
  } else {
    return fused ? std::fma(a, b, sum) : sum + a * b;
  }
}

template <class T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return multiply_add<T>(a, 1, b, false);
  else
    return a + b;
}

} // namespace

Products::Products(const runtime::Array& lhs, const runtime::Array& rhs,
                   const runtime::Array& result, const Accumulate& accumulate, bool fused)
    : result_dtype_(result.dtype()), bf16_(lhs.dtype() == DType::bf16), accumulate_(accumulate),
      fused_(fused) {
  DType dtype = accumulation_dtype(result.dtype(), lhs.dtype());
  lhs_ = convert(lhs, dtype);
  rhs_ = convert(rhs, dtype);
  sums_ = runtime::Array::uninitialized(dtype, result.shape());
}

void Products::sum(int64_t cell, int64_t count,
                   const std::function<std::optional<CellPair>(int64_t)>& factors) {
  visit_dtype(sums_.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_arithmetic_v<T> || std::is_same_v<T, bool>) {
      KOLAM_CHECK(!"a dtype that sums");
    } else {
      auto a = lhs_.values<T>(), b = rhs_.values<T>();
      auto product_onto = [&](T sum, int64_t k) {
        const std::optional<CellPair> pair = factors(k);
        if (!pair)
          return sum;
        T x = pair->lhs < 0 ? T(0) : a[pair->lhs], y = pair->rhs < 0 ? T(0) : b[pair->rhs];
        if constexpr (std::is_same_v<T, float>)
          if (bf16_)
            return flush(multiply_add(flush(x), flush(y), sum, fused_));
        return multiply_add(x, y, sum, fused_);
      };
      auto merge = [&](T x, T y) {
        T sum = add(x, y);
        if constexpr (std::is_same_v<T, float>)
          return bf16_ ? flush(sum) : sum;
        return sum;
      };
      Accumulate order = accumulate_;
      int64_t steps = count;
      auto step = [&](T sum, int64_t k) { return product_onto(sum, k); };
      auto pair_step = [&](T sum, int64_t pair) {
        // A missing odd element is a zero: its product still makes a sum of -0 one of +0.
        sum = 2 * pair + 1 < count ? product_onto(sum, 2 * pair + 1) : add(sum, T(0));
        return product_onto(sum, 2 * pair);
      };
      auto run = [&](auto onto) {
        auto first = [&](int64_t k) { return onto(T(0), k); };
        return accumulate<T>(order, 1, steps, first, onto, merge).value_or(T(0));
      };
      if (bf16_) {
        order.chunk /= 2;
        steps = (count + 1) / 2;
        sums_.mutable_values<T>()[cell] = run(pair_step);
      } else {
        sums_.mutable_values<T>()[cell] = run(step);
      }
    }
  });
}

runtime::Array Products::finish() const { return convert(sums_, result_dtype_); }

// Note [bf16 pairs]
// vdpbf16ps multiplies pairs: it adds the product of the odd elements, then that of the even ones,
// each rounded to nearest even, with denormal inputs and sums flushed to zero. The product of two
// bf16 numbers is exact in f32, so fused and unfused steps agree. A bf16 contraction therefore
// takes k in the order 1, 0, 3, 2, ...; an odd last k is paired with a zero. In lanes, pair p of a
// chunk goes to lane p mod lanes.

} // namespace kolam::interp
