/** Scripts and styles, packed with gzip as the server sends them. */
export type Assets = { scripts: number; styles: number };

/** What these files weigh. */
export async function weigh(files: Iterable<string>): Promise<Assets> {
  const sum: Assets = { scripts: 0, styles: 0 };
  for (const file of files) {
    const answer = await fetch(file, { method: "HEAD", headers: { "accept-encoding": "gzip" } });
    const length = Number(answer.headers.get("content-length"));
    if (!answer.ok || !(length > 0)) throw new Error(`the server does not say how large ${file} is`);
    sum[file.endsWith(".css") ? "styles" : "scripts"] += length;
  }
  return sum;
}

/** Every script and style that the page may need, found by the names that they have for each other. */
export async function allAssets(origin: string): Promise<Set<string>> {
  const found = new Set<string>();
  const look = async (where: string): Promise<void> => {
    const text = await (await fetch(where)).text();
    for (const [, name = ""] of text.matchAll(/(?:assets|\.)\/([\w.-]+\.(?:js|css))/g)) {
      const file = `${origin}/assets/${name}`;
      if (found.has(file)) continue;
      found.add(file);
      await look(file);
    }
  };
  found.add(`${origin}/first-paint.js`);
  await look(`${origin}/`);
  return found;
}
