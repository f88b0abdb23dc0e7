import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { Client } from 'pg';
import { newAccount, PlatformConnection, type Standalone } from '@paycode/platform-client';
import { makeMerchant, makeMerchantWithReceiver, payNewCode } from './testing/platform';
import { PlatformProcess, type PlatformProcessOptions, temporaryFolder } from './testing/platform-process';

/** `npm start` on a machine: what it keeps, what it says, what it leaves behind (architecture 7). */
describe('the standalone platform', () => {
  let folder: string;
  let home: string;
  const started: PlatformProcess[] = [];
  const run = (env: Record<string, string | undefined> = {}, options: Partial<PlatformProcessOptions> = {}) =>
    new PlatformProcess({ ...options, home, env: { DATABASE_URL: undefined, EVENTS_TRANSPORT: undefined, ...env } });
  /** Ends with the test. */
  const start = (...how: Parameters<typeof run>) => {
    const platform = run(...how);
    started.push(platform);
    return platform;
  };
  const standalone = () => JSON.parse(readFileSync(join(home, 'standalone.json'), 'utf8')) as Standalone;
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  /** Every process of the platform: itself, its services, its PostgreSQL. */
  const allPids = () => [
    ...Object.values(standalone().processes),
    Number(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8').split('\n', 1)[0]),
  ];

  beforeAll(() => {
    folder = temporaryFolder();
    home = join(folder, 'home');
  });
  const later = undoneAfterEach();
  afterEach(async () => {
    await Promise.all(started.splice(0).map(platform => platform.stop('SIGKILL')));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** One start after the other on one folder; each test leaves what the next one continues. */
  describe('over its starts', () => {
    let first: PlatformProcess;
    let accounts: Standalone['accounts'];
    let ca: string;
    let transactionId: number;
    beforeAll(async () => {
      first = await run().untilReady();
      ({ accounts } = standalone());
      ca = readFileSync(join(home, 'tls/ca.pem'), 'utf8');
      transactionId = await payNewCode(await makeMerchant(new PlatformConnection(home)));
    });
    afterAll(() => first.stop('SIGKILL'));

    it('starts with nothing, and keeps its secrets private', () => {
      expect(allPids().every(isAlive)).toBe(true);
      for (const file of ['standalone.json', 'operator.token', 'tls/server.key'])
        expect(statSync(join(home, file)).mode & 0o077).toBe(0);
    });

    it('regression: the login that auth-session has adds to the security log and cannot rewrite it (ASVS 16.4.2)', async () => {
      const service = new Client({ connectionString: readFileSync(join(home, 'secrets/database-url-auth-session'), 'utf8') });
      await service.connect();
      const codeOf = (sql: string) =>
        service.query(sql).then(
          () => 'done',
          (error: { code?: string }) => error.code,
        );
      expect(await codeOf(`insert into security_event (at, kind, actor) values (now(), 'LOGIN_FAILED', 'client')`)).toBe('done');
      const rewrites = [`update security_event set kind = 'x'`, 'delete from security_event', 'truncate security_event'];
      const disarming = 'alter table security_event disable trigger all';
      for (const sql of [...rewrites, disarming]) expect(await codeOf(sql)).toBe('42501');
      await service.end();
    });

    it('a second start on the same folder names the first and does not disturb it', async () => {
      const second = start();
      expect(await second.exited).toBe(1);
      expect(second.output).toContain(`already runs from`);
      expect(second.output).toContain(`(process ${first.pid})`);
      expect(allPids().every(isAlive)).toBe(true);
    });

    it('SIGTERM leaves nothing running', async () => {
      const pids = allPids();
      expect(await first.stop('SIGTERM')).toBe(0);
      expect(pids.filter(isAlive)).toEqual([]);
      expect(first.output).toContain('stopped');
    });

    it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('npm start: %s to npm leaves nothing running', async signal => {
      const platform = await start({}, { isUnderNpm: true }).untilReady();
      const pids = allPids();
      await platform.stop(signal);
      // A killed npm cannot wait for its child processes.
      await eventually(() => expect(pids.filter(isAlive)).toEqual([]), signal === 'SIGKILL' ? undefined : 0);
    });

    it('after kill -9 no process is left, and the next start keeps accounts, merchants, codes and certificate', async () => {
      const killed = await start().untilReady();
      const pids = allPids();
      await killed.stop('SIGKILL');
      await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
      await start().untilReady();
      expect(standalone().processes['standalone']).not.toBe(pids[0]);
      const again = new PlatformConnection(home);
      expect(again.standalone.accounts).toEqual(accounts);
      expect(readFileSync(join(home, 'tls/ca.pem'), 'utf8')).toBe(ca);
      const path = `/internal/transactions/${transactionId}`;
      expect((await again.operator('payment-simulator', { method: 'GET', path })).body).toMatchObject({ txState: 'SUCCESS' });
    });
  });

  it('in one process: settles a payment, keeps what the services know apart, and stops in order (R-3.1-2)', async () => {
    const platform = await start({}, { args: ['--one-process'] }).untilReady();
    const pids = allPids();
    expect(new Set(Object.values(standalone().processes))).toEqual(new Set([platform.pid]));
    const connection = new PlatformConnection(home);
    const { merchant, receiver } = await makeMerchantWithReceiver(connection);
    later(() => receiver.stop());
    const transactionId = await payNewCode(merchant);
    await eventually(async () => expect(await merchant.reversal(transactionId)).toMatchObject({ state: 'SETTLED' }));
    for (const [service, others] of [
      ['webhook_dispatcher', 'reversal_scheduler'],
      ['reversal_scheduler', 'webhook_dispatcher'],
    ] as const) {
      const { text } = await connection.operator(service.replace('_', '-'), { method: 'GET', path: '/metrics' });
      expect(text).toContain(`paycode_${service}_`);
      expect(text).toContain('process_cpu_seconds_total ');
      expect(text).not.toContain(`paycode_${others}_`);
      const log = readFileSync(join(home, `logs/${service.replace('_', '-')}.log`), 'utf8');
      expect(log).not.toContain(`"service":"${others.replace('_', '-')}"`);
    }
    expect(await platform.stop('SIGTERM')).toBe(0);
    expect(platform.output).toContain('stopped');
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('--fresh begins anew', async () => {
    const before = standalone().accounts;
    const platform = await start({}, { args: ['--fresh'] }).untilReady();
    const connection = new PlatformConnection(home);
    expect(connection.standalone.accounts.map(({ username }) => username)).toEqual(before.map(({ username }) => username));
    expect(connection.standalone.accounts).not.toEqual(before);
    await newAccount(connection, { type: 'PSP', id: 7 });
    await platform.stop();
  });

  it('a port in use: names it, says what to do, and leaves nothing running', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    later(() => other.close());
    const { port } = other.address() as AddressInfo;
    const platform = start({ PAYCODE_PORT: String(port) });
    expect(await platform.exited).toBe(1);
    expect(platform.output).toContain(`Port ${port} is in use by another program`);
    expect(existsSync(join(home, 'postgres/postmaster.pid'))).toBe(false);
  });

  it('a service that cannot start: names it and the reason, stops the rest, exits 1', async () => {
    const platform = start({ RETENTION_DAYS: 'soon' });
    expect(await platform.exited).toBe(1);
    expect(platform.output).toMatch(/webhook-dispatcher did not start \(exit code 1\)[^]*RETENTION_DAYS must be an integer/);
    expect(existsSync(join(home, 'postgres/postmaster.pid'))).toBe(false);
  });

  it('settings that cannot be used: all are named at once', async () => {
    const platform = start({ PAYCODE_PORT: '99999', EVENTS_TRANSPORT: 'pigeon' });
    expect(await platform.exited).toBe(1);
    expect(platform.output).toContain('PAYCODE_PORT must be an integer from 0 to 65535');
    expect(platform.output).toContain('EVENTS_TRANSPORT must be one of postgres, kafka');
  });
});
