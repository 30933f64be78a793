//! noru's trainer on the processor: one sample at a time forward and back, one Adam step a batch, on one
//! thread. Its network has one hidden neuron more than ours, since noru asks for a hidden layer, and its
//! loss is the cross-entropy.

use noru::config::{Activation, NnueConfig};
use noru::trainer::{AdamState, Gradients, SimpleRng, TrainableWeights, TrainingSample};

/// A network in training.
pub struct Noru {
    weights: TrainableWeights,
    state: AdamState,
    gradients: Gradients,
}

impl Noru {
    pub fn new(hidden: usize) -> Self {
        let config = NnueConfig::new_owned(768, hidden, vec![1], Activation::SCReLU);
        let weights = TrainableWeights::init_random(config.clone(), &mut SimpleRng::new(1));
        Self {
            weights,
            state: AdamState::new(config.clone()),
            gradients: Gradients::new(config),
        }
    }

    /// A sample as noru wants it.
    pub fn sample(men: &[[u16; 2]], target: f32) -> TrainingSample {
        let view = |view: usize| men.iter().map(|man| usize::from(man[view])).collect();
        TrainingSample {
            stm_features: view(0),
            nstm_features: view(1),
            target,
            dense_input: Vec::new(),
        }
    }

    /// Learns from a batch and gives its mean squared miss.
    pub fn batch(&mut self, samples: &[TrainingSample]) -> f64 {
        self.gradients.zero();
        let mut loss = 0.0;
        for sample in samples {
            let forward = self
                .weights
                .forward(&sample.stm_features, &sample.nstm_features, &[]);
            loss += f64::from(forward.sigmoid - sample.target).powi(2);
            self.weights
                .backward_bce(sample, &forward, &mut self.gradients);
        }
        let len = samples.len() as f32;
        self.weights
            .adam_update(&self.gradients, &mut self.state, 1e-3, len);
        loss / f64::from(len)
    }
}
