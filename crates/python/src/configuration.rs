//! Items of a Python object, and how to create objects from some of them.
//!
//! The order of the items is that of the list passed from Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyList, PySet, PyString, PyTuple, PyType};

/// The items of an object, and how to create an object from some of them.
#[pyclass(frozen, module = "nubbin._nubbin")]
pub struct Items {
    items: Vec<Py<PyAny>>,
    form: Form,
}

/// The type of the created objects.
enum Form {
    List,
    Tuple,
    /// Characters, or other pieces of text.
    Text,
    Bytes(Vec<u8>),
    Set,
    FrozenSet,
    /// The items are pairs of keys and values.
    Dict,
    /// A function creates the object from a list of items.
    Made(Py<PyAny>),
}

#[pymethods]
impl Items {
    /// Takes a list of items, and the function that creates an object from such a list. Built-in types are
    /// recognized.
    #[new]
    fn new(items: &Bound<'_, PyList>, make: &Bound<'_, PyAny>) -> PyResult<Self> {
        u32::try_from(items.len())
            .map_err(|_| PyValueError::new_err("there are more than 4 billion items"))?;
        Ok(Self { form: Form::of(make, items)?, items: items.iter().map(Bound::unbind).collect() })
    }

    /// Returns the number of items.
    fn __len__(&self) -> usize {
        self.items.len()
    }

    /// Creates the object from the items at these positions.
    #[pyo3(name = "make")]
    #[expect(clippy::needless_pass_by_value, reason = "the arguments of a Python function are made for it")]
    fn make_of(&self, py: Python<'_>, places: Vec<u32>) -> PyResult<Py<PyAny>> {
        self.make(py, &places).map(Bound::unbind)
    }
}

impl Items {
    /// Returns the number of items.
    pub fn count(&self) -> u32 {
        self.items.len() as u32
    }

    /// Creates the object from the items at these positions.
    pub fn make<'py>(&self, py: Python<'py>, places: &[u32]) -> PyResult<Bound<'py, PyAny>> {
        let chosen = || places.iter().map(|&place| &self.items[place as usize]);
        let pairs = |dict: Bound<'py, PyDict>| {
            for pair in chosen() {
                let pair = pair.bind(py).cast::<PyTuple>()?;
                dict.set_item(pair.get_item(0)?, pair.get_item(1)?)?;
            }
            Ok::<_, PyErr>(dict.into_any())
        };
        match &self.form {
            Form::List => PyList::new(py, chosen()).map(Bound::into_any),
            Form::Tuple => {
                PyTuple::new(py, places.iter().map(|&place| &self.items[place as usize])).map(Bound::into_any)
            }
            Form::Text => PyString::new(py, "").call_method1("join", (PyList::new(py, chosen())?,)),
            Form::Bytes(bytes) => {
                let kept: Vec<u8> = places.iter().map(|&place| bytes[place as usize]).collect();
                Ok(PyBytes::new(py, &kept).into_any())
            }
            Form::Set => PySet::new(py, chosen()).map(Bound::into_any),
            Form::FrozenSet => PyFrozenSet::new(py, chosen()).map(Bound::into_any),
            Form::Dict => pairs(PyDict::new(py)),
            Form::Made(make) => make.bind(py).call1((PyList::new(py, chosen())?,)),
        }
    }
}

impl Form {
    fn of(make: &Bound<'_, PyAny>, items: &Bound<'_, PyList>) -> PyResult<Self> {
        let py = make.py();
        let is = |kind: Bound<'_, PyType>| make.is(&kind);
        Ok(if is(py.get_type::<PyList>()) {
            Self::List
        } else if is(py.get_type::<PyTuple>()) {
            Self::Tuple
        } else if is(py.get_type::<PyString>()) {
            Self::Text
        } else if is(py.get_type::<PyBytes>()) {
            Self::Bytes(items.extract()?)
        } else if is(py.get_type::<PySet>()) {
            Self::Set
        } else if is(py.get_type::<PyFrozenSet>()) {
            Self::FrozenSet
        } else if is(py.get_type::<PyDict>()) {
            Self::Dict
        } else {
            Self::Made(make.clone().unbind())
        })
    }
}
