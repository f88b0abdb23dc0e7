import type { ChangeNotice, Channel, InvitationReason, PortalAlert } from '@paycode/dto';
import type { ReadsIn } from '@paycode/dto/people';

/** A mail to a person of the portal. */
interface ForPerson {
  reader?: Partial<ReadsIn>;
}

/** Content of the message to somebody who may choose a password. */
export interface InvitationText extends ForPerson {
  /** Access that the person gets, in words of the reader: `merchant 1001`. */
  tenant: string;
  reason: InvitationReason;
  /** Holds the secret that lets the reader choose a password; forgotten once the mail is sent. */
  link: string;
  /** ISO 8601 UTC. */
  expiresAt: string;
}

/** Content of the message to a second person. */
export interface FourEyesRequest extends ForPerson {
  name: string;
  askedBy: string;
  /** In words of the reader: `the switch of your API account to Bearer`. */
  what: string;
  /** Whose people they are, in words. */
  tenant: string;
  /** The page on which it is confirmed or refused; holds no secret. */
  link: string;
  /** ISO 8601 UTC. */
  expiresAt: string;
}

/** Content of the message to a person who is alerted. */
export interface AlertText extends ForPerson {
  alert: PortalAlert;
  /** Whose people they are, in words. */
  tenant: string;
  /** The page that shows more; holds no secret. */
  link: string;
  /** The page that ends such alerts, with the secret behind its hash; forgotten once the mail is sent. A security notice has none. */
  stopPage?: string;
  /** A mail program calls it to end such alerts (RFC 8058); forgotten as well. */
  stopUrl?: string;
}

/** Content of the message about a change of a merchant's notifications. A recipient that is no person of the portal has no language. */
export interface ChangeNoticeText extends ForPerson, Pick<ChangeNotice, 'actor' | 'occurredAt'> {
  change: ChangeNotice['kind'];
}

/** Content of a message. */
export type MessageContent =
  /** TransactionNotificationV3 JSON sealed as compact JWE. */
  | { kind: 'TRANSACTION'; payload: string }
  | ({ kind: 'INVITATION' } & InvitationText)
  | ({ kind: 'FOUR_EYES' } & FourEyesRequest)
  | ({ kind: 'ALERT' } & AlertText)
  | ({ kind: 'CHANGE_NOTICE' } & ChangeNoticeText);

export interface NewMessage {
  channel: Channel;
  recipient: string;
  /** null: an invitation, an alert or a request for a second person goes to people, not to recipients of a merchant. */
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
  /** The mail program's own button calls it, to end such mails (RFC 8058). */
  stopUrl?: string;
}
