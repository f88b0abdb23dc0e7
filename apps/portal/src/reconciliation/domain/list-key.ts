/** Where a page ended: the next one begins behind it. */
export interface ListKey {
  /** Microseconds since 1970: the database's precision. Text, because it may be more than a number holds. */
  completedAtUs: string;
  transactionId: number;
}

const shape = /^(\d{1,18})\.([1-9]\d{0,15})$/;

export function cursorOf({ completedAtUs, transactionId }: ListKey): string {
  return Buffer.from(`${completedAtUs}.${transactionId}`).toString('base64url');
}

/** undefined: it is not one of ours. */
export function listKeyOf(cursor: string): ListKey | undefined {
  const found = shape.exec(Buffer.from(cursor, 'base64url').toString());
  const transactionId = Number(found?.[2]);
  return found && Number.isSafeInteger(transactionId) ? { completedAtUs: found[1]!, transactionId } : undefined;
}
