"""What someone does first with the wheel; exits with 0 when the answer is right."""

import numpy as np

import kolam as ko

assert "site-packages" in ko.__file__, ko.__file__
assert np.asarray(ko.jit(lambda x: ko.sum(x + x))(np.arange(4, dtype=np.float32))) == 12
