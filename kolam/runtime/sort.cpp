// Sorts rows through unsigned keys whose order is the elements' order.
#include "kolam/runtime/sort.h"

#include "kolam/runtime/arena.h"
#include "kolam/runtime/memory.h"
#include "kolam/runtime/sort_keys.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/runtime/vector_sort.h"
#include "kolam/support/error.h"
#include "kolam/support/machine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace kolam::runtime {
namespace {

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

/// Bound: as many are sorted by vectors in a tenth of a second, without a look at the cancel flag.
constexpr int64_t kSortedAtOnce = int64_t{1} << 24;
/// Probe: from here on vectors beat comparisons; and where fewer than one in so many are wanted,
/// with places or values alone, looking for them beats sorting all.
constexpr int64_t kVectorLength = 32, kFewSorted = 8, kFewValues = 32;
/// Probe: rows that are sorted as a whole, however few are wanted.
constexpr int64_t kMiddleRow = 128;

/// An element's key and place as one number. Places break ties, which makes every sort of them
/// stable.
struct Narrow {
  using Number = uint64_t; // the key above, the place below
  using Key = uint32_t;
  static Number make(Key key, int64_t place) {
    return uint64_t{key} << 32 | static_cast<uint32_t>(place);
  }
  static Key key(Number number) { return static_cast<Key>(number >> 32); }
  static int64_t place(Number number) { return static_cast<uint32_t>(number); }
  static bool is_less(Number a, Number b) { return a < b; }
};
struct Broad {
  using Number = Wide;
  using Key = uint64_t;
  static Number make(Key key, int64_t place) { return {static_cast<uint64_t>(place), key}; }
  static Key key(const Number& number) { return number.high; }
  static int64_t place(const Number& number) { return static_cast<int64_t>(number.low); }
  static bool is_less(const Number& a, const Number& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
};

/// Vectors take no look at the cancel flag, so that they sort no more.
bool by_vectors(const VectorSort* vectors, int64_t length) {
  return vectors && length <= kSortedAtOnce;
}

void sort_by(const VectorSort& vectors, uint64_t* numbers, int64_t count) {
  vectors.sort_64(numbers, count);
}
void sort_by(const VectorSort& vectors, Wide* numbers, int64_t count) {
  vectors.sort_128(numbers, count);
}

/// Byte by byte of the keys from the lowest; a byte that all keys share costs nothing. Returns
/// which of the two buffers holds the result.
template <class Form, class Number = typename Form::Number>
Number* radix_sort(Number* numbers, Number* other, int64_t length, Poll poll) {
  constexpr size_t bytes = sizeof(typename Form::Key);
  std::array<std::array<int64_t, 256>, bytes> counts = {};
  auto digit = [](const Number& number, size_t b) { return Form::key(number) >> (8 * b) & 255; };
  for_all(length, poll, [&](int64_t i) {
    for (size_t b = 0; b < bytes; ++b)
      ++counts[b][digit(numbers[i], b)];
  });
  for (size_t b = 0; b < bytes; ++b) {
    if (counts[b][digit(numbers[0], b)] == length)
      continue;
    std::array<int64_t, 256> next = {};
    for (size_t d = 1; d < 256; ++d)
      next[d] = next[d - 1] + counts[b][d - 1];
    for_all(length, poll, [&](int64_t i) { other[next[digit(numbers[i], b)]++] = numbers[i]; });
    std::swap(numbers, other);
  }
  return numbers;
}

/// Compares, and looks at the cancel flag now and then.
template <class Form> auto comparison(int64_t& comparisons, Poll poll) {
  return [&comparisons, poll](const typename Form::Number& a, const typename Form::Number& b) {
    if (++comparisons % kThreads.look_sorted == 0)
      poll();
    return Form::is_less(a, b);
  };
}

template <class Form, class Number = typename Form::Number>
void sort_by_comparisons(const VectorSort* vectors, Number* numbers, int64_t length, Poll poll) {
  int64_t comparisons = 0;
  if (by_vectors(vectors, length) && length >= kVectorLength)
    sort_by(*vectors, numbers, length);
  else if (length > kThreads.look_sorted)
    std::sort(numbers, numbers + length, comparison<Form>(comparisons, poll));
  else
    std::sort(numbers, numbers + length, Form::is_less);
}

/// Brings the first `count` to the front, in any order.
template <class Form, class Number = typename Form::Number>
void select_first(Number* numbers, int64_t length, int64_t count, Poll poll) {
  int64_t comparisons = 0;
  if (count >= length)
    return;
  if (length > kThreads.look_sorted)
    std::nth_element(numbers, numbers + count, numbers + length,
                     comparison<Form>(comparisons, poll));
  else
    std::nth_element(numbers, numbers + count, numbers + length, Form::is_less);
}

/// Bytes of blocks that lie one behind the other.
int64_t round_up(int64_t bytes) {
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

/// The work on all rows, as parallel_for carries it.
struct RowsJob {
  const SortRows& rows;
  int64_t count;         // of each output row
  std::byte* scratch;    // for all workers
  int64_t scratch_bytes; // of one worker
  std::atomic<bool>* is_stopped;
  const VectorSort* vectors; // null: there are none
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

  void put_all(const T* sorted, const int* places, int64_t count) const {
    if (values)
      std::copy_n(sorted, count, values);
    if (narrow)
      std::copy_n(places, count, narrow);
    if (wide)
      std::copy_n(places, count, wide);
  }

  /// Element `place` of the input, `value`, comes at `at`.
  void put(int64_t at, T value, int64_t place) const {
    if (values)
      values[at] = value;
    if (narrow)
      narrow[at] = static_cast<int32_t>(place);
    if (wide)
      wide[at] = place;
  }
};

/// One row, and what it is sorted with.
template <class T> struct Row {
  const T* in;
  int64_t length;
  SortKeys<T> keys;
  Outputs<T> out;
  Poll poll;
};

template <class Form, class T> typename Form::Number number_of(const Row<T>& row, int64_t i) {
  return Form::make(static_cast<typename Form::Key>(row.keys.of(row.in[i])), i);
}

/// Of a row whose keys span fewer numbers than it has elements, e.g. the groups of many tokens:
/// counts each key, and then knows where each element goes. Returns whether it is such a row.
template <class T> bool counting_sort(const Row<T>& row, int64_t* counts) {
  auto key_of = [&](int64_t i) { return row.keys.of(row.in[i]); };
  auto least = key_of(0), most = least;
  for_all(row.length, row.poll, [&](int64_t i) {
    least = std::min(least, key_of(i));
    most = std::max(most, key_of(i));
  });
  if (static_cast<uint64_t>(most - least) >= static_cast<uint64_t>(row.length))
    return false;
  int64_t* next = std::fill_n(counts, most - least + 1, 0) - (most - least + 1);
  for_all(row.length, row.poll, [&](int64_t i) { ++next[key_of(i) - least]; });
  for (int64_t begin = 0, *at = next; at <= next + (most - least); ++at)
    begin += std::exchange(*at, begin);
  for_all(row.length, row.poll,
          [&](int64_t i) { row.out.put(next[key_of(i) - least]++, row.in[i], i); });
  return true;
}

/// Writes the elements of the first sorted numbers. Elements come from keys, which lie in order,
/// where a key has one.
template <class Form, class T>
void put_sorted(const Row<T>& row, const typename Form::Number* numbers, int64_t count) {
  using Bits = typename SortKeys<T>::Bits;
  for_all(count, row.poll, [&](int64_t i) {
    const auto key = static_cast<Bits>(Form::key(numbers[i]));
    const int64_t place = Form::place(numbers[i]);
    row.out.put(i, row.keys.is_shared(key) ? row.in[place] : row.keys.element(key), place);
  });
}

bool uses_radix(const RowsJob& job) { return job.rows.length >= kHost.radix_length; }

/// All elements with their places; the first job.count of them are wanted.
template <class T, class Form> struct WithPlaces {
  using Number = typename Form::Number;

  static int64_t scratch_bytes(const RowsJob& job) {
    return static_cast<int64_t>(sizeof(Number)) * job.rows.length * (uses_radix(job) ? 2 : 1);
  }

  static void sort(const RowsJob& job, const Row<T>& row, std::byte* scratch) {
    auto* numbers = reinterpret_cast<Number*>(scratch);
    const int64_t length = row.length;
    const bool by_radix = uses_radix(job);
    // Counts have memory where there are two buffers.
    if (by_radix && job.count == length && counting_sort(row, reinterpret_cast<int64_t*>(scratch)))
      return;
    for_all(length, row.poll, [&](int64_t i) { numbers[i] = number_of<Form>(row, i); });
    if (by_radix)
      numbers = radix_sort<Form>(numbers, numbers + length, length, row.poll);
    else
      sort_by_comparisons<Form>(job.vectors, numbers, length, row.poll);
    put_sorted<Form>(row, numbers, job.count);
  }
};

/// Whether `x` may come before what has the key `last`, of which `element` is an element: never no
/// where it does.
template <class T>
bool may_come(T x, T element, typename SortKeys<T>::Bits last, const SortKeys<T>& keys,
              SortOrder order) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return order == SortOrder::descending ? !(x <= element) : !(x >= element);
  else
    return keys.of(x) < last;
}

/// Sorts keys that lie where the elements will.
template <class Bits> void sort_keys(const VectorSort& vectors, Bits* keys, int64_t length) {
  if constexpr (sizeof(Bits) == 2)
    vectors.sort_16(keys, length);
  else if constexpr (sizeof(Bits) == 4)
    vectors.sort_32(keys, length);
  else if constexpr (sizeof(Bits) == 8)
    vectors.sort_64(keys, length);
}

/// The few first of a short row: each element that comes before the last of those so far goes in
/// between.
template <class T, class Form> struct FewFirst {
  using Number = typename Form::Number;
  /// Probe: up to here going in between beats sorting by vectors.
  static constexpr int64_t kMost = 5;

  static bool fits(const RowsJob& job) {
    return job.count <= (job.rows.length < kVectorLength ? kMost : 1) &&
           job.rows.length <= kMiddleRow;
  }
  static int64_t scratch_bytes(const RowsJob&) { return 0; }

  static void sort(const RowsJob& job, const Row<T>& row, std::byte*) {
    Number first[kMost];
    int64_t held = 0;
    auto put = [&](Number one) {
      int64_t at = held < job.count ? held++ : job.count - 1;
      for (; at > 0 && Form::is_less(one, first[at - 1]); --at)
        first[at] = first[at - 1];
      first[at] = one;
    };
    auto number = [&](int64_t i) { return number_of<Form>(row, i); };
    int64_t i = 0;
    for (; i < job.count; ++i)
      put(number(i));
    for (; i < row.length; ++i)
      if (const Number one = number(i); Form::is_less(one, first[job.count - 1]))
        put(one);
    put_sorted<Form>(row, first, job.count);
  }
};

/// The first of many: an element is looked at closer where it comes before the last of the first so
/// far.
template <class T, class Form> struct FirstOfMany {
  using Number = typename Form::Number;
  using Bits = typename SortKeys<T>::Bits;
  /// Size of code: elements that are compared before any is asked for, and those of them that are
  /// asked for together.
  static constexpr int64_t kBlock = 32, kFew = 8;
  /// Probe: elements of the front of a row that have one number in common, when the last is
  /// guessed.
  static constexpr int64_t kFront = 16;

  /// More are kept than wanted, so that the first of them are chosen seldom.
  static int64_t kept(const RowsJob& job) {
    return std::min(2 * job.count + kBlock, job.rows.length);
  }
  /// Interleaved parts of the front of a row.
  static int64_t parts(const RowsJob& job) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * job.count)));
  }

  static int64_t scratch_bytes(const RowsJob& job) {
    return std::max(static_cast<int64_t>(sizeof(Number)) * kept(job),
                    static_cast<int64_t>(sizeof(Bits)) * parts(job));
  }

  /// A key that at least `count` elements of the front come up to: of the first of each part the
  /// last of those wanted.
  static Bits guess(const RowsJob& job, const Row<T>& row, Bits* first) {
    const int64_t part = parts(job), front = std::min(row.length / part, kFront) * part;
    for (int64_t j = 0; j < part; ++j)
      first[j] = row.keys.of(row.in[j]);
    for (int64_t begin = part; begin < front; begin += part)
      for (int64_t j = 0; j < part; ++j)
        first[j] = std::min(first[j], row.keys.of(row.in[begin + j]));
    if (sizeof(Bits) > 1 && by_vectors(job.vectors, part))
      sort_keys(*job.vectors, first, part);
    else
      std::nth_element(first, first + job.count - 1, first + part);
    return first[job.count - 1];
  }

  static void sort(const RowsJob& job, const Row<T>& row, std::byte* scratch) {
    auto* numbers = reinterpret_cast<Number*>(scratch);
    const int64_t most = kept(job), count = job.count;
    const SortOrder order = job.rows.order;
    auto number = [&](int64_t i) { return number_of<Form>(row, i); };
    int64_t held = 0, seen = 0;
    Number last;
    Bits key;
    T element;
    auto end_at = [&](Number number) {
      last = number;
      key = static_cast<Bits>(Form::key(number));
      element = row.keys.element(key);
    };
    auto choose = [&] {
      select_first<Form>(numbers, held, count, row.poll);
      held = std::min(held, count);
      end_at(*std::max_element(numbers, numbers + held, Form::is_less));
    };
    const Bits guessed = guess(job, row, reinterpret_cast<Bits*>(scratch));
    if (guessed < std::numeric_limits<Bits>::max()) {
      end_at(Form::make(static_cast<Bits>(guessed + 1), 0)); // behind all that have the key
    } else {
      for (; held < most; ++held)
        numbers[held] = number(held);
      seen = held;
      choose();
    }
    auto may = [&](int64_t begin, int64_t end) {
      unsigned any = 0;
      for (int64_t i = begin; i < end; ++i)
        any |= static_cast<unsigned>(may_come(row.in[i], element, key, row.keys, order));
      return any != 0;
    };
    auto look = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Number one = number(i);
        if (!Form::is_less(one, last))
          continue;
        numbers[held++] = one;
        if (held == most)
          choose();
      }
    };
    for (int64_t begin = seen, end; begin < row.length; begin = end) {
      row.poll();
      end = std::min(row.length, begin + kThreads.look_sorted);
      for (; begin + kBlock <= end; begin += kBlock)
        if (may(begin, begin + kBlock))
          for (int64_t few = begin; few < begin + kBlock; few += kFew)
            if (may(few, few + kFew))
              look(few, few + kFew);
      look(begin, end);
    }
    select_first<Form>(numbers, held, count, row.poll);
    sort_by_comparisons<Form>(job.vectors, numbers, count, row.poll);
    put_sorted<Form>(row, numbers, count);
  }
};

