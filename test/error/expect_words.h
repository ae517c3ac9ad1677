/// Expecting a refusal by its words, its kind and the test's own file.
#pragma once

#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <functional>
#include <source_location>

namespace kolam::test {

/// `call` throws an Error of `kind` whose text starts with `words` and whose line lies in the file
/// of the caller.
inline void expect_words(const std::function<void()>& call, ErrorKind kind,
                         const std::string& words,
                         std::source_location here = std::source_location::current()) {
  try {
    call();
    FAIL() << "expected an Error: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(std::string(error.what()).rfind(words, 0), 0u) << error.what();
    std::string file = here.file_name();
    EXPECT_NE(error.where().file.find(file.substr(file.rfind('/') + 1)), std::string::npos)
        << error.what();
  }
}

/// `call` throws an Error of that slug, in brackets, whose text has `words` behind it.
inline void expect_mention(const std::function<void()>& call, const std::string& slug,
                           const std::string& words) {
  try {
    call();
    FAIL() << "expected an Error: " << slug << " " << words;
  } catch (const Error& error) {
    const std::string text = error.what();
    const size_t place = text.find(slug);
    EXPECT_TRUE(place != std::string::npos && text.find(words, place) != std::string::npos) << text;
  }
}

} // namespace kolam::test
