//! The fuzzer's way to `chess_data_fuzz::hub_headers`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| chess_data_fuzz::hub_headers(data));
