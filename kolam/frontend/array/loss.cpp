// Calls losses.
#include "kolam/frontend/array/loss.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/loss.h"

namespace kolam {
namespace {

using language::Builder;
using language::LossReduction;
using language::Value;
using language::Values;

LossReduction reduction_of(std::string_view name, bool has_batch_mean = false) {
  constexpr std::pair<std::string_view, LossReduction> known[] = {
      {"none", LossReduction::none},
      {"mean", LossReduction::mean},
      {"sum", LossReduction::sum},
      {"batchmean", LossReduction::batch_mean}};
  for (auto [known_name, reduction] : known)
    if (known_name == name && (has_batch_mean || reduction != LossReduction::batch_mean))
      return reduction;
  language::fail_argument(ErrorKind::value, "unknown-mode", "reduction",
                          "one of 'none', 'mean', 'sum'" +
                              std::string(has_batch_mean ? ", 'batchmean'" : ""),
                          "'" + std::string(name) + "'");
}

/// The losses of single elements, reduced.
Tensor reduced(std::string_view function, const std::vector<Operand>& operands,
               std::string_view reduction,
               const std::function<Value(Builder&, const Values&)>& losses,
               bool has_batch_mean = false) {
  CallScope scope(function, operands[0].where());
  LossReduction rule = reduction_of(reduction, has_batch_mean);
  return apply(function, operands, [&](Builder& b, const Values& v) {
    return Values{language::reduce_losses(b, losses(b, v), rule)};
  })[0];
}

} // namespace

Tensor mse_loss(const Operand& x, const Operand& target, std::string_view reduction) {
  return reduced("mse_loss", {x, target}, reduction, [](Builder& b, const Values& v) {
    return language::squared_difference(b, v[0], v[1]);
  });
}

Tensor l1_loss(const Operand& x, const Operand& target, std::string_view reduction) {
  return reduced("l1_loss", {x, target}, reduction, [](Builder& b, const Values& v) {
    return language::absolute_difference(b, v[0], v[1]);
  });
}

Tensor huber_loss(const Operand& x, const Operand& target, double delta,
                  std::string_view reduction) {
  return reduced("huber_loss", {x, target}, reduction, [&](Builder& b, const Values& v) {
    return language::huber(b, v[0], v[1], delta);
  });
}

Tensor smooth_l1_loss(const Operand& x, const Operand& target, double beta,
                      std::string_view reduction) {
  return reduced("smooth_l1_loss", {x, target}, reduction, [&](Builder& b, const Values& v) {
    return language::smooth_l1(b, v[0], v[1], beta);
  });
}

Tensor binary_cross_entropy(const Operand& p, const Operand& target, std::string_view reduction) {
  return reduced("binary_cross_entropy", {p, target}, reduction, [](Builder& b, const Values& v) {
    return language::binary_cross_entropy(b, v[0], v[1]);
  });
}

Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target,
                                        const std::optional<Operand>& pos_weight,
                                        std::string_view reduction) {
  std::vector<Operand> operands{logits, target};
  if (pos_weight)
    operands.push_back(*pos_weight);
  return reduced("binary_cross_entropy_with_logits", operands, reduction,
                 [&](Builder& b, const Values& v) {
                   return language::binary_cross_entropy_with_logits(b, v[0], v[1],
                                                                     pos_weight ? v[2] : Value());
                 });
}

Tensor nll_loss(const Operand& x, const Operand& labels, int64_t axis, std::string_view reduction) {
  return reduced("nll_loss", {x, labels.apart()}, reduction, [&](Builder& b, const Values& v) {
    return language::negative_log_likelihood(b, v[0], v[1], axis);
  });
}

Tensor kl_div(const Operand& x, const Operand& target, bool log_target,
              std::string_view reduction) {
  return reduced(
      "kl_div", {x, target}, reduction,
      [&](Builder& b, const Values& v) {
        return language::kl_divergence(b, v[0], v[1], log_target);
      },
      true);
}

Tensor hinge_loss(const Operand& x, const Operand& target, std::string_view reduction) {
  return reduced("hinge_loss", {x, target}, reduction,
                 [](Builder& b, const Values& v) { return language::hinge(b, v[0], v[1]); });
}

Tensor cosine_similarity(const Operand& x, const Operand& y, int64_t axis, double epsilon) {
  return apply_one("cosine_similarity", {x, y}, [&](Builder& b, const Values& v) {
    return language::cosine_similarity(b, v[0], v[1], axis, epsilon);
  });
}

} // namespace kolam
