/**
 * One-shot steps of docker/compose.yaml. `node tools/run/compose.ts setup` before the services: keys, certificate, databases, topics.
 * `node tools/run/compose.ts seed` once they are healthy: demo accounts and merchants, and the file `npm run demo` reads.
 */
import { join } from 'node:path';
import { ensureTokenKeys } from '../../libs/access/src/service-token/token-keys.ts';
import { ensureDatabases, ensureTopics } from './compose/databases.ts';
import { ensureGatewayCertificate, ensureSecrets } from './compose/secrets.ts';
import { seed } from './compose/seed.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const home = setting('PAYCODE_HOME');

const steps: Record<string, () => Promise<void>> = {
  setup: async () => {
    ensureSecrets(join(home, 'secrets'));
    // The services run under another user than this process, so the files are readable for all.
    ensureTokenKeys(join(home, 'secrets/token-keys'), 0o444);
    await ensureGatewayCertificate(join(home, 'tls'), ['localhost', 'api-gateway']);
    await ensureDatabases(setting('POSTGRES_URL'), join(home, 'secrets'));
    await ensureTopics(setting('KAFKA_BROKERS').split(','));
  },
  seed: () =>
    seed({
      home,
      baseUrl: setting('PAYCODE_BASE_URL'),
      internal: JSON.parse(setting('PAYCODE_INTERNAL_URLS')) as Record<string, string>,
    }),
};

const step = steps[process.argv[2] ?? ''];
if (!step) throw new Error(`usage: node tools/run/compose.ts ${Object.keys(steps).join(' | ')}`);
await step();
console.log(`${process.argv[2]}: done`);
