/** `npm run test:kafka-cluster`: three brokers with TLS, SCRAM and access rules; fail-over, restart, rebalance. Some minutes. */
import { join } from 'node:path';
import { runJest } from '../testing/run-jest.ts';

process.exitCode = await runJest({
  name: 'test:kafka-cluster',
  words: ['tools/kafka/secured-cluster', ...process.argv.slice(2)],
  args: ['-c', join(import.meta.dirname, '../jest.config.cjs'), '--maxWorkers=1', '--testTimeout=240000'],
  env: { PAYCODE_TEST_KAFKA_CLUSTER: '1' },
});
