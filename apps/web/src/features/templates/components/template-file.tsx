import { Code, Group, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { CopyButton } from "@/ui/copy-button";
import { Loaded } from "@/ui/loaded";
import { PathText } from "@/ui/page";

import { type Template, templateText } from "../api";

type Props = { template: Template; onClose: () => void };

/** A template's file, to be read or shared. */
export function TemplateFile({ template, onClose }: Props) {
  const query = useQuery({ queryKey: ["templates", "text", template.name, template.repository ?? null], queryFn: () => templateText(template.name, template.repository ?? undefined), staleTime: 0 });
  return (
    <Modal opened onClose={onClose} title={template.name} size="lg">
      <Stack gap="xs">
        <PathText path={template.file} what="path of the template" />
        <Loaded query={query} failed="It cannot be read" isSmall rows={5}>
          {({ text }) => (
            <>
              <Code block mah={420} style={{ overflow: "auto" }} tabIndex={0}>
                {text}
              </Code>
              <Group gap={4}>
                <CopyButton value={text} what="text" />
                <Text c="dimmed">Somebody else can import this text.</Text>
              </Group>
            </>
          )}
        </Loaded>
      </Stack>
    </Modal>
  );
}
