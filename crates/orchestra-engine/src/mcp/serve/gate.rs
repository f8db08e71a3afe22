//! Some tools of another server, as an MCP server: for agents that cannot be told which ones they may use, that know no
//! addresses, or that would show a secret on their command line.

use orchestra_agents::mcp::McpServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::introduction;
use crate::mcp::link::Link;

/// Passes on what may be used.
pub(super) struct Gate {
    link: Link,
    server: McpServer,
}

impl Gate {
    pub(super) fn new(link: Link, server: McpServer) -> Self {
        Self { link, server }
    }
}

impl ServerHandler for Gate {
    fn get_info(&self) -> ServerConfig {
        introduction()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = self.link.client.list_all_tools().await.map_err(passed_on)?;
        tools.retain(|tool| self.server.allows(&tool.name));
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.server.allows(&request.name) {
            let problem = "this tool may not be used";
            return Err(ErrorData::invalid_params(problem, None));
        }
        let answer = self.link.client.call_tool_once(request).await;
        answer.map_err(passed_on)
    }
}

fn passed_on(error: ServiceError) -> ErrorData {
    match error {
        ServiceError::McpError(error) => error,
        other => ErrorData::internal_error(other.to_string(), None),
    }
}
