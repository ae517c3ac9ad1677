// Keeps results of tasks in memory and on disk.
#include "kolam/driver/kept_results.h"

#include "kolam/backend/table/backends.h"
#include "kolam/support/error.h"

#include <cstring>

namespace kolam::driver {
namespace {

/// What stands in front of an array's elements on disk: its dtype and rank, then its extents.
using Word = int64_t;

void append(std::string& bytes, Word word) {
  bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
}

std::string as_bytes(const std::vector<Array>& results) {
  std::string bytes;
  append(bytes, static_cast<Word>(results.size()));
  for (const Array& result : results) {
    append(bytes, static_cast<Word>(result.dtype()));
    append(bytes, result.rank());
    for (int64_t extent : result.shape())
      append(bytes, extent);
    bytes.append(static_cast<const char*>(result.data()), static_cast<size_t>(result.byte_count()));
  }
  return bytes;
}

/// Of bytes whose checksum holds: nobody but `as_bytes` wrote them.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::vector<Array> results() {
    std::vector<Array> all(static_cast<size_t>(word()));
    for (Array& result : all) {
      const auto dtype = static_cast<DType>(word());
      std::vector<int64_t> shape(static_cast<size_t>(word()));
      for (int64_t& extent : shape)
        extent = word();
      result = Array::uninitialized(dtype, shape);
      take(result.mutable_data(), static_cast<size_t>(result.byte_count()));
    }
    return all;
  }

private:
  Word word() {
    Word word;
    take(&word, sizeof word);
    return word;
  }
  void take(void* to, size_t count) {
    KOLAM_CHECK(count <= bytes_.size());
    if (count > 0)
      std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  std::string_view bytes_;
};

/// In memory that nobody else writes, and no larger than the array.
Array own(const Array& array) {
  const bool is_whole = array.buffer()->bytes() <= array.byte_count() + runtime::kBufferAlignment;
  return is_whole && !array.buffer()->is_foreign()
             ? array
             : Array::copy_of(array.dtype(), array.shape(), array.data());
}

int64_t bytes_of(const std::vector<Array>& results) {
  int64_t bytes = 0;
  for (const Array& result : results)
    bytes += result.byte_count();
  return bytes;
}

} // namespace

ContentKey result_key(std::string_view text, std::span<const int64_t> offsets,
                      std::span<const Array> reads) {
  const std::string build = backend::default_backend()->build(),
                    target = backend::default_backend()->target();
  std::string shapes;
  for (const Array& read : reads)
    shapes += std::string(name(read.dtype())) + runtime::shape_text(read.shape());
  std::vector<std::string_view> parts = {"result of a task", build, target, text, shapes};
  parts.emplace_back(reinterpret_cast<const char*>(offsets.data()), offsets.size_bytes());
  for (const Array& read : reads)
    parts.emplace_back(static_cast<const char*>(read.data()),
                       static_cast<size_t>(read.byte_count()));
  return content_key(std::span<const std::string_view>(parts));
}

KeptResults::KeptResults(int64_t bytes, const std::string& directory) : allowed_(bytes) {
  if (directory.empty())
    return;
  directory_.emplace(CacheDirectory::open(
      {.path = directory, .bytes = bytes, .reason = {}, .what = "a result", .warns = false}));
  if (!directory_->is_open())
    fail(ErrorKind::io, "io-write",
         "cannot keep results in '" + directory + "': " + directory_->reason());
}

std::optional<std::vector<Array>> KeptResults::find(const ContentKey& key) {
  {
    std::lock_guard lock(mutex_);
    if (auto found = by_key_.find(key); found != by_key_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      ++usage_.hits;
      return found->second->results;
    }
  }
  std::optional<std::string> bytes;
  if (directory_)
    bytes = find_entry(*directory_, Shelf::results, key).bytes;
  if (!bytes) {
    std::lock_guard lock(mutex_);
    ++usage_.misses;
    return std::nullopt;
  }
  std::vector<Array> results = Reader(*bytes).results();
  keep_in_memory(key, results);
  std::lock_guard lock(mutex_);
  ++usage_.hits;
  return results;
}

void KeptResults::keep(const ContentKey& key, const std::vector<Array>& results) {
  if (bytes_of(results) > allowed_)
    return;
  std::vector<Array> owned;
  for (const Array& result : results)
    owned.push_back(own(result));
  if (directory_)
    keep_entry(*directory_, Shelf::results, key, as_bytes(owned));
  keep_in_memory(key, std::move(owned));
}

void KeptResults::keep_in_memory(const ContentKey& key, std::vector<Array> results) {
  const int64_t bytes = bytes_of(results);
  std::lock_guard lock(mutex_);
  if (bytes > allowed_ || by_key_.contains(key))
    return;
  entries_.push_front({key, std::move(results), bytes});
  by_key_[key] = entries_.begin();
  for (usage_.bytes += bytes; usage_.bytes > allowed_; entries_.pop_back()) {
    usage_.bytes -= entries_.back().bytes;
    by_key_.erase(entries_.back().key);
  }
  usage_.entries = static_cast<int64_t>(entries_.size());
}

KeptResults::Usage KeptResults::usage() const {
  std::lock_guard lock(mutex_);
  return usage_;
}

} // namespace kolam::driver
