// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Spy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <harness/TextFormat.hpp>
#include <string_view>

#include "SpyGrid.hpp"

namespace Tessera::Impl::Driver {

using namespace Harness;

namespace {

// Sizes in pixels.
constexpr int panel_size = 440;  // the longer side
constexpr int panel_least = 110;
constexpr int pixels_a_cell = 2;
constexpr int margin = 70;
constexpr int panels_top = 128;

using Colour = std::array<double, 3>;
using Palette = std::array<Colour, 4>;
// From light to dark. A single pixel of the lightest is still visible on white.
constexpr Palette blues{{{127, 205, 187}, {29, 145, 192}, {37, 72, 160}, {8, 20, 66}}};
constexpr Palette reds{{{255, 205, 95}, {250, 125, 50}, {205, 25, 45}, {45, 0, 30}}};

/// Classes of values between ascending edges; values beyond the edges are in the first or last class.
struct Scale {
  std::vector<double> edges;
  std::vector<std::string> labels;  // labels of the edges
  Palette palette;

  std::size_t classes() const { return edges.size() - 1; }
  std::size_t class_of(double value) const {
    const auto above = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin();
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(classes()) - 1));
  }
  std::string colour(std::size_t c) const {
    const double position = classes() == 1 ? 3 : 3.0 * static_cast<double>(c) / static_cast<double>(classes() - 1);
    const auto low = std::min<std::size_t>(static_cast<std::size_t>(position), 2);
    const double t = position - static_cast<double>(low);
    std::array<int, 3> rgb{};
    for (std::size_t part = 0; part < 3; ++part) {
      rgb[part] = static_cast<int>(std::lround((1 - t) * palette[low][part] + t * palette[low + 1][part]));
    }
    return text_format("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
  }
};

/// Returns decades from the least density to the greatest, or thirds (1, 2, 5) if there are few decades.
Scale density_scale(const std::vector<double>& density) {
  double least = 1, greatest = 0;
  for (double d : density) {
    if (d > 0) least = std::min(least, d);
    greatest = std::max(greatest, d);
  }
  // Subtracting or adding 1e-9 keeps an exact power of ten in the decade that it ends.
  int low = static_cast<int>(std::floor(std::log10(least) + 1e-9));
  const int high = greatest > 0 ? static_cast<int>(std::ceil(std::log10(greatest) - 1e-9)) : 0;
  low = std::clamp(low, high - 7, high - 1);
  Scale scale{{}, {}, blues};
  for (int decade = low; decade <= high; ++decade) {
    for (double step : {1.0, 2.0, 5.0}) {
      if (step > 1 && (decade == high || high - low > 2)) continue;
      scale.edges.push_back(step * std::pow(10.0, decade));
      scale.labels.push_back(text_format("%.*f%%", std::max(0, -decade - 2), step * std::pow(10.0, decade + 2)));
    }
  }
  return scale;
}

Scale tile_scale() { return {{1, 2, 4, 8, 16, 32, 64}, {"1", "2", "4", "8", "16", "32", "64"}, reds}; }

/// Returns the bytes of the first character of a text; 0 if that is not valid in XML in UTF-8.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first >= 0x20;
  const std::size_t length = first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  unsigned code = first & (0x7fU >> length);
  for (const char byte : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) return 0;
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  }
  constexpr unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000, is_none = code == 0xfffe || code == 0xffff;
  return code < least[length] || code > 0x10ffff || is_surrogate || is_none ? 0 : length;
}

/// Escapes a text for XML. U+FFFD replaces bytes that are no character.
std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length);
    result += length == 0        ? "\uFFFD"
              : character == "&" ? "&amp;"
              : character == "<" ? "&lt;"
              : character == ">" ? "&gt;"
                                 : character;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string text_at(double x, double y, const char* attributes, const std::string& text) {
  return text_format("<text x=\"%g\" y=\"%g\" %s>", x, y, attributes) + escaped(text) + "</text>\n";
}

struct Frame {
  int left, top, width, height;
};

/// Draws the cells, with a path per colour: adjacent cells of one colour in a row are one rectangle.
std::string cells(const SpyGrid& grid, const std::vector<double>& values, const Scale& scale, const Frame& frame) {
  std::vector<std::string> paths(scale.classes());
  for (int i = 0; i < grid.cell_rows; ++i) {
    const double* row = values.data() + static_cast<std::ptrdiff_t>(i) * grid.cell_columns;
    for (int j = 0, next = 0; j < grid.cell_columns; j = next) {
      next = j + 1;
      if (!(row[j] > 0)) continue;
      const std::size_t c = scale.class_of(row[j]);
      while (next < grid.cell_columns && row[next] > 0 && scale.class_of(row[next]) == c) ++next;
      paths[c] += text_format("M%d %dh%dv1h%dz", j, i, next - j, j - next);
    }
  }
  std::string svg =
      text_format("<g transform=\"translate(%d %d) scale(%.9g %.9g)\" shape-rendering=\"crispEdges\">\n", frame.left,
                  frame.top, static_cast<double>(frame.width) / std::max(grid.cell_columns, 1),
                  static_cast<double>(frame.height) / std::max(grid.cell_rows, 1));
  for (std::size_t c = 0; c < paths.size(); ++c) {
    if (!paths[c].empty()) svg += "<path fill=\"" + scale.colour(c) + "\" d=\"" + paths[c] + "\"/>\n";
  }
  return svg + "</g>\n";
}