/// Bound: as many different keys there are, a quarter: from here on counting each beats sorting.
template <class Bits> constexpr int64_t kFewKeys = int64_t{1} << (8 * sizeof(Bits) - 2);

/// Elements alone, whose keys say all but for zeros and NaNs.
template <class T> struct WithoutPlaces {
  using Bits = typename SortKeys<T>::Bits;

  /// Counts of keys, then a row, where fewer elements than it has are wanted.
  static int64_t count_bytes() {
    return sizeof(Bits) <= 2 ? static_cast<int64_t>(sizeof(int64_t)) << (8 * sizeof(Bits)) : 0;
  }
  static int64_t scratch_bytes(const RowsJob& job) {
    const bool is_part = job.count < job.rows.length;
    return count_bytes() + (is_part ? job.rows.length * static_cast<int64_t>(sizeof(T)) : 0);
  }

  static void sort(const RowsJob& job, const Row<T>& row, std::byte* scratch) {
    const bool is_part = job.count < row.length;
    T* values = is_part ? reinterpret_cast<T*>(scratch + count_bytes()) : row.out.values;
    auto* keys = reinterpret_cast<Bits*>(values);
    unsigned are_lost = 0; // zeros or NaNs whose bits their keys do not say
    if (sizeof(Bits) <= 2 && row.length >= kFewKeys<Bits>) {
      count_keys(row, keys, reinterpret_cast<int64_t*>(scratch));
      are_lost = 1;
    } else {
      for_all(row.length, row.poll,
              [keys, in = row.in, order = row.keys](int64_t i) { keys[i] = order.of(in[i]); });
      for_all(row.length, row.poll, [&are_lost, in = row.in](int64_t i) {
        are_lost |= static_cast<unsigned>(SortKeys<T>::is_lost(in[i]));
      });
      if constexpr (sizeof(Bits) == 1)
        std::sort(keys, keys + row.length);
      else
        sort_keys(*job.vectors, keys, row.length);
    }
    T *zero = nullptr, *nan = nullptr;
    if (kIsFloat<T> && are_lost) {
      zero = values + (std::lower_bound(keys, keys + row.length, row.keys.zero()) - keys);
      nan = values + (std::lower_bound(keys, keys + row.length, row.keys.nan()) - keys);
    }
    for_all(row.length, row.poll,
            [values, keys, order = row.keys](int64_t i) { values[i] = order.element(keys[i]); });
    if (kIsFloat<T> && are_lost)
      put_shared(row, zero, nan);
    if (is_part)
      std::copy_n(values, job.count, row.out.values);
  }

  /// Zeros and NaNs stand in the order in which they came.
  static void put_shared(const Row<T>& row, T* zero, T* nan) {
    for_all(row.length, row.poll, [&](int64_t i) {
      const Bits key = row.keys.of(row.in[i]);
      if (key == row.keys.zero())
        *zero++ = row.in[i];
      else if (key == row.keys.nan())
        *nan++ = row.in[i];
    });
  }

  /// Of keys that are few.
  static void count_keys(const Row<T>& row, Bits* keys, int64_t* counts) {
    // Format: of the keys.
    constexpr int64_t kKeys = int64_t{1} << (8 * std::min<size_t>(sizeof(Bits), 2));
    std::fill_n(counts, kKeys, 0);
    for_all(row.length, row.poll, [&](int64_t i) { ++counts[row.keys.of(row.in[i])]; });
    for (int64_t key = 0; key < kKeys; ++key)
      keys = std::fill_n(keys, counts[key], static_cast<Bits>(key));
  }
};

