/// What a stream's calls are given: which arguments are sequences, and how errors show arrays.
#pragma once

#include "kolam/frontend/array/stream.h"

namespace kolam::layout {

/// The dim of each argument that is a sequence. Throws `[stream-axis]`.
std::vector<std::optional<int64_t>> sequence_dims(const std::vector<std::string>& names,
                                                  const std::vector<TensorSpec>& specs,
                                                  const StreamOptions& options);

/// `float32[3, 4]`.
std::string text_of(const Array& array);
std::string text_of(const TensorSpec& spec);
bool is_of(const Array& array, const TensorSpec& spec);

/// Throws `[argument-mismatch]` for another number of `what`, one for each sequence.
void require_count(size_t expected, const char* what, size_t given);
/// Throws `[argument-mismatch]` where an array is not of `spec`; `when` says when it has to be.
void require_argument(const std::string& name, const Array& given, const TensorSpec& spec,
                      const std::string& when);

} // namespace kolam::layout
