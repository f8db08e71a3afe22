//! rubbish
