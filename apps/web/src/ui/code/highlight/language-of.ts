/** The language of a file by its name. */

const BY_NAME: Record<string, string> = {
  dockerfile: "dockerfile",
  makefile: "makefile",
  gnumakefile: "makefile",
  justfile: "makefile",
  "cmakelists.txt": "cmake",
  gemfile: "ruby",
  rakefile: "ruby",
  ".bashrc": "bash",
  ".zshrc": "bash",
  ".profile": "bash",
  ".gitconfig": "ini",
  ".editorconfig": "ini",
  ".npmrc": "ini",
  "cargo.lock": "ini",
};

const BY_EXTENSION: Record<string, readonly string[]> = {
  bash: ["sh", "bash", "zsh"],
  c: ["c", "h"],
  clojure: ["clj", "cljs", "edn"],
  cmake: ["cmake"],
  cpp: ["cc", "cpp", "cxx", "hh", "hpp", "hxx"],
  csharp: ["cs"],
  css: ["css"],
  dart: ["dart"],
  diff: ["diff", "patch"],
  dockerfile: ["dockerfile"],
  elixir: ["ex", "exs"],
  erlang: ["erl", "hrl"],
  fsharp: ["fs", "fsx"],
  go: ["go"],
  graphql: ["graphql", "gql"],
  haskell: ["hs"],
  ini: ["ini", "toml", "cfg", "conf", "properties"],
  java: ["java"],
  javascript: ["js", "jsx", "mjs", "cjs"],
  json: ["json", "jsonc", "json5", "webmanifest"],
  julia: ["jl"],
  kotlin: ["kt", "kts"],
  less: ["less"],
  lua: ["lua"],
  makefile: ["mk"],
  markdown: ["md", "markdown", "mdx"],
  nix: ["nix"],
  objectivec: ["m", "mm"],
  ocaml: ["ml", "mli"],
  perl: ["pl", "pm"],
  php: ["php"],
  powershell: ["ps1", "psm1"],
  protobuf: ["proto"],
  python: ["py", "pyi"],
  r: ["r"],
  ruby: ["rb"],
  rust: ["rs"],
  scala: ["scala", "sbt"],
  scss: ["scss"],
  sql: ["sql"],
  swift: ["swift"],
  typescript: ["ts", "tsx", "mts", "cts"],
  xml: ["xml", "html", "htm", "svg", "vue", "svelte", "xhtml", "plist"],
  yaml: ["yaml", "yml"],
};

const EXTENSIONS = new Map(Object.entries(BY_EXTENSION).flatMap(([language, endings]) => endings.map((ending) => [ending, language])));

/** `null`: it is shown as plain text. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return BY_NAME[name] ?? (dot === -1 ? null : (EXTENSIONS.get(name.slice(dot + 1)) ?? null));
}
