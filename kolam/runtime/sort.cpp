// Sorts rows through unsigned keys whose order is the elements' order.
#include "kolam/runtime/sort.h"

#include "kolam/runtime/arena.h"
#include "kolam/runtime/memory.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/support/error.h"
#include "kolam/support/machine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

namespace kolam::runtime {
namespace {

template <class T> struct StorageBits {
  using type = std::make_unsigned_t<T>;
};
template <> struct StorageBits<bool> {
  using type = uint8_t;
};
template <> struct StorageBits<Float16> {
  using type = uint16_t;
};
template <> struct StorageBits<BFloat16> {
  using type = uint16_t;
};
template <> struct StorageBits<float> {
  using type = uint32_t;
};
template <> struct StorageBits<double> {
  using type = uint64_t;
};

template <class T> constexpr int kMantissaBits = 0;
template <> constexpr int kMantissaBits<Float16> = 10;
template <> constexpr int kMantissaBits<BFloat16> = 7;
template <> constexpr int kMantissaBits<float> = 23;
template <> constexpr int kMantissaBits<double> = 52;

/// Bits as an unsigned number in the elements' order: equal elements, and all NaNs, get equal keys.
template <class T, class Bits> Bits ordered_bits(Bits bits) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  if constexpr (kMantissaBits<T> > 0) {
    constexpr Bits infinity = static_cast<Bits>(~sign & ~((Bits{1} << kMantissaBits<T>)-1));
    const Bits magnitude = static_cast<Bits>(bits & ~sign);
    if (magnitude > infinity)
      return std::numeric_limits<Bits>::max();
    if (magnitude == 0)
      return sign;
    return static_cast<Bits>(bits & sign ? ~bits : bits | sign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits>(bits ^ sign);
  } else {
    return bits;
  }
}

/// An element's key and place. Places break ties, which makes every sort of them stable.
template <class Key> struct Entry {
  Key key;
  Key place;
  friend bool operator<(const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key < b.key : a.place < b.place;
  }
};

/// The bits by which elements are sorted ascending.
template <class T> auto sort_key(T element, SortOrder order) {
  using Bits = typename StorageBits<T>::type;
  const Bits flip = order == SortOrder::descending ? std::numeric_limits<Bits>::max() : 0;
  return static_cast<Bits>(ordered_bits<T>(std::bit_cast<Bits>(element)) ^ flip);
}

/// Leaves the sort of a row that was asked to stop.
struct Stopped {};

/// Looks at the cancel flag.
class Poll {
public:
  explicit Poll(const volatile int32_t* cancel) : cancel_(cancel) {}
  void operator()() const {
    if (cancel_ && __atomic_load_n(cancel_, __ATOMIC_RELAXED))
      throw Stopped();
  }

private:
  const volatile int32_t* cancel_;
};

/// Calls `f(i)` for i < length.
template <class F> void for_all(int64_t length, Poll poll, const F& f) {
  for (int64_t begin = 0; begin < length; begin += kThreads.look_sorted) {
    poll();
    const int64_t end = std::min(length, begin + kThreads.look_sorted);
    for (int64_t i = begin; i < end; ++i)
      f(i);
  }
}

template <class T, class Key>
void fill_entries(const T* in, int64_t length, SortOrder order, Entry<Key>* entries, Poll poll) {
  for_all(length, poll, [&](int64_t i) {
    entries[i] = {static_cast<Key>(sort_key(in[i], order)), static_cast<Key>(i)};
  });
}

/// Byte by byte from the lowest; a byte that all keys share costs nothing. Returns which of the two
/// buffers holds the result.
template <class Key>
Entry<Key>* radix_sort(Entry<Key>* entries, Entry<Key>* other, int64_t length, Poll poll) {
  constexpr size_t bytes = sizeof(Key);
  std::array<std::array<int64_t, 256>, bytes> counts = {};
  for_all(length, poll, [&](int64_t i) {
    for (size_t b = 0; b < bytes; ++b)
      ++counts[b][entries[i].key >> (8 * b) & 255];
  });
  for (size_t b = 0; b < bytes; ++b) {
    if (counts[b][entries[0].key >> (8 * b) & 255] == length)
      continue;
    std::array<int64_t, 256> next = {};
    for (size_t digit = 1; digit < 256; ++digit)
      next[digit] = next[digit - 1] + counts[b][digit - 1];
    for_all(length, poll,
            [&](int64_t i) { other[next[entries[i].key >> (8 * b) & 255]++] = entries[i]; });
    std::swap(entries, other);
  }
  return entries;
}

/// The first `count` entries in order.
template <class Key>
Entry<Key>* sort_entries(Entry<Key>* entries, Entry<Key>* other, int64_t length, int64_t count,
                         Poll poll) {
  int64_t comparisons = 0;
  auto polling = [&](const Entry<Key>& a, const Entry<Key>& b) {
    if (++comparisons % kThreads.look_sorted == 0)
      poll();
    return a < b;
  };
  const bool is_long = length > kThreads.look_sorted;
  if (count < length) {
    if (is_long)
      std::nth_element(entries, entries + count, entries + length, polling);
    else
      std::nth_element(entries, entries + count, entries + length);
    length = count;
  }
  // Places are in order only where nothing was selected; radix needs that to be stable.
  if (other && length >= kHost.radix_length)
    return radix_sort(entries, other, length, poll);
  if (is_long)
    std::sort(entries, entries + length, polling);
  else
    std::sort(entries, entries + length);
  return entries;
}

/// The work on all rows, as parallel_for carries it.
struct RowsJob {
  const SortRows& rows;
  int64_t count; // of each output row
  std::byte* scratch;
  int64_t scratch_bytes; // of one worker
  std::atomic<bool>* is_stopped;
};

/// Where the results of a row go; null where they are not wanted.
template <class T> struct Outputs {
  T* values = nullptr;
  int32_t* narrow = nullptr;
  int64_t* wide = nullptr;

  Outputs(const RowsJob& job, int64_t row) {
    const SortRows& rows = job.rows;
    if (rows.values)
      values = static_cast<T*>(rows.values) + row * job.count;
    if (rows.indices && rows.index_width == IndexWidth::i32)
      narrow = static_cast<int32_t*>(rows.indices) + row * job.count;
    else if (rows.indices)
      wide = static_cast<int64_t*>(rows.indices) + row * job.count;
  }

  /// Element `place` of `in` comes at `at`.
  void put(int64_t at, const T* in, int64_t place) const {
    if (values)
      values[at] = in[place];
    if (narrow)
      narrow[at] = static_cast<int32_t>(place);
    if (wide)
      wide[at] = place;
  }
};

/// Of a row whose keys span fewer numbers than it has elements, e.g. the groups of many tokens:
/// counts each key, and then knows where each element goes. Returns whether it is such a row.
template <class T>
bool counting_sort(const T* in, int64_t length, SortOrder order, int64_t* counts,
                   const Outputs<T>& out, Poll poll) {
  auto key_of = [&](int64_t i) { return sort_key(in[i], order); };
  auto least = key_of(0), most = least;
  for_all(length, poll, [&](int64_t i) {
    least = std::min(least, key_of(i));
    most = std::max(most, key_of(i));
  });
  if (static_cast<uint64_t>(most - least) >= static_cast<uint64_t>(length))
    return false;
  int64_t* next = std::fill_n(counts, most - least + 1, 0) - (most - least + 1);
  for_all(length, poll, [&](int64_t i) { ++next[key_of(i) - least]; });
  for (int64_t begin = 0, *at = next; at <= next + (most - least); ++at)
    begin += std::exchange(*at, begin);
  for_all(length, poll, [&](int64_t i) { out.put(next[key_of(i) - least]++, in, i); });
  return true;
}

bool uses_radix(const RowsJob& job) {
  return job.count == job.rows.length && job.rows.length >= kHost.radix_length;
}

template <class T, class Key>
void sort_range(const RowsJob& job, int64_t begin, int64_t end, int worker) {
  const Poll poll(job.rows.cancel);
  const int64_t length = job.rows.length;
  auto* entries = reinterpret_cast<Entry<Key>*>(job.scratch + worker * job.scratch_bytes);
  Entry<Key>* other = uses_radix(job) ? entries + length : nullptr;
  T* copy = reinterpret_cast<T*>(entries + (other ? 2 : 1) * length);
  for (int64_t row = begin; row < end; ++row) {
    poll();
    const T* in = static_cast<const T*>(job.rows.in) + row * length;
    // In place, a result may land on an element that is still to be read.
    if (job.rows.values == job.rows.in)
      in = std::copy_n(in, length, copy) - length;
    const Outputs<T> out(job, row);
    if (other &&
        counting_sort(in, length, job.rows.order, reinterpret_cast<int64_t*>(entries), out, poll))
      continue;
    fill_entries(in, length, job.rows.order, entries, poll);
    const Entry<Key>* sorted = sort_entries(entries, other, length, job.count, poll);
    for_all(job.count, poll,
            [&](int64_t i) { out.put(i, in, static_cast<int64_t>(sorted[i].place)); });
  }
}

template <class T, class Key> void run_rows(void* context, int64_t begin, int64_t end, int worker) {
  const RowsJob& job = *static_cast<const RowsJob*>(context);
  try {
    sort_range<T, Key>(job, begin, end, worker);
  } catch (const Stopped&) {
    job.is_stopped->store(true, std::memory_order_relaxed);
  }
}

template <class T, class Key> void launch(RowsJob job) {
  int64_t entry_bytes = uses_radix(job) ? 2 * sizeof(Entry<Key>) : sizeof(Entry<Key>);
  if (job.rows.values == job.rows.in)
    entry_bytes += sizeof(T);
  const int64_t workers = std::min<int64_t>(thread_count(), job.rows.rows);
  // Elements exist, so neither product comes near 2^63: a machine's address space has 2^47 bytes.
  job.scratch_bytes =
      (job.rows.length * entry_bytes + kBufferAlignment) / kBufferAlignment * kBufferAlignment;
  const Arena arena(job.scratch_bytes * workers, "the temporary memory of a sort");
  job.scratch = arena.data();
  std::atomic<bool> is_stopped = false;
  job.is_stopped = &is_stopped;
  parallel_for(job.rows.rows, run_rows<T, Key>, &job, workers);
  if (is_stopped)
    throw Error(ErrorKind::runtime, "cancelled", "stopped on request");
}

} // namespace

void sort_rows(const SortRows& rows) { top_k_rows(rows, rows.length); }

void top_k_rows(const SortRows& rows, int64_t k) {
  KOLAM_CHECK(rows.rows >= 0 && k >= 0 && k <= rows.length);
  if (rows.rows == 0 || k == 0)
    return;
  // In place, outputs of another length than the inputs would run into rows still to be read.
  KOLAM_CHECK(rows.values != rows.in || k == rows.length);
  KOLAM_CHECK(!rows.indices || rows.index_width == IndexWidth::i64 ||
              rows.length <= std::numeric_limits<int32_t>::max());
  const bool wide_places = rows.length > std::numeric_limits<uint32_t>::max();
  visit_dtype(rows.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (sizeof(T) == 8 || wide_places)
      launch<T, uint64_t>({rows, k, nullptr, 0, nullptr});
    else
      launch<T, uint32_t>({rows, k, nullptr, 0, nullptr});
  });
}

} // namespace kolam::runtime
