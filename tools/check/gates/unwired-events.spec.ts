import { unwiredEvents } from './unwired-events.ts';

const topic = { name: 'paycode.code.sold.v1', producers: ['shop'], consumers: [{ group: 'billing', service: 'books' }] };
const shop = ['apps/shop/src/sell.ts', 'await insertOutbox(tx, [{ topic: topics.codeSold }]);'] as const;
const books = [
  'apps/books/src/code-sold.consumer.ts',
  "class A { @OnEvents(topics.codeSold, { group: 'billing' }) on() {} }",
] as const;
const unwired = (...sources: (readonly [string, string])[]): string[] => unwiredEvents({ codeSold: { topic } }, sources);
const handler = "@OnEvents(topics.codeSold, { group: 'billing' })";

describe('events of the registry that the services do not carry', () => {
  it('a producer that names the topic and a handler for each consumer group are complete', () => {
    expect(unwired(shop, books)).toEqual([]);
  });

  it('the group may be a constant of the service', () => {
    const text = 'class A { @OnEvents(topics.codeSold, { batchMax: 5, group: billing }) on() {} }';
    const constant = ['apps/books/src/group.ts', "export const billing = 'billing';"] as const;
    expect(unwired(shop, constant, ['apps/books/src/a.ts', text])).toEqual([]);
  });

  it('a consumer without a handler is named; a handler in a test or another service is none', () => {
    const elsewhere = [books[0].replace('books', 'shop'), books[1]] as const;
    const inTest = [books[0].replace('.ts', '.spec.ts'), books[1]] as const;
    const missing = `apps/books: no ${handler}, a consumer in the registry of events`;
    expect(unwired(shop)).toEqual([missing]);
    expect(unwired(shop, inTest)).toEqual([missing]);
    expect(unwired(shop, elsewhere)).toEqual([missing, `apps/shop: ${handler} is no consumer in the registry of events`]);
  });

  it('a handler with a group that the registry does not know is named', () => {
    const other = [books[0], books[1].replace("'billing'", "'audit'")] as const;
    expect(unwired(shop, books, other)).toEqual([
      expect.stringMatching(/^apps\/books: @OnEvents\(.*'audit' }\) is no consumer in the registry of events$/),
    ]);
  });

  it('a producer that never names the topic is named; reading it is not producing it', () => {
    const reads = ['apps/shop/src/a.ts', books[1]] as const;
    expect(unwired(books)).toEqual(['apps/shop: it produces paycode.code.sold.v1, and no code names topics.codeSold']);
    expect(unwired(books, reads)).toContain('apps/shop: it produces paycode.code.sold.v1, and no code names topics.codeSold');
  });
});
