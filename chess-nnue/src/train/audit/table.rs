//! An audit as a table for people.

use core::fmt;
use std::string::ToString;

use super::{Audit, QuantizationAudit};

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Mean loss over {} positions:", self.positions)?;
        self.write_losses(f)?;
        if let Some(quantization) = &self.quantization {
            writeln!(f, "\nIntegers against floating point:")?;
            quantization.fmt(f)?;
        }
        writeln!(f, "\nHidden values:")?;
        self.write_hidden_values(f)?;
        writeln!(
            f,
            "\nWhat a piece is worth, by taking it off balanced positions:"
        )?;
        self.write_piece_values(f)?;
        writeln!(f, "\nSymmetry:")?;
        self.write_symmetry(f)?;
        for warning in self.warnings() {
            writeln!(f, "\nWARNING: {warning}.")?;
        }
        Ok(())
    }
}

impl Audit {
    fn write_losses(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  integers            {:.5}", self.integer_loss)?;
        if let Some(quantization) = &self.quantization {
            writeln!(f, "  floating point      {:.5}", quantization.float_loss)?;
        }
        if let Some(baselines) = &self.baselines {
            writeln!(f, "  counting the men    {:.5}", baselines.material_loss)?;
            writeln!(f, "  always the mean     {:.5}", baselines.constant_loss)?;
        }
        Ok(())
    }

    fn write_hidden_values(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = &self.hidden_values;
        writeln!(
            f,
            "  of {}, {} are never above 0 and {} never below the limit",
            hidden.count,
            hidden.dead.len(),
            hidden.saturated.len()
        )
    }

    fn write_piece_values(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for value in &self.piece_values {
            writeln!(
                f,
                "  {:<7} {:>5.0} centipawns  ({} taken off)",
                value.piece_type.to_string(),
                value.mean_cp,
                value.pieces
            )?;
        }
        Ok(())
    }

    fn write_symmetry(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  turned round with colours exchanged, {} positions score differently",
            self.turned_round
        )?;
        writeln!(
            f,
            "  with the files a-h exchanged, scores differ by {:.1} centipawns in the mean",
            self.file_mirror_cp
        )
    }
}

impl fmt::Display for QuantizationAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let largest = &self.largest;
        writeln!(
            f,
            "  difference {:.2} centipawns in the mean, {:.1} at most",
            self.mean_cp,
            largest.cp()
        )?;
        writeln!(
            f,
            "  most in position {}: {} against {:.1} for the side to move",
            largest.index, largest.integer_cp, largest.float_cp
        )?;
        writeln!(f, "    {}", largest.fen)?;
        writeln!(f, "  {} weights clipped", self.clipped)
    }
}
