import type { Completion } from './transaction';
import { notificationOf, reversalNotificationOf, statusOf, TransientStateError } from './notification-of';

const merchant = { merchantId: 1001, merchantName: 'Shop', acquirer: 'One', pspId: 1, status: 'ACTIVE' as const };
const completion = (over: Partial<Completion> = {}): Completion => ({
  idempotencyKey: null,
  merchantId: 1001,
  kind: 'PURCHASE',
  txState: 'SUCCESS',
  amount: '110.10',
  currencyCode: 'ZAR',
  reference: 'order-1',
  referenceTransactionId: 0,
  clientMsisdn: '+27820000001',
  tipAmount: null,
  extraReferenceName: null,
  extraReferenceValue: null,
  clientBilling: null,
  clientShipping: null,
  ...over,
});
const told = (over: Partial<Completion> = {}, transactionId = 42) => notificationOf(completion(over), merchant, transactionId);
const approved = { authCode: '000042', bankResponse: '00', bankResponseMessage: 'Approved' };

describe('the notification of a transaction', () => {
  it('has every field, null where there is no value and absent where it does not apply (A-55)', () => {
    expect(told()).toStrictEqual({
      transactionId: 42,
      merchantId: 1001,
      merchantName: 'Shop',
      acquirer: 'One',
      reference: 'order-1',
      amount: '110.10',
      currencyCode: 'ZAR',
      status: 'SUCCESS',
      clientMsisdn: '+27820000001',
      extraReferenceName: null,
      extraReferenceValue: null,
      tipAmount: null,
      referenceTransactionId: 0,
      bankResponse: { retrievalReferenceNumber: 600_000_000_042, ...approved },
      cardInfo: expect.objectContaining({ bin: '411111', last4: '1111' }) as unknown,
      clientBilling: null,
      clientShipping: null,
      versionData: { version: '1' },
    });
  });

  it('has the further fields that only a payment core knows (A-55)', () => {
    const clientContact = { firstName: 'T', lastName: 'C', emailAddress: 't@c.example', phoneNumber: '1', country: 'ZA' };
    const known = { code: '0000000001', destination: 'till 4', clientContact };
    expect(told(known)).toMatchObject(known);
  });

  it('given bank and card fields replace the simulated ones, field by field (R-0-10, A-56)', () => {
    const { bankResponse, cardInfo } = told({ bankResponse: { authCode: '777777' }, cardInfo: { cardType: 'MASTERCARD' } });
    expect(bankResponse).toMatchObject({ ...approved, authCode: '777777' });
    expect(cardInfo).toMatchObject({ cardType: 'MASTERCARD', bin: '411111' });
  });

  it('has no bank or card fields when the transaction ended before a bank was asked (A-56)', () => {
    const { bankResponse, cardInfo } = told({ txState: 'END_CLIENT_CANCEL' });
    const values = [...Object.values(bankResponse), ...Object.values(cardInfo)] as unknown[];
    expect([values.length, ...new Set(values)]).toEqual([11, null]);
  });

  it.each([
    ['END_DO_NOT_TRY_AGAIN', '57', ''],
    ['END_TRY_AGAIN_AFTER_X_HRS', '65', ''],
    ['END_BANK_PAYMENT_CANCELLATION', 'R1', '000042'],
    ['END_NOTALLOW_BIN_CLASSIFICATION', null, null],
    ['END_CARD_EXPRIY_NOT_ALLOWED', null, null],
    ['END_INTERNATIONAL_BIN_NOT_ALLOWED', null, null],
  ])('regression: %s tells the card, and what the bank said if it was asked (R-0-6, A-56)', (txState, answer, authCode) => {
    const { bankResponse, cardInfo } = told({ txState });
    expect(bankResponse).toMatchObject({ bankResponse: answer, authCode });
    expect(cardInfo).toMatchObject({ bin: '411111', last4: '1111' });
  });

  it('has no authorisation code when the bank declined (R-3.3-1)', () => {
    const { status, bankResponse } = told({ txState: 'END_BANK_DECLINE' });
    expect(status).toBe('BANK_REJECTED');
    expect(bankResponse).toMatchObject({ authCode: '', bankResponse: '05', bankResponseMessage: 'Do not honour' });
  });

  it('the numbers of the bank keep their form, however many transactions there were (A-56)', () => {
    expect(told({}, 7_123_456_789_012_345).bankResponse).toMatchObject({
      retrievalReferenceNumber: 656_789_012_345,
      authCode: '012345',
    });
  });

  it('there is none before the state is final (R-3.3-1)', () => {
    expect(() => statusOf('PENDING')).toThrow(TransientStateError);
  });

  it('of a reversal has the data of the original, with its own id, state and bank answer (R-3.1-6, A-04)', () => {
    const original = told({ bankResponse: { authCode: '777777' } });
    expect(reversalNotificationOf(original, 43, 'END_REVERSED')).toStrictEqual({
      ...original,
      transactionId: 43,
      status: 'REVERSED',
      referenceTransactionId: 42,
      bankResponse: { ...approved, authCode: '000043', retrievalReferenceNumber: 600_000_000_043 },
    });
  });
});
