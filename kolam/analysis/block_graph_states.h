/// States of scans, in terms of what the bodies of the scans yield; used by block_graph.cpp.
#pragma once

#include "kolam/analysis/block_walk.h"

namespace kolam::analysis {

/// Takes the buffers of states away: their parts are those of what the bodies of scans yield. A
/// state that is made of itself alone keeps its buffer, and a block that moves it.
class States {
public:
  States(Walked& walked, Placing& placing);

  Places resolved(Places places) const;
  bool is_kept(size_t state) const { return kept_.contains(state); }

private:
  enum class Mark : uint8_t { open, begun, done };

  void finish(size_t state);

  Walked& walked_;
  Placing& placing_;
  std::map<int, size_t> number_; ///< of states by buffers
  std::vector<Mark> marks_;
  std::set<size_t> kept_;
};

} // namespace kolam::analysis
