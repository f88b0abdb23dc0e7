import { cursorOf, pageKeyOf } from './page-cursor';

describe('the cursor of a page of payments', () => {
  it('keeps microseconds and the id', () => {
    const key = { completedAtUs: '1893492000123456', transactionId: 7_000_001 };
    expect(pageKeyOf(cursorOf(key))).toEqual(key);
  });

  it.each([
    '',
    'x',
    Buffer.from('1.0').toString('base64url'),
    Buffer.from('1.9007199254740993').toString('base64url'),
    Buffer.from("1'--.1").toString('base64url'),
  ])('%j is none', text => {
    expect(pageKeyOf(text)).toBeUndefined();
  });
});
