// Calls Highway's vectorised quicksort (Blacher et al., arXiv 2205.05982), compiled here once for
// each set of instructions.
#include "kolam/runtime/vector_sort.h"

#ifndef KOLAM_HIGHWAY

namespace kolam::runtime {
const VectorSort* vector_sort(int) { return nullptr; }
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

#include <algorithm>

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

/// As many rows as there are lanes, an element of each in a vector. Neighbours that stand in the
/// wrong order change places, in rounds, as many as a row has elements (odd-even transposition);
/// integers alone, of which equal ones are the same, are merged (Batcher's odd-even mergesort;
/// Knuth, The Art of Computer Programming, 5.2.2, algorithm M).
template <class T> class ShortSorter {
public:
  explicit ShortSorter(const ShortRows& job)
      : job_(job), length_(static_cast<size_t>(job.length)), has_places_(job.narrow || job.wide) {}

  void sort() {
    for (int64_t first = 0; first < job_.rows; first += static_cast<int64_t>(kLanes)) {
      const auto rows = static_cast<size_t>(std::min<int64_t>(job_.rows - first, kLanes));
      load(first, rows);
      if (!hwy::IsFloat<T>() && !has_places_)
        merge();
      else
        exchange();
      put(columns_, static_cast<T*>(job_.values), first, rows);
      put(places_, job_.narrow, first, rows);
      put(places_, job_.wide, first, rows);
    }
  }

private:
  using Place = hwy::MakeSigned<T>;
  static constexpr size_t kLanes = HWY_LANES(T);

  void load(int64_t first, size_t rows) {
    const T* in = static_cast<const T*>(job_.in) + first * job_.length;
    for (size_t row = 0; row < rows; ++row)
      for (size_t place = 0; place < length_; ++place)
        columns_[place * kLanes + row] = *in++;
    for (size_t place = 0; has_places_ && place < length_; ++place)
      highway::Store(highway::Set(places_tag_, static_cast<Place>(place)), places_tag_,
                     places_ + place * kLanes);
  }

  void exchange() {
    for (size_t round = 0; round < length_; ++round)
      for (size_t place = round & 1; place + 1 < length_; place += 2)
        order(place);
  }

  void merge() {
    for (size_t sorted = 1; sorted < length_; sorted *= 2)
      for (size_t apart = sorted; apart > 0; apart /= 2)
        for (size_t first = apart % sorted; first + apart < length_; first += 2 * apart)
          for (size_t low = first; low < first + apart && low + apart < length_; ++low)
            if (low / (2 * sorted) == (low + apart) / (2 * sorted))
              order(columns_ + low * kLanes, columns_ + (low + apart) * kLanes);
  }

  void order(T* low, T* high) {
    const auto a = highway::Load(tag_, low), b = highway::Load(tag_, high);
    const auto least = highway::Min(a, b), most = highway::Max(a, b);
    highway::Store(job_.descending ? most : least, tag_, low);
    highway::Store(job_.descending ? least : most, tag_, high);
  }

  template <class V> auto is_later(V a, V b) const {
    auto later = highway::Gt(a, b);
    if constexpr (hwy::IsFloat<T>())
      later = highway::Or(later, highway::AndNot(highway::IsNaN(b), highway::IsNaN(a)));
    return later;
  }

  template <class D, class U, class M> static void swap(D tag, U* at, M mask) {
    auto a = highway::Load(tag, at), b = highway::Load(tag, at + kLanes);
    highway::Store(highway::IfThenElse(mask, b, a), tag, at);
    highway::Store(highway::IfThenElse(mask, a, b), tag, at + kLanes);
  }

  void order(size_t place) {
    T* at = columns_ + place * kLanes;
    auto a = highway::Load(tag_, at), b = highway::Load(tag_, at + kLanes);
    const auto mask = job_.descending ? is_later(b, a) : is_later(a, b);
    swap(tag_, at, mask);
    if (has_places_)
      swap(places_tag_, places_ + place * kLanes, highway::RebindMask(places_tag_, mask));
  }

  template <class From, class To>
  void put(const From* columns, To* to, int64_t first, size_t rows) {
    if (!to)
      return;
    to += first * job_.count;
    for (size_t row = 0; row < rows; ++row)
      for (int64_t place = 0; place < job_.count; ++place)
        *to++ = static_cast<To>(columns[static_cast<size_t>(place) * kLanes + row]);
  }

  const ShortRows& job_;
  const size_t length_;
  const bool has_places_;
  const highway::ScalableTag<T> tag_;
  const highway::ScalableTag<Place> places_tag_;
  HWY_ALIGN T columns_[kShortRow * kLanes] = {};
  HWY_ALIGN Place places_[kShortRow * kLanes] = {};
};

void sort_short(Lane lane, const ShortRows& rows) {
  switch (lane) {
  case Lane::f32:
    return ShortSorter<float>(rows).sort();
  case Lane::f64:
    return ShortSorter<double>(rows).sort();
  case Lane::i32:
    return ShortSorter<int32_t>(rows).sort();
  case Lane::u32:
    return ShortSorter<uint32_t>(rows).sort();
  case Lane::i64:
    return ShortSorter<int64_t>(rows).sort();
  case Lane::u64:
    return ShortSorter<uint64_t>(rows).sort();
  }
}

constexpr VectorSort kSort = {sort_lanes<uint16_t>, sort_lanes<uint32_t>, sort_lanes<uint64_t>,
                              sort_wide, sort_short};

#endif
} // namespace HWY_NAMESPACE
} // namespace kolam::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace kolam::runtime {

const VectorSort* vector_sort(int vector_bytes) {
  auto has = [](bool yes) { return yes; };
  static const bool has_avx2 =
      has(__builtin_cpu_supports("avx2")) && has(__builtin_cpu_supports("fma")) &&
      has(__builtin_cpu_supports("bmi2")) && has(__builtin_cpu_supports("f16c"));
  static const bool has_avx512 =
      has_avx2 && has(__builtin_cpu_supports("avx512f")) &&
      has(__builtin_cpu_supports("avx512bw")) && has(__builtin_cpu_supports("avx512dq")) &&
      has(__builtin_cpu_supports("avx512vl")) && has(__builtin_cpu_supports("avx512cd"));
  if (vector_bytes >= 64 && has_avx512)
    return &N_AVX3::kSort;
  return vector_bytes >= 32 && has_avx2 ? &N_AVX2::kSort : nullptr;
}

} // namespace kolam::runtime

#endif
#endif
