//! Tests of the domain through its public face.

mod redact;
