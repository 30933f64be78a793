//! What a stage is to do in a folder.

use serde_json::{Map, Value};

use super::{InputFile, Manifest};
use crate::corpus::Month;

/// What a stage is to do in a folder, as far as the bytes depend on it: whoever finds the folder again
/// tells by it whether it is the same work.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Job {
    pub(super) stage: String,
    pub(super) month: Option<Month>,
    pub(super) settings: Map<String, Value>,
    /// `None` if they come to light on the way.
    pub(super) inputs: Option<Vec<InputFile>>,
    /// There are other settings, which are not known yet.
    pub(super) is_part: bool,
}

impl Job {
    /// Work of the stage of this name.
    pub fn new(stage: impl Into<String>) -> Self {
        Self {
            stage: stage.into(),
            month: None,
            settings: Map::new(),
            inputs: None,
            is_part: false,
        }
    }

    /// In the folder of a month.
    pub const fn month(mut self, month: Month) -> Self {
        self.month = Some(month);
        self
    }

    /// With a setting. No secrets: they are written to the manifest.
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }

    /// With these settings beside the others. A serializable struct becomes such a map with
    /// `serde_json::to_value`.
    pub fn settings(mut self, settings: Map<String, Value>) -> Self {
        self.settings.extend(settings);
        self
    }

    /// From these files, in this order. A stage that finds its inputs on the way does not tell them
    /// here, and adds them to the manifest.
    pub fn inputs(mut self, inputs: impl IntoIterator<Item = InputFile>) -> Self {
        self.inputs = Some(inputs.into_iter().collect());
        self
    }

    /// There will be other settings, not known yet. For plans: no folder is opened for such a job.
    #[cfg(feature = "corpus")]
    pub(in crate::corpus) const fn in_part(mut self) -> Self {
        self.is_part = true;
        self
    }

    /// What tells the work in a folder from this, if anything does.
    pub(super) fn difference(&self, found: &Manifest) -> Option<String> {
        let text = |value: Option<&Value>| value.map_or("not set".into(), Value::to_string);
        let month = |month: Option<Month>| month.map_or("none".into(), |month| month.to_string());
        if found.stage != self.stage {
            return Some(changed("stage", &found.stage, &self.stage));
        }
        if found.month != self.month {
            return Some(changed("month", &month(found.month), &month(self.month)));
        }
        let found_names = found.settings.keys().filter(|_| !self.is_part);
        let names = found_names.chain(self.settings.keys());
        for name in names {
            let (was, is) = (found.settings.get(name), self.settings.get(name));
            if was != is {
                return Some(changed(name, &text(was), &text(is)));
            }
        }
        let inputs = self.inputs.as_ref()?;
        different_input(&found.inputs, inputs)
    }
}

fn different_input(was: &[InputFile], is: &[InputFile]) -> Option<String> {
    let pairs = was.iter().zip(is);
    if let Some((was, is)) = pairs.into_iter().find(|(was, is)| was != is) {
        return Some(if was.label == is.label {
            format!("input {:?} has other bytes", is.label)
        } else {
            changed("an input", &was.label, &is.label)
        });
    }
    let count = |files: &[InputFile]| files.len().to_string();
    (was.len() != is.len()).then(|| changed("the number of inputs", &count(was), &count(is)))
}

fn changed(what: &str, was: &str, is: &str) -> String {
    format!("{what} was {was}, is now {is}")
}
