import {
  type ChangeNotice,
  inCurrency,
  type InvitationReason,
  type NotificationStatus,
  type TransactionNotificationV3,
} from '@paycode/dto';
import type { ChangeNoticeText, EmailText, FourEyesRequest, InvitationText } from './message';
import { Speech, type Text } from './speech';

/** GSM 03.38 basic alphabet: one septet a character. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Extension table: an escape and the character, two septets. */
const extended = '^{}\\[~]|€';
const septetsOfChar = new Map([...[...basic].map(char => [char, 1] as const), ...[...extended].map(char => [char, 2] as const)]);

/** Septets of one short message. */
export const septetsMax = 160;

export function septetsOf(text: string): number {
  return [...text].reduce((sum, char) => sum + (septetsOfChar.get(char) ?? 1), 0);
}

/** The text in the GSM alphabet: accents that the alphabet lacks are dropped, other unknown characters become `?`. */
export function toGsm7(text: string): string {
  return [...text.normalize('NFC')].map(gsmChar).join('');
}

function gsmChar(char: string): string {
  if (septetsOfChar.has(char)) return char;
  const bare = char.normalize('NFD').replace(/\p{M}+/gu, '');
  return septetsOfChar.has(bare) ? bare : '?';
}

/** The longest beginning of `text` (already GSM) within so many septets. */
export function cutToSeptets(text: string, limit: number): string {
  let left = limit;
  let cut = '';
  for (const char of text) {
    left -= septetsOfChar.get(char) ?? 1;
    if (left < 0) break;
    cut += char;
  }
  return cut;
}

/** Makes a value from a payment safe for a message: one line of bounded length, without control or direction-changing characters (T-25). */
export function plainText(value: string, charsMax: number): string {
  const line = value.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const chars = [...line];
  return chars.length <= charsMax ? line : `${chars.slice(0, charsMax - 1).join('')}…`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, char => entities[char]!);
}

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

interface Report {
  subject: string;
  headline: string;
  lines: string[];
  end: string;
}

/** A mail of facts, one in each line. */
function reportOf({ subject, headline, lines, end }: Report, speech: Speech): EmailText {
  const items = lines.map(line => `<li>${escapedHtml(line)}</li>`).join('');
  return {
    subject,
    text: [headline, '', ...lines, '', end, ''].join('\n'),
    html: speech.html(`<h1>${escapedHtml(headline)}</h1><ul>${items}</ul><p>${escapedHtml(end)}</p>`),
  };
}

/** A mail of paragraphs. */
function letterOf(subject: string, lines: string[], speech: Speech): EmailText {
  const html = speech.html(lines.map(line => `<p>${escapedHtml(line)}</p>`).join(''));
  return { subject, text: `${lines.join('\n\n')}\n`, html };
}

