// Traces: each case runs in a child, since a process reads KOLAM_TRACE once.
#include "kolam/support/trace.h"

#include "kolam/support/error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kolam {
namespace {

using nlohmann::json;

/// The exit status of `body` in a child that traces to `path`.
int run_traced(const std::string& path, const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("KOLAM_TRACE", path.c_str(), 1);
    std::exit(body());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Trace : public testing::Test {
protected:
  std::string path_ = std::filesystem::temp_directory_path() /
                      ("kolam-trace-" + std::to_string(getpid()) + ".json");
  ~Trace() override { std::filesystem::remove(path_); }

  json events() const { return json::parse(std::ifstream(path_)).at("traceEvents"); }
};

TEST_F(Trace, WritesNestedSpansAtExit) {
  const int status = run_traced(path_, [] {
    const TraceSpan outer("outer", "test");
    std::thread([] { const TraceSpan inner("inner", "test"); }).join();
    return 0;
  });
  ASSERT_EQ(status, 0);
  const json spans = events();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].at("name"), "inner");
  EXPECT_EQ(spans[1].at("cat"), "test");
  EXPECT_EQ(spans[1].at("ph"), "X");
  EXPECT_LE(spans[1].at("ts").get<double>(), spans[0].at("ts").get<double>());
  EXPECT_GE(spans[1].at("dur").get<double>(), spans[0].at("dur").get<double>());
  EXPECT_NE(spans[0].at("tid"), spans[1].at("tid"));
}

TEST_F(Trace, EscapesStrings) {
  ASSERT_EQ(run_traced(path_, [] { return TraceSpan("\"\\\n\x01\xff", "ö"), 0; }), 0);
  EXPECT_EQ(events()[0].at("name"), "\"\\\n\x01\xef\xbf\xbd");
  EXPECT_EQ(events()[0].at("cat"), "ö");
}

TEST_F(Trace, FlushWritesWhatThereIs) {
  const int status = run_traced(path_, [this] {
    {
      const TraceSpan span("first", "test");
    }
    flush_trace();
    return events().size() == 1 ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(Trace, TheChildOfAForkLeavesTheFileAlone) {
  const int status = run_traced(path_, [] {
    {
      const TraceSpan span("parent", "test");
    }
    if (fork() == 0) {
      {
        const TraceSpan span("child", "test");
      }
      std::exit(0);
    }
    wait(nullptr);
    return 0;
  });
  ASSERT_EQ(status, 0);
  EXPECT_EQ(events().size(), 1u);
}

TEST_F(Trace, OffWithoutAPath) {
  EXPECT_EQ(run_traced("", [] { return is_tracing() ? 1 : 0; }), 0);
}

TEST_F(Trace, FlushNamesAPathThatCannotBeWritten) {
  const int status = run_traced("/nowhere/trace.json", [] {
    {
      const TraceSpan span("a", "b");
    }
    try {
      flush_trace();
    } catch (const Error& error) {
      const bool named = error.message().find("/nowhere/trace.json") != std::string::npos;
      _exit(error.slug() == "io-write" && named ? 0 : 1);
    }
    return 2;
  });
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace kolam
