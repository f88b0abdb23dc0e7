import { type Channel, channels, type TransactionNotificationV3 } from '@paycode/dto';
import { MessageSender, SendError, type Sending } from '../senders/message.sender';
import { emailSenderOf, type SenderOptions, smsSenderOf } from '../senders/senders';
import { alertEmail } from './domain/alert-text';
import type { EmailText, MessageContent } from './domain/message';
import { changeNoticeEmail, fourEyesEmail, invitationEmail, paymentEmail, paymentSms } from './domain/message-texts';

type ContentOf<Kind> = Extract<MessageContent, { kind: Kind }>;

/** Content of a message, with its payment opened; a changed URL or key is that of a merchant. */
export type Said =
  | { kind: 'TRANSACTION'; notification: TransactionNotificationV3 }
  | ContentOf<'INVITATION' | 'FOUR_EYES' | 'ALERT'>
  | (ContentOf<'CHANGE_NOTICE'> & { merchantId: number });

function emailOf(said: Said): EmailText {
  switch (said.kind) {
    case 'TRANSACTION':
      return paymentEmail(said.notification);
    case 'CHANGE_NOTICE':
      return changeNoticeEmail(said);
    case 'INVITATION':
      return invitationEmail(said);
    case 'FOUR_EYES':
      return fourEyesEmail(said);
    case 'ALERT':
      return alertEmail(said);
  }
}

/** Tells of payments alone. */
function smsOf(said: Said): string {
  if (said.kind !== 'TRANSACTION') throw new SendError('NOT_A_TRANSACTION', true);
  return paymentSms(said.notification);
}

/** A channel with its sender. */
export interface OpenChannel {
  /** @throws SendError */
  send(to: Omit<Sending<never>, 'text'>, said: Said): Promise<void>;
  close(): Promise<void>;
}

/** Each channel with its sender and its texts; undefined: the channel is off. */
const channelTable = {
  EMAIL: options => opened(emailSenderOf(options), emailOf),
  SMS: options => opened(smsSenderOf(options), smsOf),
} satisfies Record<Channel, (options: SenderOptions) => OpenChannel | undefined>;

function opened<Text>(sender: MessageSender<Text> | undefined, textOf: (said: Said) => Text): OpenChannel | undefined {
  return sender && { send: async (to, said) => sender.send({ ...to, text: textOf(said) }), close: () => sender.close() };
}

export type OpenChannels = ReadonlyMap<Channel, OpenChannel>;

/** The channels that the options give a sender. */
export function openChannels(options: SenderOptions): OpenChannels {
  const all = channels.map(channel => [channel, channelTable[channel](options)] as const);
  return new Map(all.flatMap(([channel, open]) => (open ? [[channel, open]] : [])));
}
