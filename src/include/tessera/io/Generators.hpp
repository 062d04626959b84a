// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <utility>
#include <vector>

namespace Tessera {

/// @file
/// Matrices for tests, benchmarks and examples. A result depends only on the arguments and the seed: it has the same
/// bits on every machine and for any number of threads (0 means all available). All matrices are canonical. A size out
/// of range throws std::invalid_argument. A matrix that needs more memory than there is throws std::runtime_error.

/// Generates a matrix by name, "NAME" or "NAME:SIZE[,SIZE]": stencil27:GRID, elasticity:GRID, rmat:SCALE[,EDGE_FACTOR],
/// road:ROWS, banded:ROWS[,BANDWIDTH] or uniform:ROWS[,NONZEROS_PER_ROW]. The default sizes take about a second.
///
/// \throws std::invalid_argument for an unknown name, listing the names, or for a size that is not a number in range
HostCsr<double> generate(const std::string& name_and_size, std::uint64_t seed = 1, int threads = 0);

/// A dense matrix whose entries, or their real and imaginary parts, are uniform in [-1, 1).
template <class Scalar>
HostDense<Scalar> random_dense(std::size_t rows, std::size_t columns, std::uint64_t seed, int threads = 0);

namespace Impl {

/// The 27-point stencil on a grid of grid^3 points, with 26 on the diagonal and -1 elsewhere. It is symmetric positive
/// definite and has (3 grid - 2)^3 nonzeros. Grid point (x, y, z) is row x + grid (y + grid z).
HostCsr<double> generate_stencil27(Ordinal grid, int threads = 0);

/// A matrix like that of linear elasticity, with three unknowns at each grid point: unknown d of point p is row 3 p +
/// d. A dense 3x3 block couples each point with each of its 27 neighbours. The matrix is symmetric and strictly
/// diagonally dominant with a positive diagonal, hence positive definite. It has 3 grid^3 rows and 9 (3 grid - 2)^3
/// nonzeros. The seed determines a random part of the couplings.
HostCsr<double> generate_elasticity(Ordinal grid, std::uint64_t seed, int threads = 0);

/// An R-MAT power law graph (a, b, c, d = 0.57, 0.19, 0.19, 0.05) of 2^scale vertices. Vertices are not renumbered,
/// hence hubs come first. edge_factor * 2^scale directed edges are drawn, and repeated edges are removed. Values are
/// uniform in [-1, 1].
HostCsr<double> generate_rmat(int scale, int edge_factor, std::uint64_t seed, int threads = 0);

/// A matrix like that of a road network: a planar grid with about sqrt(rows) points a side, in which seven of ten edges
/// exist. It is symmetric, has at most four nonzeros in a row and 2.8 on average; some rows are empty. Values are
/// uniform in [-1, 1].
HostCsr<double> generate_road(Ordinal rows, std::uint64_t seed, int threads = 0);

/// A square matrix with all entries where |row - column| <= bandwidth. Values are uniform in [-1, 1].
HostCsr<double> generate_banded(Ordinal rows, Ordinal bandwidth, std::uint64_t seed, int threads = 0);

/// A square matrix with exactly nonzeros_per_row nonzeros in each row, at random columns. Values are uniform in [-1,
/// 1].
HostCsr<double> generate_uniform(Ordinal rows, Ordinal nonzeros_per_row, std::uint64_t seed, int threads = 0);

/// Returns the names that generate() knows, for --help: each with its sizes ("rmat:SCALE[,EDGE_FACTOR]"), and a line
/// that describes the matrix and the default sizes.
std::vector<std::pair<std::string, std::string>> generator_names();

}  // namespace Impl

}  // namespace Tessera
