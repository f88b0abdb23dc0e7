/**
 * `npm run prove -- node-versions`: the packages for integrators on Node 20, 22 and 24, from where npm installs each Node, and the project's own commands
 * under each of them as the Node of the person who types.
 */
import { join } from 'node:path';
import { runJest } from './testing/run-jest.ts';

process.exitCode = await runJest({
  name: 'test:node-versions',
  words: process.argv.slice(2),
  args: ['-c', join(import.meta.dirname, '../../apps/platform-e2e/node-versions.jest.config.cjs'), '--maxWorkers=1'],
});
