/// The derivatives of attention block by block, in memory that grows with its rows alone.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"

namespace kolam::transform::derive {

/// Attention where its derivative is taken: an op for its attributes, and what stands for its
/// operands and its results.
struct AttentionPoint {
  ir::AttentionOp op;
  language::Values operands;
  language::Value result, lse;
};

/// Operands of attention by their numbers.
enum AttentionOperand : int64_t { kQueries, kKeys, kValues, kScale, kMask };

/// The tangent of the result for those of operands `numbers`. With s the scores and
/// p = exp(s - lse), block by block of 128 keys:
///
///     t = p s',   o' = sum over keys of (t v + p v') - o sum over keys of t
language::Value attention_tangent(language::Builder& b, const AttentionPoint& point,
                                  const std::vector<int64_t>& numbers,
                                  const language::Values& tangents);

/// The cotangents of operands `numbers`. With d = sum of o~ o along a row, block by block:
///
///     p = exp(s - lse),   e = p (o~ v^T - d)
///     v~ += p^T o~,   k~ += scale e^T q,   q~ += scale e k,   mask~ += e,   scale~ += sum(e (q k))
///
/// q~ adds up keys in blocks of 128 from 0; k~ and v~ add up queries in blocks of
/// 64, then the heads of a group. Hidden keys take no part, and blocks that are hidden are not
/// visited.
language::Values attention_cotangents(language::Builder& b, const AttentionPoint& point,
                                      const std::vector<int64_t>& numbers,
                                      language::Value cotangent);

} // namespace kolam::transform::derive
