import { useMutation, useQueryClient } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type Setting, setSetting, settingsKeys, unsetSetting } from "./api";
import { originOf } from "./model";

/** A file that settings are written into. */
export type Layer = { kind: "user" } | { kind: "repository"; root: string };

export type Change = { key: string; /** None: the value is taken out. */ value: string | null; layer: Layer };

/** Changes a setting and offers the way back. */
export function useChangeSetting(onDone?: () => void) {
  const cache = useQueryClient();
  const change = useMutation({
    mutationFn: ({ key, value, layer }: Change) => {
      const repository = layer.kind === "repository" ? layer.root : undefined;
      return value === null ? unsetSetting(key, repository) : setSetting(key, value, repository);
    },
    onSuccess: (answer, { key, value, layer }) => {
      void cache.invalidateQueries({ queryKey: settingsKeys.all });
      const back = () => change.mutate({ key, value: answer.former ?? null, layer });
      tellDone(answer.was_changed ? `${key} was ${value === null ? "taken out" : "changed"}` : `${key} was so already`, answer.was_changed ? { run: back } : undefined);
      onDone?.();
    },
    onError: (error, { key }) => tellFailed(`${key} was not changed`, asApiError(error)),
  });
  return change;
}

/** What a file says about a setting, as far as the two lists tell. */
export function valueIn(layer: Layer, shown: Setting | undefined, ofUser: Setting | undefined): string | null {
  const setting = layer.kind === "user" ? ofUser : shown;
  return setting && originOf(setting).kind === layer.kind ? (setting.value ?? null) : null;
}
