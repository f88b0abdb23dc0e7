import type { Channel } from '@paycode/dto';

const end = (value: string): string => `***${value.slice(-3)}`;

/** The other channels show the end of an address. */
const masks: Partial<Record<Channel, (value: string) => string>> = {
  EMAIL: value => `${value[0]}***${value.slice(value.lastIndexOf('@'))}`,
};

/** Enough to recognise an address that one knows, not enough to use it. */
export function maskedRecipient({ type, value }: { type: Channel; value: string }): string {
  return (masks[type] ?? end)(value);
}