/** Label and value of each line of the summary. It contains the kind and last four digits of the card, and nothing about the customer. */
function linesOf(notification: TransactionNotificationV3): [label: string, value: string][] {
  const { cardInfo, bankResponse } = notification;
  const card = cardInfo.last4 === null ? null : `${cardInfo.cardType ?? 'card'} ending in ${cardInfo.last4}`;
  const lines: [string, string | null][] = [
    ['Merchant', notification.merchantName],
    ['Status', notification.status.toLowerCase().replaceAll('_', ' ')],
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
  // Each value follows its label, so that no line begins with text from outside (formula text, T-25).
  const lines = linesOf(notification).map(([label, value]) => `${label}: ${value}`);
  const amount = moneyText(notification.currencyCode, notification.amount);
  const subject = plainText(`${headline}: ${amount}, transaction ${notification.transactionId}`, 150);
  // Whose address it is, and in which language it reads, is not known.
  return reportOf({ subject, headline, lines, end: footer }, new Speech());
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

/** Currency and amount for people, with the decimals of the currency (`19.9` -> `ZAR 19.90`). */
export function moneyText(currencyCode: string, amount: string): string {
  return `${currencyCode} ${inCurrency(amount, currencyCode)}`;
}

const changes: Record<ChangeNotice['kind'], Text> = {
  URL_CHANGED: 'The notification URL was set or changed',
  KEY_CHANGED: 'The notification key was renewed',
  CREDENTIAL_CHANGED: 'The credential that the server of the merchant demands, or the use of a client certificate, was changed',
  URL_REMOVED: 'The notification URL was removed',
  RECIPIENT_ADDED: 'A recipient of notifications was added',
  RECIPIENT_REMOVED: 'A recipient of notifications was removed',
};

/** Tells of a change of a merchant's notification URL, key or recipients (T-15). The text contains none of them. */
export function changeNoticeEmail({
  change,
  actor,
  occurredAt,
  reader,
  ...of
}: ChangeNoticeText & { merchantId: number }): EmailText {
  const speech = new Speech(reader);
  const merchantId = String(of.merchantId);
  const headline = speech.say(changes[change]);
  const lines = [
    speech.say('Merchant: {merchantId}', { merchantId }),
    speech.say('Changed by: {actor}', { actor: plainText(actor, 100) }),
    speech.say('At: {at}', { at: speech.dayTime(occurredAt) }),
  ];
  const end = speech.say('If you did not expect this, contact support at once: notifications may be going elsewhere.');
  const subject = speech.say('{change}, merchant {merchantId}', { change: headline, merchantId });
  return reportOf({ subject, headline, lines, end }, speech);
}

const invitationWords: Record<InvitationReason, Record<'subject' | 'why' | 'otherwise', Text>> = {
  INVITED: {
    subject: 'Your invitation to the Paycode portal of {tenant}',
    why: 'You are invited to the Paycode portal of {tenant}. Open this link until {until} and choose a password:',
    otherwise: 'If you did not expect this, ignore this message: without the link nobody gets in.',
  },
  PASSWORD_FORGOTTEN: {
    subject: 'Choose another password for the Paycode portal',
    why: 'Somebody asked for another password for you in the Paycode portal of {tenant}. Open this link until {until} and choose one:',
    otherwise: 'If it was not you, ignore this message: your password stays as it is.',
  },
  OWNER_RECOVERY: {
    subject: 'Somebody asks to become an owner of {tenant}',
    why: 'Our support was asked to make somebody else an owner of {tenant} in the Paycode portal, because its owners are said to be gone. You are an owner. Nothing happens before {until}. Until then, sign in, see who it is, and refuse it if it is wrong:',
    otherwise:
      'If you do nothing, the other person may become an owner after that. If you cannot sign in, choose another password on the sign-in page.',
  },
};

/** To a person about the own access. The text holds no word of whoever asked for it, because that person may name a stranger (T-25). */
export function invitationEmail({ reason, link, tenant, expiresAt, reader }: InvitationText): EmailText {
  const speech = new Speech(reader);
  const { subject, why, otherwise } = invitationWords[reason];
  const values = { tenant: plainText(tenant, 100), until: speech.dayTime(expiresAt) };
  const lines = [speech.say('Hello,'), speech.say(why, values), link, speech.say(otherwise)];
  return letterOf(speech.say(subject, values), lines, speech);
}

/** Asks a second person. Names and texts of people are shown as plain text (T-25). */
export function fourEyesEmail(request: FourEyesRequest): EmailText {
  const speech = new Speech(request.reader);
  const by = plainText(request.askedBy, 100);
  const [what, tenant] = [plainText(request.what, 200), plainText(request.tenant, 100)];
  const until = speech.dayTime(request.expiresAt);
  const lines = [
    speech.say('Hello {name},', { name: plainText(request.name, 100) }),
    speech.say(
      '{by} asks for {what}, at {tenant}. It takes a second person: confirm or refuse it until {until}. Nothing has changed yet.',
      { by, what, tenant, until },
    ),
    request.link,
    speech.say('If {by} did not ask for this, refuse it: somebody else may use that sign-in.', { by }),
  ];
  return letterOf(speech.say('{by} needs your confirmation in the Paycode portal', { by }), lines, speech);
}
