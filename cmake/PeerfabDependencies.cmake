# SPDX-License-Identifier: Apache-2.0
# Everything comes from the distribution's packages. Targets made here:
# peerfab_systemc, peerfab_catch (tests only).
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost 1.74 REQUIRED) # Graph, Histogram and Container are used as headers only
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# SystemC has no CMake package in Debian. SC_CPLUSPLUS must name the standard the library was
# built with (2.3.4: C++17), else its ABI check fails to link from C++20; 3.x finds out by itself.
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc>=2.3.4)
add_library(peerfab_systemc INTERFACE)
target_link_libraries(peerfab_systemc INTERFACE PkgConfig::SYSTEMC Threads::Threads)
if(SYSTEMC_VERSION VERSION_LESS 3)
  target_compile_definitions(peerfab_systemc INTERFACE SC_CPLUSPLUS=201703L)
endif()

if(PEERFAB_BUILD_TESTS)
  find_package(Catch2 REQUIRED)
  include(Catch)
  add_library(peerfab_catch INTERFACE)
  target_include_directories(peerfab_catch INTERFACE ${PROJECT_SOURCE_DIR})
  if(Catch2_VERSION VERSION_LESS 3)
    add_library(peerfab_catch_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/catch_main.cpp)
    target_link_libraries(peerfab_catch_main PUBLIC Catch2::Catch2)
    target_include_directories(peerfab_catch_main PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(peerfab_catch INTERFACE Catch2::Catch2
                                                  $<TARGET_OBJECTS:peerfab_catch_main>)
    target_compile_definitions(peerfab_catch INTERFACE PEERFAB_CATCH2_V2)
  else()
    target_link_libraries(peerfab_catch INTERFACE Catch2::Catch2WithMain)
  endif()
endif()
if(PEERFAB_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
