#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "image/colours.h"
#include "image/superpixels.h"

namespace coterie {
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Planes = nb::ndarray<const std::int16_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void check_colours(const char* name, const Bytes& colours) {
  check_that(colours.shape(1) == 3, std::string(name) + " must have three bytes per colour.");
}

nb::tuple bind_count_colours(const Bytes& pixels, const std::optional<Vector<std::uint8_t>>& weights, int threads) {
  check_colours("pixels", pixels);
  const auto n = static_cast<std::int64_t>(pixels.shape(0));
  check_optional_size("weights", weights, n);
  auto index = new_vector<std::int32_t>(n);
  ColourCounts counts;
  without_gil([&] { counts = count_colours(pixels.data(), data_or_null(weights), n, threads, index.data()); });
  auto colours = new_matrix<std::uint8_t>(static_cast<std::int64_t>(counts.weights.size()), 3);
  std::copy(counts.colours.begin(), counts.colours.end(), colours.data());
  return nb::make_tuple(colours, copied(counts.weights), index);
}

NewMatrix<double> bind_locate_colours(const Bytes& colours, ColourSpace space, int threads) {
  check_colours("colours", colours);
  const auto n = static_cast<std::int64_t>(colours.shape(0));
  auto coordinates = new_matrix<double>(n, 3);
  without_gil([&] { locate_colours(colours.data(), n, space, threads, coordinates.data()); });
  return coordinates;
}

NewVector<double> bind_lights(const Vector<double>& encoded) {
  auto lights = new_vector<double>(static_cast<std::int64_t>(encoded.shape(0)));
  std::transform(encoded.data(), encoded.data() + encoded.shape(0), lights.data(), light_of);
  return lights;
}

NewMatrix<std::int32_t> bind_diffuse_errors(const Bytes& pixels, std::int64_t width, const Bytes& palette, ColourSpace space) {
  check_colours("pixels", pixels);
  check_colours("palette", palette);
  const auto n = static_cast<std::int64_t>(pixels.shape(0));
  check_that(width > 0 && n % width == 0, "pixels must be whole rows.");
  check_that(palette.shape(0) > 0, "palette must have a colour.");
  auto labels = new_matrix<std::int32_t>(n / width, width);
  without_gil([&] {
    diffuse_errors(pixels.data(), n / width, width, palette.data(), static_cast<std::int64_t>(palette.shape(0)), space, labels.data());
  });
  return labels;
}

PictureView checked_picture(const Planes& planes) {
  check_that(planes.shape(0) == 1 || planes.shape(0) == 3, "planes must be one or three.");
  const PictureView picture{planes.data(), static_cast<std::int64_t>(planes.shape(0)), static_cast<std::int64_t>(planes.shape(1)),
                            static_cast<std::int64_t>(planes.shape(2))};
  check_that(picture.size() > 0, "planes must have a pixel.");
  check_that(picture.size() <= std::numeric_limits<std::int32_t>::max(), "planes must have fewer than 2^31 pixels.");
  return picture;
}

NewMatrix<std::int64_t> sums_of(const Regions& regions, const PictureView& picture) {
  auto sums = new_matrix<std::int64_t>(static_cast<std::int64_t>(regions.sizes.size()), picture.n_channels);
  std::copy(regions.colours.begin(), regions.colours.end(), sums.data());
  return sums;
}

nb::tuple bind_superpixels(const Planes& planes, std::int64_t n_segments, double compactness, std::int64_t max_iter,
                           std::int64_t min_size, int threads) {
  const PictureView picture = checked_picture(planes);
  check_that(n_segments >= 1 && n_segments <= picture.size(), "n_segments must be at least 1 and at most the number of pixels.");
  auto labels = new_matrix<std::int32_t>(picture.height, picture.width);
  SlicResult result{};
  without_gil([&] { result = make_superpixels(picture, {n_segments, compactness, max_iter, min_size}, threads, labels.data()); });
  return nb::make_tuple(labels, copied(result.segments.sizes), sums_of(result.segments, picture), result.n_iter);
}

nb::tuple bind_connect_labels(const Planes& planes, const Matrix<std::int32_t>& labels, std::int64_t min_size, int threads) {
  const PictureView picture = checked_picture(planes);
  check_that(view(labels).rows == picture.height && view(labels).cols == picture.width, "labels must be as large as the picture.");
  auto connected = new_matrix<std::int32_t>(picture.height, picture.width);
  std::copy(labels.data(), labels.data() + picture.size(), connected.data());
  Regions regions;
  without_gil([&] { regions = connect_labels(picture, min_size, threads, connected.data()); });
  return nb::make_tuple(connected, copied(regions.sizes), sums_of(regions, picture));
}

}  // namespace

void bind_image(nb::module_& module) {
  nb::enum_<ColourSpace>(module, "ColourSpace", "Coordinates of colours.")
      .value("oklab", ColourSpace::oklab)
      .value("cielab", ColourSpace::cielab)
      .value("rgb", ColourSpace::rgb);
  module.def("count_colours", &bind_count_colours, "pixels"_a.noconvert(), "weights"_a.none() = nb::none(), "n_threads"_a = 0,
             "The colours of pixels, the sum of the weights of each, and the colour of each pixel.");
  module.def("locate_colours", &bind_locate_colours, "colours"_a.noconvert(), "space"_a, "n_threads"_a = 0,
             "Coordinates of colours of sRGB.");
  module.def("lights", &bind_lights, "encoded"_a, "What numbers of sRGB from 0 to 1 mean as amounts of light.");
  module.def("diffuse_errors", &bind_diffuse_errors, "pixels"_a.noconvert(), "width"_a, "palette"_a.noconvert(), "space"_a,
             "Colours of a palette by Floyd-Steinberg.");
  module.def("superpixels", &bind_superpixels, "planes"_a.noconvert(), "n_segments"_a, "compactness"_a, "max_iter"_a, "min_size"_a,
             "n_threads"_a = 0,
             "SLIC: the segment of each pixel, the size and the sums of the channels of each segment, and the iterations.");
  module.def("connect_labels", &bind_connect_labels, "planes"_a.noconvert(), "labels"_a.noconvert(), "min_size"_a, "n_threads"_a = 0,
             "Connected parts of labels of at least min_size pixels: that of each pixel, the size and the sums of each.");
}

}  // namespace coterie
