//! Where settings and data live.

use std::path::Path;

use orchestra_config::{DataDirs, Environment, user_file};

fn environment(variables: &[(&str, &str)]) -> Environment {
    variables.iter().copied().collect()
}

#[cfg(unix)]
#[test]
fn variables_decide_then_the_platform() {
    type Row<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);
    let table: [Row<'_>; 5] = [
        (
            &[("HOME", "/h")],
            "/h/.config/orchestra/config.toml",
            "/h/.local/share/orchestra",
        ),
        (
            &[
                ("HOME", "/h"),
                ("XDG_CONFIG_HOME", "/c"),
                ("XDG_DATA_HOME", "/d"),
            ],
            "/c/orchestra/config.toml",
            "/d/orchestra",
        ),
        (
            &[
                ("HOME", "/h"),
                ("XDG_CONFIG_HOME", "c"),
                ("XDG_DATA_HOME", ""),
            ],
            "/h/.config/orchestra/config.toml",
            "/h/.local/share/orchestra",
        ),
        (
            &[
                ("HOME", "/h"),
                ("ORCHESTRA_CONFIG", "/x.toml"),
                ("ORCHESTRA_HOME", "/o"),
            ],
            "/x.toml",
            "/o",
        ),
        (
            &[("ORCHESTRA_CONFIG", "/x.toml"), ("ORCHESTRA_HOME", "/o")],
            "/x.toml",
            "/o",
        ),
    ];
    for (variables, file, root) in table {
        let environment = environment(variables);
        assert_eq!(user_file(&environment).unwrap(), Path::new(file));
        assert_eq!(DataDirs::of(&environment).unwrap().root(), Path::new(root));
    }
}

#[test]
fn a_place_that_cannot_be_known_is_an_error() {
    let nowhere = environment(&[]);
    assert_eq!(user_file(&nowhere).unwrap_err().code(), "config.no_home");
    assert_eq!(DataDirs::of(&nowhere).unwrap_err().code(), "config.no_home");
    let relative = environment(&[("ORCHESTRA_HOME", "data"), ("ORCHESTRA_CONFIG", "x.toml")]);
    for error in [
        user_file(&relative).unwrap_err(),
        DataDirs::of(&relative).unwrap_err(),
    ] {
        assert_eq!(error.code(), "config.relative_path");
        assert!(error.hint().is_some());
    }
}

#[cfg(unix)]
#[test]
fn directories_are_made_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let temporary = tempfile::tempdir().unwrap();
    let dirs = DataDirs::at(temporary.path().join("a/orchestra"));
    dirs.create().unwrap();
    dirs.create().unwrap();
    for directory in [
        dirs.root().to_owned(),
        dirs.leases(),
        dirs.slots(),
        dirs.output(),
        dirs.logs(),
        dirs.git(),
    ] {
        let mode = std::fs::metadata(&directory).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "{}", directory.display());
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error() {
    let temporary = tempfile::tempdir().unwrap();
    let file = temporary.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = DataDirs::at(file.join("orchestra")).create().unwrap_err();
    assert_eq!(error.code(), "config.uncreatable");
}
