import type { AlertKind, PortalAlert } from '@paycode/dto';
import type { AlertText, EmailText } from './message';
import { escapedHtml, htmlOf, moneyText, plainText } from './message-texts';
import { statementWords } from './statement-text';

interface Words {
  /** Subject and title. */
  fact: string;
  paragraphs: string[];
  table?: { text: string; html: string };
  button: string;
}

const wordsOf: Record<AlertKind, (alert: PortalAlert, tenant: string) => Words> = {
  RECEIVER_FAILS: alert => ({
    fact: `Your server failed ${counted(alert)} since ${clockTime(alert.sinceAt)}`,
    paragraphs: [
      `The server of merchant ${alert.merchantId} does not answer HTTP 200 to our notifications, so these payments go back to your customers.`,
    ],
    button: 'See what your server answers',
  }),
  RECEIVER_WORKS: alert => ({
    fact: 'Your server works again',
    paragraphs: [
      `The server of merchant ${alert.merchantId} acknowledges payments again. It had failed since ${clockTime(alert.sinceAt)}; payments that were reversed stay reversed.`,
    ],
    button: 'See your server',
  }),
  REVERSED: alert => ({
    fact: `${counted(alert)} ${alert.payments === 1 ? 'was' : 'were'} reversed since ${clockTime(alert.sinceAt)}`,
    paragraphs: [
      `${sumsOf(alert)} went back to customers, because ${alert.merchantId === null ? 'servers of several merchants' : `the server of merchant ${alert.merchantId}`} did not acknowledge the payments.`,
    ],
    button: 'See the payments',
  }),
  CERTIFICATE_ENDS: ({ merchantId, sinceAt }) => ({
    fact: `The certificate of your server ends on ${day(sinceAt)}`,
    paragraphs: [
      merchantId === null
        ? 'TLS certificates of several of your merchants end within two weeks. This is when the first one does.'
        : `The TLS certificate of the server of merchant ${merchantId} ends on ${dayTime(sinceAt)}.`,
      'From then on we cannot connect to a server with an old certificate, and its payments go back to your customers. Renew the certificate before; we see the new one at the next payment.',
    ],
    button: 'Check your server',
  }),
  KEY_OLD: ({ merchantId, sinceAt }) => ({
    fact: 'The key of your notifications is older than a year',
    paragraphs: [
      merchantId === null
        ? `Keys of several of your merchants are older than a year. The oldest was made on ${day(sinceAt)}.`
        : `The key that encrypts the notifications to merchant ${merchantId} was made on ${day(sinceAt)}.`,
      'A key that somebody copied in that time still reads your notifications. Renew the key under Your server, and give the new one to your server at once: it cannot read notifications until it has it.',
    ],
    button: 'Renew your key',
  }),
  NEW_DEVICE: ({ sinceAt, device }) => ({
    fact: 'New sign-in to your Paycode account',
    paragraphs: [
      `Somebody signed in to your account from a device that we have not seen before: ${device ? `${device.browser} on ${device.system}` : 'an unknown browser'}, on ${dayTime(sinceAt)}, from an internet address that ${device?.addressStart ? `begins with ${device.addressStart}` : 'we do not know'}.`,
      'If it was you, there is nothing to do.',
      'If it was not you, end that session and change your password under Security at once, and write to an owner of your account. If your company signs you in, write to your company too.',
    ],
    button: 'Check your sessions',
  }),
  STATEMENT: (alert, tenant) => statementWords(alert.statement!, tenant),
};

/** Tells a person of the portal what happened: numbers alone, nothing of the payer. */
export function alertEmail({ alert, tenant, link, stopPage, stopUrl }: AlertText): EmailText {
  const { fact, paragraphs, table, button } = wordsOf[alert.kind](alert, tenant);
  const reason = `You get this because you are in the Paycode portal of ${plainText(tenant, 100)}.`;
  const security = 'This is a security notice, which cannot be switched off.';
  const html = [
    `<h1>${escapedHtml(fact)}</h1>`,
    ...paragraphs.map(paragraph => `<p>${escapedHtml(paragraph)}</p>`),
    table?.html,
    `<p><a href="${escapedHtml(link)}">${escapedHtml(button)}</a></p>`,
    `<p><small>${escapedHtml(reason)} ${stopPage ? `<a href="${escapedHtml(stopPage)}">Stop these e-mails</a>` : security}</small></p>`,
  ].join('');
  const end = `${reason} ${stopPage ? `Stop these e-mails: ${stopPage}` : security}`;
  return {
    subject: fact,
    text: `${[fact, ...paragraphs, table?.text, `${button}: ${link}`, end].filter(Boolean).join('\n\n')}\n`,
    html: htmlOf(html),
    ...(stopUrl && { stopUrl }),
  };
}

function counted({ payments }: PortalAlert): string {
  return payments === 1 ? '1 payment' : `${payments} payments`;
}

/** `ZAR 12.50 and EUR 3.00`; payments whose amount is not known yet have none. */
function sumsOf({ sums }: PortalAlert): string {
  const texts = sums.map(({ currencyCode, amount }) => moneyText(currencyCode, amount));
  return texts.length === 0 ? 'The money' : [texts.slice(0, -1).join(', '), texts.at(-1)].filter(Boolean).join(' and ');
}

/** The zone of the reader is not known, so it is named. */
function clockTime(at: string): string {
  return `${at.slice(11, 16)} UTC`;
}

function dayTime(at: string): string {
  return `${day(at)} at ${clockTime(at)}`;
}

function day(at: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at));
}
