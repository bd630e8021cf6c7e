// SPDX-License-Identifier: Apache-2.0
// The one place that knows which Catch2 is installed: v2 (Debian 12) or v3 (Debian 13).
#pragma once

#ifdef PEERFAB_CATCH2_V2
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
namespace Catch {
using Catch::Matchers::Contains;  // NOLINT: v2 spelling
}
#endif
