/** `npm run test:kafka-cluster`: three brokers with TLS, SCRAM and access rules; fail-over, restart, rebalance. Some minutes. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const jest = [
  join(root, 'node_modules/jest/bin/jest.js'),
  '-c',
  join(root, 'tools/jest.config.cjs'),
  '--maxWorkers=1',
  '--verbose',
];
const child = spawn(
  process.execPath,
  ['--experimental-vm-modules', ...jest, '--testTimeout=240000', 'tools/kafka/secured-cluster', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PAYCODE_TEST_KAFKA_CLUSTER: '1' },
  },
);
child.once('exit', code => {
  process.exitCode = code ?? 1;
});
