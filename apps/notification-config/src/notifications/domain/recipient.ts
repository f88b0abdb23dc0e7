export const recipientTypes = ['EMAIL', 'SMS'] as const;

export type RecipientType = (typeof recipientTypes)[number];

export interface Recipient {
  type: RecipientType;
  value: string;
}

/** Most Email and SMS recipients of one merchant, together. */
export const recipientsMax = 20;

const emailCharsMax = 254;
const localCharsMax = 64;
/** Dot-atoms of RFC 5322 in ASCII: no quoting, no comments, no blanks, nothing a mail header could be bent with (T-25). */
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const mailDomain = /^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;
/** E.164: country code and number, 7 to 15 digits, with or without the plus sign. */
const msisdn = /^\+?[1-9]\d{6,14}$/;

/** Whether `value`, already trimmed, is an address of that kind. */
export function isRecipientValue(type: RecipientType, value: string): boolean {
  return type === 'SMS' ? msisdn.test(value) : isEmailAddress(value);
}

function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf('@');
  if (value.length > emailCharsMax || at < 1 || at > localCharsMax) return false;
  return localPart.test(value.slice(0, at)) && mailDomain.test(value.slice(at + 1));
}

/** For the audit log: enough to recognise, not enough to use. */
export function maskedRecipient({ type, value }: Recipient): string {
  return type === 'SMS' ? `***${value.slice(-3)}` : `${value[0]}***${value.slice(value.lastIndexOf('@'))}`;
}
