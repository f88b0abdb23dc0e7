/** `npm run bench -- portal`; see docs/explanation/performance.md. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { freePort } from '@paycode/persistence/embedded';
import { BenchDatabase } from './bench-database.ts';
import { runToEnd } from './child-processes.ts';
import { makeSecrets } from './merchants.ts';
import {
  blocksRead,
  type DeepPayment,
  deepPayment,
  fillPayments,
  PortalPerson,
  type Question,
  questions,
} from './portal-load.ts';
import { atMost, type Goal, machineFacts, percentile, print, printGoals, printTable, progress, writeJson } from './report.ts';
import { type ServiceUnderTest, startService } from './services.ts';

const goalMs = 150;
const origin = 'https://pay.example';
const scales = { full: { payments: 1_000_000, asks: 100 }, quick: { payments: 100_000, asks: 20 } };
const tenants = [
  { name: 'merchant with 4 of 5', tenantType: 'MERCHANT', tenantId: '1', role: 'OWNER' },
  { name: 'one of 199 small ones', tenantType: 'MERCHANT', tenantId: '2', role: 'OWNER' },
  { name: 'operator, all merchants', tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' },
];

interface Answered {
  tenant: string;
  question: string;
  p50Ms: number;
  p95Ms: number;
  /** Of payments that one answer read. */
  rows: number;
  blocks: number;
}

async function startPortal(database: BenchDatabase, secrets: ReturnType<typeof makeSecrets>): Promise<ServiceUnderTest> {
  const { tokenKeys, payloadKeys } = secrets;
  return startService({
    name: 'portal',
    folder: database.folder('portal'),
    port: await freePort(),
    env: {
      ...tokenKeys.env('portal'),
      DATABASE_URL: await database.create('portal'),
      EVENTS_TRANSPORT: 'postgres',
      EVENTS_DATABASE_URL: await database.create('events'),
      PAYLOAD_KEYS: payloadKeys,
      KEY_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      PUBLIC_BASE_URL: origin,
    },
  });
}

async function answer(database: BenchDatabase, { person, asks }: { person: PortalPerson; asks: number }, { path }: Question) {
  for (let warm = 0; warm < 3; warm++) await person.ask(path);
  await database.query('postgres', 'select pg_stat_statements_reset()');
  const elapsed: number[] = [];
  for (let ask = 0; ask < asks; ask++) elapsed.push(await person.ask(path));
  const [use] = await database.query<{ blocks: number; rows: number }>('postgres', blocksRead, ['portal']);
  const { blocks, rows } = use!;
  return { p50Ms: percentile(elapsed, 0.5), p95Ms: percentile(elapsed, 0.95), blocks: blocks / asks, rows: rows / asks };
}

async function measure(database: BenchDatabase, payments: number, asks: number): Promise<Answered[]> {
  const secrets = makeSecrets(database.home);
  const portal = await startPortal(database, secrets);
  try {
    progress(`${payments} payments`);
    await database.query('portal', fillPayments, [payments]);
    await database.query('portal', 'vacuum analyze payment');
    const answered: Answered[] = [];
    for (const { name, ...tenant } of tenants) {
      progress(name);
      const person = await PortalPerson.signIn({ ...portal, origin, tokenKeys: secrets.tokenKeys }, tenant);
      const share = tenant.tenantId === '2' ? 0.0005 : 0.4;
      const [deep] = await database.query<DeepPayment>('portal', deepPayment, [
        tenant.tenantId || '1',
        Math.floor(payments * share),
      ]);
      for (const question of questions(deep!, new Date()))
        answered.push({ tenant: name, question: question.name, ...(await answer(database, { person, asks }, question)) });
    }
    return answered;
  } finally {
    await portal.kill();
  }
}

function report(answered: readonly Answered[], payments: number): boolean {
  print(`${payments} payments of 200 merchants; milliseconds over HTTP, one question after the other`);
  const rows = answered.map(({ tenant, question, p50Ms, p95Ms, rows: read, blocks }) => [
    `${tenant}: ${question}`,
    p50Ms.toFixed(1),
    p95Ms.toFixed(1),
    read.toFixed(0),
    blocks.toFixed(0),
  ]);
  printTable(['question', 'p50 ms', 'p95 ms', 'rows', 'blocks'], rows);
  const slowest = answered.toSorted((a, b) => b.p95Ms - a.p95Ms)[0]!;
  const reached = { value: slowest.p95Ms, shown: `${slowest.p95Ms.toFixed(1)} (${slowest.tenant}: ${slowest.question})` };
  const goals: Goal[] = [atMost('slowest p95, ms', goalMs, reached)];
  printGoals(goals);
  print(`wrote ${writeJson('portal', { machine: machineFacts(), payments, answered, goals })}`);
  return goals.every(({ isMet }) => isMet);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const { payments, asks } = scales[values.quick ? 'quick' : 'full'];
  const database = await BenchDatabase.start();
  try {
    process.exitCode = report(await measure(database, payments, asks), payments) ? 0 : 1;
  } finally {
    await database.stop();
  }
}

runToEnd(main);
