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

export function importTemplate(name: string, body: Wire["ImportTemplate"]) {
  return answered(api.PUT("/api/v1/templates/{template}/text", { params: { path: { template: name } }, body }));
}
