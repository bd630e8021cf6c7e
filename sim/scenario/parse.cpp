// SPDX-License-Identifier: Apache-2.0
// Contract in parse.h.
#include "sim/scenario/parse.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/config/quantity.h"
#include "sim/scenario/flow_keys.h"
#include "sim/scenario/flow_order.h"
#include "sim/scenario/flow_reader.h"
#include "sim/scenario/link_event.h"
#include "sim/scenario/text_span.h"

namespace peerfab::scenario {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& structural_keys() {
  static const std::vector<std::string> keys = {"peerfab", "name",   "topology",   "do",
                                                "compare", "expect", "link_events"};
  return keys;
}

fs::path relative_to(const std::string& file_name, const std::string& path) {
  const fs::path joined = fs::path(file_name).parent_path() / path;
  // "scenarios/../topologies/x.yaml" reads better as "topologies/x.yaml", and is the same file
  // unless a symbolic link lies on the way.
  const fs::path tidy = joined.lexically_normal();
  std::error_code error;
  return fs::equivalent(joined, tidy, error) ? tidy : joined;
}

// More than anyone writes by hand, and few enough to check within a second.
constexpr std::size_t kMaxFlows = 10'000;
constexpr std::size_t kMaxExpectations = 10'000;
constexpr std::size_t kMaxFlowsInAllVariants = 100'000;

class Reader {
 public:
  Reader(const config::Node& root, const std::string& file_name, Diagnostics& diagnostics)
      : root_(root), file_name_(file_name), diagnostics_(diagnostics) {}

  std::optional<Scenario> read() {
    if (!root_.is_map()) {
      fail("bad-scenario", root_.where(),
           "a scenario is a map of keys, found " + std::string(config::kind_name(root_.kind())));
      return std::nullopt;
    }
    if (root_.find("sockets") != nullptr && !looks_like_scenario(root_)) {
      fail("bad-scenario", whole(), "this is a topology, not a scenario: it has nothing to do",
           "look at it with: peerfab topo " + file_name_);
      return std::nullopt;
    }
    scenario_.file = file_name_;
    read_head();
    if (const config::Node* events = root_.find("link_events"); events != nullptr) {
      good_ = read_link_events(*events, scenario_.link_events, diagnostics_) && good_;
    }
    read_steps();
    if (good_) {
      read_variants();
    } else {
      name_variants();
    }
    // Names are enough to check expectations, whatever else is wrong.
    if (flows_named_) read_expectations();
    if (!good_) return std::nullopt;
    return std::move(scenario_);
  }

 private:
  void fail(std::string check, const SourceLocation& where, std::string message,
            std::string hint = "") {
    diagnostics_.error(std::move(check), where, std::move(message), std::move(hint));
    good_ = false;
  }

  // Beyond what is printed, further findings help nobody.
  [[nodiscard]] bool too_many_errors() const {
    return diagnostics_.error_count() > Diagnostics::kPrintLimit;
  }

  // The document as a whole, for what is missing.
  [[nodiscard]] SourceLocation whole() const {
    SourceLocation where;
    where.file = file_name_;
    return where;
  }

  void read_head() {
    const config::Node* version = root_.find("peerfab");
    if (version == nullptr) {
      fail("missing-key", whole(),
           "a scenario begins with 'peerfab: 1', the version of its format");
    } else if (const auto number = config::parse_integer(*version, diagnostics_);
               !number || *number != 1) {
      if (number) {
        fail("unknown-version", version->where(),
             "this program reads version 1 of the format, not " + std::to_string(*number));
      }
      good_ = false;
    }

    scenario_.name = fs::path(file_name_).stem().string();
    if (const config::Node* name = root_.find("name")) {
      const auto text = config::parse_text(*name, diagnostics_);
      good_ = good_ && text;
      if (text) scenario_.name = *text;
    }

    const config::Node* topology = root_.find("topology");
    if (topology == nullptr) {
      fail("missing-key", whole(), "a scenario needs 'topology'", "the file, relative to this one");
    } else if (const auto path = config::parse_text(*topology, diagnostics_)) {
      scenario_.topology = relative_to(file_name_, *path);
      scenario_.topology_where = topology->where();
    } else {
      good_ = false;
    }

    const auto values =
        config::bind(scenario_table(), nullptr, &root_, structural_keys(), diagnostics_);
    if (!values) {
      good_ = false;
      return;
    }
    scenario_.seed = static_cast<std::uint64_t>(values->integer("seed"));
    scenario_.payload = values->text("payload") == "real" ? Payload::kReal : Payload::kNone;
    scenario_.train_links = values->flag("train_links");
    scenario_.exact_links = values->flag("exact_links") || scenario_.train_links;
    scenario_.warm_up = values->time("warm_up");
    scenario_.watchdog = values->time("watchdog");
    if (values->time("time_limit") > Picoseconds()) {
      scenario_.time_limit = values->time("time_limit");
    }
    if (scenario_.warm_up >= scenario_.time_limit) {
      fail("warm-up-too-long", values->where("warm_up"),
           "the warm-up lasts until the time limit: nothing would be measured");
    }
  }

