//! Parameters as safetensors, the exchange format of PyTorch and other frameworks.
//!
//! The layout of the file is that of <https://github.com/huggingface/safetensors>: a little-endian
//! `u64` with the length of a JSON header, the header, padded with spaces to a multiple of 8, then the
//! tensors' bytes. The tensors are `ft.bias`, `ft.weight`, `out.bias` and `out.weight`, in this order, little-endian `F32`, row after row.

use core::fmt::Write;
use std::collections::BTreeMap;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use chess_records::Square;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use thiserror::Error;

use super::parameters::{FloatWeights, Parameters, ParametersError};
use crate::{Activation, Architecture, ArchitectureError, KingBuckets};

/// The tensors, in the order they lie in.
const NAMES: [&str; 4] = ["ft.bias", "ft.weight", "out.bias", "out.weight"];

/// The entry of the header that holds texts.
const METADATA: &str = "__metadata__";

/// Why bytes are no parameters.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SafetensorsError {
    /// The header or the places of the tensors make no sense.
    #[error("not in the safetensors format: {reason}")]
    Format {
        /// What is wrong.
        reason: String,
    },
    /// A tensor is missing.
    #[error("there is no tensor {name}")]
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// A tensor too many: the file is of something else.
    #[error("{count} tensors, expected ft.bias, ft.weight, out.bias and out.weight alone")]
    Others {
        /// How many tensors there are.
        count: usize,
    },
    /// Numbers of another type.
    #[error("{name} holds {found}, expected F32")]
    Dtype {
        /// The tensor.
        name: &'static str,
        /// The type found, as the file names it.
        found: String,
    },
    /// A tensor of another shape.
    #[error("{name} has the shape {found:?}, expected {expected:?}")]
    Shape {
        /// The tensor.
        name: &'static str,
        /// The shape that the architecture, or the other tensors, ask for.
        expected: Vec<usize>,
        /// The tensor's.
        found: Vec<usize>,
    },
    /// A value that is NaN or infinite.
    #[error("value {index} of {name} is not finite")]
    NotFinite {
        /// The tensor.
        name: &'static str,
        /// Where in the tensor.
        index: usize,
    },
    /// The metadata does not say what the architecture is.
    #[error("the metadata has no {key}; name the architecture instead")]
    NoMetadata {
        /// The entry.
        key: &'static str,
    },
    /// An entry of the metadata that cannot be read.
    #[error("{key} in the metadata is {found:?}, expected {expected}")]
    Metadata {
        /// The entry.
        key: &'static str,
        /// The beginning of its text.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A shape or a scale that no architecture has.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// An architecture that parameters cannot have.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
}

/// `ft.weight` \[768 · king buckets, N\], `ft.bias` \[N\], `out.weight` \[output buckets, 2N\] and
/// `out.bias` \[output buckets\], all `F32`. In PyTorch the first is the weight of an `EmbeddingBag`
/// and the third that of a `Linear`.
///
/// The metadata says `activation` (`crelu` or `screlu`), `eval_scale`, `qa`, `qb`, `mirrored` (`true`
/// or `false`) and, with more than one king bucket, `king_map`, 64 bucket numbers with commas between.
impl Parameters {
    /// The parameters in the safetensors format, [folded](Parameters::folded) if they have a
    /// factoriser: other programs need not know of it. The same parameters give the same bytes.
    #[must_use]
    pub fn to_safetensors(&self) -> Vec<u8> {
        if !self.weights().factoriser.is_empty() {
            return self.clone().folded().to_safetensors();
        }
        let shapes = shapes(self.architecture());
        let tensors = tensors(self.weights());
        let mut header = format!("{{\"{METADATA}\":{}", metadata_json(self.architecture()));
        let mut end = 0;
        for ((name, shape), values) in NAMES.into_iter().zip(&shapes).zip(tensors) {
            let start = end;
            end += size_of_val(values);
            // Writing to a `String` cannot fail.
            let _ = write!(
                header,
                ",\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{start},{end}]}}"
            );
        }
        header.push('}');
        header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
        let mut bytes = Vec::with_capacity(8 + header.len() + end);
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header.as_bytes());
        for values in tensors {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes
    }

