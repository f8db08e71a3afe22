import { expect, it } from "vitest";

import { type Output, appendText, emptyOutput, findLines, plainText, scriptsOf, shortened, withEarlier, withLater } from "./model";

const RED = "\u001b[31m";
const OFF = "\u001b[0m";

it("goes on with the last line", () => {
  const first = appendText([], "one\ntw");
  expect(appendText(first, "o\nthree").map((line) => line.text)).toEqual(["one", "two", "three"]);
});

it("carries colours over to the next line until they are put off", () => {
  const lines = appendText([], `${RED}bad\nstill bad${OFF}\nfine\n`);
  expect(lines.map((line) => line.carried)).toEqual(["", RED, "", ""]);
  expect(lines.map(plainText)).toEqual(["bad", "still bad", "fine", ""]);
});

it("begins a line anew after a carriage return", () => {
  expect(appendText([], "10%\r50%\r100%\r\ndone").map((line) => line.text)).toEqual(["100%", "done"]);
});

it("finds text through colours", () => {
  expect(findLines(appendText([], `a ${RED}Wo${OFF}rd\nnothing\nWORD`), "word")).toEqual([0, 2]);
});

it("leaves servers and what is no script out of the scripts", () => {
  const command = (setting: string) => ({ setting, command: "x", permission: "own" });
  const found = scriptsOf([command("scripts.test"), command("scripts.dev"), command("commands.setup")], new Set(["dev"]));
  expect(found.map((script) => script.name)).toEqual(["test"]);
});

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (output: Output) => output.lines.map((line) => line.text).join("\n");

it("cuts and brings back output without losing or repeating a byte", () => {
  const whole = Array.from({ length: 40 }, (_, at) => `line ${at} ${"x".repeat(at % 7)}\n`).join("");
  const all = bytes(whole);
  let output = emptyOutput(0);
  for (let at = 0; at < all.length; at += 50) {
    output = shortened(withLater(output, all.subarray(at, at + 50)), 300);
    expect(output.next - output.from).toBeLessThanOrEqual(300);
  }
  expect(output.from).toBeGreaterThan(0);
  expect(textOf(output)).toBe(new TextDecoder().decode(all.subarray(output.from)));
  expect(textOf(withEarlier(output, all.subarray(0, output.from)))).toBe(whole);
});

it("does not cut again what the user just asked for", () => {
  const all = bytes("one\ntwo\nthree\nfour\n");
  const later = withLater(emptyOutput(8), all.subarray(8));
  const whole = withEarlier(later, all.subarray(0, 8));
  expect(textOf(shortened(whole, 12))).toBe("one\ntwo\nthree\nfour\n");
});

it("cuts what was brought back where it was joined", () => {
  const all = bytes("one\ntwo\nthree\nfour\n");
  const whole = withEarlier(withLater(emptyOutput(6), all.subarray(6)), all.subarray(0, 6));
  const more = withLater({ ...whole, asked: 0 }, bytes("five\n"));
  const cut = shortened(more, 20);
  expect(textOf(cut)).toBe("three\nfour\nfive\n");
  expect(cut.from).toBe(8);
});
