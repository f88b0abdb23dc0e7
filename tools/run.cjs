// Starts a tool of a folder beside it by name (`node tools/run.cjs run/start`), after making sure it can run at all: the tools are
// TypeScript, which an older Node refuses with an unclear message. This file is plain JavaScript for that reason.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const nodeMajorMin = 24;

function problem() {
  if (!existsSync(join(__dirname, '../node_modules'))) return 'Nothing is installed yet.';
  if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) return undefined;
  return `This is Node ${process.versions.node}; Paycode runs on Node ${nodeMajorMin}, which "npm ci" installs into node_modules.`;
}

const found = problem();
if (found) {
  process.stderr.write(`${found}\nRun: npm ci\nand then: npm start (with npm; it picks the Node that npm ci installed)\n`);
  process.exit(1);
}
const name = process.argv[2];
const file = join(__dirname, `${name}.ts`);
process.argv.splice(1, 2, file);
import(pathToFileURL(file).href).catch(error => {
  process.stderr.write(`${error.stack ?? error}\n`);
  process.exit(1);
});
