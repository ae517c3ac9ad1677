// Calls Highway's vectorised quicksort (Blacher et al., arXiv 2205.05982), compiled here once for
// each set of instructions.
#include "kolam/runtime/vector_sort.h"

#ifndef KOLAM_HIGHWAY

namespace kolam::runtime {
const VectorSort* vector_sort() { return nullptr; }
} // namespace kolam::runtime

#else

#ifndef KOLAM_VECTOR_SORT_COMPRESS
#define KOLAM_VECTOR_SORT_COMPRESS

#include <immintrin.h>

// Zen 4 takes 100 cycles and more for a compression that goes to memory (Agner Fog, instruction
// tables: vpcompressd m, z); one in a register and a store by a mask mean the same.
#define KOLAM_AVX512 __attribute__((always_inline, target("avx512f,bmi2,popcnt")))
static inline KOLAM_AVX512 void kolam_compress(void* to, __mmask16 mask, __m512i lanes) {
  const auto first = static_cast<__mmask16>(_bzhi_u32(0xffff, __builtin_popcount(mask)));
  _mm512_mask_storeu_epi32(to, first, _mm512_maskz_compress_epi32(mask, lanes));
}
#define _mm512_mask_compressstoreu_epi32 kolam_compress

#endif

#define HWY_DISABLED_TARGETS (~(HWY_AVX2 | HWY_AVX3 | HWY_EMU128 | HWY_SCALAR))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kolam/runtime/vector_sort.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/traits128-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>

HWY_BEFORE_NAMESPACE();
namespace kolam::runtime {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace highway = hwy::HWY_NAMESPACE;

/// Highway's own entry takes its random numbers from the system; these follow from the count.
template <class Traits, class T> void sort(T* numbers, int64_t lanes) {
  const auto count = static_cast<size_t>(lanes);
  highway::SortTag<T> tag;
  highway::detail::SharedTraits<Traits> traits;
  HWY_ALIGN T buffer[hwy::SortConstants::BufNum<T>(HWY_LANES(T))]; // its zeroes would take longer
                                                                   // than a short row does
  if (highway::detail::HandleSpecialCases(tag, traits, numbers, count))
    return;
  highway::detail::Generator random(static_cast<uint64_t>(lanes));
  const size_t levels = 2 * hwy::CeilLog2(count) + 4;
  highway::detail::Recurse(tag, traits, numbers, numbers + count, count, buffer, random, levels);
}

template <class T> void sort_lanes(T* numbers, int64_t count) {
  sort<highway::detail::TraitsLane<highway::detail::OrderAscending<T>>>(numbers, count);
}

void sort_wide(Wide* numbers, int64_t count) {
  sort<highway::detail::Traits128<highway::detail::OrderAscending128>>(
      reinterpret_cast<uint64_t*>(numbers), 2 * count);
}

constexpr VectorSort kSort = {sort_lanes<uint16_t>, sort_lanes<uint32_t>, sort_lanes<uint64_t>,
                              sort_wide};

#endif
} // namespace HWY_NAMESPACE
} // namespace kolam::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace kolam::runtime {

const VectorSort* vector_sort() {
  static const VectorSort* const found = []() -> const VectorSort* {
    auto has = [](bool yes) { return yes; };
    if (!has(__builtin_cpu_supports("avx2")) || !has(__builtin_cpu_supports("fma")) ||
        !has(__builtin_cpu_supports("bmi2")) || !has(__builtin_cpu_supports("f16c")))
      return nullptr;
    return has(__builtin_cpu_supports("avx512f")) && has(__builtin_cpu_supports("avx512bw")) &&
                   has(__builtin_cpu_supports("avx512dq")) &&
                   has(__builtin_cpu_supports("avx512vl")) &&
                   has(__builtin_cpu_supports("avx512cd"))
               ? &N_AVX3::kSort
               : &N_AVX2::kSort;
  }();
  return found;
}

} // namespace kolam::runtime

#endif
#endif