  void read_steps() {
    const config::Node* steps = root_.find("do");
    if (steps == nullptr || steps->is_null()) {
      fail("missing-key", steps == nullptr ? whole() : steps->where(),
           "a scenario needs 'do', a list of what to do",
           "for example do: [{copy: {from: gpu0, to: gpu1, size: 1GiB}}]");
      return;
    }
    if (!steps->is_sequence()) {
      fail("bad-step", steps->where(),
           "'do' is a list, found " + std::string(config::kind_name(steps->kind())),
           "begin each step with '- '");
      return;
    }
    if (steps->items().empty()) {
      fail("bad-step", steps->where(), "'do' is empty: there is nothing to simulate");
      return;
    }
    if (steps->items().size() > kMaxFlows) {
      fail("too-many", steps->where(),
           std::to_string(steps->items().size()) + " steps are too many",
           "the limit is " + std::to_string(kMaxFlows));
      return;
    }
    for (const config::Node& item : steps->items()) {
      if (too_many_errors()) return;
      if (auto reader = FlowReader::open(item, diagnostics_)) {
        readers_.push_back(std::move(*reader));
      } else {
        good_ = false;
      }
    }
    name_flows();
    flows_named_ = readers_.size() == steps->items().size();
    for (const FlowReader& reader : readers_) {
      if (too_many_errors()) return;
      if (auto flow = reader.read({}, diagnostics_)) {
        scenario_.flows.push_back(std::move(*flow));
      } else {
        good_ = false;
      }
    }
    if (good_) good_ = check_order(scenario_.flows, diagnostics_);
  }

  // Flows without a name get their verb's, with a number from the second on.
  void name_flows() {
    std::set<std::string> taken;
    std::map<std::string, unsigned> next_number;
    for (const FlowReader& reader : readers_) {
      if (!reader.name().empty() && !taken.insert(reader.name()).second) {
        fail("duplicate-name", reader.name_where(), "two flows are called '" + reader.name() + "'");
      }
    }
    for (FlowReader& reader : readers_) {
      if (!reader.name().empty()) continue;
      const std::string stem(verb_name(reader.verb()));
      unsigned& number = next_number[stem];
      std::string name;
      do {
        ++number;
        name = number == 1 ? stem : stem + std::to_string(number);
      } while (!taken.insert(name).second);
      reader.set_name(std::move(name));
    }
    for (std::size_t i = 0; i < readers_.size(); ++i) by_name_.emplace(readers_[i].name(), i);
  }

  void name_variants() {
    const config::Node* compare = root_.find("compare");
    variant_names_ = compare != nullptr ? compare->keys() : std::vector<std::string>();
    if (variant_names_.empty()) variant_names_.emplace_back(kOnlyVariant);
  }

  void read_variants() {
    const config::Node* compare = root_.find("compare");
    if (compare == nullptr) {
      Variant only;
      name_variants();
      only.name = kOnlyVariant;
      only.flows = scenario_.flows;
      only.topology = scenario_.topology;
      only.topology_where = scenario_.topology_where;
      scenario_.variants.push_back(std::move(only));
      return;
    }
    name_variants();
    if (!compare->is_map() || compare->entries().empty()) {
      fail("bad-variant", compare->where(),
           "'compare' is a map from the names of variants to what they change, found " +
               std::string(compare->is_map() ? "an empty one" : config::kind_name(compare->kind())),
           "for example compare: {p2p: {copy.via: p2p}, bounce: {copy.via: host}}");
      return;
    }
    if (compare->entries().size() * readers_.size() > kMaxFlowsInAllVariants) {
      fail("too-many", compare->where(),
           std::to_string(compare->entries().size()) + " variants of " +
               std::to_string(readers_.size()) + " flows are too many",
           "the limit is " + std::to_string(kMaxFlowsInAllVariants) + " flows in all variants");
      return;
    }
    for (const config::Node::Entry& entry : compare->entries()) {
      if (too_many_errors()) return;
      read_variant(entry);
    }
  }

  void read_variant(const config::Node::Entry& entry) {
    if (!check_name(entry.key, entry.key_where, diagnostics_)) {
      good_ = false;
      return;
    }
    if (!entry.value.is_map() && !entry.value.is_null()) {
      fail("bad-variant", entry.value.where(),
           "a variant is a map of changes, found " +
               std::string(config::kind_name(entry.value.kind())),
           "for example {copy.via: host}");
      return;
    }
    Variant variant;
    variant.name = entry.key;
    variant.where = entry.key_where;
    variant.topology = scenario_.topology;
    variant.topology_where = scenario_.topology_where;
    const std::size_t errors_before = diagnostics_.error_count();
    std::vector<std::vector<FlowOverride>> changes(readers_.size());
    for (const config::Node::Entry& change : entry.value.entries()) {
      read_change(change, variant, changes);
    }
    if (diagnostics_.error_count() != errors_before) return;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      if (auto flow = readers_[i].read(changes[i], diagnostics_)) {
        variant.flows.push_back(std::move(*flow));
      } else {
        good_ = false;
      }
    }
    if (diagnostics_.error_count() != errors_before) return;
    good_ = check_order(variant.flows, diagnostics_) && good_;
    scenario_.variants.push_back(std::move(variant));
  }

