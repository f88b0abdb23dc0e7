// Starts a tool of a folder beside it by name (`node tools/run.cjs run/start`). It checks first that the tool can run at all, because the tools are
// TypeScript, which an older Node refuses with an unclear message. This file is plain JavaScript for that reason.
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const nodeMajorMin = 24;
const name = process.argv[2];
const file = join(__dirname, `${name}.ts`);

/** These tools print their own help. The comment at the top of each other tool is its help. */
const ownHelp = /^(run\/(start|dev|release)|operate\/(paycode|audit)|prove\/test-(core|fuzz|gameday|mutation|simulation))$/;
/** These tools refuse unknown options by themselves. */
const ownOptions = /^(run\/kafka|check\/new|measure\/bench-.*|prove\/test-faults)$/;

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function requireInstallation() {
  const found = !existsSync(join(__dirname, '../node_modules'))
    ? 'Nothing is installed yet.'
    : Number(process.versions.node.split('.')[0]) < nodeMajorMin &&
      `This is Node ${process.versions.node}; Paycode runs on Node ${nodeMajorMin}, which "npm ci" installs into node_modules.`;
  if (found) fail(`${found}\nRun: npm ci\nand then: npm start (with npm; it picks the Node that npm ci installed)`);
}

/** Prints the help, or refuses an option that the help does not name. Tools that run Jest pass other options on to it. */
function checkOptions() {
  const source = readFileSync(file, 'utf8');
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? '';
  const help = comment
    .replace(/^[ \t]*\*? ?/gm, '')
    .replaceAll('`', '')
    .trim();
  const given = process.argv.slice(3).filter(word => word.startsWith('-'));
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(`${help}\n`);
    process.exit(0);
  }
  const unknown = given.find(word => word !== '--' && !help.includes(word.split('=')[0]));
  if (unknown && !ownOptions.test(name) && !source.includes('runJest(')) fail(`unknown option ${unknown}\n\n${help}`);
}

// A reader that goes away (`npm run demo | head`) ends the tool without a stack.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', error => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });

requireInstallation();
if (!ownHelp.test(name)) checkOptions();
process.argv.splice(1, 2, file);
import(pathToFileURL(file).href).catch(error => {
  const isUsage = String(error.code).startsWith('ERR_PARSE_ARGS');
  fail(isUsage ? `${error.message}\nRun it with --help for its options.` : (error.stack ?? error));
});
