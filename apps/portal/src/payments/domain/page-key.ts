import type { PageKey } from './payment';

/** As it goes into a link. */
export function cursorOf({ completedAt, transactionId }: PageKey): string {
  return Buffer.from(`${completedAt} ${transactionId}`).toString('base64url');
}

const shape = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z) ([1-9]\d{0,15})$/;

/** undefined: it is not one of ours. */
export function pageKeyOf(cursor: string): PageKey | undefined {
  const found = shape.exec(Buffer.from(cursor, 'base64url').toString());
  return found ? { completedAt: found[1]!, transactionId: Number(found[2]) } : undefined;
}
