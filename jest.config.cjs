// Root run: every project but the journeys (which start the whole platform), on one embedded PostgreSQL. `npm test` is the command (tools/prove/test.ts).
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { projectConfig } = require('./jest.preset.cjs');
const { projects } = require('./tools/nx-projects.cjs');

const folders = Object.keys(projects).filter(root => root !== 'apps/platform-e2e');

/** The project's own configuration, where it differs from the others'. */
function configOf(dir) {
  const own = join(dir, 'jest.config.cjs');
  return existsSync(own) ? require(own) : projectConfig(dir);
}

module.exports = {
  projects: folders.map(root => configOf(join(__dirname, root))),
  maxWorkers: 3,
  // A ceiling, never a verdict: a machine that runs other work beside the tests needs the time.
  testTimeout: 300_000,
  // A worker of a busy machine needs more than half a second to end, which is the time Jest gives it; what a spec leaves open the leak guard names before.
  workerGracefulExitTimeout: 120_000,
};
