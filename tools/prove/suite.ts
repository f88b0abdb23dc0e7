/** `npm run prove -- <name>`: the suites that are one run of Jest. Words and options that follow go to Jest. */
import { join } from 'node:path';
import { missingPrograms } from './testing/processes.ts';
import { runJest } from './testing/run-jest.ts';

const root = join(import.meta.dirname, '../..');

interface Suite {
  help: string;
  /** From the workspace root. */
  config: string;
  args?: string[];
  env?: Record<string, string>;
  /** Why it cannot run here; a missing program is a failure, never a skipped suite. */
  obstacle?: () => string | undefined;
}

const suites: Record<string, Suite> = {
  'kafka-cluster': {
    help: 'three brokers with TLS, SCRAM and access rules; fail-over, restart, rebalance. Some minutes.',
    config: 'jest.config.cjs',
    args: ['--testTimeout=240000', '--testPathPatterns=tools/run/kafka/secured-cluster'],
    env: { PAYCODE_TEST_KAFKA_CLUSTER: '1' },
  },
  manifests: {
    help: `renders k8s/ offline, checks the project's policies, and tests every alert.
Needs kubectl (https://kubernetes.io/docs/tasks/tools) and promtool (apt-get install prometheus).`,
    config: 'tools/check/kubernetes.jest.config.cjs',
    args: ['--testMatch=**/*.manifest.ts'],
    obstacle: () => missingPrograms({ kubectl: ['version', '--client'], promtool: ['--version'] })[0],
  },
  'node-versions': {
    help: `the packages for integrators on Node 20, 22 and 24, from where npm installs each Node, and the project's own commands under each
of them as the Node of the person who types.`,
    config: 'apps/platform-e2e/node-versions.jest.config.cjs',
  },
};

const [name = '', ...words] = process.argv.slice(2);
const { help, config, args = [], env, obstacle } = suites[name]!;
const usage = `npm run prove -- ${name}: ${help}\n`;
const lacking = words.includes('--help') || words.includes('-h') ? undefined : obstacle?.();
if (words.includes('--help') || words.includes('-h')) process.stdout.write(usage);
else if (lacking !== undefined) {
  process.stderr.write(`${lacking} is not installed.\n${usage}`);
  process.exitCode = 1;
} else {
  const jest = ['-c', join(root, config), '--maxWorkers=1', ...args];
  process.exitCode = await runJest({ name: `test:${name}`, words, args: jest, env });
}
