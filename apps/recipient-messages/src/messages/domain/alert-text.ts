import type { AlertKind, PortalAlert } from '@paycode/dto';
import type { AlertText, EmailText } from './message';
import { escapedHtml, plainText } from './message-texts';
import { Speech, type Text } from './speech';
import { statementWords } from './statement-text';

interface Words {
  /** Subject and title. */
  fact: string;
  paragraphs: string[];
  table?: { text: string; html: string };
  button: Text;
}

const wordsOf: Record<AlertKind, (alert: PortalAlert, speech: Speech, tenant: string) => Words> = {
  RECEIVER_FAILS: ({ merchantId, payments, sinceAt }, speech) => ({
    fact: speech.say('Your server failed {payments, plural, one {# payment} other {# payments}} since {since}', {
      payments,
      since: speech.time(sinceAt),
    }),
    paragraphs: [
      speech.say(
        'The server of merchant {merchantId} does not answer HTTP 200 to our notifications, so these payments go back to your customers.',
        { merchantId: String(merchantId) },
      ),
    ],
    button: 'See what your server answers',
  }),
  RECEIVER_WORKS: ({ merchantId, sinceAt }, speech) => ({
    fact: speech.say('Your server works again'),
    paragraphs: [
      speech.say(
        'The server of merchant {merchantId} acknowledges payments again. It had failed since {since}; payments that were reversed stay reversed.',
        { merchantId: String(merchantId), since: speech.time(sinceAt) },
      ),
    ],
    button: 'See your server',
  }),
  REVERSED: ({ merchantId, payments, sinceAt, sums }, speech) => ({
    fact: speech.say('{payments, plural, one {# payment was} other {# payments were}} reversed since {since}', {
      payments,
      since: speech.time(sinceAt),
    }),
    paragraphs: [
      speech.say(
        merchantId === null
          ? '{sums} went back to customers, because servers of several merchants did not acknowledge the payments.'
          : '{sums} went back to customers, because the server of merchant {merchantId} did not acknowledge the payments.',
        // Payments whose amount is not known yet have no sum.
        { sums: speech.money(sums) || speech.say('The money'), merchantId: String(merchantId) },
      ),
    ],
    button: 'See the payments',
  }),
  CERTIFICATE_ENDS: ({ merchantId, sinceAt }, speech) => ({
    fact: speech.say('The certificate of your server ends on {day}', { day: speech.day(sinceAt) }),
    paragraphs: [
      merchantId === null
        ? speech.say('TLS certificates of several of your merchants end within two weeks. This is when the first one does.')
        : speech.say('The TLS certificate of the server of merchant {merchantId} ends on {at}.', {
            merchantId: String(merchantId),
            at: speech.dayTime(sinceAt),
          }),
      speech.say(
        'From then on we cannot connect to a server with an old certificate, and its payments go back to your customers. Renew the certificate before; we see the new one at the next payment.',
      ),
    ],
    button: 'Check your server',
  }),
  KEY_OLD: ({ merchantId, sinceAt }, speech) => ({
    fact: speech.say('The key of your notifications is older than a year'),
    paragraphs: [
      speech.say(
        merchantId === null
          ? 'Keys of several of your merchants are older than a year. The oldest was made on {day}.'
          : 'The key that encrypts the notifications to merchant {merchantId} was made on {day}.',
        { merchantId: String(merchantId), day: speech.day(sinceAt) },
      ),
      speech.say(
        'A key that somebody copied in that time still reads your notifications. Renew the key under Your server, and give the new one to your server at once: it cannot read notifications until it has it.',
      ),
    ],
    button: 'Renew your key',
  }),
  NEW_DEVICE: ({ sinceAt, device = unknownDevice }, speech) => ({
    fact: speech.say('New sign-in to your Paycode account'),
    paragraphs: [
      speech.say(
        device.addressStart
          ? 'Somebody signed in to your account from a device that we have not seen before: {browser} on {system}, on {at}, from an internet address that begins with {start}.'
          : 'Somebody signed in to your account from a device that we have not seen before: {browser} on {system}, on {at}, from an internet address that we do not know.',
        {
          browser: device.browser === 'another browser' ? speech.say(device.browser) : device.browser,
          system: device.system === 'another system' ? speech.say(device.system) : device.system,
          at: speech.dayTime(sinceAt),
          start: device.addressStart,
        },
      ),
      speech.say('If it was you, there is nothing to do.'),
      speech.say(
        'If it was not you, end that session and change your password under Security at once, and write to an owner of your account. If your company signs you in, write to your company too.',
      ),
    ],
    button: 'Check your sessions',
  }),
  STATEMENT: (alert, speech, tenant) => statementWords(alert.statement!, tenant, speech),
};

const unknownDevice = { browser: 'another browser', system: 'another system', addressStart: '' } as const;

/** Tells a person of the portal what happened: numbers alone, nothing of the payer. */
export function alertEmail({ alert, tenant, link, stopPage, stopUrl, reader }: AlertText): EmailText {
  const speech = new Speech(reader);
  const { fact, paragraphs, table, button } = wordsOf[alert.kind](alert, speech, tenant);
  const show = speech.say(button);
  const stop = speech.say('Stop these e-mails');
  const reason = speech.say('You get this because you are in the Paycode portal of {tenant}.', {
    tenant: plainText(tenant, 100),
  });
  const security = speech.say('This is a security notice, which cannot be switched off.');
  const html = [
    `<h1>${escapedHtml(fact)}</h1>`,
    ...paragraphs.map(paragraph => `<p>${escapedHtml(paragraph)}</p>`),
    table?.html,
    `<p><a href="${escapedHtml(link)}">${escapedHtml(show)}</a></p>`,
    `<p><small>${escapedHtml(reason)} ${stopPage ? `<a href="${escapedHtml(stopPage)}">${escapedHtml(stop)}</a>` : security}</small></p>`,
  ].join('');
  const end = `${reason} ${stopPage ? `${stop}: ${stopPage}` : security}`;
  return {
    subject: fact,
    text: `${[fact, ...paragraphs, table?.text, `${show}: ${link}`, end].filter(Boolean).join('\n\n')}\n`,
    html: speech.html(html),
    ...(stopUrl && { stopUrl }),
  };
}
