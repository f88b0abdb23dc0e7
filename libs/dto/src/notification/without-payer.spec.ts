import { notificationSamples } from '../testing';
import { parseNotification, serializeNotification } from './notification-json';
import { isPayer, payerFieldsOf, withoutPayer } from './without-payer';

const full = parseNotification(notificationSamples()['purchase-success-all-fields']!);

describe('the notification without its payer (T-43)', () => {
  it('holds nothing of the payer, is still a notification, and does not change when erased again', () => {
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

  it('matches a payer by number, in any spelling, and by e-mail address', () => {
    const { emailAddress } = full.clientContact!;
    const paid = { ...full, clientContact: { ...full.clientContact!, phoneNumber: '(082) 000-0003' } };
    const known = ['27 82-000 0001', full.destination!, '0820000003', emailAddress.toUpperCase(), ` ${emailAddress} `];
    expect(known.filter(payer => !isPayer(paid, payer))).toEqual([]);
    expect(known.filter(payer => isPayer(withoutPayer(paid), payer))).toEqual([]);
    expect(isPayer(paid, `00 ${full.clientMsisdn.slice(1)}1`)).toBe(false);
  });
});
