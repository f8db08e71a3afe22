//! The schema of types that are written as text.

/// Says that a type is text on the wire, whatever it is made of.
macro_rules! text_schema {
    ($name:ident) => {
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                String::schema()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

pub(crate) use text_schema;
