//! Months of games, fetched, filtered, converted and packed.
