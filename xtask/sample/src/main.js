#!/usr/bin/env node
import { readFileSync } from "node:fs";

import { report } from "./report.js";
import { tally } from "./tally.js";

const files = process.argv.slice(2);
const sources = files.length > 0 ? files : [0];

for (const source of sources) {
  const text = readFileSync(source, "utf8");
  console.log(report(source === 0 ? "-" : source, tally(text)));
}
