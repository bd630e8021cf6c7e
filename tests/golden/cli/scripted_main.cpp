// SPDX-License-Identifier: Apache-2.0
// The program as in tools/peerfab/main.cpp, with stand-ins.
#include "tests/golden/cli/scripted.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/standard_output.h"

int main(int argc, char** argv) {
  peerfab::cli::prepare_standard_streams();
  const peerfab::device::ModelRegistry registry = peerfab::scripted::models();
  return peerfab::cli::run_cli(argc, argv, registry, peerfab::scripted::run_variant);
}