  void read_change(const config::Node::Entry& change, Variant& variant,
                   std::vector<std::vector<FlowOverride>>& changes) {
    if (change.key == "topology") {
      const auto path = config::parse_text(change.value, diagnostics_);
      good_ = good_ && path;
      if (path) {
        variant.topology = relative_to(file_name_, *path);
        variant.topology_where = change.value.where();
      }
      return;
    }
    const TextSpan key(change.key, change.key_where);
    const TextSpan owner = key.before(".");
    const TextSpan field = key.behind(".");
    if (field.empty()) {
      fail("bad-variant", change.key_where,
           "'" + printable(change.key) + "' does not say what to change",
           "<flow>.<key>, <component>.<parameter> or topology");
      return;
    }
    if (const auto found = by_name_.find(std::string(owner.text())); found != by_name_.end()) {
      const std::size_t flow = found->second;
      read_flow_change(change, field, readers_[flow].verb(), changes[flow]);
      return;
    }
    if (!change.value.is_scalar()) {
      fail("bad-variant", change.value.where(),
           "a parameter has one value, found " +
               std::string(config::kind_name(change.value.kind())));
      return;
    }
    variant.topology_overrides.push_back({std::string(owner.text()), std::string(field.text()),
                                          change.value.text(), owner.where(), field.where(),
                                          change.value.where()});
  }

  void read_flow_change(const config::Node::Entry& change, const TextSpan& field, Verb verb,
                        std::vector<FlowOverride>& changes) {
    std::vector<std::string> names = flow_key_names(verb);
    names.erase(std::find(names.begin(), names.end(), kNameKey));
    if (std::find(names.begin(), names.end(), field.text()) == names.end()) {
      fail("unknown-key", field.where(),
           std::string(verb_name(verb)) + " has no key '" + printable(field.text()) +
               "' that a variant could change",
           did_you_mean(field.text(), names));
      return;
    }
    changes.push_back({std::string(field.text()), field.where(), &change.value});
  }

  void read_expectations() {
    const config::Node* expect = root_.find("expect");
    if (expect == nullptr || expect->is_null()) return;
    if (!expect->is_sequence()) {
      fail("bad-expectation", expect->where(),
           "'expect' is a list of lines, found " + std::string(config::kind_name(expect->kind())),
           "begin each line with '- '");
      return;
    }
    if (expect->items().size() > kMaxExpectations) {
      fail("too-many", expect->where(),
           std::to_string(expect->items().size()) + " expectations are too many",
           "the limit is " + std::to_string(kMaxExpectations));
      return;
    }
    ExpectationNames names;
    names.compared = root_.find("compare") != nullptr;
    names.variants = variant_names_;
    for (const FlowReader& reader : readers_) names.flows.push_back(reader.name());
    for (const config::Node& line : expect->items()) {
      if (too_many_errors()) return;
      if (auto expectation = parse_expectation(line, names, diagnostics_)) {
        scenario_.expectations.push_back(std::move(*expectation));
      } else {
        good_ = false;
      }
    }
  }

  const config::Node& root_;
  const std::string& file_name_;
  Diagnostics& diagnostics_;
  Scenario scenario_;
  std::vector<FlowReader> readers_;
  std::map<std::string, std::size_t> by_name_;
  std::vector<std::string> variant_names_;
  bool flows_named_ = false;  // every step has a name, though it may be wrong otherwise
  bool good_ = true;
};

}  // namespace

std::optional<Scenario> read_scenario(const config::Node& root, const std::string& file_name,
                                      Diagnostics& diagnostics) {
  return Reader(root, file_name, diagnostics).read();
}

std::optional<Scenario> load_scenario(const fs::path& file, SourceTexts& texts,
                                      Diagnostics& diagnostics) {
  const auto root = config::load_yaml(file, texts, diagnostics);
  if (!root) return std::nullopt;
  return read_scenario(*root, file.string(), diagnostics);
}

std::optional<Scenario> parse_scenario(std::string_view text, const std::string& file_name,
                                       SourceTexts& texts, Diagnostics& diagnostics) {
  texts.add(file_name, std::string(text));
  const auto root = config::parse_yaml(text, file_name, diagnostics);
  if (!root) return std::nullopt;
  return read_scenario(*root, file_name, diagnostics);
}

bool looks_like_scenario(const config::Node& root) {
  for (const char* key : {"do", "topology", "compare", "expect"}) {
    if (root.find(key) != nullptr) return true;
  }
  return false;
}

}  // namespace peerfab::scenario
