/** `npm run bench:isolation`; see docs/explanation/performance.md. */
import { parseArgs } from 'node:util';
import { writeBenchCertificate } from './bench-certificate.ts';
import { BenchDatabase } from './bench-database.ts';
import { CalledProcess } from './child-calls.ts';
import { bundle } from './contender.ts';
import { company, type HangingMerchantScale, type HealthyRuns, runHealthy } from './hanging-merchant.ts';
import { type HangingReceiversScale, runHangingReceivers } from './hanging-receivers.ts';
import type { IsolationGround } from './isolation-ground.ts';
import { reportIsolation } from './isolation-report.ts';
import { makeMerchants, makeSecrets } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import type { ReceiverPorts } from './receiver.main.ts';
import { runToEnd } from './run-to-end.ts';
import { runStored, type StoredScale } from './stored-deliveries.ts';

interface IsolationScale {
  rounds: number;
  merchant: HangingMerchantScale;
  receivers: HangingReceiversScale;
  stored: StoredScale;
}

const rates = { healthyPerSecond: 200, besidePerSecond: 200 };
const scales: Record<'quick' | 'full', IsolationScale> = {
  quick: {
    rounds: 2,
    merchant: { ...rates, seconds: 12, ackWindowMs: 5_000, warmUp: 4_000 },
    receivers: { requests: 2_000, healthyPerSecond: 100 },
    stored: { stored: 100_000, rounds: 2, burst: 4_000 },
  },
  full: {
    rounds: 3,
    merchant: { ...rates, seconds: 60, ackWindowMs: 45_000, warmUp: 20_000 },
    receivers: { requests: 10_000, healthyPerSecond: 100 },
    stored: { stored: 1_000_000, rounds: 3, burst: 8_000 },
  },
};
const healthyMerchants = 99;
/** Below what an endpoint may have under way at first: all are sent at once. */
const hangingPerEndpoint = 50;

async function open(database: BenchDatabase, neighbours: Neighbours, hanging: number): Promise<IsolationGround> {
  const [secrets, certificate] = [makeSecrets(database.home), await writeBenchCertificate(database.home)];
  const receiver = new CalledProcess(bundle('receiver'));
  const ports = await receiver.call<ReceiverPorts>('open', { ...certificate, healthy: healthyMerchants + 1, hanging });
  const [further, ...healthy] = makeMerchants(1_001, ports.healthy, secrets);
  const merchants = {
    healthy,
    hanging: makeMerchants(5_001, ports.hanging, secrets),
  };
  neighbours.know([further!, ...merchants.healthy, ...merchants.hanging].map(({ route }) => route));
  return { database, neighboursUrl: neighbours.url, secrets, certificate, receiver, further: further!, ...merchants };
}

runToEnd(async () => {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const scale = scales[values.quick ? 'quick' : 'full'];
  const database = await BenchDatabase.start();
  const neighbours = await Neighbours.start();
  try {
    const ground = await open(database, neighbours, Math.ceil(scale.receivers.requests / hangingPerEndpoint));
    const runs: HealthyRuns = { nobody: [], 'one that answers': [], 'one that hangs': [] };
    for (let round = 0; round < scale.rounds; round++) {
      for (const beside of company) runs[beside].push(await runHealthy(ground, scale.merchant, beside));
    }
    const stored = await runStored(ground, scale.stored);
    const receivers = await runHangingReceivers(ground, scale.receivers);
    const isExact = reportIsolation({ runs, receivers, stored }, { scale, postgres: await database.version() });
    process.exitCode = isExact ? 0 : 1;
  } finally {
    await database.stop();
  }
});
