// SPDX-License-Identifier: Apache-2.0
// Catch2 v2 has no ready-made main; v3 brings its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

// SystemC's library calls sc_main from its own main; ours comes from Catch2.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
