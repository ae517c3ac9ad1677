// Traces: each case runs in a child, since a process reads KOLAM_TRACE once.
#include "kolam/support/trace.h"

#include "kolam/support/error.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
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

TEST_F(Trace, HoldsSpansOfOtherProcesses) {
  const int status = run_traced(path_, [] {
    const TraceSpan own("own", "test");
    add_to_trace({{.name = "theirs",
                   .category = "task",
                   .start = 5000,
                   .duration = 2000,
                   .process = 77,
                   .thread = 78}});
    return 0;
  });
  ASSERT_EQ(status, 0);
  const json spans = events();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].at("name"), "theirs");
  EXPECT_EQ(spans[0].at("pid"), 77);
  EXPECT_EQ(spans[0].at("tid"), 78);
  EXPECT_EQ(spans[0].at("ts"), 5.0);
  EXPECT_NE(spans[1].at("pid"), 77);
}

TEST_F(Trace, CollectedSpansAreWrittenByNobody) {
  const int status = run_traced(path_, [] {
    collect_trace();
    {
      const TraceSpan span("collected", "test");
    }
    const std::vector<TraceEvent> taken = take_trace();
    flush_trace();
    const bool is_right = taken.size() == 1 && taken[0].name == "collected" &&
                          taken[0].process == getpid() && take_trace().empty();
    return is_right ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(path_));
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

TEST_F(Trace, NumbersNames) {
  ASSERT_EQ(run_traced(path_, [] { return TraceSpan("nest", 12, "run"), 0; }), 0);
  EXPECT_EQ(events()[0].at("name"), "nest12");
}

TEST_F(Trace, LaterWritesGoBehindEarlierOnes) {
  const int status = run_traced(path_, [this] {
    for (size_t i = 1; i <= 3; ++i) {
      {
        const TraceSpan span("span", "test");
      }
      flush_trace();
      if (events().size() != i)
        return 1;
    }
    const TraceSpan last("last", "test");
    return 0;
  });
  EXPECT_EQ(status, 0);
  ASSERT_EQ(events().size(), 4u);
  EXPECT_EQ(events()[3].at("name"), "last");
}

TEST_F(Trace, AKilledProcessLeavesAWholeFile) {
  const int status = run_traced(path_, [this] {
    // Spans are written now and then while the process runs.
    for (int i = 0; i < 1 << 20 && !std::filesystem::exists(path_); ++i)
      const TraceSpan span("span", "test");
    raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(status, -1);
  EXPECT_GT(events().size(), 0u);
}

TEST_F(Trace, AnOldFileStaysUntilThereIsSomethingToWrite) {
  std::ofstream(path_) << "old";
  const int status = run_traced(path_, [this] {
    const bool on = is_tracing();
    flush_trace();
    std::string text;
    std::ifstream(path_) >> text;
    return on && text == "old" ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  std::string text;
  std::ifstream(path_) >> text;
  EXPECT_EQ(text, "old");
  ASSERT_EQ(run_traced(path_, [] { return TraceSpan("new", "test"), 0; }), 0);
  EXPECT_EQ(events()[0].at("name"), "new");
}

TEST_F(Trace, WritesToAPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::string text;
  std::thread reader([&] {
    std::ifstream pipe(path_);
    std::getline(pipe, text, '\0');
  });
  EXPECT_EQ(run_traced(path_,
                       [] {
                         {
                           const TraceSpan span("a", "test");
                         }
                         flush_trace();
                         return TraceSpan("b", "test"), 0;
                       }),
            0);
  reader.join();
  EXPECT_EQ(json::parse(text).at("traceEvents").size(), 2u);
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
