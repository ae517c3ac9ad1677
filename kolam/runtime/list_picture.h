/// How lists lie in memory.
#pragma once

#include "kolam/runtime/list.h"

namespace kolam::runtime {

/// As text: offsets, the tree of lists with the numbers of their leaves, and the buffer. Of long
/// lists the beginnings.
///
///     [[0 1 2] [] [3 4]]:   offsets of level 1: 0 3 3 5
///                           [0] leaves 0 to 2
///                           [1] empty
///                           [2] leaves 3 to 4
std::string picture(const List& list);
/// The same in graphviz's language.
std::string as_dot(const List& list);

} // namespace kolam::runtime
