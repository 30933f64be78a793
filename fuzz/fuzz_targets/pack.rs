//! The fuzzer's way to `chess_data_fuzz::pack`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| chess_data_fuzz::pack(data));
