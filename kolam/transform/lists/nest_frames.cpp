// Places of the cells of a nest.
#include "kolam/transform/lists/nest_frames.h"

namespace kolam::transform::lists {

Cells cells_of(const NestFrames& in, const Frame* frame, Frames& frames) {
  Integers& integers = frames.integers;
  Cells result{frame, {}, {}};
  for (auto [level, structure] : llvm::enumerate(in.levels)) {
    Value list = frames.path(frame, level ? in.elements[level - 1] : in.outer);
    Value place = integers.subtract(frames.path(frame, in.elements[level]),
                                    integers.take(structure->offsets, list));
    result.places.push_back(place);
    if (ir::ListScanOp scan = in.nest->scan(level))
      result.steps[level] =
          scan.getReverse()
              ? integers.subtract(integers.subtract(integers.take(structure->lengths, list),
                                                    integers.constant(1)),
                                  place)
              : place;
  }
  return result;
}

} // namespace kolam::transform::lists
