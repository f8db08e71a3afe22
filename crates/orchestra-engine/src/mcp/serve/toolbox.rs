//! The tools of a session's toolboxes, as an MCP server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::introduction;
use crate::toolbox::{DescribedTool, ToolError, ToolOutput, ToolRunner};

/// Serves tools that are programs.
pub(super) struct ToolboxServer {
    folder: PathBuf,
    tools: Arc<Vec<DescribedTool>>,
    runner: Arc<ToolRunner>,
}

impl ToolboxServer {
    pub(super) fn new(folder: &Path, tools: Vec<DescribedTool>, runner: ToolRunner) -> Self {
        Self {
            folder: folder.to_owned(),
            tools: Arc::new(tools),
            runner: Arc::new(runner),
        }
    }
}

impl ServerHandler for ToolboxServer {
    fn get_info(&self) -> ServerConfig {
        introduction()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|tool| {
            let tool = tool.described.clone();
            let schema = tool.schema.as_object().cloned().unwrap_or_default();
            Tool::new(tool.name, tool.description, schema)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.tools.iter();
        let tool = tool
            .clone()
            .find(|tool| tool.described.name == request.name)
            .cloned();
        let Some(tool) = tool else {
            return Err(ErrorData::invalid_params("there is no such tool", None));
        };
        let file = self.folder.join(&tool.file);
        let runner = Arc::clone(&self.runner);
        let parameters = request.arguments.unwrap_or_default();
        let work = move || runner.execute(&file, &tool.described, &parameters);
        let done = tokio::task::spawn_blocking(work).await;
        let done = done.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(answer(done).into())
    }
}

fn answer(done: Result<ToolOutput, ToolError>) -> CallToolResult {
    let text = |text: String| vec![ContentBlock::text(text)];
    match done {
        Ok(output) => {
            let both = [output.stdout.trim_end(), output.stderr.trim_end()];
            let both = both.into_iter().filter(|part| !part.is_empty());
            let said = both.collect::<Vec<_>>().join("\n");
            match output.exit.is_success() {
                true => CallToolResult::success(text(said)),
                false => {
                    CallToolResult::error(text(format!("{said}\n(it ended with {})", output.exit)))
                }
            }
        }
        Err(error) => CallToolResult::error(text(error.to_string())),
    }
}
