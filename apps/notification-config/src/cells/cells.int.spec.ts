import type { CellEntry, CellsAnswer } from '@paycode/dto';
import { TestNotificationConfig } from '../testing/running-service';

// proves: P-1.12, the map is append-only, and two moves of a partition never both succeed.
describe('the map of cells', () => {
  let replicas: [TestNotificationConfig, TestNotificationConfig];

  beforeAll(async () => {
    const first = await TestNotificationConfig.start();
    replicas = [first, await TestNotificationConfig.start({}, first)];
  });
  afterAll(async () => {
    await replicas[1].stop();
    await replicas[0].stop();
  });

  const urlsOf = (name: string) => ({ dispatcherUrl: `http://d.cell-${name}:3103`, schedulerUrl: `http://s.cell-${name}:3104` });
  const save = (name: string, body: object = urlsOf(name)) => replicas[0].internal('put', `/internal/cells/${name}`, { body });
  const append = (entry: Partial<CellEntry>, replica = replicas[0]) =>
    replica.internal('post', '/internal/cells/entries', {
      body: { partition: 0, fromOffset: 0, cell: 'main', step: 1, ...entry },
    });
  const map = async () => (await replicas[1].internal('get', '/internal/cells')).data as CellsAnswer;
  const sql = <T>(text: string) => replicas[0].database.dataSource.query<T[]>(text);

  it('is empty on a platform that is one cell, and takes no entry then', async () => {
    expect(await map()).toEqual({ cells: [], entries: [] });
    const { status, data } = await append({});
    expect([status, data]).toMatchObject([
      400,
      { errors: [{ field: 'cell', message: 'must be one of the cells: there is none' }] },
    ]);
  });

  it('refuses another first cell than main, and says why: only main has the offsets of a platform of one cell', async () => {
    const { status, data } = await save('a');
    const message = expect.stringMatching(
      /^must be main for the first cell: only main goes on with the consumer groups/,
    ) as string;
    expect([status, data]).toMatchObject([400, { errors: [{ field: 'name', message }] }]);
    expect((await map()).cells).toEqual([]);
  });

  it('lists cells in the order in which they were added, also after one has new addresses', async () => {
    for (const name of ['main', 'a', 'main', 'c']) expect((await save(name)).status).toBe(200);
    const moved = { ...urlsOf('main'), dispatcherUrl: 'https://d2.cell-main:3103' };
    expect(await save('main', moved)).toMatchObject({ status: 200, data: { name: 'main', ...moved } });
    expect((await map()).cells).toEqual([
      { name: 'main', ...moved },
      { name: 'a', ...urlsOf('a') },
      { name: 'c', ...urlsOf('c') },
    ]);
  });

  it('takes the entry that follows the last one of its partition, and no other', async () => {
    expect((await append({ cell: 'a', fromOffset: 7 })).status).toBe(201);
    for (const step of [1, 3]) expect((await append({ fromOffset: 9, step })).status).toBe(409);
    expect((await append({ fromOffset: 9, step: 2 })).status).toBe(201);
    expect((await map()).entries).toEqual([
      { partition: 0, fromOffset: 7, cell: 'a', step: 1 },
      { partition: 0, fromOffset: 9, cell: 'main', step: 2 },
    ]);
  });

  it('of entries that race for a step, by both replicas, one wins', async () => {
    const racing = Array.from({ length: 12 }, (_, at) =>
      append({ partition: 5, fromOffset: at, cell: at % 2 ? 'a' : 'c' }, replicas[at % 2]),
    );
    const answers = await Promise.all(racing);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(11).fill(409)]);
    const won = answers.find(({ status }) => status === 201)!.data as CellEntry;
    expect((await map()).entries.filter(({ partition }) => partition === 5)).toEqual([won]);
  });

  it.each<[Partial<Record<keyof CellEntry, unknown>>, string]>([
    [{ partition: 64 }, 'partition must not be greater than 63'],
    [{ partition: -1 }, 'partition must not be less than 0'],
    [{ partition: '1' }, 'partition must be an integer number'],
    [{ fromOffset: 1.5 }, 'fromOffset must be an integer number'],
    [{ step: 201 }, 'step must not be greater than 200'],
    [{ cell: 'B' }, 'cell must be 1 to 31 small letters'],
    [{ cell: 'z' }, 'cell must be one of the cells: main, a, c'],
    [{ fromOffset: 8, step: 3 }, 'fromOffset must be at least 9'],
  ])('refuses the entry %j and names the field', async (entry, message) => {
    const { status, data } = await append(entry as Partial<CellEntry>);
    expect([status, (data as { message: string }).message]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['B_1', {}, 'name must be 1 to 31'],
    ['d', { dispatcherUrl: 'ftp://d:1' }, 'dispatcherUrl must be a base URL'],
    ['d', { dispatcherUrl: 'http://u:p@d:1' }, 'dispatcherUrl must be a base URL'],
    ['d', { schedulerUrl: 'http://d:1/path' }, 'schedulerUrl must be a base URL'],
    ['d', { schedulerUrl: undefined }, 'schedulerUrl must be a base URL'],
    ['d', { schedulerUrl: `http://${'d'.repeat(200)}:1` }, 'schedulerUrl must be a base URL'],
    ['d', { dispatcherUrl: urlsOf('a').dispatcherUrl }, 'dispatcherUrl is the one of cell a'],
  ])('refuses the cell %s with %j and names the field', async (name, changes, message) => {
    const { status, data } = await save(name, { ...urlsOf(name.toLowerCase()), ...changes });
    expect([status, (data as { message: string }).message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('holds 64 cells, and keeps every row as it is', async () => {
    const more = Array.from({ length: 61 }, (_, at) => `n${at}`);
    for (const name of more) expect((await save(name)).status).toBe(200);
    expect(await save('one-more')).toMatchObject({
      status: 409,
      data: { message: 'there are 64 cells, and no more can be added' },
    });
    for (const change of [
      'update cell_entry set from_offset = 0',
      'delete from cell_entry',
      'truncate cell',
      "update cell set name = 'x'",
    ])
      await expect(sql(change)).rejects.toThrow('is append-only');
  });

  it('is read by dispatchers and operators, and changed by operators alone, on the audit record', async () => {
    const caller = 'webhook-dispatcher' as const;
    expect((await replicas[0].internal('get', '/internal/cells', { caller })).status).toBe(200);
    expect((await replicas[0].internal('get', '/internal/cells', { caller: 'payment-simulator' })).status).toBe(403);
    const entry = { partition: 9, fromOffset: 0, cell: 'a', step: 1 };
    expect((await replicas[0].internal('post', '/internal/cells/entries', { caller, body: entry })).status).toBe(403);
    expect((await replicas[0].internal('put', '/internal/cells/a', { caller, body: urlsOf('a') })).status).toBe(403);
    const events = await sql('select merchant_id, kind, actor, detail from audit_event order by audit_event_id limit 5');
    const of = (kind: string, detail: object) => ({ merchant_id: null, kind, actor: 'operator test-operator', detail });
    expect(events).toEqual([
      of('CELL_SAVED', { name: 'main', ...urlsOf('main') }),
      of('CELL_SAVED', { name: 'a', ...urlsOf('a') }),
      of('CELL_SAVED', { name: 'c', ...urlsOf('c') }),
      of('CELL_SAVED', { name: 'main', ...urlsOf('main'), dispatcherUrl: 'https://d2.cell-main:3103' }),
      of('PARTITION_MOVED', { partition: '0', fromOffset: '7', cell: 'a', step: '1' }),
    ]);
  });
});
