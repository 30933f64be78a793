//! [`Delta`](crate::Delta)s from other libraries' positions and moves.

#[cfg(feature = "cozy-chess")]
mod cozy_chess;
#[cfg(feature = "shakmaty")]
mod shakmaty;
