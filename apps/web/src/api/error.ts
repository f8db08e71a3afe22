import type { ErrorBody } from "./types";

/** There was no answer at all. */
export const UNREACHABLE = "client.unreachable";
/** There was an answer that says nothing. */
export const UNREADABLE = "client.unreadable";
/** A command of the repository's own settings file wants to be allowed first. */
export const NOT_ALLOWED = "command.not_allowed";

/** A request that failed. Branch on `code`; the texts are for people. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor(
    body: ErrorBody,
    /** The HTTP status; 0 if there was no answer. */
    readonly status: number,
  ) {
    super(body.message);
    this.name = "ApiError";
    this.code = body.code;
    this.hint = body.hint ?? null;
  }

  static unreachable(): ApiError {
    return new ApiError(
      { code: UNREACHABLE, message: "the server does not answer", hint: "start it with `orchestra serve`; agents go on without it" },
      0,
    );
  }
}

/** Any failure as what can be shown. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError({ code: "client.failed", message, hint: null }, 0);
}

/** The failure that an answer tells of. */
export function errorOf(body: unknown, status: number): ApiError {
  const error = isReport(body) ? body.error : null;
  return new ApiError(error ?? { code: UNREADABLE, message: `the server answered ${status} and nothing else`, hint: null }, status);
}

function isReport(body: unknown): body is { error: ErrorBody } {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error && "message" in error;
}
