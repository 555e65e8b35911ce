//! The part of a page that is compared: a rectangle or an element.

use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Region {
    /// A rectangle of the page, in CSS pixels from its upper left corner: left, top, width and height.
    Rectangle([u32; 4]),
    /// The rectangle of the first element that matches a selector.
    Element(String),
}

impl FromStr for Region {
    type Err = Infallible;

    /// Parses `X,Y,WIDTHxHEIGHT`; any other text is a selector.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(rectangle(text).map_or_else(|| Self::Element(text.trim().to_owned()), Self::Rectangle))
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rectangle([x, y, width, height]) => write!(f, "{x},{y},{width}x{height}"),
            Self::Element(selector) => f.write_str(selector),
        }
    }
}

fn rectangle(text: &str) -> Option<[u32; 4]> {
    let mut parts = text.split(',').map(str::trim);
    let (x, y, size) = (parts.next()?, parts.next()?, parts.next()?);
    let (width, height) = size.split_once('x')?;
    let numbers = [x, y, width, height].map(|number| number.trim().parse::<u32>().ok());
    let [Some(x), Some(y), Some(width), Some(height)] = numbers else { return None };
    (parts.next().is_none() && width > 0 && height > 0).then_some([x, y, width, height])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(text: &str) -> Region {
        text.parse().unwrap_or_else(|never: Infallible| match never {})
    }

    #[test]
    fn a_rectangle_is_told_from_a_selector() {
        assert_eq!(region("0,10,200x100"), Region::Rectangle([0, 10, 200, 100]));
        assert_eq!(region(" 1, 2, 3x4"), Region::Rectangle([1, 2, 3, 4]));
        for selector in ["#menu", "h1, h2", "0,0,0x5", "1,2,3x4,5", "a,b,cxd", "0,-1,2x2"] {
            assert_eq!(region(selector), Region::Element(selector.to_owned()));
        }
        assert_eq!(region("0,10,200x100").to_string(), "0,10,200x100");
    }
}
