import type { ChannelNames } from './channel-names.ts';

const messages = 'apps/recipient-messages/src/messages';
const senders = 'apps/recipient-messages/src/senders';
const configuration = 'apps/notification-config/src/notifications';

/** The files of a channel that are its own. */
export function newChannelFiles(names: ChannelNames): { path: string; text: string }[] {
  const { lower } = names;
  return [
    { path: `${senders}/${lower}-sender.ts`, text: sender(names) },
    { path: `${senders}/${lower}-sender.int.spec.ts`, text: senderSpec(names) },
    { path: `${messages}/domain/${lower}-message.ts`, text: message(names) },
    { path: `${messages}/domain/${lower}-message.spec.ts`, text: messageSpec(names) },
    { path: `${configuration}/domain/${lower}-recipient.spec.ts`, text: recipientSpec(names) },
  ];
}

function sender({ upper, lower }: ChannelNames): string {
  return `import { HttpGatewaySender } from './http-gateway.sender';
import type { MessageSender } from './message.sender';
import type { SenderOptions } from './senders';

/**
 * Messages over ${upper} leave through an HTTP gateway of the operator's. A provider that is spoken to in another way gets a MessageSender of its own,
 * returned here. undefined: the channel is off, and nothing is queued for it. @throws Error when the token is set and the gateway is not
 */
export function ${lower}SenderOf(options: Pick<SenderOptions, '${lower}' | 'caFile'>): MessageSender<string> | undefined {
  const { ${lower}: { url, token }, caFile } = options;
  if (url !== null) return new HttpGatewaySender({ name: '${upper} GATEWAY', url, token, constants: {}, caFile });
  if (token !== null) throw new Error('${upper}_GATEWAY_URL is required by ${upper}_GATEWAY_TOKEN');
  return undefined;
}
`;
}

function senderSpec({ upper, lower }: ChannelNames): string {
  return `import { answering, RawReceiver } from '@paycode/safe-http/testing';
import type { SendError } from './message.sender';
import { ${lower}SenderOf } from './${lower}-sender';

const optionsFor = (url: string | null, token: string | null) => ({ ${lower}: { url, token }, caFile: null });
const message = { recipient: 'address-1', text: 'Payment received', reference: '44' };

describe('messages over ${upper}', () => {
  it('are off without a gateway; a token without one is refused at the start', () => {
    expect(${lower}SenderOf(optionsFor(null, null))).toBeUndefined();
    expect(() => ${lower}SenderOf(optionsFor(null, 'x'))).toThrow('${upper}_GATEWAY_URL is required');
  });

  it.each([
    [200, null],
    [503, { code: '${upper} GATEWAY 503', isPermanent: false }],
    [400, { code: '${upper} GATEWAY 400', isPermanent: true }],
  ])('are POSTed to the gateway; it answers %d', async (status, failure) => {
    const gateway = await RawReceiver.start(answering(status));
    const url = \`http://127.0.0.1:\${gateway.port}/send\`;
    const sender = ${lower}SenderOf(optionsFor(url, 'gateway-token'))!;
    const seen = await sender.send(message).then(
      () => null,
      ({ code, isPermanent }: SendError) => ({ code, isPermanent }),
    );
    await sender.close();
    await gateway.stop();
    expect(seen).toEqual(failure);
    const [head, body] = gateway.received.join('').split('\\r\\n\\r\\n');
    expect(head).toContain('Bearer gateway-token');
    expect(JSON.parse(body!)).toEqual({ to: 'address-1', text: 'Payment received', reference: '44' });
  });
});
`;
}

function message({ upper, pascal }: ChannelNames): string {
  return `import type { TransactionNotificationV3 } from '@paycode/dto';
import { paymentEmail } from './message-texts';

/** Text of a message over ${upper}: the one line that is the subject of the e-mail, until ${upper} has words of its own. Nothing of the customer or the card. */
export function payment${pascal}(notification: TransactionNotificationV3): string {
  return paymentEmail(notification).subject;
}
`;
}

function messageSpec({ upper, lower, pascal }: ChannelNames): string {
  return `import { notificationOf } from '@paycode/dto/testing';
import { payment${pascal} } from './${lower}-message';

describe('what is said over ${upper}', () => {
  it('is one line, and shows nothing of the customer or the card', () => {
    const text = payment${pascal}(notificationOf(77, { reference: 'a\\r\\nb' }));
    expect(text).toBe('Payment received: ZAR 110.10, transaction 77');
  });
});
`;
}

function recipientSpec({ upper }: ChannelNames): string {
  return `import { isRecipientValue, maskedRecipient } from './recipient';

describe('recipients over ${upper}', () => {
  it.each(['address-1', 'a:b_c.d/e+f=1'])('%s is one', value => expect(isRecipientValue('${upper}', value)).toBe(true));
  it.each(['', 'short', 'two words', 'ends\\n', \`a\${'b'.repeat(256)}\`])('%j is none', value =>
    expect(isRecipientValue('${upper}', value)).toBe(false),
  );

  it('a masked value is no address', () => {
    expect(maskedRecipient({ type: '${upper}', value: 'address-1' })).toBe('***s-1');
  });
});
`;
}
