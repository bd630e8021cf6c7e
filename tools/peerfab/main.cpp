// SPDX-License-Identifier: Apache-2.0
// The program: real models, real runner.
#include <cstdlib>

#include "models/register_all.h"
#include "sim/scenario/runner.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/standard_output.h"

int main(int argc, char** argv) {
  peerfab::cli::prepare_standard_streams();
  // SystemC greets on standard output, which belongs to the result.
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  peerfab::device::ModelRegistry registry;
  peerfab::models::register_all_models(registry);
  return peerfab::cli::run_cli(argc, argv, registry, peerfab::scenario::run_variant);
}
