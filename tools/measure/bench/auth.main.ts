/**
 * `npm run bench -- auth`: how fast auth-session answers, beside two floors of the same run, and whether answers that must be indistinguishable take
 * the same time (docs/explanation/performance.md). All processes share this machine's cores, so compare ratios.
 */
import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto';
import { freePort } from '@paycode/persistence/embedded';
import autocannon, { type Result } from 'autocannon';
import { AuthCalls, basic, type Call, send, timeInTurn, timingGroups } from './auth-calls.ts';
import { bundle, CalledProcess } from './child-processes.ts';
import { cpuUsOf } from './meters.ts';
import { startService } from './platform-under-test.ts';
import { print, printTable, show, spreadOf } from './report.ts';
import { type BenchFixture, runBenchmark } from './run-benchmark.ts';

const scales = {
  quick: { rounds: 1, durationS: 2, floodRounds: 2, timed: 100 },
  full: { rounds: 3, durationS: 4, floodRounds: 5, timed: 400 },
};
type Scale = typeof scales.full;

/** Enough to keep the service busy. With fewer the result would measure the waiting for the database. */
const connections = 128;
const floorName = 'bare Fastify route';

interface Contender {
  /** Made for each load: a service token lives for a minute. */
  call: () => Call;
  /** Process whose CPU time is charged to the requests. */
  pid: number;
  /** Fewer for calls where the service would refuse more. */
  connections?: number;
  /** Number of client addresses that the requests use in turn. */
  addresses?: number;
}

interface Measured {
  perSecond: number;
  cpuUs: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers by class: `2xx`, `4xx`, … */
  answers: string;
}

async function load({ call, pid, addresses, ...options }: Contender, durationS: number): Promise<Measured> {
  const cpuBeforeUs = cpuUsOf(pid);
  const { url, method, body, headers: own } = call();
  const headers = { 'content-type': 'application/json', ...own };
  // As the gateway passes them on, of the range for benchmarks (RFC 2544).
  const requests = Array.from({ length: addresses ?? 0 }, (_, at) => ({
    headers: { ...headers, 'x-forwarded-for': `198.18.${at >> 8}.${at & 255}` },
  }));
  const sent = { ...(body === undefined ? {} : { body: JSON.stringify(body) }), ...(addresses ? { requests } : {}) };
  const result = await autocannon({ url, method, connections, duration: durationS, headers, ...options, ...sent });
  const classes = { '2xx': result['2xx'], '4xx': result['4xx'], '5xx': result['5xx'], errors: result.errors };
  return {
    perSecond: result.requests.average,
    cpuUs: (cpuUsOf(pid) - cpuBeforeUs) / result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    answers: Object.entries(classes)
      .flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : []))
      .join(' '),
  };
}

const cellsOf = ({ perSecond, cpuUs, p50Ms, p99Ms, answers }: Measured) => [
  perSecond.toFixed(0),
  cpuUs.toFixed(0),
  p50Ms.toFixed(1),
  p99Ms.toFixed(1),
  answers,
];

/** Medians of interleaved rounds, so that a disturbance hits all contenders. */
async function compareRates(contenders: Record<string, Contender>, { rounds, durationS }: Scale): Promise<void> {
  const measured: Record<string, Measured> = {};
  const all = new Map(Object.keys(contenders).map((name): [string, Measured[]] => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      const result = await load(contender, durationS);
      // The first round only warms up.
      if (round > 0) all.get(name)!.push(result);
    }
  }
  for (const [name, runs] of all) {
    const sorted = runs.toSorted((a, b) => a.perSecond - b.perSecond);
    measured[name] = sorted[Math.floor(sorted.length / 2)]!;
  }
  const floor = measured[floorName]!;
  const decryptions = rsaDecryptionsPerSecond();
  printTable(
    ['', 'calls/s', 'CPU us', 'p50 ms', 'p99 ms', 'answers'],
    Object.entries(measured).map(([name, result]) => [name, ...cellsOf(result)]),
  );
  for (const name of ['authorize (Bearer)', 'authorize (Basic)', 'login (password)']) {
    const { perSecond, cpuUs } = measured[name]!;
    const [byRate, byCpu] = [perSecond / floor.perSecond, floor.cpuUs / cpuUs];
    print(`${name} / ${floorName}: ${byRate.toFixed(2)} by rate, ${byCpu.toFixed(2)} by CPU`);
  }
  print('goal: authorize (Bearer) at least 0.50');
  const ratio = measured['login-challenges']!.perSecond / decryptions;
  print(`login-challenges / bare RSA-4096 decryption (${decryptions.toFixed(0)}/s): ${ratio.toFixed(2)}\n`);
}

