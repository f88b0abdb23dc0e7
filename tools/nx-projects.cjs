// The projects of the workspace, for Nx and Jest. The type of a project decides what it may import (eslint.config.mjs).
const { existsSync } = require('node:fs');
const { basename, join } = require('node:path');

const services = [
  'auth-session',
  'notification-config',
  'webhook-dispatcher',
  'reversal-scheduler',
  'recipient-messages',
  'payment-simulator',
  'portal',
  'api-gateway',
  'standalone',
];

const foldersOf = {
  app: ['apps/portal-web', ...services.map(name => `apps/${name}`)],
  commands: ['apps/operations'],
  e2e: ['apps/platform-e2e'],
  contracts: ['libs/crypto', 'libs/dto'],
  platform: ['access', 'events', 'ownership', 'persistence', 'safe-http', 'service-runtime'].map(name => `libs/${name}`),
  testing: ['libs/platform-client'],
  util: ['kits/paycode-dev', 'tools/check', 'tools/measure', 'tools/prove', 'tools/run'],
};

function projectOf(root, type) {
  const name = root.replace(/^(apps|libs|kits)\//, '').replace('/', '-');
  const targets = { ...(services.includes(name) && { build: {} }), ...(type !== 'e2e' && { test: {} }), lint: {} };
  const scope = /^(libs|kits|tools)/.test(root) ? 'shared' : basename(root).replace('-e2e', '');
  const kind = root.startsWith('apps/') || root.startsWith('kits/') ? 'application' : 'library';
  const sourceRoot = root.startsWith('tools/') ? root : `${root}/src`;
  return { name, projectType: kind, sourceRoot, tags: [`type:${type}`, `scope:${scope}`], targets };
}

/** By folder. */
const projects = Object.fromEntries(
  Object.entries(foldersOf).flatMap(([type, folders]) => folders.map(root => [root, projectOf(root, type)])),
);

module.exports = {
  projects,
  // The seeded violations stand in a workspace that has other projects.
  createNodesV2: [
    'nx.json',
    (files, _options, { workspaceRoot }) => {
      const present = Object.entries(projects).filter(([root]) => existsSync(join(workspaceRoot, root)));
      return files.map(file => [file, { projects: Object.fromEntries(present) }]);
    },
  ],
};
