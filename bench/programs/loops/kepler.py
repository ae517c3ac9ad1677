import numpy as np


# pythran export run(float64[:], float64[:])
def run(mean, e):
    n = mean.shape[0]
    result = np.empty_like(mean)
    # omp parallel for
    for i in range(n):
        anomaly, change = mean[i], 1.0
        while abs(change) > 1e-10:
            change = (anomaly - e[i] * np.sin(anomaly) - mean[i]) / (1.0 - e[i] * np.cos(anomaly))
            anomaly -= change
        result[i] = anomaly
    return result
