import type { ChangeNotice, PortalInvitation, TransactionNotificationV3 } from '@paycode/dto';
import type { ToldRequest } from './domain/message';
import { type MessageSender, SendError, type Sending } from './messages.ports';

export type ToldInvitation = Omit<PortalInvitation, 'invitationId' | 'email'>;
export type ToldChange = Pick<ChangeNotice, 'kind' | 'merchantId' | 'actor' | 'occurredAt'>;

/** Texts of a channel. */
export interface ChannelTexts<Text> {
  ofPayment(notification: TransactionNotificationV3): Text;
  /** null: the channel has no messages about a changed URL or key. */
  ofChange: ((change: ToldChange) => Text) | null;
  /** null: nobody is invited over it. */
  ofInvitation: ((invitation: ToldInvitation) => Text) | null;
  /** null: nobody is asked to confirm over it. */
  ofFourEyes: ((request: ToldRequest) => Text) | null;
}

type Addressed = Omit<Sending<never>, 'text'>;

/** A channel with its sender. Its methods reject with a SendError. */
export class OpenChannel {
  private constructor(
    readonly tellPayment: (to: Addressed, notification: TransactionNotificationV3) => Promise<void>,
    readonly tellChange: (to: Addressed, change: ToldChange) => Promise<void>,
    readonly invite: (to: Addressed, invitation: ToldInvitation) => Promise<void>,
    readonly askSecondPerson: (to: Addressed, request: ToldRequest) => Promise<void>,
    readonly close: () => Promise<void>,
  ) {}

  static over<Text>(sender: MessageSender<Text>, texts: ChannelTexts<Text>): OpenChannel {
    const telling =
      <Told>(textOf: ((told: Told) => Text) | null) =>
      async (to: Addressed, told: Told): Promise<void> => {
        if (!textOf) throw new SendError('NOT_A_TRANSACTION', true);
        await sender.send({ ...to, text: textOf(told) });
      };
    return new OpenChannel(
      telling(texts.ofPayment),
      telling(texts.ofChange),
      telling(texts.ofInvitation),
      telling(texts.ofFourEyes),
      () => sender.close(),
    );
  }
}
