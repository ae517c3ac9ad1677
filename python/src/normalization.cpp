// Functions that normalise along axes, losses and attention.
#include "bind.h"
#include "modules.h"

namespace kolam::python {
namespace {

/// None, w for (w, w), or (left, right) with None for no limit.
std::optional<AttentionWindow> window_from(nb::handle object) {
  using Side = FromPython<std::optional<int64_t>>;
  if (object.is_none())
    return std::nullopt;
  if (!PyTuple_Check(object.ptr()) && !PyList_Check(object.ptr())) {
    auto reach = FromPython<int64_t>(object, "window").get();
    return AttentionWindow{reach, reach};
  }
  if (nb::len(object) != 2)
    fail_argument(ErrorKind::type, "argument-type", "window", "an integer or a pair", object);
  return AttentionWindow{Side(object[0], "window").get(), Side(object[1], "window").get()};
}

/// None, ids of queries and keys both, or a tuple (queries, keys).
std::optional<AttentionSegments> segments_from(nb::handle object) {
  if (object.is_none())
    return std::nullopt;
  if (!PyTuple_Check(object.ptr())) {
    Operand both = to_operand(object, "segment_ids");
    return AttentionSegments{both, both};
  }
  if (nb::len(object) != 2)
    fail_argument(ErrorKind::type, "argument-type", "segment_ids",
                  "an array or a pair (queries, keys)", object);
  return AttentionSegments{to_operand(object[0], "segment_ids"),
                           to_operand(object[1], "segment_ids")};
}

AttentionMask mask_function_from(nb::handle object) {
  nb::module_::import_("kolam._callables").attr("check_callable")("attention", "mask", object, 4);
  return FromPython<AttentionMask>(object, "mask").get();
}

} // namespace

void bind_normalization(nb::module_& module) {
  bind(module, "attention",
       "q, k, v, mask=None, causal=False, window=None, segment_ids=None, scale=None",
       [](const Operand& q, const Operand& k, const Operand& v, nb::handle mask, bool causal,
          nb::handle window, nb::handle segment_ids, std::optional<double> scale) {
         AttentionOptions options{.causal = causal,
                                  .window = window_from(window),
                                  .segment_ids = segments_from(segment_ids),
                                  .scale = scale};
         if (PyCallable_Check(mask.ptr())) {
           options.mask_function = mask_function_from(mask);
           return attention(q, k, v, options);
         }
         options.mask = FromPython<std::optional<Operand>>(mask, "mask").get();
         return released([&] { return attention(q, k, v, options); });
       });
  bind(module, "cross_entropy", &cross_entropy);
  bind(module, "layer_norm", "x, weight=None, bias=None, axis=-1, epsilon=1e-5",
       [](const Operand& x, const std::optional<Operand>& weight,
          const std::optional<Operand>& bias, const Axis& axis,
          double epsilon) { return layer_norm(x, weight, bias, {axis, epsilon}); });
  bind(module, "log_softmax", &log_softmax);
  bind(module, "rms_norm", "x, weight=None, axis=-1, epsilon=1e-5",
       [](const Operand& x, const std::optional<Operand>& weight, const Axis& axis,
          double epsilon) { return rms_norm(x, weight, {axis, epsilon}); });
  bind(module, "softmax", &softmax);
}

} // namespace kolam::python
