import type { PlantedFault } from './planted-fault.ts';

const messages = 'apps/recipient-messages/src/messages';
const senders = 'apps/recipient-messages/src/senders';
const sendersSpec = `${senders}/senders.int.spec.ts`;
const messagesSpec = `${messages}/messages.int.spec.ts`;
const textsSpec = `${messages}/domain/message-texts.spec.ts`;

/** E-mail and SMS to recipients. */
export const messagesFaults: readonly PlantedFault[] = [
  {
    id: 'recipients-kept',
    breaks: 'Address and payload of a message are kept after it was sent.',
    against: 'T-16',
    file: `${messages}/message.queue.ts`,
    find: "set state = $2, recipient = '', notification = null, change_notice = null, invitation = null, four_eyes = null, finished_at",
    put: 'set state = $2, finished_at',
    specs: [messagesSpec],
  },
  {
    id: 'starttls-optional',
    breaks: 'Mail goes out in the clear when the server offers no STARTTLS.',
    against: 'T-16',
    file: `${senders}/smtp-email.sender.ts`,
    find: "requireTLS: security === 'starttls',",
    put: 'requireTLS: false,',
    specs: [sendersSpec],
  },
  {
    id: 'busy-gateway-is-final',
    breaks: 'An SMS that the gateway put off (429) is never tried again.',
    against: 'R-6.2-3',
    file: `${senders}/http-gateway.sender.ts`,
    find: ' && status < 500 && !temporary.has(status);',
    put: ' && status < 500;',
    specs: [sendersSpec],
  },
  {
    id: 'one-recipient-told',
    breaks: 'Of several recipients of one kind only the first is told.',
    against: 'R-6.2-3',
    file: `${messages}/message.queue.ts`,
    find: '`${cause}\\n${channel}\\n${recipient}`',
    put: '`${cause}\\n${channel}`',
    specs: [messagesSpec],
  },
  {
    id: 'message-tried-for-ever',
    breaks: 'A message that cannot be sent is tried for ever.',
    against: 'R-1-8',
    file: `${messages}/send-messages.ts`,
    find: 'if (isPermanent || message.tries >= this.rules.triesMax) {',
    put: 'if (isPermanent) {',
    specs: [messagesSpec],
  },
  {
    id: 'html-not-escaped',
    breaks: "A merchant's text is markup in the e-mail.",
    against: 'T-25',
    file: `${messages}/domain/message-texts.ts`,
    find: '${escapedHtml(value)}</li>',
    put: '${value}</li>',
    specs: [textsSpec],
  },
];
