// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The version of Tessera: macros for the headers that a program is compiled with, version() for the library that runs.

#include <string>
#include <string_view>
#include <vector>

#define TESSERA_VERSION_MAJOR 0         ///< the first number of the version
#define TESSERA_VERSION_MINOR 3         ///< the second number
#define TESSERA_VERSION_PATCH 0         ///< the third number
#define TESSERA_VERSION_STRING "0.3.0"  ///< the three numbers as text

/// The version as one number, 10000 MAJOR + 100 MINOR + PATCH: 200 is 0.2.0.
#define TESSERA_VERSION (10000 * TESSERA_VERSION_MAJOR + 100 * TESSERA_VERSION_MINOR + TESSERA_VERSION_PATCH)

namespace Tessera {

/// The version of a compiled library, and the options that it was built with. Texts live as long as the program.
struct Version {
  int major;                                       ///< TESSERA_VERSION_MAJOR of the library
  int minor;                                       ///< TESSERA_VERSION_MINOR of the library
  int patch;                                       ///< TESSERA_VERSION_PATCH of the library
  std::string_view commit;                         ///< 12 digits, and "-dirty" if files differ; "unknown" without git
  std::vector<std::string_view> scalars;           ///< CMake's TESSERA_SCALARS, such as "double"
  std::vector<std::string_view> execution_spaces;  ///< names of Kokkos' backends, such as "OpenMP"
  std::vector<std::string_view> components;        ///< components of the package, such as "Io"
  std::string_view gpu_model;                      ///< name and version of the model that predicts times on GPUs
  std::string_view kokkos;                         ///< Kokkos' version, such as "5.2.0"
  std::string_view compiler;                       ///< name and version of the compiler for C++
};

/// Returns the version of the library that runs. Needs no Kokkos::initialize().
Version version();

/// Returns a version as text for a bug report: "Tessera 0.2.0", and a line for each option. It has no final line end.
std::string to_string(const Version& version);

}  // namespace Tessera
