/**
 * `npm run prove -- cluster`: applies every overlay and component to a real Kubernetes API server, and to it again, changed. Needs Go, Java and
 * Maven; without one of them it says so and ends well, unless PAYCODE_REQUIRE_CLUSTER is set. `-- --prepare` only builds and fetches.
 */
import { join } from 'node:path';
import { operatorDefinitions, kubernetesPrograms } from './cluster/kubernetes-programs.ts';
import { missingPrograms } from '../prove/testing/processes.ts';
import { runJest } from '../prove/testing/run-jest.ts';

const missing = missingPrograms({ go: ['version'], java: ['-version'], mvn: ['-v'] });
const words = process.argv.slice(2);
const match = '--testMatch=**/*.cluster.ts';

if (missing.length > 0) {
  console.log(`No Kubernetes API server can be built here: ${missing.join(', ')} not found. Nothing was tested.`);
  process.exitCode = process.env['PAYCODE_REQUIRE_CLUSTER'] ? 1 : 0;
} else if (words.includes('--prepare')) {
  console.log(`programs: ${kubernetesPrograms()}`);
  console.log(`definitions of operators: ${operatorDefinitions().length}`);
} else {
  const programs = kubernetesPrograms();
  process.exitCode = await runJest({
    name: 'test:cluster',
    words,
    args: ['-c', join(import.meta.dirname, 'kubernetes.jest.config.cjs'), '--maxWorkers=1', '--testTimeout=900000', match],
    // Its kubectl also renders, whatever else is installed.
    env: { PAYCODE_KUBERNETES_PROGRAMS: programs, PATH: `${programs}:${process.env['PATH']}` },
  });
}
