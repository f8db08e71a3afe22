import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type ProjectCommand = Wire["ProjectCommand"];

export function allowCommands(body: Wire["ChooseCommands"]) {
  return answered(api.POST("/api/v1/commands/allow", { body }));
}

export function forgetCommands(body: Wire["ChooseCommands"]) {
  return answered(api.POST("/api/v1/commands/forget", { body }));
}
