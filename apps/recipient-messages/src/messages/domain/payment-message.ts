import type { NotificationStatus, TransactionNotificationV3 } from '@paycode/dto';
import { cutToSeptets, septetsMax, septetsOf, toGsm7 } from './gsm7';
import type { EmailText } from './message';
import { moneyText } from './money-text';
import { escapedHtml, plainText } from './plain-text';

/** Headlines of statuses. Other statuses appear by their name, in words. */
const headlines: Partial<Record<NotificationStatus, string>> = {
  SUCCESS: 'Payment received',
  REVERSED: 'Payment reversed',
  REFUNDED: 'Payment refunded',
};

const textCharsMax = 100;

function headlineOf(status: NotificationStatus): string {
  return headlines[status] ?? 'Payment not completed';
}

function statusInWords(status: NotificationStatus): string {
  return status.toLowerCase().replaceAll('_', ' ');
}

/**
 * Label and value of each line of the summary. It contains the kind and last four digits of the card, and nothing about the
 * customer.
 */
function linesOf(notification: TransactionNotificationV3): [label: string, value: string][] {
  const { cardInfo, bankResponse } = notification;
  const card = cardInfo.last4 === null ? null : `${cardInfo.cardType ?? 'card'} ending in ${cardInfo.last4}`;
  const lines: [string, string | null][] = [
    ['Merchant', notification.merchantName],
    ['Status', statusInWords(notification.status)],
    ['Amount', moneyText(notification.currencyCode, notification.amount)],
    ['Tip', notification.tipAmount === null ? null : moneyText(notification.currencyCode, notification.tipAmount)],
    ['Reference', notification.reference],
    ['Code', notification.code ?? null],
    ['Transaction', String(notification.transactionId)],
    ['Original transaction', notification.referenceTransactionId === 0 ? null : String(notification.referenceTransactionId)],
    ['Card', card],
    ['Authorisation code', bankResponse.authCode],
  ];
  return lines.flatMap(([label, value]) => (value === null ? [] : [[label, plainText(value, textCharsMax)] as [string, string]]));
}

const footer = 'This message is for information. Check the status of a payment with your system before you act on it.';

/** Human-readable summary of a transaction, as text and HTML (spec 6.2-3). */
export function paymentEmail(notification: TransactionNotificationV3): EmailText {
  const headline = headlineOf(notification.status);
  const lines = linesOf(notification);
  const amount = moneyText(notification.currencyCode, notification.amount);
  // Each value follows its label, so that no line begins with text from outside (formula text, T-25).
  const items = lines.map(([label, value]) => `<li>${escapedHtml(label)}: ${escapedHtml(value)}</li>`).join('');
  return {
    subject: plainText(`${headline}: ${amount}, transaction ${notification.transactionId}`, 150),
    text: [headline, '', ...lines.map(([label, value]) => `${label}: ${value}`), '', footer, ''].join('\n'),
    html: `<!doctype html><html lang="en"><body><h1>${escapedHtml(headline)}</h1><ul>${items}</ul><p>${escapedHtml(footer)}</p></body></html>`,
  };
}

/** One short message in the GSM alphabet; it omits the reference when it does not fit. */
export function paymentSms(notification: TransactionNotificationV3): string {
  const { merchantName, status, amount, currencyCode, reference, transactionId } = notification;
  const start = toGsm7(
    `${cutToSeptets(toGsm7(plainText(merchantName, 30)), 30)}: ${headlineOf(status)}, ${moneyText(currencyCode, amount)}`,
  );
  const end = toGsm7(`. Tx ${transactionId}`);
  const room = septetsMax - septetsOf(start) - septetsOf(end);
  const ref = toGsm7(`. Ref ${plainText(reference, 45)}`);
  return `${start}${cutToSeptets(ref, room)}${end}`;
}
