import { type Channel, channels } from '@paycode/dto';

export interface Recipient {
  type: Channel;
  value: string;
}

/** Most Email and SMS recipients of one merchant, together. */
export const recipientsMax = 20;

const emailCharsMax = 254;
const localCharsMax = 64;
/** Dot-atoms of RFC 5322 in ASCII, without quotes, comments and blanks, so that no address can inject a mail header (T-25). */
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const mailDomain = /^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;
/** E.164: country code and number, 7 to 15 digits, with or without the plus sign. */
const msisdn = /^\+?[1-9]\d{6,14}$/;

/** Rules for the recipients of one channel. */
interface RecipientKind {
  /** Name with its article, for the error message. */
  name: string;
  /** Whether `value`, already trimmed, is one. */
  isValue(value: string): boolean;
  /** The same for all spellings of one recipient. */
  keyOf(value: string): string;
  /** For the audit log: enough to recognise, not enough to use. */
  masked(value: string): string;
}

const kinds = {
  EMAIL: {
    name: 'an e-mail address',
    isValue: isEmailAddress,
    keyOf: value => value.toLowerCase(),
    masked: value => `${value[0]}***${value.slice(value.lastIndexOf('@'))}`,
  },
  SMS: {
    name: 'an international-format MSISDN',
    isValue: value => msisdn.test(value),
    keyOf: value => value.replace('+', ''),
    masked: value => `***${value.slice(-3)}`,
  },
} as const satisfies Record<Channel, RecipientKind>;

export const validValuesText = `value must be ${channels.map(type => kinds[type].name).join(' or ')}, as type says`;

const asciiOnly =
  'value must be an e-mail address of ASCII characters: write an international domain in its xn-- form; other mailbox names are not served';

/** The rule that `value` breaks, in words for the caller. */
export function valueRuleOf(type: Channel, value: unknown): string {
  return type === 'EMAIL' && typeof value === 'string' && /[^ -~]/.test(value) ? asciiOnly : validValuesText;
}

/** Whether `value`, already trimmed, is an address of that kind. */
export function isRecipientValue(type: Channel, value: string): boolean {
  return kinds[type].isValue(value);
}

function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf('@');
  if (value.length > emailCharsMax || at < 1 || at > localCharsMax) return false;
  return localPart.test(value.slice(0, at)) && mailDomain.test(value.slice(at + 1));
}

/** Whether both reach the same mailbox or telephone: neither the case of an address nor the plus of a number counts. */
export function isSameRecipient(one: Recipient, other: Recipient): boolean {
  return one.type === other.type && kinds[one.type].keyOf(one.value) === kinds[other.type].keyOf(other.value);
}

/** For the audit log: enough to recognise, not enough to use. */
export function maskedRecipient({ type, value }: Recipient): string {
  return kinds[type].masked(value);
}
