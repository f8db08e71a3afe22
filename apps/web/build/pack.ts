import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import type { Plugin } from "vite";

/** Smaller files than this gain nothing. */
const WORTH_IT = 1_024;

/** Writes each text file packed beside itself, so that the server packs nothing while somebody waits. */
export function pack(): Plugin {
  let folder = "";
  return {
    name: "pack",
    apply: "build",
    configResolved(config) {
      folder = path.resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/\.(html|js|css|svg|json)$/.test(name)) continue;
        const file = path.join(folder, name);
        const content = readFileSync(file);
        if (content.length < WORTH_IT) continue;
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
        const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: size }));
      }
    },
  };
}