/// Rows of at most 16 elements: how many come before each says where it goes, without a branch.
template <class T> struct ShortRow {
  using Bits = typename SortKeys<T>::Bits;
  using Signed = std::make_signed_t<Bits>;

  static int64_t scratch_bytes(const RowsJob&) { return 0; }

  static void sort(const RowsJob& job, const Row<T>& row, std::byte*) {
    if (row.length <= 4)
      return sort_up_to<4>(job, row);
    return row.length <= 8 ? sort_up_to<8>(job, row) : sort_up_to<kShortRow>(job, row);
  }

  template <int kMost> static void sort_up_to(const RowsJob& job, const Row<T>& row) {
    // Format: the bit that unsigned keys and signed ones differ by.
    constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    alignas(64) Signed keys[kMost], before[kMost] = {};
    for (int i = 0; i < kMost; ++i)
      keys[i] = i < row.length ? static_cast<Signed>(row.keys.of(row.in[i]) ^ kSign)
                               : std::numeric_limits<Signed>::max();
    for (int i = 0; i < row.length; ++i)
      for (int j = 0; j < kMost; ++j)
        before[j] = static_cast<Signed>(before[j] +
                                        ((keys[i] < keys[j]) | ((keys[i] == keys[j]) & (i < j))));
    T sorted[kMost];
    int places[kMost];
    for (int i = 0; i < row.length; ++i) {
      sorted[before[i]] = row.in[i];
      places[before[i]] = i;
    }
    row.out.put_all(sorted, places, job.count);
  }
};

