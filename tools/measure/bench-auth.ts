/**
 * `npm run bench -- auth`: measures how fast auth-session answers, compared with two floors in the same run, and whether answers that must
 * be indistinguishable take the same time. All processes share this machine's cores, so compare ratios; absolute numbers are a snapshot.
 */
import { buildApps } from '../run/build.ts';
import { basic, BenchClient, type Call, closeConnections, send } from './bench-auth/client.ts';
import { load, type Measured, steadyLoad, type SteadyResult } from './bench-auth/load.ts';
import { rsaDecryptionsPerSecond, type ServiceUnderTest, startAuthSession, startBareFastify } from './bench-auth/processes.ts';
import { timeInTurn, timingGroups, type TimingNames } from './bench-auth/timing.ts';
import { median, spreadOf } from './bench/report.ts';

const rounds = 3;
const floodRounds = 5;
/** Enough to keep the service busy. With fewer connections the result would measure the waiting for the database. */
const connections = 128;
const durationS = 4;
const floorName = 'bare Fastify route';
const print = (line = '') => process.stdout.write(`${line}\n`);

function row(name: string, { perSecond, cpuUs, p50Ms, p99Ms, answers }: Measured): string {
  const rate = `${Math.round(perSecond)}/s`.padStart(9);
  return `  ${name.padEnd(28)}${rate}  cpu ${cpuUs.toFixed(0)} us  p50 ${p50Ms} ms  p99 ${p99Ms} ms  ${answers}`;
}

interface Contender {
  call: Call;
  pid: number;
  /** Fewer for calls where the service would refuse more. */
  connections?: number;
}

/** Median of interleaved rounds, so that a disturbance hits all contenders. */
async function compare(contenders: Record<string, Contender>): Promise<Record<string, Measured>> {
  const all: Record<string, Measured[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      const measured = await load({ connections, ...contender, durationS });
      // The first round only warms up.
      if (round > 0) (all[name] ??= []).push(measured);
    }
  }
  return Object.fromEntries(Object.entries(all).map(([name, runs]) => [name, middleOf(runs)]));
}

function middleOf(runs: Measured[]): Measured {
  const middle = median(runs.map(run => run.perSecond));
  return runs.find(run => run.perSecond === middle)!;
}

async function benchRates(contenders: Record<string, Contender>): Promise<void> {
  print('Floors: RSA-4096 decryption on one thread, and the same JSON through a bare Fastify route');
  const decryptions = rsaDecryptionsPerSecond();
  print(`  RSA-4096 decryption ${decryptions.toFixed(0)}/s`);
  const measured = await compare(contenders);
  const floor = measured[floorName]!;
  for (const [name, result] of Object.entries(measured)) print(row(name, result));
  for (const name of ['authorize (Bearer)', 'authorize (Basic)', 'login (password)']) {
    const { perSecond, cpuUs } = measured[name]!;
    const [byRate, byCpu] = [perSecond / floor.perSecond, floor.cpuUs / cpuUs];
    print(`  ${name} / ${floorName}: ${byRate.toFixed(2)} by rate, ${byCpu.toFixed(2)} by CPU`);
  }
  print('  goal: authorize (Bearer) at least 0.50');
  const ratio = measured['login-challenges']!.perSecond / decryptions;
  print(`  login-challenges / bare RSA-4096 decryption: ${ratio.toFixed(2)}\n`);
}

/** authorize at a steady rate, alone and while clients ask for challenges as fast as they can. */
async function benchFlood({ call, pid }: Contender, challengeCall: Call): Promise<void> {
  const steady = { call, perSecond: 200, durationS: 12 };
  const flood = { call: challengeCall, pid, connections: 32, addresses: 1_000, durationS: 12 };
  print('authorize at 200/s while challenges are asked for as fast as possible, from 1,000 addresses');
  // Warms up both.
  await Promise.all([steadyLoad(steady), load(flood)]);
  const ratios: number[] = [];
  for (let round = 0; round < floodRounds; round++) {
    const idle = await steadyLoad(steady);
    const [during, flooding] = await Promise.all([steadyLoad(steady), load(flood)]);
    ratios.push(during.p99Ms / idle.p99Ms);
    print([steadyRow('authorize, idle', idle), steadyRow('authorize, flooded', during), row('the flood', flooding)].join('\n'));
  }
  const { median: middle, min, max } = spreadOf(ratios);
  const spread = `${min.toFixed(2)} to ${max.toFixed(2)}`;
  print(`  p99 flooded / idle: median ${middle.toFixed(2)} (${spread}; goal: at most 2)\n`);
}

function steadyRow(name: string, { count, p50Ms, p90Ms, p99Ms }: SteadyResult): string {
  const [p50, p90, p99] = [p50Ms, p90Ms, p99Ms].map(ms => ms.toFixed(1));
  return `  ${name.padEnd(28)}200 ${count}  p50 ${p50} ms  p90 ${p90} ms  p99 ${p99} ms`;
}

async function benchTiming(client: BenchClient, names: TimingNames): Promise<void> {
  print('Answers that must not be told apart by time: medians of requests in turn, one connection');
  for (const { title, kinds } of await timingGroups(client, names)) {
    const timed = await timeInTurn(kinds, 400);
    const medians = timed.map(({ medianUs }) => medianUs);
    print(`  ${title}: ${timed.map(({ name, medianUs }) => `${name} ${medianUs} us`).join(', ')}`);
    print(`    ratio ${(Math.max(...medians) / Math.min(...medians)).toFixed(3)}`);
  }
}

async function bench(service: ServiceUnderTest): Promise<void> {
  const client = new BenchClient(service);
  const { pid } = service;
  const [basicAccount, { username, password }] = [await client.basicAccount(1), await client.bearerAccount(2)];
  const login = await send(client.loginCall(username, password));
  const bearerCall = client.authorizeCall(login.body['headerValue'] as string);
  const challengeCall = await client.challengeCall(username);
  const bare = await startBareFastify((await send(bearerCall)).body);
  await benchRates({
    [floorName]: { call: { ...bearerCall, url: `${bare.url}/internal/authorize` }, pid: bare.pid },
    'authorize (Bearer)': { call: bearerCall, pid },
    'authorize (Basic)': { call: client.authorizeCall(basic(basicAccount)), pid },
    'login (password)': { call: client.loginCall(username, password), pid },
    'login-challenges': { call: challengeCall, pid, connections: 16 },
  });
  await bare.stop();
  await benchFlood({ call: bearerCall, pid }, challengeCall);
  await benchTiming(client, { known: username, password, basicUser: basicAccount.username });
}

await buildApps(['auth-session']);
const service = await startAuthSession();
try {
  await bench(service);
} finally {
  closeConnections();
  await service.stop();
}
