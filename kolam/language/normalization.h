/// Composites that normalise: each reads its equation in frontend/array/normalization.h. bf16 and
/// f16 are computed in f32 and rounded once; integers become f32.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

Value softmax(Builder& b, Value x, const Axes& dims);
Value log_softmax(Builder& b, Value x, const Axes& dims);
/// Weight and bias may be null; they have the shape of the normalised dims.
Value layer_norm(Builder& b, Value x, Value weight, Value bias, double epsilon, const Axes& dims);
Value rms_norm(Builder& b, Value x, Value weight, double epsilon, const Axes& dims);
/// Labels are integers without the class dim, or probabilities of the logits' shape.
Value cross_entropy(Builder& b, Value logits, Value labels, int64_t dim);
/// Whether each label is a class, which checks of bounds require of `function`.
Value is_class(Builder& b, std::string_view function, Value label, const Extent& classes);

} // namespace kolam::language
