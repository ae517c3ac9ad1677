// Runs the tests of a binary. What they compile is not kept on disk unless the caller says so: no
// test depends on what ran before.
#include <gtest/gtest.h>

#include <cstdlib>

int main(int count, char** arguments) {
  setenv("KOLAM_CACHE", "off", 0);
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
