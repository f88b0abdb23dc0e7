import type { ChangeNotice, Channel, PortalFourEyesNotice, PortalInvitation } from '@paycode/dto';

/** Content of the message to a second person. */
export type FourEyesRequest = Omit<PortalFourEyesNotice, 'requestId' | 'to'> & { name: string };

/** Content of a message. */
export type MessageContent =
  /** TransactionNotificationV3 JSON sealed as compact JWE. */
  | { kind: 'TRANSACTION'; payload: string }
  | ({ kind: 'INVITATION' } & Omit<PortalInvitation, 'invitationId' | 'email'>)
  | ({ kind: 'FOUR_EYES' } & FourEyesRequest)
  | ({ kind: 'CHANGE_NOTICE' } & Pick<ChangeNotice, 'actor' | 'occurredAt'> & { change: ChangeNotice['kind'] });

export interface NewMessage {
  channel: Channel;
  recipient: string;
  /** null: an invitation or a request for a second person concerns people, not a merchant. */
  merchantId: number | null;
  transactionId: number | null;
  /** Id of the cause; cause, channel and recipient identify the message, so that it is queued only once. */
  cause: string;
  content: MessageContent;
}

/** A message taken from the queue, to be sent now. */
export interface QueuedMessage extends Omit<NewMessage, 'cause'> {
  messageId: string;
  /** This try included. */
  tries: number;
}

/** Text for an e-mail address. A short message is one string in the GSM alphabet. */
export interface EmailText {
  subject: string;
  text: string;
  html: string;
}
