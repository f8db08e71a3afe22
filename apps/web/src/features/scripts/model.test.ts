import { expect, it } from "vitest";

import { appendText, findLines, plainText, scriptsOf } from "./model";

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
