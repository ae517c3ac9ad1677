// Losses.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_loss(nb::module_& module) {
  bind(module, "binary_cross_entropy", &binary_cross_entropy);
  bind(module, "binary_cross_entropy_with_logits", &binary_cross_entropy_with_logits);
  bind(module, "cosine_similarity", &cosine_similarity);
  bind(module, "hinge_loss", &hinge_loss);
  bind(module, "huber_loss", &huber_loss);
  bind(module, "kl_div", &kl_div);
  bind(module, "l1_loss", &l1_loss);
  bind(module, "mse_loss", &mse_loss);
  bind(module, "nll_loss", &nll_loss);
  bind(module, "smooth_l1_loss", &smooth_l1_loss);
}

} // namespace kolam::python
