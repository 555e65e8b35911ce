//! Pictures of pages: in short, and compared.

use crate::plan::Fingerprint;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;

/// The numbers that were tuned.
struct Tuning {
    /// Two colours are the same if none of their parts differs by more: letters are smoothed differently.
    tolerance: u8,
}

const TUNING: Tuning = Tuning { tolerance: 48 };

/// A picture: its width, its height, and three or four bytes for each pixel.
#[derive(Debug)]
pub(crate) struct Picture {
    size: [u32; 2],
    pixels: Vec<u8>,
    /// The number of bytes of a pixel.
    depth: usize,
}

impl Picture {
    /// Decodes a picture as a browser sends it; `None` if it is none.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().ok()?;
        let mut pixels = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut pixels).ok()?;
        pixels.truncate(frame.buffer_size());
        Some(Self { size: [frame.width, frame.height], pixels, depth: frame.color_type.samples() })
    }

    pub fn fingerprint(&self) -> Fingerprint {
        let mut hasher = DefaultHasher::new();
        self.pixels.hash(&mut hasher);
        Fingerprint { size: self.size, pixels: hasher.finish() }
    }

    /// Returns the share of the pixels that differ, from 0 to 1. Pictures of different sizes differ as a whole.
    pub fn difference(&self, other: &Self) -> f64 {
        if self.size != other.size || self.depth != other.depth {
            return 1.0;
        }
        let pixels = |picture: &Self| picture.pixels.len() / picture.depth.max(1);
        let pairs = self.pixels.chunks(self.depth).zip(other.pixels.chunks(self.depth));
        let is_other = |(one, two): &(&[u8], &[u8])| {
            one.iter().zip(*two).any(|(a, b)| a.abs_diff(*b) > TUNING.tolerance)
        };
        pairs.filter(is_other).count() as f64 / pixels(self).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of four grey pixels in a row.
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
}