std::string axes(const MatrixSummary& matrix, const Frame& frame) {
  const double right = frame.left + frame.width, bottom = frame.top + frame.height;
  const char* small_end = "font-size=\"12\" fill=\"#555\" text-anchor=\"end\"";
  std::string svg = text_format("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
                                frame.left, frame.top, frame.width, frame.height);
  svg += text_at(frame.left, frame.top - 7, "font-size=\"12\" fill=\"#555\"", "column 0");
  svg += text_at(right, frame.top - 7, small_end, with_separators(static_cast<std::size_t>(matrix.columns)));
  svg += text_at(frame.left - 6, frame.top + 11, small_end, "row 0");
  svg += text_at(frame.left - 6, bottom, small_end, with_separators(static_cast<std::size_t>(matrix.rows)));
  return svg;
}

std::string legend(const Scale& scale, double left, double top, const std::string& title) {
  const double width = 380.0 / static_cast<double>(std::max<std::size_t>(scale.classes(), 6));
  std::string svg = text_at(left, top, "font-size=\"13\"", title);
  for (std::size_t c = 0; c < scale.classes(); ++c) {
    svg += text_format("<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"14\" fill=\"%s\"/>\n",
                       left + width * static_cast<double>(c), top + 8, width, scale.colour(c).c_str());
  }
  for (std::size_t e = 0; e < scale.edges.size(); ++e) {
    svg += text_at(left + width * static_cast<double>(e), top + 36,
                   "font-size=\"12\" fill=\"#555\" text-anchor=\"middle\"", scale.labels[e]);
  }
  return svg;
}

std::string panel(const MatrixSummary& matrix, const SpyGrid& grid, const std::vector<double>& values,
                  const Scale& scale, const Frame& frame, const std::string& title, const std::string& legend_title) {
  return text_at(frame.left, panels_top - 32, "font-size=\"16\" font-weight=\"bold\"", title) +
         cells(grid, values, scale, frame) + axes(matrix, frame) +
         legend(scale, frame.left, frame.top + frame.height + 32, legend_title);
}

}  // namespace

std::string spy_svg(const MatrixSummary& matrix, const std::vector<std::size_t>& row_offsets,
                    const std::vector<int>& column_indices) {
  const double longer = std::max({matrix.rows, matrix.columns, 1});
  const auto side = [&](int size) { return std::max(panel_least, static_cast<int>(panel_size * (size / longer))); };
  Frame frame{margin, panels_top, side(matrix.columns), side(matrix.rows)};
  const SpyGrid grid = make_spy_grid(matrix.rows, matrix.columns, row_offsets, column_indices,
                                     std::min(matrix.rows, frame.height / pixels_a_cell),
                                     std::min(matrix.columns, frame.width / pixels_a_cell));
  const int step = std::max(frame.width, 400) + margin + 20;  // the legends need their width
  const int width = margin + 2 * step - 40, height = panels_top + frame.height + 96;
  const double mean = grid.tiles == 0 ? 0 : static_cast<double>(matrix.nonzeros) / static_cast<double>(grid.tiles);

  std::string svg = text_format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
      "font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
      width, height, width, height, width, height);
  svg += text_at(margin, 36, "font-size=\"21\" font-weight=\"bold\"", matrix.name);
  svg +=
      text_at(margin, 60, "font-size=\"14\" fill=\"#333\"",
              with_separators(static_cast<std::size_t>(matrix.rows)) + " x " +
                  with_separators(static_cast<std::size_t>(matrix.columns)) + ", " + with_separators(matrix.nonzeros) +
                  " nonzeros in " + with_separators(static_cast<std::size_t>(grid.tiles)) +
                  text_format(" tiles of 8x8, %.1f a tile", mean));
  svg += panel(matrix, grid, grid.density, density_scale(grid.density), frame, "Nonzero density",
               "share of a cell's elements that are nonzero");
  frame.left += step;
  svg += panel(matrix, grid, grid.tile_nonzeros, tile_scale(), frame, "Tile density",
               text_format("mean nonzeros of the 8x8 tiles (64 is full; whole matrix: %.1f)", mean));
  return svg + "</svg>\n";
}

}  // namespace Tessera::Impl::Driver
