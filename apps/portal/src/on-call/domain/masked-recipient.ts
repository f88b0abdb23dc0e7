import type { Channel } from '@paycode/dto';

const masks: Record<Channel, (value: string) => string> = {
  EMAIL: value => `${value[0]}***${value.slice(value.lastIndexOf('@'))}`,
  SMS: value => `***${value.slice(-3)}`,
};

/** Enough to recognise an address that one knows, not enough to use it. */
export function maskedRecipient({ type, value }: { type: Channel; value: string }): string {
  return masks[type](value);
}
