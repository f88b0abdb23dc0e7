/** `npm run prove -- kafka-cluster`: three brokers with TLS, SCRAM and access rules; fail-over, restart, rebalance. Some minutes. */
import { join } from 'node:path';
import { runJest } from './testing/run-jest.ts';

const only = '--testPathPatterns=tools/run/kafka/secured-cluster';
process.exitCode = await runJest({
  name: 'test:kafka-cluster',
  words: process.argv.slice(2),
  args: ['-c', join(import.meta.dirname, '../run/jest.config.cjs'), '--maxWorkers=1', '--testTimeout=240000', only],
  env: { PAYCODE_TEST_KAFKA_CLUSTER: '1' },
});
