//! Packs of whole games as tokens.
