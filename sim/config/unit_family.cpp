// SPDX-License-Identifier: Apache-2.0
#include "sim/config/unit_family.h"

#include <utility>

namespace peerfab::config {
namespace {

constexpr std::uint64_t kKilo = 1000;
constexpr std::uint64_t kMega = kKilo * 1000;
constexpr std::uint64_t kGiga = kMega * 1000;
constexpr std::uint64_t kTera = kGiga * 1000;

UnitFamily make_family(std::string noun, std::string example, std::vector<Unit> units) {
  UnitFamily family{std::move(noun), std::move(example), std::move(units), {}};
  for (const Unit& unit : family.units) family.names.push_back(unit.name);
  return family;
}

}  // namespace

const Unit* UnitFamily::find(std::string_view name) const {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

const UnitFamily& time_family() {
  static const UnitFamily kFamily = make_family("time", "105ns",
                                                {{"ps", 1, true},
                                                 {"ns", kKilo, true},
                                                 {"us", kMega, true},
                                                 {"ms", kGiga, true},
                                                 {"s", kTera, true}});
  return kFamily;
}

const UnitFamily& size_family() {
  static const UnitFamily kFamily = make_family("size", "64KiB",
                                                {{"B", 1, true},
                                                 {"KiB", 1ULL << 10, true},
                                                 {"MiB", 1ULL << 20, true},
                                                 {"GiB", 1ULL << 30, true},
                                                 {"TiB", 1ULL << 40, true},
                                                 {"KB", kKilo, true},
                                                 {"MB", kMega, true},
                                                 {"GB", kGiga, true},
                                                 {"TB", kTera, true}});
  return kFamily;
}

const UnitFamily& bandwidth_family() {
  // Bits per second and powers of 1024 are understood, but results speak one language.
  static const UnitFamily kFamily = make_family("bandwidth", "53.5GB/s",
                                                {{"B/s", 1, true},
                                                 {"KB/s", kKilo, true},
                                                 {"MB/s", kMega, true},
                                                 {"GB/s", kGiga, true},
                                                 {"TB/s", kTera, true},
                                                 {"KiB/s", 1ULL << 10, false},
                                                 {"MiB/s", 1ULL << 20, false},
                                                 {"GiB/s", 1ULL << 30, false},
                                                 {"TiB/s", 1ULL << 40, false},
                                                 {"Mb/s", kMega / 8, false},
                                                 {"Gb/s", kGiga / 8, false}});
  return kFamily;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace peerfab::config
