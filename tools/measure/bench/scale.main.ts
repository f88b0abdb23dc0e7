/** `npm run bench -- scale`; see docs/explanation/performance.md. */
import { parseArgs } from 'node:util';
import { BenchDatabase } from './bench-database.ts';
import { CalledProcess, runToEnd } from './child-processes.ts';
import { bundle } from './contender.ts';
import { makeMerchants, makeSecrets, writeBenchCertificate } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import type { ReceiverPorts } from './receiver.main.ts';
import { machineFacts, print, writeJson } from './report.ts';
import { ScaleRuns, type ScaleScale } from './scale-runs.ts';

const scales: Record<'quick' | 'full', ScaleScale> = {
  quick: { replicas: [1, 2, 4], burstEach: 600, warmUpEach: 1_500, rounds: 2, steadySeconds: 6 },
  full: { replicas: [1, 2, 4, 8], burstEach: 1_500, warmUpEach: 2_000, rounds: 3, steadySeconds: 20 },
};
/** Of a core, for each dispatcher: eight of them leave room for everything else on two cores. */
const coreShare = 0.1;
const replicasMax = 16;
const evenMerchants = 20;
/** Merchants that share one origin. */
const hotMerchants = 10;

/** `1,8`. */
function countsOf(list: string): number[] {
  const counts = list.split(',').map(Number);
  const isRising = counts.every((count, at) => Number.isInteger(count) && count > (counts[at - 1] ?? 0) && count <= replicasMax);
  if (!isRising) throw new Error(`--replicas: whole numbers from 1 to ${replicasMax}, rising, separated by commas`);
  return counts;
}

async function measure(scale: ScaleScale): Promise<boolean> {
  const database = await BenchDatabase.start();
  const neighbours = await Neighbours.start();
  try {
    const [secrets, certificate] = [makeSecrets(database.home), await writeBenchCertificate(database.home)];
    const receiver = new CalledProcess(bundle('receiver'));
    const { healthy } = await receiver.call<ReceiverPorts>('open', { ...certificate, healthy: evenMerchants + 1, hanging: 0 });
    const [hotPort, ...ports] = healthy;
    const hot = makeMerchants(
      9_001,
      Array.from({ length: hotMerchants }, () => hotPort!),
      secrets,
    );
    const even = makeMerchants(1_001, ports, secrets);
    neighbours.know([...even, ...hot].map(({ route }) => route));
    const fixture = { database, neighboursUrl: neighbours.url, secrets, certificate, receiver };
    const runs = new ScaleRuns(fixture, { even, hot }, { ...scale, coreShare });
    const figures = await runs.all();
    print(writeJson('scale', { ...machineFacts(), postgres: await database.version(), coreShare, scale, figures }));
    return figures.deviations.length === 0;
  } finally {
    await database.stop();
  }
}

runToEnd(async () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      replicas: { type: 'string' },
    },
  });
  const scale = scales[values.quick ? 'quick' : 'full'];
  const replicas = values.replicas === undefined ? scale.replicas : countsOf(values.replicas);
  process.exitCode = (await measure({ ...scale, replicas })) ? 0 : 1;
});
