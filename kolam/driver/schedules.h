/// What tuning has measured of nests, kept on disk for the processor at hand.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/nest/isolate.h"

#include <vector>

namespace kolam::driver {

/// How long a nest took that was compiled by a schedule.
struct Measurement {
  lower::Schedule schedule;
  double seconds = 0;
};

/// The hash of the nest, without source lines, and of the processor. Builds of the compiler share
/// what was measured.
ContentKey measurements_key(const nest::IsolatedNest& nest, const backend::cpu::Target& target);

/// What has been measured, on disk or, where nothing is kept there, in this process.
std::vector<Measurement> find_measurements(const ContentKey& key);
void keep_measurements(const ContentKey& key, const std::vector<Measurement>& measurements);

/// The schedule that `options` name for a nest; else the fastest that was measured and that
/// lowering can follow; else, and where that is hardly faster, the rules'.
lower::Schedule schedule_of(const nest::IsolatedNest& nest, const Options& options);
/// The same choice among measurements.
lower::Schedule fastest(const std::vector<Measurement>& measurements,
                        const std::vector<lower::Schedule>& possible);

} // namespace kolam::driver
