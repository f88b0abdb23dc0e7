import { numberOfMessage } from './svix-messages.ts';

describe('the number of a message of Svix', () => {
  it('is exact, and another one for ids that differ in one of their last eight digits', () => {
    expect(numberOfMessage('msg_1srOrx2ZWZBpBUvZwXK00000010')).toBe(62);
    const last = numberOfMessage('msg_1srOrx2ZWZBpBUvZwXKzzzzzzzz');
    expect([last, Number.isSafeInteger(last)]).toEqual([62 ** 8 - 1, true]);
    const ids = ['QmoEYga2', 'QmoEYga3', 'RmoEYga2', 'QmoeYga2'].map(digits =>
      numberOfMessage(`msg_1srOrx2ZWZBpBUvZwXK${digits}`),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is refused for anything else', () => {
    for (const id of ['', 'msg_', 'order-1']) expect(() => numberOfMessage(id)).toThrow('not an id of a message of Svix');
  });
});