    /// Reads parameters whose metadata says what their architecture is.
    ///
    /// # Errors
    ///
    /// When the bytes are not in the format, tensors are missing, too many, of another type or shape
    /// or not finite, or the metadata lacks something.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self, SafetensorsError> {
        let tensors = open(bytes)?;
        // Whatever their shapes are, those of the architecture are asked of them in the end.
        let [hidden, _, output_buckets, _] = tensors
            .each_ref()
            .map(|tensor| tensor.shape().last().copied().unwrap_or(0));
        let architecture = architecture(hidden, output_buckets, &read_metadata(bytes)?)?;
        read(&tensors, architecture)
    }

    /// Reads parameters of a known architecture; no metadata is asked for, as other programs write
    /// none.
    ///
    /// # Errors
    ///
    /// As [`Parameters::from_safetensors`], but for the metadata.
    pub fn from_safetensors_as(
        bytes: &[u8],
        architecture: Architecture,
    ) -> Result<Self, SafetensorsError> {
        read(&open(bytes)?, architecture)
    }
}

/// The numbers in the order of [`NAMES`].
fn tensors(weights: &FloatWeights) -> [&[f32]; 4] {
    [
        &weights.feature_biases,
        &weights.feature_weights,
        &weights.output_biases,
        &weights.output_weights,
    ]
}

/// The shapes of an architecture's tensors, in the order of [`NAMES`].
fn shapes(architecture: &Architecture) -> [Vec<usize>; 4] {
    let (hidden, buckets) = (architecture.hidden(), architecture.output_buckets());
    [
        Vec::from([hidden]),
        Vec::from([architecture.inputs(), hidden]),
        Vec::from([buckets]),
        Vec::from([buckets, 2 * hidden]),
    ]
}

/// No value needs escaping.
fn metadata_json(architecture: &Architecture) -> String {
    let activation = match architecture.activation() {
        Activation::Crelu => "crelu",
        Activation::Screlu => "screlu",
    };
    let king_buckets = architecture.king_buckets();
    let mut entries = BTreeMap::from([
        ("activation", activation.to_string()),
        ("eval_scale", architecture.eval_scale().to_string()),
        ("mirrored", king_buckets.mirrored().to_string()),
        ("qa", architecture.qa().to_string()),
        ("qb", architecture.qb().to_string()),
    ]);
    if king_buckets.count() > 1 {
        let numbers = king_buckets.map().map(|bucket| bucket.to_string());
        entries.insert("king_map", numbers.join(","));
    }
    let entries = entries
        .iter()
        .map(|(key, text)| format!("\"{key}\":\"{text}\""));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
}

/// The tensors in the order of [`NAMES`].
fn open(bytes: &[u8]) -> Result<[TensorView<'_>; 4], SafetensorsError> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| format_error(&error))?;
    let tensor = |name| {
        let tensor = file.tensor(name);
        tensor.map_err(|_| SafetensorsError::Missing { name })
    };
    let [a, b, c, d] = NAMES.map(tensor);
    let tensors = [a?, b?, c?, d?];
    match file.len() {
        4 => Ok(tensors),
        count => Err(SafetensorsError::Others { count }),
    }
}

/// The error's text may quote the file at any length.
fn format_error(error: &SafeTensorError) -> SafetensorsError {
    SafetensorsError::Format {
        reason: error.to_string().chars().take(150).collect(),
    }
}

type Metadata = BTreeMap<String, String>;

fn read_metadata(bytes: &[u8]) -> Result<Metadata, SafetensorsError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| format_error(&error))?;
    let entries = header.metadata().iter().flatten();
    Ok(entries
        .map(|(key, text)| (key.clone(), text.clone()))
        .collect())
}

fn architecture(
    hidden: usize,
    output_buckets: usize,
    metadata: &Metadata,
) -> Result<Architecture, SafetensorsError> {
    let activation = match entry(metadata, "activation")? {
        "crelu" => Activation::Crelu,
        "screlu" => Activation::Screlu,
        other => return Err(metadata_error("activation", other, "crelu or screlu")),
    };
    let architecture = Architecture::new(hidden)?
        .with_activation(activation)
        .with_king_buckets(king_buckets(metadata)?)
        .with_output_buckets(output_buckets)?
        .with_quantization(number(metadata, "qa")?, number(metadata, "qb")?)?
        .with_eval_scale(number(metadata, "eval_scale")?)?;
    Ok(architecture)
}

fn king_buckets(metadata: &Metadata) -> Result<KingBuckets, SafetensorsError> {
    let mirrored = match entry(metadata, "mirrored")? {
        "false" => false,
        "true" => true,
        other => return Err(metadata_error("mirrored", other, "true or false")),
    };
    let mut map = [0; Square::COUNT];
    if let Some(text) = metadata.get("king_map") {
        let numbers: Result<Vec<u8>, _> = text.split(',').map(str::parse).collect();
        let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
        map = numbers.ok_or_else(|| metadata_error("king_map", text, "64 bucket numbers"))?;
    }
    Ok(KingBuckets::new(map, mirrored)?)
}

