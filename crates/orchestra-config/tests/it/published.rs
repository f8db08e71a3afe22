//! What is made from the table of settings for editors and the documentation.

use orchestra_config::keys::KEYS;
use orchestra_config::{reference_markdown, schema};

#[test]
fn the_schema_is_as_published() {
    insta::with_settings!({ sort_maps => true, prepend_module_to_snapshot => false }, {
        insta::assert_json_snapshot!("schema", schema());
    });
}

#[test]
fn the_reference_page_is_as_published() {
    insta::with_settings!({ prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("reference", reference_markdown());
    });
}

#[test]
fn every_setting_is_in_schema_and_reference() {
    let (schema, page) = (schema(), reference_markdown());
    for key in KEYS {
        assert!(
            page.contains(&format!("| `{}`", key.name.replace('*', "<name>"))),
            "{}",
            key.name
        );
        let mut node = &schema;
        for part in key.name.split('.') {
            let group = if part == "*" {
                &node["patternProperties"]
            } else {
                &node["properties"]
            };
            let group = group.as_object().unwrap();
            node = if part == "*" {
                group.values().next().unwrap()
            } else {
                &group[part]
            };
        }
        assert_eq!(node["description"], key.description, "{}", key.name);
    }
}
