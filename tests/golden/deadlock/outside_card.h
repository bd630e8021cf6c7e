// SPDX-License-Identifier: Apache-2.0
// An endpoint with somebody else's SystemC model in it that takes writes in ways which the
// specification forbids, or which lead nowhere.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "sim/device/model_registry.h"

namespace peerfab::test {

// Bases of the BARs of all cards, which each card needs of its partner.
using CardBases = std::map<std::string, std::uint64_t>;

// The model "outside-card". `bases` lives as long as the cards.
[[nodiscard]] device::ModelDescriptor outside_card_model(CardBases& bases);

}  // namespace peerfab::test