/** The decryption of a challenge alone, on one thread. */
function rsaDecryptionsPerSecond(): number {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
  const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  const ciphertext = publicEncrypt({ key: publicKey, ...oaep }, randomBytes(64));
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < 1_000; count++) privateDecrypt({ key: privateKey, ...oaep }, ciphertext);
  return (count * 1_000) / (performance.now() - startedAt);
}

/** Calls at a steady rate, from a thread of their own; latencies count from the time at which a call is due. Rejects when one is not answered 200. */
async function steady({ url, method, body, headers }: Call, perSecond: number, duration: number): Promise<Result['latency']> {
  const load = { url, method, connections: 64, overallRate: perSecond, duration, workers: 1 };
  const json = { 'content-type': 'application/json', ...headers };
  const { latency, non2xx, errors } = await autocannon({ ...load, headers: json, body: JSON.stringify(body) });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers other than 200, ${errors} errors`);
  return latency;
}

/** authorize at a steady rate, alone and while clients ask for challenges as fast as they can. */
async function flood(authorize: () => Call, challenges: Contender, { floodRounds, durationS }: Scale): Promise<void> {
  const perSecond = 200;
  const alone = () => steady(authorize(), perSecond, 3 * durationS);
  const both = () => Promise.all([alone(), load({ ...challenges, connections: 32, addresses: 1_000 }, 3 * durationS)]);
  await both();
  const rows: string[][] = [];
  const ratios: number[] = [];
  for (let round = 0; round < floodRounds; round++) {
    const idle = await alone();
    const [flooded, flooding] = await both();
    ratios.push(flooded.p99 / idle.p99);
    const times = [idle, flooded].flatMap(({ p50, p90, p99 }) => [p50, p90, p99]);
    rows.push([String(round + 1), ...times.map(ms => ms.toFixed(1)), flooding.perSecond.toFixed(0)]);
  }
  const head = ['idle', 'flooded'].flatMap(when => ['p50', 'p90', 'p99'].map(share => `${when} ${share} ms`));
  printTable([`authorize at ${perSecond}/s`, ...head, 'challenges/s'], rows);
  print(`p99 flooded / idle: ${show(spreadOf(ratios))}; goal: at most 2\n`);
}

async function measure({ database, secrets }: BenchFixture, scale: Scale): Promise<boolean> {
  const service = await startService({
    name: 'auth-session',
    folder: database.folder('auth-session'),
    port: await freePort(),
    env: {
      ...secrets.tokenKeys.env('auth-session'),
      DATABASE_URL: await database.create('auth_session'),
      PASSWORD_PEPPERS: secrets.payloadKeys,
      KEY_ENCRYPTION_KEYS: secrets.keyEncryptionKeys,
      // No limit cuts a measurement short.
      GUESSES_PER_IDENTITY_MAX: '1000000000',
      GUESSES_PER_ADDRESS_MAX: '1000000000',
      CHALLENGES_PER_ADDRESS_PER_MINUTE: '1000000000',
    },
  });
  const { pid } = service;
  const calls = new AuthCalls(service, secrets.tokenKeys);
  const [basicAccount, { username, password }] = [await calls.basicAccount(1), await calls.bearerAccount(2)];
  const { headerValue } = (await send(calls.login(username, password))).body;
  const bearer = () => calls.authorize(headerValue as string);
  const challenge = await calls.challenge(username);
  const bare = new CalledProcess(bundle('floor'));
  const bareUrl = await bare.call<string>('serveBare', (await send(bearer())).body);
  const challenges = { call: () => challenge, pid, connections: 16 };
  const contenders = {
    [floorName]: { call: () => ({ ...bearer(), url: `${bareUrl}/internal/authorize` }), pid: bare.pid },
    'authorize (Bearer)': { call: bearer, pid },
    'authorize (Basic)': { call: () => calls.authorize(basic(basicAccount)), pid },
    'login (password)': { call: () => calls.login(username, password), pid },
    'login-challenges': challenges,
  };
  await compareRates(contenders, scale);
  await bare.stop();
  await flood(bearer, challenges, scale);
  print('Answers that must not be told apart by time: medians of requests in turn, one connection');
  const groups = await timingGroups(calls, { known: username, password, basicUser: basicAccount.username });
  for (const [title, kinds] of Object.entries(groups)) {
    const medians = await timeInTurn(kinds, scale.timed);
    print(`  ${title}: ${kinds.map(([name], at) => `${name} ${medians[at]} us`).join(', ')}`);
    print(`    ratio ${(Math.max(...medians) / Math.min(...medians)).toFixed(3)}`);
  }
  return true;
}

runBenchmark(scales, () => ({ healthy: 0, hanging: 0 }), measure);
