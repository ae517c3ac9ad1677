// Runs a long nest: threads have parts of its range, in pieces between which the call may stop.
#include "kolam/runtime/thread_pool.h"
#include "kolam/runtime/walk.h"
#include "kolam/support/machine.h"

#include <algorithm>
#include <chrono>

namespace kolam::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// One run of a nest over its whole range, shared by the threads that take part.
struct NestRun {
  abi::NestFunction function;
  abi::Context* context;
  void* const* buffers;
  const int64_t* extents;
  int64_t piece;       ///< of the range, to run at first without a look at the cancel flag
  int64_t least_piece; ///< see NestStep
  int64_t unit;        ///< pieces are multiples of it, but for the last
  int64_t range;
  std::vector<int32_t> codes;           // by worker
  std::vector<abi::ErrorRecord> errors; // likewise

  /// Runs [begin, end) in pieces that grow and shrink to the time between looks.
  int32_t run(int64_t begin, int64_t end, abi::ErrorRecord* error) const {
    for (int64_t next = piece; begin < end;) {
      if (is_set(context->cancel)) {
        *error = {abi::cancelled, -1, 0};
        return abi::cancelled;
      }
      int64_t stop = begin + std::min(next, end - begin);
      if (stop == end) // nothing is left to cut
        return function(context, buffers, extents, begin, end, error);
      Clock::time_point start = Clock::now();
      if (int32_t code = function(context, buffers, extents, begin, stop, error))
        return code;
      Clock::duration took = Clock::now() - start;
      if (took < kThreads.short_piece)
        next = std::min(next, (end - begin) / 2 + 1) * 2;
      else if (took > kThreads.long_piece)
        next = round_up(std::max<int64_t>(least_piece, next / 2), unit);
      begin = stop;
    }
    return abi::ok;
  }
};

} // namespace

double Walk::count_flops(const NestStep& step, bool in_place) {
  if (in_place)
    return static_cast<double>(size(step.written)) * step.flops_per_written;
  const int first = step.buffers[0];
  const int64_t cells = bytes(first) / byte_width(program_.buffers[first].dtype);
  return static_cast<double>(cells) * step.flops_per_cell;
}

int32_t Walk::run_pieces(const NestStep& step, const NestCall& call) {
  const int64_t range = call.range;
  const auto& [function, data] = nests_[step.nest];
  context_.nest = data;
  void* const* buffers = tables_->pointers.data() + call.place.first_pointer;
  const int64_t* extents = tables_->extents.data() + call.place.first_extent;
  const double flops = count_flops(step, changes_in_place(step));
  int64_t piece = range;
  if (flops > kThreads.piece_flops)
    piece =
        std::max<int64_t>(step.least_piece, static_cast<int64_t>(static_cast<double>(range) *
                                                                 (kThreads.piece_flops / flops)));
  auto threads = static_cast<size_t>(is_in_turn_ ? 1 : thread_count());
  // Parts of nests that are cut with care go in tiles; no thread gets less for it.
  bool has_tiles =
      step.least_piece > 1 && range >= 4 * kThreads.tile * static_cast<int64_t>(threads);
  const int64_t unit = has_tiles ? kThreads.tile : 1;
  NestRun nest{function,         &context_, buffers, extents, round_up(piece, unit),
               step.least_piece, unit,      range,   {},      {}};
  if (threads == 1)
    return nest.run(0, range, &error_);
  nest.codes.resize(threads);
  nest.errors.resize(threads);
  parallel_for((range + unit - 1) / unit,
               [](void* run, int64_t begin, int64_t end, int worker) {
                 auto& shared = *static_cast<NestRun*>(run);
                 shared.codes[worker] =
                     shared.run(begin * shared.unit, std::min(end * shared.unit, shared.range),
                                &shared.errors[worker]);
               },
               &nest, static_cast<int64_t>(threads));
  // Workers have ranges in order: of several errors that of the lowest index counts.
  for (size_t worker = 0; worker < threads; ++worker)
    if (nest.codes[worker] != abi::ok) {
      error_ = nest.errors[worker];
      return nest.codes[worker];
    }
  return abi::ok;
}

} // namespace kolam::runtime
