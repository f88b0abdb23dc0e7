/**
 * The channels to a merchant's recipients, beside the webhook (R-2.4-2, R-6.2-3). Everything that differs by channel is in tables with
 * `satisfies Record<Channel, …>`, so that the compiler names each place where a new channel must be added.
 */
export const channels = ['EMAIL', 'SMS'] as const;

export type Channel = (typeof channels)[number];

/** Addresses or numbers of one merchant, by channel. */
export type Recipients = Readonly<Record<Channel, readonly string[]>>;

/** Message for any other type (R-7-11). */
export const validTypesText = `Valid types are ${channels.join(' or ')}`;

export const noRecipients: Recipients = { EMAIL: [], SMS: [] };
