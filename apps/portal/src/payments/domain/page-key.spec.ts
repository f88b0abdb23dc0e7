import { cursorOf, pageKeyOf } from './payment';

const cursorWith = (text: string) => Buffer.from(text).toString('base64url');

describe('the cursor of a page of payments', () => {
  it.each(['2030-01-02T10:20:30.123Z', '2030-01-02T10:20:30.123456Z'])(
    'comes back as the key it was made of: %s',
    completedAt => {
      const key = { completedAt, transactionId: 9_007_199_254_740_991 };
      expect(cursorOf(key)).toMatch(/^[\w-]+$/);
      expect(pageKeyOf(cursorOf(key))).toEqual(key);
    },
  );

  it.each([
    '',
    '2030-01-02T10:20:30.123Z',
    '2030-01-02T10:20:30.123Z 0',
    '2030-01-02T10:20:30.123Z x1',
    '2030-01-02T10:20:30.123Z 1x',
    '2030-01-02T10:20:30.123Z 12345678901234567',
    '2030-01-02T10:20:30.12Z 1',
    '2030-01-02T10:20:30.1234567Z 1',
    '2030-01-02T10:20:30.abcZ 1',
    'x2030-01-02T10:20:30.123Z 1',
    '2030-02-30T10:20:30.123Z 1',
    '2030-13-02T10:20:30.123Z 1',
    '2030-01-02T24:20:30.123Z 1',
    '0000-01-02T10:20:30.123Z 1',
    "' or true 1",
  ])('%j is not one of ours', text => {
    expect(pageKeyOf(cursorWith(text))).toBeUndefined();
  });
});
