/// Whether a schedule computes a nest of products of matrices.
#pragma once

#include "kolam/nest/schedule_check.h"

namespace kolam::nest {

/// What is wrong with it:
///
/// - threads share the units of the nest's range; conditions leave no number of rows out;
/// - panels go over all columns, each loop on with what the one before leaves; tiles over all rows;
/// - tiles fit the registers and divide a unit;
/// - columns that cannot be read where they lie are packed in front of their tiles;
/// - parts of a sum do not cross its chunks, and wait in a tile with room for all rows and columns
///   of the loop around, until what reads them.
std::vector<ScheduleIssue> check_product(const Schedule& schedule, const Nest& nest,
                                         const Machine& machine);

} // namespace kolam::nest
