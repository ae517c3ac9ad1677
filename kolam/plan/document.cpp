// Reads values of JSON documents.
#include "kolam/plan/document.h"

#include <algorithm>
#include <cmath>

#include "kolam/support/error.h"

namespace kolam::plans {
namespace {

constexpr size_t kMostShown = 60;
constexpr size_t kMostWords = 200;

/// A value in a few words: a large one is not printed, a list or object only by its kind.
std::string shown(const ReadJson& value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list of " + std::to_string(value.size());
  std::string text = value.dump(-1, ' ', true, ReadJson::error_handler_t::replace);
  return text.size() > kMostShown ? text.substr(0, kMostShown) + "..." : text;
}

} // namespace

std::string Place::path() const {
  if (!around_)
    return {};
  std::string before = around_->path();
  if (key_.empty())
    return before + "[" + std::to_string(index_) + "]";
  return before.empty() ? std::string(key_) : before + "." + std::string(key_);
}

void Place::refuse(std::string_view expected) const {
  const std::string where = path();
  fail(ErrorKind::value, slug_,
       (where.empty() ? "" : where + ": ") + "expected " + std::string(expected) + ", but got " +
           shown(*value_));
}

Place Place::operator[](std::string_view key) const {
  if (!value_->is_object())
    refuse("an object");
  const auto found = value_->find(key);
  if (found == value_->end())
    refuse("a key '" + std::string(key) + "'");
  return {*found, *this, key, 0};
}

size_t Place::size() const {
  if (!value_->is_array())
    refuse("a list");
  return value_->size();
}

Place Place::at(size_t index) const {
  if (index >= size())
    refuse("a list of more than " + std::to_string(index));
  return {(*value_)[index], *this, {}, index};
}

std::vector<std::string> Place::keys() const {
  if (!value_->is_object())
    refuse("an object");
  std::vector<std::string> result;
  for (auto item = value_->begin(); item != value_->end(); ++item)
    result.push_back(item.key());
  return result;
}

void Place::expect_keys(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object())
    refuse("an object");
  for (auto item = value_->begin(); item != value_->end(); ++item)
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      refuse("no key " + shown(ReadJson(item.key())));
}

std::string Place::text() const {
  if (!value_->is_string())
    refuse("a text");
  return value_->get<std::string>();
}

bool Place::truth() const {
  if (!value_->is_boolean())
    refuse("true or false");
  return value_->get<bool>();
}

bool Place::is_integer() const { return value_->is_number_integer(); }
bool Place::is_null() const { return value_->is_null(); }

int64_t Place::integer() const {
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() || value_->get<uint64_t>() <= INT64_MAX);
  if (!fits)
    refuse("an integer of 64 bits");
  return value_->get<int64_t>();
}

int64_t Place::integer(int64_t least, int64_t greatest) const {
  const int64_t value = integer();
  if (value < least || value > greatest)
    refuse("an integer from " + std::to_string(least) + " to " + std::to_string(greatest));
  return value;
}

double Place::number() const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (value_->is_number())
    return value_->get<double>();
  if (*value_ == "inf" || *value_ == "-inf")
    return *value_ == "inf" ? infinite : -infinite;
  if (*value_ != "nan")
    refuse("a number");
  return std::numeric_limits<double>::quiet_NaN();
}

size_t Place::one_of(std::span<const std::string_view> names) const {
  const auto* text = value_->get_ptr<const std::string*>();
  const auto found = std::find(names.begin(), names.end(), text ? *text : std::string());
  if (found != names.end())
    return static_cast<size_t>(found - names.begin());
  std::string all;
  for (std::string_view name : names)
    all += (all.empty() ? "'" : ", '") + std::string(name) + "'";
  refuse("one of " + all);
}

ReadJson parsed(std::string_view text, std::string_view slug) {
  try {
    return ReadJson::parse(text);
  } catch (const ReadJson::exception& error) {
    std::string words = error.what();
    if (const size_t name = words.find("] "); name != std::string::npos)
      words.erase(0, name + 2);
    fail(ErrorKind::value, slug, "expected JSON, but got a " + words.substr(0, kMostWords));
  }
}

Json number_json(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

} // namespace kolam::plans
