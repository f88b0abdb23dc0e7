import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestTokenKeys } from '@paycode/access/testing';
import { type CellAddress, type CellJobs, type CellViewAnswer, type VerdictKind } from '@paycode/dto';
import { shardOf } from '@paycode/ownership';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { type RunningService, startService } from '@paycode/service-runtime';
import { answerJson, eventually, FakeServer } from '@paycode/service-runtime/testing';
import axios from 'axios';
import { schedulerDefinition } from '../app.module';

const partitionCount = 64;
const tokenKeys = new TestTokenKeys();

/** The dispatcher of both cells: it follows the map, and every delivery is open. */
class FakeDispatcher extends FakeServer {
  readonly cells: CellAddress[] = [];

  protected override handle({ url }: IncomingMessage, response: ServerResponse): void {
    const ranges = Array.from({ length: partitionCount }, () => ({ from: 0, until: null, step: 0 }));
    const entries = Array.from({ length: partitionCount }, (_, partition) => ({ partition, fromOffset: 0, cell: 'b', step: 1 }));
    const view: CellViewAnswer = { map: { cells: this.cells, entries }, ranges };
    answerJson(response, url === '/internal/cells/view' ? view : []);
  }
}

// proves: P-1.12, T-27: any scheduler tells of a reversal job, and each of what it has still to do.
describe('the schedulers of two cells', () => {
  let databases: TestDatabase[];
  let dispatcher: FakeDispatcher;
  let main: RunningService;
  let b: RunningService;

  beforeAll(async () => {
    databases = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);
    dispatcher = await new FakeDispatcher().listen();
    const [own, others, events] = databases.map(({ url }) => url) as [string, string, string];
    const start = async (name: string, url: string) => {
      const service = await startService(schedulerDefinition, {
        ...{ INTERNAL_PORT: '0', LOG_LEVEL: 'silent', CELL_NAME: name, DATABASE_URL: url, EVENTS_DATABASE_URL: events },
        ...tokenKeys.env('reversal-scheduler'),
        WEBHOOK_DISPATCHER_URL: dispatcher.url,
      });
      const address = `http://127.0.0.1:${service.ports.internal}`;
      dispatcher.cells.push({ name, dispatcherUrl: dispatcher.url, schedulerUrl: address });
      return service;
    };
    main = await start('main', own);
    b = await start('b', others);
    await post('arm', { attempt: 1 });
  });
  afterAll(async () => {
    await Promise.all([main, b].map(service => service.stop('test')));
    await dispatcher.stop();
    await Promise.all(databases.map(database => database.drop()));
  });

  const http = axios.create({ validateStatus: () => true });
  const urlOf = ({ ports }: RunningService, path: string) => `http://127.0.0.1:${ports.internal}/internal/${path}`;
  const post = (path: string, item: { attempt: number } | { verdict: VerdictKind }) =>
    http.post(urlOf(main, `reversals/${path}`), [{ transactionId: 1, merchantId: 7, ...item }], {
      headers: tokenKeys.headers('webhook-dispatcher', 'reversal-scheduler'),
    });
  const get = <T>(service: RunningService, path: string, caller: 'operator' | 'reversal-scheduler' = 'operator') =>
    http.get<T>(urlOf(service, path), { headers: tokenKeys.headers(caller, 'reversal-scheduler') });
  const openOf = async (service: RunningService) => {
    const { data } = await get<CellJobs>(service, 'cells/jobs');
    return { cell: data.cell, open: data.partitions.flatMap(({ hasOpen }, partition) => (hasOpen ? [partition] : [])) };
  };

  it('a job is shown through both, with the same answer; one that neither has is 404', async () => {
    const shown = await get(main, 'reversals/1');
    expect(shown).toMatchObject({ status: 200, data: { transactionId: 1 } });
    expect((await get(b, 'reversals/1')).data).toEqual(shown.data);
    expect((await get(b, 'reversals/2')).status).toBe(404);
    // As the other one sends it on: it goes no further.
    expect((await get(b, 'reversals/1', 'reversal-scheduler')).status).toBe(404);
  });

  it('each says in which partitions it has open jobs, and how far it has audited', async () => {
    const partition = shardOf(1) % partitionCount;
    expect(await openOf(main)).toEqual({ cell: 'main', open: [partition] });
    expect(await openOf(b)).toEqual({ cell: 'b', open: [] });
    await post('settle', { verdict: 'ACKED_PULL' });
    await eventually(async () => expect(await openOf(main)).toEqual({ cell: 'main', open: [] }));
    const { data } = await get<CellJobs>(main, 'cells/jobs');
    // Whether it has read that there is nothing depends on when it joined its group.
    expect(data.partitions.map(({ auditedTo }) => auditedTo ?? 0)).toEqual(Array(partitionCount).fill(0));
    expect((await get(main, 'cells/jobs', 'reversal-scheduler')).status).toBe(403);
  });

  it('a job whose cell cannot be reached is 503, never 404', async () => {
    await main.stop('test');
    expect(await get(b, 'reversals/1')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });
});