template <class T, class Way> void run_rows(void* context, int64_t begin, int64_t end, int worker) {
  const RowsJob& job = *static_cast<const RowsJob*>(context);
  const Poll poll(job.rows.cancel);
  const int64_t length = job.rows.length;
  std::byte* scratch = job.scratch + worker * job.scratch_bytes;
  auto* copy = reinterpret_cast<T*>(scratch + round_up(Way::scratch_bytes(job)));
  try {
    for (int64_t row = begin; row < end; ++row) {
      poll();
      const T* in = static_cast<const T*>(job.rows.in) + row * length;
      // In place, a result may land on an element that is still to be read.
      if (job.rows.values == job.rows.in)
        in = std::copy_n(in, length, copy) - length;
      Way::sort(job, {in, length, SortKeys<T>(job.rows.order), Outputs<T>(job, row), poll},
                scratch);
    }
  } catch (const Stopped&) {
    job.is_stopped->store(true, std::memory_order_relaxed);
  }
}

template <class T> constexpr std::optional<Lane> lane_of() {
  if constexpr (std::is_same_v<T, float>)
    return Lane::f32;
  else if constexpr (std::is_same_v<T, double>)
    return Lane::f64;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? Lane::i32 : Lane::u32;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return std::is_signed_v<T> ? Lane::i64 : Lane::u64;
  else
    return std::nullopt;
}

