import { codeForm, codeOf, codeStateOf, type PaymentCode } from './code';

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
    [{}, 999, 'LIVE'],
    [{}, 1_000, 'EXPIRED'],
    [{ expiresAtMs: null }, 1e15, 'LIVE'],
    [{ isUsed: true }, 0, 'USED'],
    [{ isUsed: true, useOnce: false }, 0, 'LIVE'],
  ] as const)('%j at %d is %s', (over, nowMs, state) => {
    expect(codeStateOf(code(over), nowMs)).toBe(state);
  });
});
