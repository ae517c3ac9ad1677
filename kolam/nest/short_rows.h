/// Rows of few elements, computed side by side.
#pragma once

#include "kolam/nest/map_plan.h"
#include "kolam/nest/relation.h"

namespace kolam::nest {

/// The first of the trailing dims that form rows of few elements behind a dim with as many rows as
/// vectors have lanes; -1 where there are none.
int64_t first_of_short_row(const Shape& shape);

/// The first of the trailing dims that form rows of few elements, of which those of as many rows as
/// there are lanes are better computed side by side, a vector for each element of a row: lanes go
/// along the dim in front, loads and stores turn rows into vectors and back. -1 where there are
/// none, or where lanes along the row are quicker.
int64_t first_of_short_row(const Nest& nest, const NestRelation& relation, const MapPlan& plan,
                           analysis::Signatures& signatures, const Machine& machine);

/// Shuffles that turn so many rows as there are lanes into vectors, or back.
double price_of_turned_rows(int64_t width, const Machine& machine);

} // namespace kolam::nest
