/// What a nest must be told at the call.
#pragma once

#include "kolam/nest/nest.h"

namespace kolam::nest {

/// The symbols of all extents that the nest's ops mention, sorted.
std::vector<std::string> symbols_of(const Nest& nest);
std::vector<Size> sizes_of(const std::vector<std::string>& symbols);

/// The dim of the root's result whose places may be shared: the outermost one of several elements,
/// if any, along which nothing is carried and no loop of a fused op is run again; nullopt where no
/// element can be computed alone.
std::optional<int64_t> parallel_dim(const Nest& nest);

/// The flat range over which a nest without products may be cut: the root's own tasks, or the
/// extent of `parallel_dim`, what analysis::shared_dims says of a scatter, else 1.
Extent parallel_extent(const Nest& nest);

} // namespace kolam::nest
