import { callForms } from './core-calls.ts';

describe('calls of a payment core', () => {
  it('give Outpost one event per call, each with an id of its own, the merchants in turn', () => {
    const form = callForms.outpost([7, 8]);
    const events = [form.body(0, 1), form.body(0, 1)].map(body => JSON.parse(body) as { id: string; tenant_id: string });
    expect(events.map(({ id, tenant_id }) => [id, tenant_id])).toEqual([
      ['1', '8'],
      ['2', '7'],
    ]);
    expect(() => form.body(0, 100)).toThrow('Outpost takes one event per call, not 100');
  });

  it('take no answer of Outpost that delivers an event nowhere, or says that it knew it', () => {
    const { idsOf } = callForms.outpost([7]);
    expect(idsOf('{"id":"5","duplicate":false,"destination_ids":["a"]}')).toEqual([5]);
    expect(() => idsOf('{"id":"5","duplicate":true,"destination_ids":["a"]}')).toThrow('does not deliver an event once');
    expect(() => idsOf('{"id":"5","duplicate":false,"destination_ids":[]}')).toThrow('does not deliver an event once');
  });
});
