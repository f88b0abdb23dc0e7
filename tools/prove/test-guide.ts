/**
 * `npm run prove -- guide`: executes docs/how-to/deploy-to-kubernetes.md and the rotations of k8s/runbooks/rotate-secrets.md as they stand,
 * against a real PostgreSQL with TLS and a real Kafka with TLS, SCRAM and the manifests' access rules. Needs kubectl, Java 17, Maven, curl. Some minutes.
 */
import { join } from 'node:path';
import { apps, buildApps } from '../run/build.ts';
import { makeGeneratedPages } from '../run/build/generated-pages.ts';
import { runJest } from './testing/run-jest.ts';

await makeGeneratedPages();
await buildApps(await apps());
await import('../run/build-ops.ts');
process.exitCode = await runJest({
  name: 'test:guide',
  words: process.argv.slice(2),
  args: ['-c', join(import.meta.dirname, 'guide/jest.config.cjs'), '--runInBand', '--testTimeout=1500000'],
});
