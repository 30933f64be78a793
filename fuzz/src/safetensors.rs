//! Parameters in the safetensors format.

use chess_nnue::Architecture;
use chess_nnue::train::Parameters;
use chess_records::Position;

/// Takes the bytes for parameters. What is accepted must come back from what is written of it, and
/// can be quantized and evaluated.
pub fn safetensors(data: &[u8]) {
    let architecture = Architecture::new(16).expect("an architecture");
    if let Ok(parameters) = Parameters::from_safetensors_as(data, architecture) {
        holds(&parameters);
    }
    if let Ok(parameters) = Parameters::from_safetensors(data) {
        holds(&parameters);
    }
}

fn holds(parameters: &Parameters) {
    let written = parameters.to_safetensors();
    let read = Parameters::from_safetensors(&written).expect("what was written");
    assert_eq!(read, *parameters);
    let kings = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    let kings: Position = kings.parse().expect("a position");
    let _ = (
        parameters.evaluate(&kings),
        parameters.quantize().network.evaluate(&kings),
    );
}
