import numpy as np


# pythran export run(float64[:], float64[:], float64[:], float64[:], int)
def run(low_given, high_given, a, b, steps):
    n = a.shape[0]
    result = np.empty_like(a)
    # omp parallel for
    for i in range(n):
        low, high = low_given[i], high_given[i]
        for _ in range(steps):
            middle = 0.5 * (low + high)
            if middle + a[i] * np.exp(middle) < b[i]:
                low = middle
            else:
                high = middle
        result[i] = low
    return result
