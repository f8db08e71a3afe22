//! Calls that reach a remote. They run in a private git directory with our own configuration, so that the network and the
//! user's credentials never meet what a repository configures.

use std::time::Duration;

use crate::call::Call;
use crate::remote_url::RemoteUrl;
use crate::repository::Repository;
use crate::shadow::Shadow;

impl Repository {
    /// A call for a remote, as the user would make it: with their credentials and proxies, and without a question.
    pub(crate) fn network_call(
        &self,
        shadow: &Shadow,
        command: &str,
        url: &RemoteUrl,
        wait: Duration,
    ) -> Call {
        let call = shadow
            .call(command)
            .config(url.credential_values())
            .with_users_configuration()
            .with_network(wait);
        if self.configuration().has_own_ssh_command() {
            return call;
        }
        call.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
            .env("GIT_SSH_VARIANT", "ssh")
    }
}
