//! Moves in 16 bits.

use chess_records::ViriMove;

/// Takes the bytes for moves. What is accepted must be packed from its parts to the same bits.
pub fn viri_move(data: &[u8]) {
    let (moves, _) = data.as_chunks::<2>();
    for bytes in moves {
        survives(u16::from_le_bytes(*bytes));
    }
}

fn survives(bits: u16) {
    match ViriMove::from_bits(bits) {
        Ok(packed) => {
            assert_eq!(packed.to_bits(), bits);
            assert_ne!(packed.from(), packed.to());
            let again = ViriMove::new(packed.from(), packed.to(), packed.kind());
            assert_eq!(again, Ok(packed));
            assert!(packed.to_string().len() >= 4);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
