// Errors: how their text is put together, and whose call and line they carry.
#include "kolam/support/error.h"

#include "kolam/support/continued_call.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace kolam {
namespace {

const SourceLocation kUser{"user.py", 7}, kLibrary{"library.cpp", 99}, kBody{"user.py", 8};

/// The text of what `fail` throws here.
std::string failure() {
  try {
    fail(ErrorKind::value, "bad-value", "expected more, but got less");
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ErrorText, HoldsSlugMessageAndPlace) {
  Error error(ErrorKind::index, "index-out-of-range", "expected less, but got more", kUser);
  EXPECT_STREQ(error.what(), "[index-out-of-range] expected less, but got more\n  at user.py:7");
  EXPECT_EQ(error.kind(), ErrorKind::index);
  EXPECT_EQ(error.slug(), "index-out-of-range");
  EXPECT_EQ(error.message(), "expected less, but got more");
  EXPECT_EQ(error.where().line, 7);
  EXPECT_STREQ(Error(ErrorKind::io, "io-read", "cannot read 'x'").what(),
               "[io-read] cannot read 'x'");
}

TEST(CallScopes, TellTheOutermostCall) {
  EXPECT_EQ(failure(), "[bad-value] expected more, but got less");
  {
    CallScope outer("matmul", kUser);
    CallScope inner("transpose", kLibrary);
    EXPECT_EQ(CallScope::current_function(), "matmul");
    EXPECT_EQ(failure(), "matmul: [bad-value] expected more, but got less\n  at user.py:7");
  }
  EXPECT_EQ(CallScope::current_function(), "");
  EXPECT_EQ(failure(), "[bad-value] expected more, but got less");
}

TEST(CallScopes, AreNumberedButForThoseThatGoOn) {
  unsigned first = 0;
  {
    CallScope call("where", kUser);
    first = CallScope::current_number();
  }
  {
    CallScope call("where", kUser);
    EXPECT_NE(CallScope::current_number(), first);
    continue_call(first);
    EXPECT_EQ(CallScope::current_number(), first);
  }
  CallScope call("where", kUser);
  EXPECT_NE(CallScope::current_number(), first);
}

TEST(CallScopes, BeginAnewInsideOfACallback) {
  CallScope loop("fori", kUser);
  {
    CallbackScope body;
    EXPECT_EQ(CallScope::current_function(), "");
    {
      CallScope call("add", kBody);
      EXPECT_EQ(failure(), "add: [bad-value] expected more, but got less\n  at user.py:8");
    }
    // What no call in the body raises belongs to the call around it.
    EXPECT_EQ(failure(), "fori: [bad-value] expected more, but got less\n  at user.py:7");
  }
  EXPECT_EQ(CallScope::current_function(), "fori");
  EXPECT_EQ(CallScope::current_location().line, 7);
}

TEST(CallScopes, AreNumbered) {
  EXPECT_EQ(CallScope::current_number(), 0u);
  CallScope loop("fori", kUser);
  const unsigned number = CallScope::current_number();
  {
    CallScope part("add", kUser);
    EXPECT_EQ(CallScope::current_number(), number) << "a call inside belongs to the outermost";
    CallbackScope body;
    CallScope first("add", kBody);
    EXPECT_EQ(CallScope::current_number(), number + 1);
  }
  {
    CallbackScope body;
    CallScope second("add", kBody);
    EXPECT_EQ(CallScope::current_number(), number + 2);
  }
  EXPECT_EQ(CallScope::current_number(), number);
}

} // namespace
} // namespace kolam
