import { callForms } from './core-calls.ts';

describe('calls of a payment core', () => {
  it('give Outpost one event per call, each with an id of its own, the merchants in turn', () => {
    const form = callForms.Outpost([7, 8]);
    const calls = [form.call(0, 1), form.call(0, 1)];
    const events = calls.map(({ body }) => JSON.parse(body) as { id: string; tenant_id: string });
    expect(events.map(({ id, tenant_id }) => [id, tenant_id])).toEqual([
      ['1', '8'],
      ['2', '7'],
    ]);
    expect(() => form.call(0, 100)).toThrow('Outpost takes one event per call, not 100');
  });

  it('take no answer of Outpost that delivers an event nowhere, or says that it knew it', () => {
    const { idsOf } = callForms.Outpost([7]);
    expect(idsOf('{"id":"5","duplicate":false,"destination_ids":["a"]}')).toEqual([5]);
    expect(() => idsOf('{"id":"5","duplicate":true,"destination_ids":["a"]}')).toThrow('does not deliver an event once');
    expect(() => idsOf('{"id":"5","duplicate":false,"destination_ids":[]}')).toThrow('does not deliver an event once');
  });

  it('give Svix one message per call, to the application of a merchant, the merchants in turn, and know it by its id', () => {
    const form = callForms.Svix([7, 8]);
    const calls = [form.call(0, 1), form.call(0, 1)];
    expect(calls.map(({ path }) => path)).toEqual([8, 7].map(merchant => `/api/v1/app/${merchant}/msg?with_content=false`));
    const { eventType, payload } = JSON.parse(calls[0]!.body) as { eventType: string; payload: { transactionId: number } };
    expect([eventType, payload.transactionId]).toEqual(['payment', 1]);
    expect(() => form.call(0, 100)).toThrow('Svix takes one event per call, not 100');
    expect(form.idsOf('{"id":"msg_1srOrx2ZWZBpBUvZwXK00000010","payload":{}}')).toEqual([62]);
  });
});
