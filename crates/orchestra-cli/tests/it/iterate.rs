//! iterate