/// Rows of few elements, many of them side by side.
template <class T> void run_short_rows(void* context, int64_t begin, int64_t end, int) {
  const RowsJob& job = *static_cast<const RowsJob*>(context);
  const Poll poll(job.rows.cancel);
  try {
    for (int64_t row = begin; row < end; row += kThreads.look_sorted / kShortRow) {
      poll();
      const Outputs<T> out(job, row);
      job.vectors->sort_short(
          *lane_of<T>(),
          {static_cast<const T*>(job.rows.in) + row * job.rows.length, out.values, out.narrow,
           out.wide, std::min(end - row, int64_t{kThreads.look_sorted / kShortRow}),
           job.rows.length, job.count, job.rows.order == SortOrder::descending});
    }
  } catch (const Stopped&) {
    job.is_stopped->store(true, std::memory_order_relaxed);
  }
}

template <class T> void launch_short(RowsJob job) {
  std::atomic<bool> is_stopped = false;
  job.is_stopped = &is_stopped;
  parallel_for(job.rows.rows, run_short_rows<T>, &job,
               std::min<int64_t>(thread_count(), job.rows.rows));
  if (is_stopped)
    throw Error(ErrorKind::runtime, "cancelled", "stopped on request");
}

template <class T, class Way> void launch(RowsJob job) {
  const int64_t workers = std::min<int64_t>(thread_count(), job.rows.rows);
  // Elements exist, so neither product comes near 2^63: a machine's address space has 2^47 bytes.
  job.scratch_bytes = round_up(Way::scratch_bytes(job));
  if (job.rows.values == job.rows.in)
    job.scratch_bytes += round_up(job.rows.length * static_cast<int64_t>(sizeof(T)));
  const Arena arena(job.scratch_bytes * workers, "the temporary memory of a sort");
  job.scratch = arena.data();
  std::atomic<bool> is_stopped = false;
  job.is_stopped = &is_stopped;
  parallel_for(job.rows.rows, run_rows<T, Way>, &job, workers);
  if (is_stopped)
    throw Error(ErrorKind::runtime, "cancelled", "stopped on request");
}

