import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { migrations as dispatcherMigrations } from '../../../webhook-dispatcher/migrations';
import { migrations as simulatorMigrations } from '../../../payment-simulator/migrations';
import { migrations as schedulerMigrations } from '../../../reversal-scheduler/migrations';

type Database = 'dispatcher' | 'scheduler' | 'simulator';

/** Two hours ago: past every grace time. */
const long = `now() - interval '2 hours'`;

describe('npm run paycode -- audit on the schema of the services', () => {
  let databases: Record<Database, TestDatabase>;
  const log = join(tmpdir(), `paycode-audit-${process.pid}.jsonl`);

  beforeEach(async () => {
    const [dispatcher, scheduler, simulator] = await Promise.all([
      createTestDatabase({ migrations: dispatcherMigrations }),
      createTestDatabase({ migrations: schedulerMigrations }),
      createTestDatabase({ migrations: simulatorMigrations }),
    ]);
    databases = { dispatcher, scheduler, simulator };
    writeFileSync(log, '');
  });
  afterEach(async () => {
    await Promise.all(Object.values(databases).map(database => database.drop()));
  });

  const run = (database: Database, sql: string) => databases[database].dataSource.query(sql) as Promise<unknown>;
  const delivery = (id: number, reversible = true) =>
    run(
      'dispatcher',
      `insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, completed_at, received_at, payload)
       values (${id}, 0, ${id}, 1, 7, 'PURCHASE', 'SUCCESS', ${reversible}, ${long}, ${long}, 'x')`,
    );
  const verdict = (id: number, kind: string) =>
    run('dispatcher', `insert into verdict (transaction_id, kind, started_at, at) values (${id}, '${kind}', ${long}, ${long})`);
  const job = (id: number) =>
    run(
      'scheduler',
      `insert into job (transaction_id, shard, merchant_id, attempt, armed_at, due_at) values (${id}, 0, 7, 1, ${long}, ${long})`,
    );
  const decision = (id: number, kind: string, from: string) =>
    run(
      'scheduler',
      `insert into decision (transaction_id, merchant_id, kind, verdict, reason, at)
       values (${id}, 7, '${kind}', '${from}', ${kind === 'REVERSED' ? `'NON_200'` : 'null'}, ${long})`,
    );
  const purchase = (id: number, state = 'SUCCESS') =>
    run(
      'simulator',
      `insert into transaction (transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, completed_at, notification)
       values (${id}, 7, 'PURCHASE', '${state}', 'r', 1, 'ZAR', ${long}, 'x')`,
    );
  const reversal = (id: number, of: number) =>
    run(
      'simulator',
      `insert into transaction (transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, reference_transaction_id,
                                completed_at, notification)
       values (${id}, 7, 'REVERSAL', 'END_REVERSED', 'r', 1, 'ZAR', ${of}, ${long}, 'x')`,
    );
  const settled = async (id: number) => {
    await Promise.all([purchase(id), delivery(id), verdict(id, 'ACKED_HTTP'), job(id), decision(id, 'SETTLED', 'ACKED_HTTP')]);
    return { transactionId: id, attempt: 1, status: 200, elapsedMs: 5 };
  };
  const reversed = async (id: number) => {
    await purchase(id, 'END_REVERSED');
    await Promise.all([
      reversal(id + 1_000_000, id),
      delivery(id),
      verdict(id, 'CLOSED_NON200'),
      job(id),
      decision(id, 'REVERSED', 'CLOSED_NON200'),
    ]);
    return { transactionId: id, attempt: 1, status: 500, elapsedMs: 5 };
  };

  /** The program itself, as an operator runs it. */
  const audit = (...words: string[]): Promise<{ code: number | null; output: string }> => {
    const urls = (['dispatcher', 'scheduler', 'simulator'] as const).flatMap(name => [`--${name}`, databases[name].url]);
    const program = spawn(process.execPath, [join(__dirname, '../audit.ts'), ...urls, '--receiver-log', log, ...words]);
    let output = '';
    for (const stream of [program.stdout, program.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    return new Promise(resolve => program.once('close', code => resolve({ code, output })));
  };

  it('passes payments that were settled and reversed as they must be, over several pages', async () => {
    const posts = [await settled(1), await reversed(2), await settled(3)];
    await run(
      'scheduler',
      `insert into decision (transaction_id, merchant_id, kind, verdict) select 100 + n, 7, 'SETTLED', 'ACKED_PULL' from generate_series(1, 12000) n`,
    );
    await run(
      'dispatcher',
      `insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, payload)
       select 100 + n, 0, 100 + n, 1, 7, 'PURCHASE', 'SUCCESS', true, 'x' from generate_series(1, 12000) n`,
    );
    await run(
      'dispatcher',
      `insert into verdict (transaction_id, kind) select 100 + n, 'ACKED_PULL' from generate_series(1, 12000) n`,
    );
    writeFileSync(log, posts.map(post => JSON.stringify(post)).join('\n'));
    expect(await audit()).toEqual({
      code: 0,
      output: '12003 transactions: 12002 settled, 1 reversed, 0 open, 0 delivered more than once; 0 violations\n',
    });
  });

  it.each([
    ['P-I3', 'acknowledged and reversed', async () => (await settled(1), await reversal(9, 1))],
    ['P-I2', 'reversed without a decision', async () => (await purchase(1, 'END_REVERSED'), await reversal(9, 1))],
    ['P-I7', 'completed, then lost', () => purchase(1)],
    ['P-I7', 'armed, then forgotten', () => job(1)],
    ['P-I7', 'decided REVERSED, never done', async () => (await Promise.all([purchase(1), delivery(1), verdict(1, 'CLOSED_CONN'), job(1)]), await decision(1, 'REVERSED', 'CLOSED_CONN'))],
    ['P-I6', 'decided by nothing', async () => (await delivery(1), await decision(1, 'SETTLED', 'ACKED_HTTP'))],
    ['P-I5', 'posted unarmed', async () => (await delivery(1), await verdict(1, 'ACKED_HTTP'))],
    ['P-I13', 'a notice that was armed', async () => (await delivery(1, false), await job(1))],
    ['R-3.1-2', 'acknowledged by nobody', () => settled(1)],
  ] as const)('%s: finds a payment %s', async (rule, _, plant) => {
    await plant();
    const { code, output } = await audit();
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`VIOLATION ${rule.replaceAll('.', '\\.')} transaction 1: `));
  }); // prettier-ignore

  it('ignores payments younger than the grace time', async () => {
    await purchase(1);
    expect((await audit('--grace', '100000')).code).toBe(0);
  });

  // proves: P-I15, P-I1 over the databases of all cells
  it('reads the databases of each cell: a payment is complete in one of them, and is in no two', async () => {
    const [cells, names] = [{ ...databases }, ['dispatcher', 'scheduler'] as const];
    writeFileSync(log, JSON.stringify(await settled(1)));
    const made = [dispatcherMigrations, schedulerMigrations].map(migrations => createTestDatabase({ migrations }));
    const [dispatcher, scheduler] = await Promise.all(made);
    databases = { ...cells, dispatcher: dispatcher!, scheduler: scheduler! };
    writeFileSync(log, `\n${JSON.stringify(await settled(2))}`, { flag: 'a' });
    const others = names.flatMap(name => [`--${name}`, cells[name].url]);
    expect(await audit(...others)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^2 transactions: 2 settled/) as string,
    });
    await Promise.all([delivery(1), verdict(1, 'ACKED_HTTP'), decision(1, 'REVERSED', 'CLOSED_CONN')]);
    const { code, output } = await audit(...others);
    expect([code, output]).toEqual([1, expect.stringContaining('P-I15 transaction 1: stored by the dispatchers of 2 cells')]);
    expect(output).toContain('P-I1 transaction 1: decided SETTLED in one cell, and REVERSED in another');
    for (const wrong of [others.slice(0, 2), [...others, '--dispatcher', cells.dispatcher.url, '--scheduler', 'x']])
      expect((await audit(...wrong)).code).toBe(2);
    await Promise.all(names.map(name => databases[name].drop()));
    databases = cells;
  });

  it('fails when it could not read a database', async () => {
    const { code, output } = await audit('--dispatcher', databases.scheduler.url, '--scheduler', databases.simulator.url);
    expect([code, output]).toEqual([2, expect.stringContaining('could not be done')]);
    expect((await audit('--grace', 'soon')).code).toBe(2);
  });
});
