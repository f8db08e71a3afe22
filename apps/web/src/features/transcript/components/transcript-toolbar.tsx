import { ActionIcon, Button, Loader, NumberInput, Popover, TextInput, Tooltip } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconSearch, IconX } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";

import type { Wire } from "@/api/types";
import { formatWhole } from "@/ui/format";

import { FIND_ID } from "../commands";
import type { TranscriptSearch } from "../model";
import classes from "./transcript.module.css";
import { useTranscriptSearch } from "./use-transcript-search";

type Props = {
  session: string;
  total: number;
  search: TranscriptSearch;
  onSearch: (patch: TranscriptSearch) => void;
};

/** Search in the transcript, and the way to a position. */
export function TranscriptToolbar({ session, total, search, onSearch }: Props) {
  const { hits, isSearching, hasMore, more, error } = useTranscriptSearch(session, search.text);
  const [text, setText] = useState(search.text ?? "");
  const [known, setKnown] = useState(search.text);
  if (known !== search.text) {
    setKnown(search.text);
    setText(search.text ?? "");
  }
  const current = hits.findIndex((hit) => hit.position === search.at);
  const go = (step: 1 | -1) => {
    const next = current === -1 ? nearest(hits, search.at, step) : (current + step + hits.length) % hits.length;
    const hit = hits[next];
    if (hit) onSearch({ ...search, at: hit.position });
  };
  const clear = () => {
    setText("");
    onSearch({ at: search.at });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      clear();
      document.getElementById(FIND_ID)?.blur();
    } else if (event.key === "Enter") {
      const wanted = text.trim();
      if (wanted !== (search.text ?? "")) onSearch({ at: search.at, text: wanted === "" ? undefined : wanted });
      else go(event.shiftKey ? -1 : 1);
    }
  };
  return (
    <div className={classes.toolbar} role="search">
      <TextInput
        id={FIND_ID}
        className={classes.find}
        aria-label="Search the transcript"
        placeholder="Search the transcript"
        leftSection={isSearching && search.text !== undefined ? <Loader size={12} /> : <IconSearch size={13} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={press}
        rightSection={
          search.text !== undefined && (
            <ActionIcon size="sm" aria-label="End the search" onClick={clear}>
              <IconX size={12} />
            </ActionIcon>
          )
        }
      />
      {search.text !== undefined && (
        <>
          <HitList hits={hits} current={current} isSearching={isSearching} hasMore={hasMore} hasFailed={error !== null} onMore={more} onGo={(at) => onSearch({ ...search, at })} />
          <Tooltip label="Previous hit (Shift+Enter)">
            <ActionIcon aria-label="Previous hit" disabled={hits.length === 0} onClick={() => go(-1)}>
              <IconArrowUp size={14} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Next hit (Enter)">
            <ActionIcon aria-label="Next hit" disabled={hits.length === 0} onClick={() => go(1)}>
              <IconArrowDown size={14} />
            </ActionIcon>
          </Tooltip>
        </>
      )}
      <span className={classes.space} />
      <GoTo total={total} at={search.at} onGo={(at) => onSearch({ ...search, at })} />
    </div>
  );
}

/** The hit after or before a position; the first or last without one. */
function nearest(hits: readonly Wire["TranscriptHit"][], at: number | undefined, step: 1 | -1): number {
  if (step === 1) return Math.max(0, at === undefined ? 0 : hits.findIndex((hit) => hit.position > at));
  const before = at === undefined ? -1 : hits.findLastIndex((hit) => hit.position < at);
  return before === -1 ? hits.length - 1 : before;
}

type HitListProps = {
  hits: readonly Wire["TranscriptHit"][];
  current: number;
  isSearching: boolean;
  hasMore: boolean;
  hasFailed: boolean;
  onMore: () => void;
  onGo: (position: number) => void;
};

function HitList({ hits, current, isSearching, hasMore, hasFailed, onMore, onGo }: HitListProps) {
  const count = `${formatWhole(hits.length)}${hasMore ? "+" : ""}`;
  const label = hasFailed ? "The search failed" : current >= 0 ? `${formatWhole(current + 1)} of ${count}` : hits.length === 0 && isSearching ? "Searching" : hits.length === 0 ? "Nothing found" : `${count} found`;
  return (
    <Popover width={460} position="bottom-start">
      <Popover.Target>
        <Button variant="subtle" size="compact-sm" disabled={hits.length === 0} aria-live="polite">
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={4}>
        <ol className={classes.hits} aria-label="Hits">
          {hits.map((hit, index) => (
            <li key={hit.position}>
              <button type="button" className={classes.hit} aria-current={index === current || undefined} onClick={() => onGo(hit.position)}>
                <span className={classes.hitPosition}>{formatWhole(hit.position)}</span>
                <Snippet hit={hit} />
              </button>
            </li>
          ))}
          {hasMore && (
            <li>
              <Button fullWidth variant="subtle" size="compact-xs" loading={isSearching} onClick={onMore}>
                Search on
              </Button>
            </li>
          )}
        </ol>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Characters are counted as the server counts them, not in UTF-16. */
function Snippet({ hit }: { hit: Wire["TranscriptHit"] }) {
  const characters = Array.from(hit.snippet);
  return (
    <span className="truncate">
      {characters.slice(0, hit.begin).join("")}
      <mark>{characters.slice(hit.begin, hit.begin + hit.length).join("")}</mark>
      {characters.slice(hit.begin + hit.length).join("")}
    </span>
  );
}

function GoTo({ total, at, onGo }: { total: number; at: number | undefined; onGo: (at: number) => void }) {
  const [value, setValue] = useState<number | string>("");
  const go = () => {
    const wanted = Number(value);
    if (value !== "" && wanted >= 1) onGo(Math.min(Math.floor(wanted), total));
    setValue("");
  };
  return (
    <span className={classes.goTo}>
      <NumberInput
        aria-label="Go to an item"
        placeholder={at === undefined ? "Item" : formatWhole(at)}
        hideControls
        min={1}
        max={total}
        w={84}
        value={value}
        onChange={setValue}
        onKeyDown={(event) => event.key === "Enter" && go()}
      />
      <span className="quiet">of {formatWhole(total)}</span>
    </span>
  );
}
