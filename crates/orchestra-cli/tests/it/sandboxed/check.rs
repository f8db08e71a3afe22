//! `orchestra sandbox check`: what holds on this machine, layer by layer.

use orchestra_testkit::Sandbox;

use crate::ran::orchestra;

#[test]
fn each_layer_is_tried_alone_and_all_together() {
    let sandbox = Sandbox::new();
    let answer = orchestra(&sandbox, &["sandbox", "check", "--json"])
        .ok()
        .json();
    let tried = answer["tried"].as_array().unwrap();
    let layers = |number: usize| tried[number]["layers"].as_array().unwrap().len();
    assert_eq!(
        layers(tried.len() - 1),
        tried.len().max(2) - 1,
        "the last one has all"
    );
    for trial in tried {
        assert_eq!(trial["escapes"].as_array().unwrap().len(), 10);
        assert_eq!(
            trial["tried"], 10,
            "nothing is missing to be tried: {trial}"
        );
        assert!(trial["commit_failure"].is_null());
    }
    let whole = tried.last().unwrap();
    assert_eq!(whole["stopped"], 10);
    let shown = orchestra(&sandbox, &["sandbox", "check"]).ok();
    shown
        .says("10 of 10 ways out stopped, a commit works")
        .says("sessions can run in a sandbox here");
    let left = std::fs::read_dir(sandbox.data_dir().join("workspaces")).unwrap();
    assert_eq!(left.count(), 0, "what was made for it is gone");
    orchestra(&sandbox, &["doctor"]).says("bubblewrap");
}
