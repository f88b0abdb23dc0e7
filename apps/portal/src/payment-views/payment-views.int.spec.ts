import { eventually } from '@paycode/service-runtime/testing';
import { RunningPortal } from '../testing/running-portal';
import { type ProductionPerson, productionPerson } from '../testing/production-person';

const of = (tenantId: string, role = 'OWNER') => ({ tenantType: 'MERCHANT', tenantId, role });
const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const lateReversals = { outcome: 'REVERSED', range: 'hour', hidden: 'code,time' };

/** proves: R-7-6, A-59, T-24 */
describe('views of the list of payments', () => {
  let portal: RunningPortal;
  let owner: ProductionPerson;
  let others: ProductionPerson[];
  beforeAll(async () => {
    portal = await RunningPortal.start({ PAYCODE_ENVIRONMENT: 'production' });
    owner = await productionPerson(portal, 'Thandi', of('7'));
    others = [await productionPerson(portal, 'Sipho', of('7', 'VIEWER')), await productionPerson(portal, 'Ayanda', of('8'))];
  });
  afterAll(() => portal.stop());
  beforeEach(() => portal.database.dataSource.query('delete from payment_view'));

  type View = { viewId: string; name: string; filter: Record<string, string>; isPartial: boolean };
  const viewsOf = async ({ visitor }: ProductionPerson) => (await visitor.get('payment-views')).body as unknown as View[];
  const save = (name: unknown, filter: unknown = {}) => owner.visitor.post('payment-views', { name, filter });
  const saved = async (name: string, filter: unknown = {}) => String((await save(name, filter)).body['viewId']);
  const change = (viewId: string, body: unknown) => owner.visitor.post(`payment-views/${viewId}`, body);
  const keep = (filter: unknown, name = 'kept') =>
    portal.database.dataSource.query('insert into payment_view (person_id, name, name_key, filter) values ($1, $2, $2, $3)', [
      owner.personId,
      name,
      filter,
    ]);

  it('a view keeps the filters as they are, a time that moves too, under the trimmed name; a filter that nobody knows is not kept', async () => {
    const viewId = await saved('  Late reversals  ', { ...lateReversals, merchantId: '7', status: null, colour: 'red' });
    const filter = { ...lateReversals, merchantId: '7' };
    expect(await viewsOf(owner)).toEqual([{ viewId, name: 'Late reversals', filter, isPartial: false }]);
  });

  it('a view is renamed in one tab while another replaces its filter: neither change is lost, and the last name wins', async () => {
    const viewId = await saved('Old', lateReversals);
    const answers = await Promise.all([change(viewId, { name: 'New' }), change(viewId, { filter: { status: 'BANK_OFFLINE' } })]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    await change(viewId, { name: 'new', filter: null });
    expect(await viewsOf(owner)).toMatchObject([{ viewId, name: 'new', filter: { status: 'BANK_OFFLINE' } }]);
    expect((await owner.visitor.delete(`payment-views/${viewId}`)).status).toBe(204);
    expect(await viewsOf(owner)).toEqual([]);
  });

  it.each([
    ['', {}, { field: 'name', message: 'name must have 1 to 60 characters' }],
    ['   ', {}, { field: 'name', message: 'name must have 1 to 60 characters' }],
    ['é'.repeat(61), {}, { field: 'name', message: 'name must have 1 to 60 characters' }],
    [7, {}, { field: 'name', message: 'name must be a string' }],
    ['4111 1111 1111 1111', {}, { field: 'name', message: expect.stringContaining('card') }],
    ['a', 'outcome=REVERSED', { field: 'filter', message: expect.stringContaining('filter') }],
    ['a', { outcome: 'LOST' }, { field: 'filter.outcome', message: expect.stringContaining('outcome must be one of') }],
    ['a', { search: 'x'.repeat(65) }, { field: 'filter.search', message: expect.stringContaining('64') }],
    ['a', { range: 'decade' }, { field: 'filter.range', message: expect.stringContaining('range must be one of') }],
    ['a', { hidden: 'amount' }, { field: 'filter.hidden', message: expect.stringContaining('hidden must be merchant') }],
  ])('the name %j with the filter %j is refused', async (name, filter, error) => {
    expect(await save(name, filter)).toMatchObject({ status: 400, body: { errors: [error] } });
    expect(await viewsOf(owner)).toEqual([]);
  });

  it('60 characters are a name; two views have no name in common, in upper or lower case, however they are named', async () => {
    expect((await save('é'.repeat(60))).status).toBe(200);
    const viewId = await saved('Niños');
    const taken = { status: 409, body: { errors: [{ field: 'name' }] } };
    expect(await save('NIÑOS')).toMatchObject(taken);
    expect(await change(viewId, { name: 'É'.repeat(60) })).toMatchObject(taken);
    expect((await change(viewId, { name: 'NIÑOS' })).status).toBe(204);
  });

  it('20 views are the most, also when two tabs save at once', async () => {
    for (let nr = 1; nr <= 19; nr++) expect((await save(`View ${nr}`)).status).toBe(200);
    const { dataSource } = portal.database;
    const saving = await dataSource.transaction(async manager => {
      await manager.query('select from person where person_id = $1 for update', [owner.personId]);
      const both = [save('This tab'), save('That tab')];
      await eventually(async () => expect(await dataSource.query(waiting)).toHaveLength(2));
      return { both };
    });
    expect((await Promise.all(saving.both)).map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await save('One more')).toMatchObject({ body: { message: 'twenty views are the most: delete one first' } });
    expect(await viewsOf(owner)).toHaveLength(20);
  });

  it('a colleague and people of another account neither see nor change a view, and may give theirs the same name (T-24)', async () => {
    const viewId = await saved('Mine', lateReversals);
    for (const other of others) {
      expect(await viewsOf(other)).toEqual([]);
      expect((await other.visitor.post(`payment-views/${viewId}`, { name: 'Theirs' })).status).toBe(404);
      expect((await other.visitor.post(`payment-views/${viewId}`, { filter: {} })).status).toBe(404);
      expect((await other.visitor.delete(`payment-views/${viewId}`)).status).toBe(404);
      expect((await other.visitor.post('payment-views', { name: 'Mine', filter: {} })).status).toBe(200);
    }
    expect(await viewsOf(owner)).toMatchObject([{ name: 'Mine', filter: lateReversals }]);
    expect((await save('Others', { merchantId: '8' })).status).toBe(404);
    expect((await change(viewId, { filter: { merchantId: '8' } })).status).toBe(404);
    expect((await change('7', {})).body).toMatchObject({ errors: [{ field: 'viewId' }] });
  });

  it('of a view that was kept under other rules what still works is shown, and the answer says so', async () => {
    await keep({ outcome: 'LOST', shop: 'x', status: 'SUCCESS', range: 'decade', merchantId: '8', amount: '1.00' });
    expect(await viewsOf(owner)).toMatchObject([{ filter: { status: 'SUCCESS', amount: '1.00' }, isPartial: true }]);
  });

  it('the views of a person go with the person', async () => {
    await saved('Mine');
    await portal.database.dataSource.query('delete from person where person_id = $1', [owner.personId]);
    expect(await portal.database.dataSource.query('select 1 from payment_view')).toEqual([]);
  });
});
