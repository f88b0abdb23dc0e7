/**
 * `npm run prove -- manifests`: renders k8s/ offline, checks it as a strict API server would, checks the project's policies, and tests every
 * alert.
 * Needs kubectl and promtool, which npm cannot install; a missing one is a failure, never a skipped suite.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runJest } from './testing/run-jest.ts';

const needed: Record<string, { args: string[]; from: string }> = {
  kubectl: { args: ['version', '--client'], from: 'https://kubernetes.io/docs/tasks/tools' },
  promtool: { args: ['--version'], from: 'apt-get install prometheus (Debian, Ubuntu), or the release archive of Prometheus' },
};

const missing = Object.entries(needed).filter(([command, { args }]) => spawnSync(command, args).status !== 0);
for (const [command, { from }] of missing) console.error(`${command} is not installed: ${from}`);
if (missing.length > 0) process.exit(1);
process.exitCode = await runJest({
  name: 'test:manifests',
  words: process.argv.slice(2),
  args: ['-c', join(import.meta.dirname, '../check/manifests/jest.config.cjs'), '--maxWorkers=1'],
});
