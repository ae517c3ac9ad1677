// Writes and reads plans.
#include "kolam/plan/json.h"

#include "kolam/plan/signature_json.h"
#include "kolam/support/error.h"

namespace kolam::plans {
namespace {

constexpr std::string_view kWorks[]{"load", "compute", "merge"};

Json json_of(const Affine& number);
Json json_of(const Boxes& boxes);
Json json_of(const Tensor& tensor);
Json json_of(const Stage& stage);
Json json_of(const Piece& piece);
Json json_of(const Family& family);
Json json_of(const Moves& moves);
Json json_of(const Choice& choice);

template <class T> Json list_json(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items)
    list.push_back(json_of(item));
  return list;
}

Json json_of(const Affine& number) {
  Json list = Json::array({number.first});
  for (int64_t step : number.steps)
    list.push_back(step);
  return list;
}
Affine affine_from_json(const Place& place) {
  Point numbers = integers(place);
  if (numbers.empty())
    place.refuse("a list [first, steps...]");
  Affine result;
  result.first = numbers.front();
  result.steps.assign(numbers.begin() + 1, numbers.end());
  return result;
}

Json json_of(const Boxes& boxes) {
  return {{"start", list_json(boxes.start)}, {"extent", boxes.extent}};
}
Boxes boxes_from_json(const Place& place) {
  place.expect_keys({"start", "extent"});
  const Place start = place["start"];
  return {list_of(start, affine_from_json), integers(place["extent"])};
}

Json json_of(const Tensor& tensor) {
  return {{"name", tensor.name},       {"dtype", std::string(name(tensor.dtype))},
          {"shape", tensor.shape},     {"argument", tensor.argument},
          {"results", tensor.results}, {"partial_of", tensor.partial_of}};
}
Tensor tensor_from_json(const Place& place) {
  place.expect_keys({"name", "dtype", "shape", "argument", "results", "partial_of"});
  Tensor tensor;
  tensor.name = place["name"].text();
  tensor.dtype = dtype_from_json(place["dtype"]);
  tensor.shape = integers(place["shape"]);
  tensor.argument = place["argument"].integer();
  tensor.results = integers(place["results"]);
  tensor.partial_of = place["partial_of"].integer();
  return tensor;
}

Json json_of(const Stage& stage) {
  return {{"name", stage.name},
          {"work", std::string(kWorks[static_cast<size_t>(stage.work)])},
          {"signature", plans::json_of(stage.signature)},
          {"tensors", stage.tensors}};
}
Stage stage_from_json(const Place& place) {
  place.expect_keys({"name", "work", "signature", "tensors"});
  Stage stage;
  stage.name = place["name"].text();
  stage.work = static_cast<Work>(place["work"].one_of(kWorks));
  stage.signature = signature_from_json(place["signature"]);
  stage.tensors = integers(place["tensors"]);
  return stage;
}

Json json_of(const Piece& piece) {
  return {{"stage", piece.stage},
          {"program", piece.program},
          {"flops", number_json(piece.flops)},
          {"bytes", number_json(piece.bytes)}};
}
Piece piece_from_json(const Place& place) {
  place.expect_keys({"stage", "program", "flops", "bytes"});
  return {place["stage"].integer(), place["program"].text(), place["flops"].number(),
          place["bytes"].number()};
}

Json json_of(const Family& family) {
  return {{"piece", family.piece},
          {"counts", family.counts},
          {"position", json_of(family.position)},
          {"worker", json_of(family.worker)},
          {"index", json_of(family.index)},
          {"reads", list_json(family.reads)},
          {"writes", list_json(family.writes)},
          {"offsets", list_json(family.offsets)}};
}
Family family_from_json(const Place& place) {
  place.expect_keys(
      {"piece", "counts", "position", "worker", "index", "reads", "writes", "offsets"});
  Family family;
  family.piece = place["piece"].integer();
  family.counts = integers(place["counts"]);
  family.position = affine_from_json(place["position"]);
  family.worker = affine_from_json(place["worker"]);
  family.index = boxes_from_json(place["index"]);
  const Place reads = place["reads"], writes = place["writes"], offsets = place["offsets"];
  family.reads = list_of(reads, boxes_from_json);
  family.writes = list_of(writes, boxes_from_json);
  family.offsets = list_of(offsets, affine_from_json);
  return family;
}

Json json_of(const Moves& moves) {
  return {{"tensor", moves.tensor},
          {"counts", moves.counts},
          {"position", json_of(moves.position)},
          {"from", json_of(moves.from)},
          {"to", json_of(moves.to)},
          {"box", json_of(moves.box)}};
}
Moves moves_from_json(const Place& place) {
  place.expect_keys({"tensor", "counts", "position", "from", "to", "box"});
  Moves moves;
  moves.tensor = place["tensor"].integer();
  moves.counts = integers(place["counts"]);
  moves.position = affine_from_json(place["position"]);
  moves.from = affine_from_json(place["from"]);
  moves.to = affine_from_json(place["to"]);
  moves.box = boxes_from_json(place["box"]);
  return moves;
}

Json json_of(const Choice& choice) {
  Json parameters = Json::object();
  for (const auto& [name, value] : choice.parameters)
    parameters[name] = value;
  return {{"name", choice.name},
          {"stage", choice.stage},
          {"parameters", std::move(parameters)},
          {"exact", choice.exact}};
}
Choice choice_from_json(const Place& place) {
  place.expect_keys({"name", "stage", "parameters", "exact"});
  Choice choice;
  choice.name = place["name"].text();
  choice.stage = place["stage"].text();
  const Place parameters = place["parameters"];
  for (const std::string& name : parameters.keys())
    choice.parameters[name] = parameters[name].text();
  choice.exact = place["exact"].truth();
  return choice;
}

Json cost_json(const Plan& plan) {
  Json cost = Json::object();
  for (const auto& [name, value] : plan.cost)
    cost[name] = number_json(value);
  return cost;
}

/// `"key": value`, a list with a line for each element.
std::string line_of(const std::string& key, const Json& value) {
  if (!value.is_array() || value.empty())
    return Json(key).dump() + ": " + value.dump();
  std::string text = Json(key).dump() + ": [";
  for (size_t i = 0; i < value.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + value[i].dump();
  return text + "]";
}

} // namespace

std::string to_json(const Plan& plan) {
  const Json document{{"format", kFormat},
                      {"version", plan.version},
                      {"program", plan.program},
                      {"workers", plan.workers},
                      {"memory_per_worker", plan.memory_per_worker},
                      {"keeps_results", plan.keeps_results},
                      {"tensors", list_json(plan.tensors)},
                      {"stages", list_json(plan.stages)},
                      {"pieces", list_json(plan.pieces)},
                      {"tasks", list_json(plan.tasks)},
                      {"moves", list_json(plan.moves)},
                      {"trace", list_json(plan.trace)},
                      {"cost", cost_json(plan)}};
  std::string text = "{";
  try {
    for (auto item = document.begin(); item != document.end(); ++item)
      text += (item == document.begin() ? "" : ",\n") + line_of(item.key(), item.value());
  } catch (const Json::type_error&) {
    fail(ErrorKind::value, "bad-plan", "expected names and programs in UTF-8");
  }
  return text + "}\n";
}

Plan plan_from_json(std::string_view text) {
  const ReadJson document = parsed(text, "bad-plan");
  const Place place(document, "bad-plan");
  // The format first: another one has other keys.
  if (const Place format = place["format"]; format.integer() != kFormat)
    format.refuse("format " + std::to_string(kFormat) + " of plans");
  place.expect_keys({"format", "version", "program", "workers", "memory_per_worker",
                     "keeps_results", "tensors", "stages", "pieces", "tasks", "moves", "trace",
                     "cost"});
  Plan plan;
  plan.version = place["version"].text();
  plan.program = place["program"].text();
  plan.workers = place["workers"].integer();
  plan.memory_per_worker = place["memory_per_worker"].integer();
  plan.keeps_results = place["keeps_results"].truth();
  plan.tensors = list_of(place["tensors"], tensor_from_json);
  plan.stages = list_of(place["stages"], stage_from_json);
  plan.pieces = list_of(place["pieces"], piece_from_json);
  plan.tasks = list_of(place["tasks"], family_from_json);
  plan.moves = list_of(place["moves"], moves_from_json);
  plan.trace = list_of(place["trace"], choice_from_json);
  const Place cost = place["cost"];
  for (const std::string& name : cost.keys())
    plan.cost[name] = cost[name].number();
  return plan;
}

} // namespace kolam::plans
