//! hazards
