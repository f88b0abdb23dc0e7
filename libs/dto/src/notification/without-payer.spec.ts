import { notificationSamples } from '../testing';
import { parseNotification, serializeNotification } from './notification-json';
import { isPayer, payerFieldsOf, withoutPayer } from './without-payer';

const full = parseNotification(notificationSamples()['purchase-success-all-fields']!);

describe('T-43: the notification without its payer', () => {
  it('holds nothing of the payer, is still a notification, and has nothing more to lose', () => {
    const erased = withoutPayer(full);
    const json = serializeNotification(erased);
    const personal = [full.clientMsisdn, full.cardInfo.bin!, full.cardInfo.last4!, ...Object.values(full.clientContact!)];
    for (const text of personal.filter(value => value.length > 3)) expect(json).not.toContain(JSON.stringify(text));
    expect(payerFieldsOf(parseNotification(json))).toEqual([]);
  });

  it('keeps what settlement and accounting need', () => {
    const { transactionId, merchantId, reference, amount, currencyCode, status, tipAmount, bankResponse } = full;
    const kept = { transactionId, merchantId, reference, amount, currencyCode, status, tipAmount, bankResponse };
    expect(withoutPayer(full)).toMatchObject(kept);
  });

  it('names the fields that held something', () => {
    expect(payerFieldsOf(full)).toEqual(expect.arrayContaining(['clientMsisdn', 'cardInfo', 'clientContact']));
    expect(payerFieldsOf(full)).not.toContain('amount');
  });

  it('knows a payer by number, however it is spelt, and by e-mail address', () => {
    const { phoneNumber, emailAddress } = full.clientContact!;
    expect([full.clientMsisdn, phoneNumber, emailAddress.toUpperCase()].map(payer => isPayer(full, payer))).toEqual([
      true,
      true,
      true,
    ]);
    expect(isPayer(full, `00 ${full.clientMsisdn.slice(1)}1`)).toBe(false);
    expect(isPayer(withoutPayer(full), emailAddress)).toBe(false);
  });
});
