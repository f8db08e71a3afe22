import { Button, Text } from "@mantine/core";

import { NoRows, Panel, PathText, Section } from "@/ui/page";
import { Rows } from "@/ui/rows";

import type { Tool, Toolbox } from "../api";

type Props = { toolbox: Toolbox; onRun?: (tool: Tool) => void };

/** The tools there are, what gives way, and what is refused. */
export function ToolboxView({ toolbox, onRun }: Props) {
  return (
    <>
      <Section title="Tools">
        <Panel>
          {toolbox.tools.length === 0 ? (
            <NoRows>None of its files is a tool.</NoRows>
          ) : (
            <Rows
              label="Tools"
              rows={toolbox.tools}
              rowKey={(tool) => tool.name}
              columns={[
                { key: "name", title: "Tool", render: (tool) => <span className="mono">{tool.name}</span> },
                { key: "does", title: "What it does", render: (tool) => <Text lineClamp={2}>{tool.description}</Text> },
                { key: "file", title: "File", render: (tool) => <div style={{ maxWidth: 300, display: "flex" }}><PathText path={tool.file} what={`path of ${tool.name}`} /></div> },
                {
                  key: "act",
                  title: "",
                  align: "right",
                  render: (tool) =>
                    onRun && (
                      <Button size="compact-xs" variant="default" onClick={() => onRun(tool)} aria-label={`Run ${tool.name}`}>
                        Run
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Panel>
      </Section>
      {toolbox.shadowed.length > 0 && (
        <Section title="Give way to another">
          <Panel>
            <Rows label="Shadowed files" rows={toolbox.shadowed} rowKey={(file) => file.path} columns={[{ key: "path", title: "File", render: (file) => <PathText path={file.path} /> }, { key: "by", title: "To", render: (file) => <PathText path={file.by} /> }]} />
          </Panel>
        </Section>
      )}
      {toolbox.refused.length > 0 && (
        <Section title="Refused">
          <Panel>
            <Rows label="Refused files" rows={toolbox.refused} rowKey={(file) => file.path} columns={[{ key: "path", title: "File", render: (file) => <PathText path={file.path} /> }, { key: "why", title: "Why", render: (file) => file.why }]} />
          </Panel>
        </Section>
      )}
    </>
  );
}
