import { type ChangeNotice, type Channel, channels, type TransactionNotificationV3 } from '@paycode/dto';
import { type MessageSender, SendError, type Sending } from '../senders/message.sender';
import { emailSenderOf, type SenderOptions, smsSenderOf } from '../senders/senders';
import type { AlertText, FourEyesRequest, InvitationText } from './domain/message';
import { alertEmail } from './domain/alert-text';
import { changeNoticeEmail, fourEyesEmail, invitationEmail, paymentEmail, paymentSms } from './domain/message-texts';

type ShownChange = Pick<ChangeNotice, 'kind' | 'merchantId' | 'actor' | 'occurredAt'>;

/** Texts of a channel. */
interface ChannelTexts<Text> {
  ofPayment(notification: TransactionNotificationV3): Text;
  /** null: the channel has no messages about a changed URL or key. */
  ofChange: ((change: ShownChange) => Text) | null;
  /** null: nobody is invited over it. */
  ofInvitation: ((invitation: InvitationText) => Text) | null;
  /** null: nobody is asked to confirm over it. */
  ofFourEyes: ((request: FourEyesRequest) => Text) | null;
  /** null: nobody is alerted over it. */
  ofAlert: ((alert: AlertText) => Text) | null;
}

type Addressed = Omit<Sending<never>, 'text'>;

/** A channel with its sender. Its methods reject with a SendError. */
export class OpenChannel {
  private constructor(
    readonly sendPayment: (to: Addressed, notification: TransactionNotificationV3) => Promise<void>,
    readonly sendChange: (to: Addressed, change: ShownChange) => Promise<void>,
    readonly invite: (to: Addressed, invitation: InvitationText) => Promise<void>,
    readonly askSecondPerson: (to: Addressed, request: FourEyesRequest) => Promise<void>,
    readonly alert: (to: Addressed, alert: AlertText) => Promise<void>,
    readonly close: () => Promise<void>,
  ) {}

  static over<Text>(sender: MessageSender<Text>, texts: ChannelTexts<Text>): OpenChannel {
    const sending =
      <Content>(textOf: ((content: Content) => Text) | null) =>
      async (to: Addressed, content: Content): Promise<void> => {
        if (!textOf) throw new SendError('NOT_A_TRANSACTION', true);
        await sender.send({ ...to, text: textOf(content) });
      };
    return new OpenChannel(
      sending(texts.ofPayment),
      sending(texts.ofChange),
      sending(texts.ofInvitation),
      sending(texts.ofFourEyes),
      sending(texts.ofAlert),
      () => sender.close(),
    );
  }
}

/** Definition of a channel in this service. */
interface ChannelDefinition<Text> {
  texts: ChannelTexts<Text>;
  /** undefined: the channel is off. */
  senderOf(options: SenderOptions): MessageSender<Text> | undefined;
}

type Opening = (options: SenderOptions) => OpenChannel | undefined;

const channelTable = {
  EMAIL: opening({
    texts: {
      ofPayment: paymentEmail,
      ofChange: changeNoticeEmail,
      ofInvitation: invitationEmail,
      ofFourEyes: fourEyesEmail,
      ofAlert: alertEmail,
    },
    senderOf: emailSenderOf,
  }),
  SMS: opening({
    texts: { ofPayment: paymentSms, ofChange: null, ofInvitation: null, ofFourEyes: null, ofAlert: null },
    senderOf: smsSenderOf,
  }),
} satisfies Record<Channel, Opening>;

export type OpenChannels = ReadonlyMap<Channel, OpenChannel>;

/** The channels that the options give a sender. */
export function openChannels(options: SenderOptions): OpenChannels {
  const opened = channels.map(channel => [channel, channelTable[channel](options)] as const);
  return new Map(opened.flatMap(([channel, open]) => (open ? [[channel, open]] : [])));
}

function opening<Text>({ texts, senderOf }: ChannelDefinition<Text>): Opening {
  return options => {
    const sender = senderOf(options);
    return sender && OpenChannel.over(sender, texts);
  };
}