fn entry<'m>(metadata: &'m Metadata, key: &'static str) -> Result<&'m str, SafetensorsError> {
    let text = metadata.get(key).map(String::as_str);
    text.ok_or(SafetensorsError::NoMetadata { key })
}

fn number<T: core::str::FromStr>(
    metadata: &Metadata,
    key: &'static str,
) -> Result<T, SafetensorsError> {
    let text = entry(metadata, key)?;
    text.parse()
        .map_err(|_| metadata_error(key, text, "a whole number"))
}

fn metadata_error(key: &'static str, text: &str, expected: &'static str) -> SafetensorsError {
    SafetensorsError::Metadata {
        key,
        found: text.chars().take(30).collect(),
        expected,
    }
}

fn read(
    tensors: &[TensorView<'_>; 4],
    architecture: Architecture,
) -> Result<Parameters, SafetensorsError> {
    let mut lists = [const { Vec::new() }; 4];
    let shapes = shapes(&architecture);
    for (index, list) in lists.iter_mut().enumerate() {
        *list = values(NAMES[index], &tensors[index], &shapes[index])?;
    }
    let [
        feature_biases,
        feature_weights,
        output_biases,
        output_weights,
    ] = lists;
    let weights = FloatWeights {
        feature_weights,
        factoriser: Vec::new(),
        feature_biases,
        output_weights,
        output_biases,
    };
    Ok(Parameters::new(architecture, weights)?)
}

/// The numbers of a tensor, once its type and shape are known to be right.
fn values(
    name: &'static str,
    tensor: &TensorView<'_>,
    shape: &[usize],
) -> Result<Vec<f32>, SafetensorsError> {
    if tensor.dtype() != Dtype::F32 {
        let found = tensor.dtype().to_string();
        return Err(SafetensorsError::Dtype { name, found });
    }
    if tensor.shape() != shape {
        return Err(SafetensorsError::Shape {
            name,
            expected: shape.to_vec(),
            found: tensor.shape().to_vec(),
        });
    }
    let numbers = tensor.data().as_chunks::<4>().0.iter();
    let values: Vec<f32> = numbers.map(|&bytes| f32::from_le_bytes(bytes)).collect();
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(SafetensorsError::NotFinite { name, index }),
        None => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(architecture: &Architecture) -> Parameters {
        Parameters::random(architecture, 9)
    }

    fn plain() -> Architecture {
        Architecture::new(16).unwrap()
    }

    #[test]
    fn parameters_come_back_bit_by_bit() {
        for activation in [Activation::Crelu, Activation::Screlu] {
            let architecture = plain().with_activation(activation);
            let architecture = architecture.with_quantization(181, 32).unwrap();
            let architecture = architecture.with_eval_scale(115).unwrap();
            let written = parameters(&architecture).to_safetensors();
            let read = Parameters::from_safetensors(&written).unwrap();
            assert_eq!(read, parameters(&architecture));
            assert_eq!(read.to_safetensors(), written);
        }
    }

    #[test]
    fn buckets_come_back_and_a_factoriser_is_folded() {
        let mut map = [0; 64];
        map[32..].fill(1);
        let buckets = KingBuckets::new(map, true).unwrap();
        let architecture = plain().with_king_buckets(buckets);
        let architecture = architecture.with_output_buckets(4).unwrap();
        let mut weights = parameters(&architecture).with_factoriser().into_weights();
        weights.factoriser[5] = 0.5;
        let parameters = Parameters::new(architecture, weights).unwrap();
        let read = Parameters::from_safetensors(&parameters.to_safetensors()).unwrap();
        assert_ne!(read, parameters);
        assert_eq!(read, parameters.folded());
    }

    #[test]
    fn the_bytes_are_laid_out_like_this() {
        let bytes = parameters(&plain()).to_safetensors();
        let header_len = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        let header = core::str::from_utf8(&bytes[8..8 + header_len]).unwrap();
        let expected = concat!(
            r#"{"__metadata__":{"activation":"screlu","eval_scale":"400","mirrored":"false","#,
            r#""qa":"255","qb":"64"},"#,
            r#""ft.bias":{"dtype":"F32","shape":[16],"data_offsets":[0,64]},"#,
            r#""ft.weight":{"dtype":"F32","shape":[768, 16],"data_offsets":[64,49216]},"#,
            r#""out.bias":{"dtype":"F32","shape":[1],"data_offsets":[49216,49220]},"#,
            r#""out.weight":{"dtype":"F32","shape":[1, 32],"data_offsets":[49220,49348]}}"#,
        );
        assert_eq!(header.trim_end(), expected);
        assert_eq!((header_len % 8, bytes.len()), (0, 8 + header_len + 49_348));
        let first = parameters(&plain()).weights().feature_biases[0];
        assert_eq!(bytes[8 + header_len..][..4], first.to_le_bytes());
    }

    #[test]
    fn architectures_are_named_whole() {
        let mut map = [0; 64];
        map[63] = 3;
        let architecture = plain()
            .with_king_buckets(KingBuckets::new(map, true).unwrap())
            .with_output_buckets(8)
            .unwrap();
        let json = metadata_json(&architecture);
        let metadata: Metadata = serde_json::from_str(&json).unwrap();
        assert_eq!(super::architecture(16, 8, &metadata), Ok(architecture));
    }

    #[test]
    fn without_metadata_the_caller_says_what_it_is() {
        let bytes = parameters(&plain()).to_safetensors();
        let end = bytes.iter().position(|&byte| byte == b'}').unwrap();
        let mut bare = bytes.clone();
        // `{"__metadata__":{...},` becomes `{` and spaces.
        bare[9..end + 2].fill(b' ');
        let refused = Parameters::from_safetensors(&bare).unwrap_err().to_string();
        let expected = "the metadata has no activation; name the architecture instead";
        assert_eq!(refused, expected);
        let read = Parameters::from_safetensors_as(&bare, plain()).unwrap();
        assert_eq!(read, parameters(&plain()));
        let wider = Architecture::new(32).unwrap();
        let refused = Parameters::from_safetensors_as(&bare, wider).unwrap_err();
        let expected = "ft.bias has the shape [16], expected [32]";
        assert_eq!(refused.to_string(), expected);
    }

    /// What reading says when one text of the header is another of the same length.
    #[track_caller]
    fn changed(from: &str, to: &str) -> String {
        assert_eq!(from.len(), to.len());
        let mut bytes = parameters(&plain()).to_safetensors();
        let at = bytes
            .windows(from.len())
            .position(|window| window == from.as_bytes())
            .unwrap();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        Parameters::from_safetensors(&bytes)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn faults_are_named() {
        assert_eq!(
            changed("out.bias", "out.ious"),
            "there is no tensor out.bias"
        );
        assert_eq!(
            changed("\"F32\"", "\"I32\""),
            "ft.bias holds I32, expected F32"
        );
        assert_eq!(
            changed("[768, 16]", "[384, 32]"),
            "ft.weight has the shape [384, 32], expected [768, 16]"
        );
        assert_eq!(
            changed("[1, 32]", "[2, 16]"),
            "out.weight has the shape [2, 16], expected [1, 32]"
        );
        assert_eq!(
            changed("screlu", "Screlu"),
            "activation in the metadata is \"Screlu\", expected crelu or screlu"
        );
        assert_eq!(
            changed("false", "False"),
            "mirrored in the metadata is \"False\", expected true or false"
        );
        assert_eq!(
            changed("\"400\"", "\"4e2\""),
            "eval_scale in the metadata is \"4e2\", expected a whole number"
        );
        assert_eq!(
            changed("\"eval_scale\"", "\"eval_skale\""),
            "the metadata has no eval_scale; name the architecture instead"
        );
        assert_eq!(
            changed("\"qa\":\"255\"", "\"qa\":\"000\""),
            "QA is 0, expected 1 to 32767"
        );
    }

    fn with_another_tensor() -> Vec<u8> {
        let whole = parameters(&plain()).to_safetensors();
        let mut tensors = SafeTensors::deserialize(&whole).unwrap().tensors();
        let extra = TensorView::new(Dtype::F32, Vec::from([1]), &[0; 4]).unwrap();
        tensors.push(("more".to_string(), extra));
        safetensors::serialize(tensors, None).unwrap()
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = parameters(&plain()).to_safetensors();
        let text = |bytes: &[u8]| Parameters::from_safetensors(bytes).unwrap_err().to_string();
        for cut in [0, 7, 8, 100, whole.len() - 1] {
            let text = text(&whole[..cut]);
            assert!(
                text.starts_with("not in the safetensors format: "),
                "{text}"
            );
        }
        let mut nan = whole.clone();
        let last = nan.len() - 4;
        nan[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(text(&nan), "value 31 of out.weight is not finite");
        let more = with_another_tensor();
        assert_eq!(
            text(&more),
            "5 tensors, expected ft.bias, ft.weight, out.bias and out.weight alone"
        );
        let map = metadata_error("king_map", "1,2", "64 bucket numbers");
        assert_eq!(
            map.to_string(),
            "king_map in the metadata is \"1,2\", expected 64 bucket numbers"
        );
    }
}
