//! The OpenAPI document: made from the routes and the wire types, so that it says what is so.

use std::collections::BTreeMap;

use orchestra_api::{ErrorReport, FactsTold, StreamBegin};
use utoipa::openapi::path::{ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{RefOr, Required};
use utoipa::{IntoResponses, Modify, OpenApi};

use crate::body::LONGEST_KEY;

type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Where all operations are.
pub(crate) const PREFIX: &str = "/api/v1";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Amp Orchestra",
        description = "Everything the command line can do, over HTTP on this machine.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    components(schemas(ErrorReport, FactsTold, StreamBegin)),
    modifiers(&Token),
    security(("token" = [])),
)]
pub(crate) struct Document;

struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", scheme);
    }
}

/// Says of every write that it can have a key, and no body if nothing has to be said.
pub(crate) fn with_writes(mut document: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    let schemas = document.components.as_ref().map(|it| it.schemas.clone());
    let schemas = schemas.unwrap_or_default();
    let text = ObjectBuilder::new().schema_type(Type::String);
    let text = text.min_length(Some(1)).max_length(Some(LONGEST_KEY));
    let key = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .description(Some(
            "A write with a key is done once, however often it is sent: the same answer comes again.",
        ))
        .schema(Some(text.pattern(Some("^[!-~]+$"))))
        .build();
    for item in document.paths.paths.values_mut() {
        let writes = [
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        for write in writes.into_iter().flatten() {
            write
                .parameters
                .get_or_insert_default()
                .push(key.clone().into());
            if let Some(RefOr::T(body)) = &mut write.request_body
                && says_nothing_needed(body, &schemas)
            {
                body.required = Some(Required::False);
            }
        }
    }
    document
}

/// Whether everything in a body may be left out.
fn says_nothing_needed(body: &RequestBody, schemas: &Schemas) -> bool {
    let Some(RefOr::T(content)) = body.content.get("application/json") else {
        return false;
    };
    let Some(RefOr::Ref(reference)) = &content.schema else {
        return false;
    };
    let name = reference.ref_location.rsplit('/').next();
    let named = name.and_then(|name| schemas.get(name));
    matches!(named, Some(RefOr::T(Schema::Object(object))) if object.required.is_empty())
}

/// What every operation may answer instead.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only described, never made")]
pub(crate) enum Failures {
    /// The request makes no sense.
    #[response(status = 400)]
    Invalid(ErrorReport),
    /// The token is missing or wrong.
    #[response(status = 401)]
    Unknown(ErrorReport),
    /// The origin of the request is not allowed.
    #[response(status = 403)]
    Forbidden(ErrorReport),
    /// Something that was named is not there.
    #[response(status = 404)]
    Missing(ErrorReport),
    /// The body did not arrive in time.
    #[response(status = 408)]
    TooSlow(ErrorReport),
    /// It was refused, and nothing was changed.
    #[response(status = 409)]
    Refused(ErrorReport),
    /// The body is too large.
    #[response(status = 413)]
    TooLarge(ErrorReport),
    /// The body is no JSON.
    #[response(status = 415)]
    MediaType(ErrorReport),
    /// The server is not asked for under that name.
    #[response(status = 421)]
    Misdirected(ErrorReport),
    /// It went wrong.
    #[response(status = 500)]
    Failed(ErrorReport),
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|it| references(it, found));
            }
            Value::Array(items) => items.iter().for_each(|it| references(it, found)),
            _ => {}
        }
    }

    #[test]
    fn everything_that_is_referred_to_is_described() {
        let document = serde_json::to_value(crate::document()).unwrap();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 100);
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }
}
