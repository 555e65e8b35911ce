//! Fingerprints and comparisons of screenshots.

use crate::plan::Fingerprint;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;

/// Tuned constants.
struct Tuning {
    /// Two colors are equal if no component differs by more than this, because letters are antialiased
    /// differently.
    tolerance: u8,
    /// The width and the height of a cell, in pixels, and the tolerance for the colors of cells. On a page
    /// with text, fields and a table, two kinds of browsers with different fonts differ by more than 32 in no
    /// cell of 20 pixels, but by more than 48 in a cell of 16 pixels. A heading that is shifted by 50 pixels
    /// changes dozens of cells of 20 pixels, and 7 of 32 pixels.
    cell: usize,
    cell_tolerance: u8,
}

const TUNING: Tuning = Tuning { tolerance: 48, cell: 20, cell_tolerance: 40 };

/// A screenshot: its width, its height, and three bytes for each pixel. Screenshots have no transparency.
#[derive(Debug)]
pub(crate) struct Picture {
    size: [u32; 2],
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Decodes a PNG image; `None` if it is invalid.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().ok()?;
        let mut pixels = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut pixels).ok()?;
        pixels.truncate(frame.buffer_size());
        let pixels = pixels.chunks_exact(frame.color_type.samples()).map(|pixel| match *pixel {
            [red, green, blue, ..] => [red, green, blue],
            [grey, ..] => [grey; 3],
            [] => [0; 3],
        });
        Some(Self { size: [frame.width, frame.height], pixels: pixels.collect() })
    }

    pub fn fingerprint(&self) -> Fingerprint {
        let mut hasher = DefaultHasher::new();
        self.pixels.hash(&mut hasher);
        Fingerprint { size: self.size, pixels: hasher.finish() }
    }

    /// Returns the share of pixels that differ, from 0 to 1. Images of different sizes differ completely.
    pub fn difference(&self, other: &Self) -> f64 {
        self.share(other, TUNING.tolerance)
    }

    /// Returns the share of cells whose average color differs, for browsers that render letters and fields
    /// differently.
    pub fn rough_difference(&self, other: &Self) -> f64 {
        self.cells().share(&other.cells(), TUNING.cell_tolerance)
    }

    fn share(&self, other: &Self, tolerance: u8) -> f64 {
        if self.size != other.size {
            return 1.0;
        }
        let is_other =
            |(one, two): &(&[u8; 3], &[u8; 3])| one.iter().zip(*two).any(|(a, b)| a.abs_diff(*b) > tolerance);
        let pairs = self.pixels.iter().zip(&other.pixels);
        pairs.filter(is_other).count() as f64 / self.pixels.len().max(1) as f64
    }

    /// Returns an image with one pixel for each cell. It keeps the original size, so that images of different
    /// sizes still differ.
    fn cells(&self) -> Self {
        let width = (self.size[0] as usize).max(1);
        let columns = width.div_ceil(TUNING.cell);
        let rows = self.pixels.len().div_ceil(width).div_ceil(TUNING.cell);
        let mut sums = vec![([0u64; 3], 0u64); columns * rows];
        for (at, pixel) in self.pixels.iter().enumerate() {
            let (sum, count) = &mut sums[at / width / TUNING.cell * columns + at % width / TUNING.cell];
            sum.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u64::from(*part));
            *count += 1;
        }
        let pixels = sums.into_iter().map(|(sum, count)| sum.map(|sum| (sum / count.max(1)) as u8));
        Self { size: self.size, pixels: pixels.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image of four gray pixels in a row.
    fn picture(greys: [u8; 4]) -> Picture {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 4, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let pixels: Vec<u8> = greys.iter().flat_map(|&grey| [grey; 3]).collect();
        encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels)).expect("a picture");
        Picture::decode(&bytes).expect("a picture")
    }

    #[test]
    fn the_share_of_pixels_that_differ_is_told() {
        let white = picture([255; 4]);
        assert!(white.difference(&picture([255, 250, 230, 255])) < f64::EPSILON);
        assert!((white.difference(&picture([255, 0, 255, 10])) - 0.5).abs() < f64::EPSILON);
        assert_eq!(white.fingerprint(), picture([255; 4]).fingerprint());
        assert_ne!(white.fingerprint(), picture([255, 255, 255, 254]).fingerprint());
        assert!(Picture::decode(b"no picture").is_none());
    }

    #[test]
    fn letters_in_another_font_are_no_rough_difference() {
        let page = |ink: fn(usize) -> bool| {
            let pixels = (0..40 * 40).map(|at| if ink(at) { [0; 3] } else { [255; 3] }).collect();
            Picture { size: [40, 40], pixels }
        };
        let (letters, other_letters) = (page(|at| at % 5 == 0), page(|at| at % 5 == 3));
        assert!(letters.difference(&other_letters) > 0.3);
        assert!(letters.rough_difference(&other_letters) < f64::EPSILON);
        let gone = page(|at| at % 5 == 0 && at / 40 < 20);
        assert!((letters.rough_difference(&gone) - 0.5).abs() < f64::EPSILON);
    }
}
