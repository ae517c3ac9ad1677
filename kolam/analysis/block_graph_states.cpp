// Resolves states.
#include "kolam/analysis/block_graph_states.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

bool lies_in(const Places& places, int buffer) {
  return std::any_of(places.parts.begin(), places.parts.end(),
                     [&](const Part& part) { return part.buffer == buffer; });
}

} // namespace

States::States(Walked& walked, Placing& placing) : walked_(walked), placing_(placing) {
  for (size_t i = 0; i < walked.states.size(); ++i)
    number_[walked.states[i].buffer] = i;
  marks_.resize(walked.states.size(), Mark::open);
  for (size_t i = 0; i < walked.states.size(); ++i)
    finish(i);
}

Places States::resolved(Places places) const {
  for (size_t state = 0; state < marks_.size(); ++state)
    if (!is_kept(state) && lies_in(places, walked_.states[state].buffer))
      places = placing_.resolved(places, walked_.states[state].buffer, walked_.states[state].next,
                                 walked_.states[state].around.size());
  return places;
}

void States::finish(size_t state) {
  if (marks_[state] != Mark::open)
    return;
  marks_[state] = Mark::begun;
  std::set<int> buffers;
  for (const Part& part : walked_.states[state].next.parts)
    buffers.insert(part.buffer);
  for (int buffer : buffers) {
    auto found = number_.find(buffer);
    if (found == number_.end())
      continue;
    size_t inner = found->second;
    finish(inner);
    if (marks_[inner] == Mark::begun)
      kept_.insert(inner);
    else if (!is_kept(inner))
      walked_.states[state].next =
          placing_.resolved(walked_.states[state].next, buffer, walked_.states[inner].next,
                            walked_.states[inner].around.size());
  }
  marks_[state] = Mark::done;
}

} // namespace kolam::analysis
