/// What tuning has measured of nests, kept on disk for the processor at hand.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/nest/isolate.h"

#include <vector>

namespace kolam::driver {

/// How long a nest took that was compiled by a schedule.
struct Measurement {
  nest::Schedule schedule;
  double seconds = 0;
};

/// The hash of the nest, without source lines, and of the processor. Builds of the compiler share
/// what was measured.
ContentKey measurements_key(const nest::IsolatedNest& nest, const backend::Backend& backend);

/// What has been measured, on disk or, where nothing is kept there, in this process.
std::vector<Measurement> find_measurements(const ContentKey& key);
/// Another one wherever something else lies there; zeros where nothing does.
ContentKey measurements_stamp(const ContentKey& key, const CacheDirectory& directory);
void keep_measurements(const ContentKey& key, const std::vector<Measurement>& measurements);

/// The schedule that `options` give by hand or name for a nest; else the fastest that was measured
/// and that lowering can follow; else, and where that is hardly faster, the rules'.
nest::Schedule schedule_of(const nest::IsolatedNest& nest, const Options& options);
/// The same choice among measurements; the first of the possible is the rules'.
nest::Schedule fastest(const std::vector<Measurement>& measurements,
                       const std::vector<nest::Schedule>& possible);

/// Each line two spaces further in.
std::string indented(const std::string& text);

} // namespace kolam::driver
