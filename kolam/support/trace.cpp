// Keeps spans and writes them as Chrome trace events.
#include "kolam/support/trace.h"

#include "kolam/support/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

namespace kolam {
namespace detail {
constinit std::atomic<TraceState> trace_state = TraceState::unknown;
} // namespace detail

namespace {

using detail::trace_state;
using detail::TraceState;

/// A forgotten trace of a long run must not eat the memory: about 100 MB.
constexpr size_t kMaxEvents = 1 << 20;

struct Event {
  std::string name;
  std::string category;
  int64_t start;
  int64_t duration;
  int thread;
};

struct Recorder {
  std::mutex mutex;
  std::string path;
  pid_t process = 0;
  std::vector<Event> events;
  size_t dropped = 0;
};

/// Never destroyed: spans may end while statics are destroyed.
Recorder& recorder() {
  static Recorder* instance = new Recorder;
  return *instance;
}

int64_t now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Any bytes as a JSON string; what is no UTF-8 becomes U+FFFD.
std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Nanoseconds as the microseconds of the format, exactly.
std::string microseconds(int64_t nanoseconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(nanoseconds / 1000),
                static_cast<long long>(nanoseconds % 1000));
  return text;
}

std::string event_text(const Event& event, pid_t process) {
  return "{\"name\":" + json_string(event.name) + ",\"cat\":" + json_string(event.category) +
         ",\"ph\":\"X\",\"ts\":" + microseconds(event.start) +
         ",\"dur\":" + microseconds(event.duration) + ",\"pid\":" + std::to_string(process) +
         ",\"tid\":" + std::to_string(event.thread) + "}";
}

/// Returns 0 or an errno.
int write_events(const Recorder& recorder) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(recorder.path.c_str(), "w"),
                                                             std::fclose);
  if (!file)
    return errno;
  std::fputs("{\"traceEvents\":[\n", file.get());
  const char* separator = "";
  for (const Event& event : recorder.events) {
    std::fputs((separator + event_text(event, recorder.process)).c_str(), file.get());
    separator = ",\n";
  }
  std::fprintf(file.get(), "\n],\"otherData\":{\"dropped\":%zu}}\n", recorder.dropped);
  return std::fflush(file.get()) != 0 || std::ferror(file.get()) ? errno : 0;
}

/// Nobody can catch an error here.
void flush_at_exit() {
  try {
    flush_trace();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kolam: %s\n", error.what());
  }
}

} // namespace

bool detail::start_trace() {
  Recorder& trace = recorder();
  const std::lock_guard lock(trace.mutex);
  if (trace_state != TraceState::unknown)
    return trace_state == TraceState::on;
  const char* path = std::getenv("KOLAM_TRACE");
  const bool on = path && *path;
  if (on) {
    trace.path = path;
    trace.process = getpid();
    std::atexit(flush_at_exit);
  }
  trace_state = on ? TraceState::on : TraceState::off;
  return on;
}

void TraceSpan::begin(std::string_view name, std::string_view category) {
  name_ = name;
  category_ = category;
  start_ = now();
}

void TraceSpan::end() {
  const int64_t duration = now() - start_;
  Recorder& trace = recorder();
  const std::lock_guard lock(trace.mutex);
  if (trace.events.size() >= kMaxEvents) {
    ++trace.dropped;
    return;
  }
  trace.events.push_back(
      {std::string(name_), std::string(category_), start_, duration, static_cast<int>(gettid())});
}

void flush_trace() {
  if (!is_tracing())
    return;
  Recorder& trace = recorder();
  const std::lock_guard lock(trace.mutex);
  if (getpid() != trace.process)
    return;
  if (const int error = write_events(trace))
    fail(ErrorKind::io, "io-write",
         "cannot write the trace '" + trace.path + "': " + std::strerror(error));
}

} // namespace kolam
