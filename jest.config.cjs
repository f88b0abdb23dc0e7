// Root run: every project that has specs but the journeys (which start the whole platform), on one embedded PostgreSQL. `npm test` is the command (tools/prove/test.ts).
const { readdirSync, existsSync } = require('node:fs');
const { join } = require('node:path');

const journeys = 'platform-e2e';
const projects = ['apps', 'libs', 'tools', 'kits'].flatMap(group => {
  return readdirSync(join(__dirname, group))
    .filter(name => name !== journeys)
    .map(name => join(__dirname, group, name));
});

module.exports = {
  projects: projects.filter(dir => existsSync(join(dir, 'jest.config.cjs'))),
  maxWorkers: 3,
  // A ceiling, never a verdict: a machine that runs other work beside the tests needs the time.
  testTimeout: 300_000,
  // A worker of a busy machine needs more than half a second to end, which is the time Jest gives it; what a spec leaves open the leak guard names before.
  workerGracefulExitTimeout: 120_000,
};
