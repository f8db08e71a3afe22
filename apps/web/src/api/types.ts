/** Short names for the wire types. They are made from the OpenAPI document; nothing here adds to them. */
import type { components, operations, paths } from "./generated/schema";

export type Wire = components["schemas"];
export type Paths = paths;
export type OperationId = keyof operations;

export type Session = Wire["Session"];
export type SessionDetail = Wire["SessionDetail"];
export type SessionStatus = Wire["SessionStatus"];
export type Iteration = Wire["Iteration"];
export type ScriptRun = Wire["ScriptRun"];
export type Job = Wire["Job"];
export type LogEvent = Wire["Event"];
export type LogEventType = LogEvent["body"]["type"];
export type Usage = Wire["Usage"];
export type Cost = Wire["Cost"];
export type TranscriptItem = Wire["TranscriptItem"];
export type AgentEvent = Wire["AgentEvent"];
export type ErrorBody = Wire["ErrorBody"];
