import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export const createSession = (body: Wire["CreateSession"]) => answered(api.POST("/api/v1/sessions", { body }));
