import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

import importDirection from "./eslint/import-direction.js";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/generated", "public"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["*.js", "eslint/*.js"] }, tsconfigRootDir: import.meta.dirname } },
    plugins: { own: { rules: { "import-direction": importDirection } } },
    rules: { "own/import-direction": "error" },
  },
  { files: ["**/*.js"], ...tseslint.configs.disableTypeChecked },
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      "react-hooks/exhaustive-deps": "error",
      "@typescript-eslint/consistent-type-definitions": ["error", "type"],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/only-throw-error": "off",
      // `void promise` says that nobody waits for it.
      "no-void": "off",
      "no-console": "error",
      "no-restricted-globals": [
        "error",
        { name: "fetch", message: "Use `api` (requests go through `platform`)." },
        { name: "localStorage", message: "Use `platform().storage`." },
        { name: "Notification", message: "Use `platform().notifications`." },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportAllDeclaration", message: "No barrels: import from the file that has it." },
      ],
    },
  },
  { files: ["src/platform/**"], rules: { "no-restricted-globals": "off" } },
  {
    files: ["**/*.test.{ts,tsx}", "src/testing/**"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off", "@typescript-eslint/unbound-method": "off" },
  },
);
