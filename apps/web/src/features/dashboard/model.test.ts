import { describe, expect, it } from "vitest";

import { aPoint } from "@/testing/fixtures";

import { bucketsOf, changeOf, formatChange, formatPoints, periodOf, pointsOf, readDashboardSearch, ticksOf } from "./model";

const now = new Date(2026, 4, 10);

describe("the time", () => {
  it("compares with the days before", () => {
    const period = periodOf({ range: "7d" }, now);
    expect(period.days).toBe(7);
    expect(period.from).toEqual(new Date(2026, 4, 4));
    expect(period.before).toEqual({ from: new Date(2026, 3, 27), until: new Date(2026, 4, 4) });
  });

  it("takes days of the address whole", () => {
    const period = periodOf(readDashboardSearch({ from: "2026-05-01", until: "2026-05-03" }), now);
    expect(period.until).toEqual(new Date(2026, 4, 4));
    expect(period.days).toBe(3);
  });

  it("has nothing before all of it", () => {
    expect(periodOf({ range: "all" }, now)).toEqual({ from: null, until: null, before: null, days: null });
  });

  it("leaves out what makes no sense", () => {
    expect(readDashboardSearch({ range: "forever", from: "yesterday", show: "love" })).toEqual({ range: undefined, from: undefined, until: undefined, repo: undefined, show: undefined, view: undefined });
  });
});

describe("bars", () => {
  it("has a bar for every day, also those without work", () => {
    const buckets = bucketsOf([aPoint({ key: "2026-05-06", micro: 5, succeeded: 1 })], periodOf({ range: "7d" }, now), now);
    expect(buckets).toHaveLength(7);
    expect(buckets.map((bucket) => bucket.cost)).toEqual([0, 0, 5, 0, 0, 0, 0]);
  });

  it("puts days together when there are many, and loses none", () => {
    const rows = Array.from({ length: 365 }, (_, index) => aPoint({ key: new Date(Date.UTC(2025, 4, 11 + index)).toISOString().slice(0, 10), tokens: 1, succeeded: 1 }));
    const buckets = bucketsOf(rows, periodOf({ range: "year" }, now), now);
    expect(buckets.length).toBeLessThanOrEqual(100);
    expect(buckets.reduce((sum, bucket) => sum + bucket.iterations, 0)).toBe(365);
  });

  it("begins with the first day there is", () => {
    expect(bucketsOf([aPoint({ key: "2026-05-09", succeeded: 1 })], periodOf({ range: "all" }, now), now)).toHaveLength(2);
    expect(bucketsOf([], periodOf({ range: "all" }, now), now)).toEqual([]);
  });
});

it("tells a trend only where there is something to compare with", () => {
  expect(changeOf(15, 10)).toBe(50);
  expect(changeOf(15, 0)).toBeNull();
  expect(changeOf(null, 10)).toBeNull();
  expect(formatChange(50)).toBe("+50 %");
  expect(formatChange(-12.4)).toBe("−12 %");
  expect(pointsOf(0.9, 0.8)).toBeCloseTo(10);
  expect(formatPoints(10)).toBe("+10 points");
});

it("has round steps at the edge", () => {
  expect(ticksOf(2_900_000, false)).toEqual([0, 1_000_000, 2_000_000, 3_000_000]);
  expect(ticksOf(3, true)).toEqual([0, 1, 2, 3]);
  expect(ticksOf(0, true)).toEqual([0]);
});
