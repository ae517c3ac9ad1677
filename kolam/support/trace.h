/// Traces where time goes: KOLAM_TRACE=path writes Chrome trace JSON (Perfetto, chrome://tracing)
/// when the process ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace kolam {

namespace detail {
enum class TraceState : uint8_t { unknown, off, on };
/// Unknown until the first span reads the environment.
extern std::atomic<TraceState> trace_state;
bool start_trace();
} // namespace detail

/// True where spans are recorded.
inline bool is_tracing() {
  const detail::TraceState state = detail::trace_state.load(std::memory_order_relaxed);
  return state != detail::TraceState::off &&
         (state == detail::TraceState::on || detail::start_trace());
}

/// Records the time from here to the end of its scope, on its thread. Costs one branch where
/// tracing is off. Name and category are copied at the end, so the texts must outlive the span.
class TraceSpan {
public:
  TraceSpan(std::string_view name, std::string_view category) {
    if (is_tracing()) [[unlikely]]
      begin(name, category);
  }
  ~TraceSpan() {
    if (start_ >= 0) [[unlikely]]
      end();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

private:
  void begin(std::string_view name, std::string_view category);
  void end();

  std::string_view name_;
  std::string_view category_;
  int64_t start_ = -1; // nanoseconds
};

/// Writes what was recorded so far; what follows comes with the next write. Nothing where tracing
/// is off, and in the child of a fork, whose parent owns the file. Throws `[io-write]`.
void flush_trace();

} // namespace kolam
