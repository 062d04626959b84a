// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <utility>
#include <vector>

namespace Tessera {

// Matrices for tests, benchmarks and examples. Each result depends on the arguments and the seed alone: it is the same
// to the bit on every machine and for every number of threads (0 = all available). All are canonical. A size out of
// range throws std::invalid_argument, a matrix that needs more than the memory available std::runtime_error.

/// The 27-point stencil on a grid of grid^3 points, 26 on the diagonal and -1 elsewhere: symmetric positive definite,
/// (3 grid - 2)^3 nonzeros. Grid point (x, y, z) is row x + grid (y + grid z).
HostCsr<double> generate_stencil27(Ordinal grid, int threads = 0);

/// Like linear elasticity with three unknowns a grid point (unknown d of point p is row 3 p + d): each of the 27
/// neighbours couples by a dense 3x3 block. Symmetric and strictly diagonally dominant with a positive diagonal,
/// hence positive definite; 3 grid^3 rows, 9 (3 grid - 2)^3 nonzeros. The seed disturbs the couplings.
HostCsr<double> generate_elasticity(Ordinal grid, std::uint64_t seed, int threads = 0);

/// R-MAT power law graph (a, b, c, d = 0.57, 0.19, 0.19, 0.05) of 2^scale vertices, not renumbered: hubs come first.
/// edge_factor * 2^scale directed edges are drawn and repeated ones removed. Values uniform in [-1, 1].
HostCsr<double> generate_rmat(int scale, int edge_factor, std::uint64_t seed, int threads = 0);

/// Like a road network: a planar grid of about the square root of rows a side, of whose edges seven in ten exist.
/// Symmetric, at most four nonzeros a row, 2.8 on average, some rows empty. Values uniform in [-1, 1].
HostCsr<double> generate_road(Ordinal rows, std::uint64_t seed, int threads = 0);

/// All entries with |row - column| <= bandwidth of a square matrix. Values uniform in [-1, 1].
HostCsr<double> generate_banded(Ordinal rows, Ordinal bandwidth, std::uint64_t seed, int threads = 0);

/// A square matrix with exactly nonzeros_per_row nonzeros in each row, at random columns. Values uniform in [-1, 1].
HostCsr<double> generate_uniform(Ordinal rows, Ordinal nonzeros_per_row, std::uint64_t seed, int threads = 0);

/// One of the above by name, "NAME" or "NAME:SIZE[,SIZE]": stencil27:GRID, elasticity:GRID, rmat:SCALE[,EDGE_FACTOR],
/// road:ROWS, banded:ROWS[,BANDWIDTH], uniform:ROWS[,NONZEROS_PER_ROW]. The default sizes take about a second.
/// Throws std::invalid_argument for an unknown name (listing the names) or a size that is not a number in range.
HostCsr<double> generate(const std::string& name_and_size, std::uint64_t seed, int threads = 0);

/// Each name with its sizes ("rmat:SCALE[,EDGE_FACTOR]") and a line that describes it with the defaults, for --help.
std::vector<std::pair<std::string, std::string>> generator_names();

/// A dense matrix with entries uniform in [-1, 1) (real and imaginary part each).
template <class Scalar>
HostDense<Scalar> random_dense(std::size_t rows, std::size_t columns, std::uint64_t seed, int threads = 0);

}  // namespace Tessera
