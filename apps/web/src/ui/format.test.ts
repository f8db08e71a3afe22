import { describe, expect, it } from "vitest";

import { formatAgo, formatBytes, formatCount, formatDuration, formatMicroUsd, formatWord, plural } from "./format";

describe("figures", () => {
  it("shows what is not known as a dash", () => {
    for (const format of [formatCount, formatMicroUsd, formatBytes, formatDuration]) expect(format(null)).toBe("–");
  });

  it("keeps small amounts of money apart from none", () => {
    expect(formatMicroUsd(0)).toBe("$0");
    expect(formatMicroUsd(1_500)).toBe("$0.0015");
    expect(formatMicroUsd(12)).toBe("<$0.0001");
    expect(formatMicroUsd(1_234_567_890)).toBe("$1,234.57");
  });

  it("shortens bytes and times", () => {
    expect(formatBytes(999)).toBe("999 B");
    expect(formatBytes(1_234_567)).toBe("1.2 MB");
    expect(formatDuration(184_000)).toBe("3 m 04 s");
    expect(formatDuration(90_000_000)).toBe("1 d 1 h");
  });

  it("tells times from now", () => {
    const now = Date.parse("2026-05-04T10:00:00Z");
    expect(formatAgo("2026-05-04T09:59:58Z", now)).toBe("now");
    expect(formatAgo("2026-05-04T09:55:00Z", now)).toBe("5 m ago");
    expect(formatAgo("2026-05-04T10:02:00Z", now)).toBe("in 2 m 00 s");
  });

  it("counts", () => {
    expect(plural(1, "file")).toBe("1 file");
    expect(plural(1_200, "file")).toBe("1,200 files");
  });
});

it("writes a word of the wire for people", () => {
  expect(formatWord("timed_out")).toBe("Timed out");
  expect(formatWord("running")).toBe("Running");
});
