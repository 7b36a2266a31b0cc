//! Probabilities of small branches, worked out by hand.
