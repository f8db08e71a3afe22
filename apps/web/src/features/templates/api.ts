import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type Template = Wire["Template"];

export function saveTemplate(name: string, body: Wire["SaveTemplate"]) {
  return answered(api.PUT("/api/v1/templates/{template}", { params: { path: { template: name } }, body }));
}

export function deleteTemplate(name: string) {
  return answered(api.DELETE("/api/v1/templates/{template}", { params: { path: { template: name } } }));
}

export function templateText(name: string, repository?: string) {
  return answered(api.GET("/api/v1/templates/{template}/text", { params: { path: { template: name }, query: { repository } } }));
}

/** What a template says, looked at again. */
export function getTemplate(name: string, repository: string | undefined, signal: AbortSignal) {
  return answered(api.GET("/api/v1/templates/{template}", { params: { path: { template: name }, query: { repository } }, signal }));
}

export function importTemplate(name: string, body: Wire["ImportTemplate"]) {
  return answered(api.PUT("/api/v1/templates/{template}/text", { params: { path: { template: name } }, body }));
}

export function createSession(body: Wire["CreateSession"]) {
  return answered(api.POST("/api/v1/sessions", { body }));
}
