//! A parser of option values that several groups share.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};

/// Accepts any text, and offers a list of values to shell completions.
#[derive(Clone, Debug)]
pub struct Offered {
    values: Vec<&'static str>,
}

impl Offered {
    /// Offers these values.
    pub fn new(values: impl IntoIterator<Item = &'static str>) -> Self {
        Self { values: values.into_iter().collect() }
    }
}

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values.iter().copied().map(PossibleValue::new)))
    }
}