template <class T, class Form> void launch_with_places(const RowsJob& job) {
  if (FewFirst<T, Form>::fits(job))
    launch<T, FewFirst<T, Form>>(job);
  else if (job.count < job.rows.length / kFewSorted && job.rows.length > kMiddleRow)
    launch<T, FirstOfMany<T, Form>>(job);
  else
    launch<T, WithPlaces<T, Form>>(job);
}

} // namespace

void sort_rows(const SortRows& rows) { top_k_rows(rows, rows.length); }

void top_k_rows(const SortRows& rows, int64_t k) {
  KOLAM_CHECK(rows.rows >= 0 && k >= 0 && k <= rows.length);
  if (rows.rows == 0 || k == 0 || (!rows.values && !rows.indices))
    return;
  // In place, outputs of another length than the inputs would run into rows still to be read.
  KOLAM_CHECK(rows.values != rows.in || k == rows.length);
  KOLAM_CHECK(!rows.indices || rows.index_width == IndexWidth::i64 ||
              rows.length <= std::numeric_limits<int32_t>::max());
  const bool wide_places = rows.length > std::numeric_limits<uint32_t>::max();
  const RowsJob job{rows, k, nullptr, 0, nullptr, vector_sort(rows.vector_bytes)};
  visit_dtype(rows.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const bool is_whole = k >= rows.length / kFewValues;
    if (rows.length <= kShortRow && lane_of<T>() && job.vectors)
      launch_short<T>(job);
    else if (rows.length <= kShortRow)
      launch<T, ShortRow<T>>(job);
    else if (!rows.indices && is_whole && by_vectors(job.vectors, rows.length))
      launch<T, WithoutPlaces<T>>(job);
    else if (sizeof(T) == 8 || wide_places)
      launch_with_places<T, Broad>(job);
    else
      launch_with_places<T, Narrow>(job);
  });
}

} // namespace kolam::runtime
