// Keeps spans and writes them as Chrome trace events.
#include "kolam/support/trace.h"

#include "kolam/support/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kolam {
namespace detail {
constinit std::atomic<TraceState> trace_state = TraceState::unknown;
} // namespace detail

namespace {

using detail::trace_state;
using detail::TraceState;

/// A forgotten trace of a long run must not fill the disk: about 100 MB.
constexpr size_t kMaxEvents = 1 << 20;
/// Spans that end are written at most so often, in nanoseconds.
constexpr int64_t kWritePause = 100'000'000;

/// Invariant: the file, once it is there, is whole JSON at any moment; `end` is the place behind
/// the last event in it, where the next ones go. A device or a pipe, which has no places, is whole
/// when the process has ended.
struct Recorder {
  std::mutex mutex;
  std::string path;
  pid_t process = 0;
  std::vector<TraceEvent> events; ///< not yet written
  size_t count = 0;               ///< of all events
  size_t dropped = 0;
  int64_t last_write = 0;
  int file = -1;
  bool has_places = true;
  bool is_collected = false; ///< by `take_trace`, for the file of another process
  int64_t end = 0;
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

std::string event_text(const TraceEvent& event) {
  return "{\"name\":" + json_string(event.name) + ",\"cat\":" + json_string(event.category) +
         ",\"ph\":\"X\",\"ts\":" + microseconds(event.start) +
         ",\"dur\":" + microseconds(event.duration) + ",\"pid\":" + std::to_string(event.process) +
         ",\"tid\":" + std::to_string(event.thread) + "}";
}

/// Each of the following returns 0 or an errno.
int write_all(int file, const std::string& text, bool has_places, int64_t at) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t put = has_places ? pwrite(file, text.data() + done, text.size() - done,
                                            static_cast<off_t>(at + static_cast<int64_t>(done)))
                                   : write(file, text.data() + done, text.size() - done);
    if (put < 0 && errno != EINTR)
      return errno;
    done += static_cast<size_t>(std::max<ssize_t>(put, 0));
  }
  return 0;
}

std::string footer(const Recorder& trace) {
  return "\n],\"otherData\":{\"dropped\":" + std::to_string(trace.dropped) + "}}\n";
}

/// A file appears under its name with its first events in it.
int start_file(Recorder& trace, const std::string& text) {
  std::error_code none;
  const std::string target = std::filesystem::weakly_canonical(trace.path, none).string();
  struct stat status = {};
  const bool exists = stat(trace.path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    const int file = open(trace.path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0)
      return errno;
    if (const int error = write_all(file, text, false, 0)) {
      close(file);
      return error;
    }
    trace.has_places = false;
    trace.file = file;
    return 0;
  }
  const std::string place = none || target.empty() ? trace.path : target;
  const std::string temporary = place + "." + std::to_string(trace.process) + ".tmp";
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return errno;
  if (exists)
    fchmod(file, status.st_mode & 07777);
  int error = write_all(file, text + footer(trace), true, 0);
  if (!error && rename(temporary.c_str(), place.c_str()) != 0)
    error = errno;
  if (error) {
    close(file);
    unlink(temporary.c_str());
    return error;
  }
  trace.file = file;
  return 0;
}

/// Where an error comes back the events wait for the next attempt.
int write_events(Recorder& trace) {
  if (trace.is_collected)
    return 0;
  trace.last_write = now();
  std::string text;
  for (const TraceEvent& event : trace.events)
    text += (text.empty() && trace.end == 0 ? "{\"traceEvents\":[\n" : ",\n") + event_text(event);
  if (text.empty() && trace.end == 0)
    return 0;
  int error = 0;
  if (trace.file < 0)
    error = start_file(trace, text);
  else
    error = write_all(trace.file, trace.has_places ? text + footer(trace) : text, trace.has_places,
                      trace.end);
  if (error)
    return error;
  trace.end += static_cast<int64_t>(text.size());
  trace.events.clear();
  return 0;
}

/// Nobody can catch an error here.
void flush_at_exit() {
  try {
    flush_trace();
    Recorder& trace = recorder();
    const std::lock_guard lock(trace.mutex);
    if (!trace.has_places && trace.file >= 0 && getpid() == trace.process)
      write_all(trace.file, footer(trace), false, 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kolam: %s\n", error.what());
  }
}

/// With the lock held.
void add(Recorder& trace, TraceEvent event) {
  if (trace.count >= kMaxEvents) {
    ++trace.dropped;
    return;
  }
  ++trace.count;
  trace.events.push_back(std::move(event));
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
    trace.last_write = now();
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
  const int64_t stop = now();
  Recorder& trace = recorder();
  // The parent owns the file; and its threads, which may have held the lock, are not here.
  if (getpid() != trace.process)
    return;
  std::string name(name_);
  if (number_ >= 0)
    name += std::to_string(number_);
  const std::lock_guard lock(trace.mutex);
  add(trace, {.name = std::move(name),
              .category = std::string(category_),
              .start = start_,
              .duration = stop - start_,
              .process = trace.process,
              .thread = gettid()});
  if (stop - trace.last_write >= kWritePause)
    write_events(trace); // what fails is told at the end
}

void collect_trace() {
  Recorder& trace = recorder();
  const std::lock_guard lock(trace.mutex);
  trace.is_collected = true;
  trace.process = getpid();
  trace_state = TraceState::on;
}

std::vector<TraceEvent> take_trace() {
  Recorder& trace = recorder();
  const std::lock_guard lock(trace.mutex);
  if (!trace.is_collected)
    return {};
  trace.count = 0;
  return std::exchange(trace.events, {});
}

void add_to_trace(const std::vector<TraceEvent>& events) {
  if (!is_tracing())
    return;
  Recorder& trace = recorder();
  const std::lock_guard lock(trace.mutex);
  for (const TraceEvent& event : events)
    add(trace, event);
}

void flush_trace() {
  if (!is_tracing())
    return;
  Recorder& trace = recorder();
  if (getpid() != trace.process)
    return;
  const std::lock_guard lock(trace.mutex);
  if (const int error = write_events(trace))
    fail(ErrorKind::io, "io-write",
         "cannot write the trace '" + trace.path + "': " + std::strerror(error));
}

} // namespace kolam
