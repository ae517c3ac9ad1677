/// Reading JSON with care: every value knows its path in the document, every fault is an Error.
/// Only for .cpp files of this folder: nlohmann's header is large.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::plans {

/// What is written keeps the order of its keys. What is read has them in a search tree, since a
/// document from elsewhere may have any number of them.
using Json = nlohmann::ordered_json;
using ReadJson = nlohmann::json;

/// A value of a document and how one gets there: `tasks[3].reads[0].extent`. Refers to the document
/// and to the place around it, which outlive it.
class Place {
public:
  Place(const ReadJson& document, std::string_view slug) : value_(&document), slug_(slug) {}

  /// The value under a key of an object; refuses where there is none.
  Place operator[](std::string_view key) const;
  /// The elements of a list.
  size_t size() const;
  Place at(size_t index) const;
  /// Refuses an object that has a key beyond these, and what is no object.
  void expect_keys(std::initializer_list<std::string_view> keys) const;
  /// The keys of an object.
  std::vector<std::string> keys() const;

  std::string text() const;
  bool truth() const;
  bool is_integer() const;
  bool is_null() const;
  int64_t integer() const;
  /// An integer in [least, greatest].
  int64_t integer(int64_t least, int64_t greatest = std::numeric_limits<int64_t>::max()) const;
  /// A number, or one of the texts "nan", "inf", "-inf", for which JSON has no numbers.
  double number() const;
  /// The place of a text among names.
  size_t one_of(std::span<const std::string_view> names) const;

  /// Throws `path: expected ..., but got ...`.
  [[noreturn]] void refuse(std::string_view expected) const;
  std::string path() const;

private:
  Place(const ReadJson& value, const Place& around, std::string_view key, size_t index)
      : value_(&value), slug_(around.slug_), around_(&around), key_(key), index_(index) {}

  const ReadJson* value_;
  std::string_view slug_;
  const Place* around_ = nullptr;
  std::string_view key_; ///< empty in a list
  size_t index_ = 0;
};

/// The document that a text is; refuses what is no JSON, with the slug.
ReadJson parsed(std::string_view text, std::string_view slug);
/// The number as JSON, or its text where JSON has none.
Json number_json(double value);

/// `read` of each element of a list.
template <class F> auto list_of(const Place& place, F&& read) {
  std::vector<decltype(read(place))> result;
  const size_t count = place.size();
  result.reserve(count);
  for (size_t i = 0; i < count; ++i)
    result.push_back(read(place.at(i)));
  return result;
}
inline std::vector<int64_t> integers(const Place& place) {
  return list_of(place, [](const Place& each) { return each.integer(); });
}

} // namespace kolam::plans
