/**
 * Imports go one way: app -> routes -> features -> {ui, api, platform}. Features do not know each other.
 *
 * `testing` is for tests alone and may use everything below `app`.
 */
import path from "node:path";

/** What each folder of `src` may import, besides itself. */
const ALLOWED = {
  app: ["routes", "features", "ui", "api", "platform"],
  routes: ["features", "ui", "api", "platform"],
  features: ["ui", "api", "platform"],
  ui: ["api", "platform"],
  api: ["platform"],
  platform: [],
  testing: ["ui", "api", "platform"],
};

const isTest = (file) => /\.test\.tsx?$/.test(file);

/** @param {string} file @param {string} source */
function target(file, source) {
  if (source.startsWith("@/")) return source.slice(2).split("/");
  if (!source.startsWith(".")) return null;
  const src = file.slice(0, file.lastIndexOf("/src/") + 5);
  return path.posix.relative(src, path.posix.join(path.posix.dirname(file), source)).split("/");
}

/** Why an import is refused, or nothing. */
function refusal(file, source, isTypeOnly) {
  const [folder, feature] = file.slice(file.lastIndexOf("/src/") + 5).split("/");
  const [toFolder, toFeature] = target(file, source) ?? [];
  if (!(folder in ALLOWED) || !(toFolder in ALLOWED)) return null;
  if (toFolder === "testing" && folder !== "testing" && !isTest(file)) return "only tests import `testing`";
  if (folder === toFolder) {
    return folder === "features" && feature !== toFeature ? "features do not import each other" : null;
  }
  if (toFolder === "testing") return null;
  if (folder === "ui" && toFolder === "api" && !isTypeOnly) return "`ui` takes only types from `api`";
  return ALLOWED[folder].includes(toFolder) ? null : `\`${folder}\` does not import \`${toFolder}\``;
}

/** @type {import("eslint").Rule.RuleModule} */
export default {
  meta: { type: "problem", schema: [], messages: { refused: "{{why}}" } },
  create(context) {
    const file = context.filename.replaceAll("\\", "/");
    const check = (node, isTypeOnly) => {
      if (typeof node?.source?.value !== "string") return;
      const why = refusal(file, node.source.value, isTypeOnly);
      if (why) context.report({ node, messageId: "refused", data: { why } });
    };
    return {
      ImportDeclaration: (node) => check(node, node.importKind === "type"),
      ExportNamedDeclaration: (node) => check(node, node.exportKind === "type"),
      ExportAllDeclaration: (node) => check(node, node.exportKind === "type"),
      ImportExpression: (node) => check(node, false),
    };
  },
};
