// Starts a tool of a folder beside it: `node tools/run.cjs run/start` by its path, `node tools/run.cjs bench deliver` by its group and name. It checks
// first that the tool can run at all, because the tools are TypeScript, which an older Node refuses with an unclear message. This file is plain
// JavaScript for that reason.
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const nodeMajorMin = 24;

/** The commands of `npm run <group> -- <name>`. Without a name, the tool named '' runs, which then reads the words by itself. */
const groups = {
  bench: {
    deliver: ['measure/bench deliver', 'webhooks per second, beside a bare loop'],
    calls: ['measure/bench calls', 'work per payment when the core calls once per payment'],
    isolation: ['measure/bench isolation', 'healthy merchants beside merchants that do not answer'],
    auth: ['measure/bench auth', 'times of answers of auth-session that must look alike'],
    cells: ['measure/bench cells', '1, 2 and 4 cells with a share of a core each; a move and kills'],
    rest: ['measure/bench-rest', 'processor and memory while nobody pays, and at a peak'],
    overload: ['measure/bench-overload', 'payments accepted at up to 10 times of what the platform can take'],
    portal: ['measure/bench-portal', 'paint, shifts and answers of the portal on a slow line and processor'],
  },
  prove: {
    model: ['prove/test-model', 'the settlement protocol in Spin'],
    mutation: ['prove/test-mutation', 'seeded faults that the tests must find'],
    fuzz: ['prove/test-fuzz', 'hostile requests against a running platform'],
    'game-day': ['prove/test-gameday', 'faults beside a real Prometheus'],
    core: ['../apps/operations/src/core', 'the contract of a payment core, checked from outside'],
    'node-versions': ['prove/suite node-versions', 'the npm packages on Node 20, 22 and 24'],
    'kafka-cluster': ['prove/suite kafka-cluster', 'three secured brokers that fail'],
    manifests: ['prove/suite manifests', 'manifests, alerts and dashboards'],
    cluster: ['check/test-cluster', 'manifests on a real Kubernetes API server'],
    requirements: ['check/requirements', 'ids of the specification that no passing test proves'],
  },
  generate: {
    docs: ['check/generate-docs', 'reference pages, .env.example, contracts, manifests: what runs without a name'],
    schema: ['check/schema', 'schema.sql of each service from its migrations'],
    manifests: ['check/chart/chart-files', 'the Helm chart from the overlays'],
    site: ['run/site', 'the documentation site in dist/site'],
    'evaluation-secrets': ['run/evaluation-secrets', 'secrets of the evaluation overlay'],
  },
  release: {
    '': ['run/release', ''],
    'pin-images': ['run/images-pin', 'digests of the base images in docker/Dockerfile'],
  },
  paycode: {
    '': ['../apps/operations/src/paycode', ''],
    audit: ['../apps/operations/src/audit', ''],
    redrive: ['../apps/operations/src/redrive', ''],
  },
};

/** These tools print their own help. The comment at the top of each other tool is its help. */
const ownHelp =
  /^(run\/(start|release)|\.\.\/apps\/operations\/src\/(paycode|audit|core)|prove\/(suite|test-(fuzz|gameday|mutation|simulation)))$/;
/** These tools refuse unknown options by themselves. */
const ownOptions = /^(run\/kafka|prove\/test-faults)$/;

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** The path of the tool that the first words name; takes these words away. */
function wantedTool() {
  const [first, second = ''] = process.argv.slice(2);
  if (!Object.hasOwn(groups, first)) return process.argv.splice(2, 1)[0];
  const group = groups[first];
  const isNamed = second !== '' && Object.hasOwn(group, second);
  const [path, ...words] = isNamed ? group[second][0].split(' ') : [];
  process.argv.splice(2, isNamed ? 2 : 1, ...words);
  if (isNamed) return path;
  if (group['']) return group[''][0];
  if (first === 'generate' && /^$|^--ignored$/.test(second)) return group.docs[0];
  const lines = Object.entries(group).map(([name, [, line]]) => `  ${name.padEnd(20)}${line}`);
  const help = `npm run ${first} -- <name> [options]; each has a --help\n${lines.join('\n')}`;
  if (second !== '--help' && second !== '-h') fail(second === '' ? help : `unknown: ${second}\n${help}`);
  process.stdout.write(`${help}\n`);
  process.exit(0);
}

function requireInstallation() {
  const found = !existsSync(join(__dirname, '../node_modules'))
    ? 'Nothing is installed yet.'
    : Number(process.versions.node.split('.')[0]) < nodeMajorMin &&
      `This is Node ${process.versions.node}; Paycode runs on Node ${nodeMajorMin}, which "npm ci" installs into node_modules.`;
  if (found) fail(`${found}\nRun: npm ci\nand then: npm start (with npm; it picks the Node that npm ci installed)`);
}

/** Prints the help, or refuses an option that the help does not name. Tools that run Jest pass other options on to it. */
function checkOptions(name, file) {
  const source = readFileSync(file, 'utf8');
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? '';
  const help = comment
    .replace(/^[ \t]*\*? ?/gm, '')
    .replaceAll('`', '')
    .trim();
  const given = process.argv.slice(2).filter(word => word.startsWith('-'));
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

// The database driver and PostgreSQL's own programs read these. They belong to other projects: ours name servers by URL.
for (const variable of Object.keys(process.env)) if (/^PG[A-Z]/.test(variable)) delete process.env[variable];

const name = wantedTool();
const file = join(__dirname, `${name}.ts`);
requireInstallation();
if (!ownHelp.test(name)) checkOptions(name, file);
process.argv[1] = file;
import(pathToFileURL(file).href).catch(error => {
  const isUsage = String(error.code).startsWith('ERR_PARSE_ARGS');
  fail(isUsage ? `${error.message}\nRun it with --help for its options.` : (error.stack ?? error));
});
