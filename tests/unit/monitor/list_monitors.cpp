// SPDX-License-Identifier: Apache-2.0
// Prints the library's own list of monitors, for monitors_report.py: name, tab, section.
#include <cstdio>

#include "sim/monitor/monitor_list.h"

int main() {
  for (const peerfab::monitor::MonitorInfo& monitor : peerfab::monitor::all_monitors()) {
    std::printf("%.*s\t%.*s\n", static_cast<int>(monitor.name.size()), monitor.name.data(),
                static_cast<int>(monitor.section.size()), monitor.section.data());
  }
  return 0;
}
