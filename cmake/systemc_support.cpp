// SPDX-License-Identifier: Apache-2.0
// What every executable that links SystemC needs, whoever starts it: an sc_main for the library to
// refer to, and the sanitizers' settings that SystemC's own stacks ask for.

#include <cstdio>

// SystemC's library has a main() of its own that calls sc_main. Ours are objects, which the linker
// takes first, so this never runs; a main() inside a static library may lose against SystemC's, and
// then the executable says so. Weak: one that wants SystemC's main() defines sc_main itself.
extern "C" [[gnu::weak]] int sc_main(int /*argc*/, char** /*argv*/) {
  std::fputs("This executable was linked without a main() of its own.\n", stderr);
  return 3;
}

#ifdef __SANITIZE_ADDRESS__
// SystemC switches stacks by hand (QuickThreads) and does not tell the sanitizer. With the check
// for use after return, which keeps locals on "fake" stacks tied to the stack it knows, a process
// that resumes reads from a freed one and dies; so this check alone is off.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }
#endif
