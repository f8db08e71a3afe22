import { Button, Code, Group, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { platform } from "@/platform/current";

import classes from "./no-token.module.css";

/** Nobody is let in without the token; this page says where it is. */
export function NoToken() {
  const [text, setText] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setIsWrong(!platform().access.grant(text));
  };
  return (
    <main className={classes.middle}>
      <form onSubmit={submit}>
        <Stack gap="sm" maw={460}>
          <img src="/icon.svg" alt="" width={36} height={36} />
          <Title order={1}>This page needs its token</Title>
          <Text>
            The server lets in only those who have its token. Open the address that <Code>orchestra serve</Code> prints, or
            let it open the page:
          </Text>
          <Code block>orchestra serve --open</Code>
          <Text>Or paste the token, which this command prints:</Text>
          <Code block>orchestra serve --token</Code>
          <PasswordInput
            label="Token or address"
            autoFocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={isWrong ? "That is not a token" : undefined}
            autoComplete="off"
          />
          <Group>
            <Button type="submit" disabled={text.trim() === ""}>
              Open
            </Button>
          </Group>
        </Stack>
      </form>
    </main>
  );
}
