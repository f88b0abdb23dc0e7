import type { Text } from '../language/language';

/** Columns, and lines of a column, that a person may hide; transaction, amount and outcome stay. */
export const hideable = {
  merchant: 'Merchant',
  reference: 'Reference',
  code: 'Code',
  back: 'Money back and refunds',
  server: 'Your server',
  time: 'Time',
} as const satisfies Record<string, Text>;
export type Hideable = keyof typeof hideable;

const names = Object.keys(hideable) as Hideable[];

/** Those of a text such as `code,time`, in the order of the table; what is none of them is left out. */
export function hiddenIn(text: unknown): Hideable[] {
  const given = typeof text === 'string' ? text.split(',') : [];
  return names.filter(name => given.includes(name));
}

/** As the address of the page has them: one text for one choice, none for all columns. */
export const hiddenText = (hidden: readonly Hideable[]): string | undefined => hiddenIn(hidden.join()).join() || undefined;
