import type { TransactionNotificationV3 } from './transaction-notification-v3';

/** Replaces an erased number: it is well-formed, and its country code is not assigned. */
export const erasedMsisdn = '+9990000000';

/**
 * The notification without data of the payer: numbers, contact, addresses, name and digits of the card, and the merchant's own extra reference,
 * which may name a person. Ids, amounts, states, references and the bank's answer stay, because settlement and accounting need them.
 */
export function withoutPayer(notification: TransactionNotificationV3): TransactionNotificationV3 {
  const { destination: _destination, clientContact: _clientContact, ...kept } = notification;
  return {
    ...kept,
    clientMsisdn: erasedMsisdn,
    extraReferenceName: null,
    extraReferenceValue: null,
    cardInfo: { ...notification.cardInfo, cardHolderName: null, bin: null, last4: null, binLast4: null },
    clientBilling: null,
    clientShipping: null,
  };
}

/** Names of the fields that `withoutPayer` would erase. */
export function payerFieldsOf(notification: TransactionNotificationV3): string[] {
  const erased = withoutPayer(notification);
  const names = Object.keys(notification) as (keyof TransactionNotificationV3)[];
  return names.filter(name => JSON.stringify(notification[name] ?? null) !== JSON.stringify(erased[name] ?? null));
}

/** Whether the phone number (any spelling of its digits) or e-mail address is one of the payer's. */
export function isPayer({ clientMsisdn, destination, clientContact }: TransactionNotificationV3, payer: string): boolean {
  if (payer.includes('@')) return clientContact?.emailAddress.toLowerCase() === payer.trim().toLowerCase();
  const numbers = [clientMsisdn, destination, clientContact?.phoneNumber].filter(number => number !== undefined);
  return numbers.some(number => digitsOf(number) === digitsOf(payer));
}

function digitsOf(number: string): string {
  return number.replace(/\D/g, '');
}
