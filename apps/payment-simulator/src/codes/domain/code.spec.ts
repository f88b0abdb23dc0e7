import { codeForm, codeOf, codeStateOf, hasSameContent, type PaymentCode } from './code';

const code = (over: Partial<PaymentCode>): PaymentCode => ({
  code: '0000000042',
  merchantId: 1,
  merchantReference: 'order-1',
  amount: '110.10',
  currencyCode: 'ZAR',
  expiresAtMs: 1_000,
  useOnce: true,
  isUsed: false,
  shortDescription: null,
  requestTip: false,
  requestContact: false,
  extraReferenceName: null,
  extraReferenceValue: null,
  ...over,
});

describe('payment code', () => {
  it.each([0, 42, 9_999_999_999])('%d is exactly 10 digits, leading zeros kept (R-1-1)', number => {
    expect(codeOf(number)).toMatch(codeForm);
    expect(Number(codeOf(number))).toBe(number);
  });

  it.each([
    [{ code: '0000000043', expiresAtMs: null, isUsed: true }, {}],
    [{ amount: '110.1' }, {}],
    [{ amount: '110.1000' }, { amount: '110.1' }],
    [{ amount: '110.00' }, { amount: '110' }],
  ])('%j asks for the same as %j', (over, other) => {
    expect(hasSameContent(code(over), code(other))).toBe(true);
  });

  it.each<Partial<PaymentCode>[]>([
    [{ merchantId: 2 }, {}],
    [{ merchantReference: 'order-2' }, {}],
    [{ currencyCode: 'USD' }, {}],
    [{ useOnce: false }, {}],
    [{ shortDescription: '' }, {}],
    [{ requestTip: true }, {}],
    [{ requestContact: true }, {}],
    [{ extraReferenceName: 'table' }, {}],
    [{ extraReferenceValue: '7' }, {}],
    [{ amount: '110.01' }, { amount: '110.1' }],
    [{ amount: '100.5' }, { amount: '1.5' }],
    [{ amount: '110' }, { amount: '11' }],
  ])('%j does not ask for the same as %j', (over, other) => {
    expect(hasSameContent(code(over), code(other!))).toBe(false);
  });

  it.each([
    [{}, 999, 'LIVE'],
    [{}, 1_000, 'EXPIRED'],
    [{ expiresAtMs: null }, 1e15, 'LIVE'],
    [{ isUsed: true }, 0, 'USED'],
    [{ isUsed: true, useOnce: false }, 0, 'LIVE'],
  ] as const)('%j at %d is %s', (over, nowMs, state) => {
    expect(codeStateOf(code(over), nowMs)).toBe(state);
  });
});
