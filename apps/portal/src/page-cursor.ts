/** Where a page of payments ended: the next one begins behind it. */
export interface PageKey {
  /** Microseconds since 1970: the database's precision. Text, because it may be more than a number holds. */
  completedAtUs: string;
  transactionId: number;
}

const shape = /^(\d{1,18})\.([1-9]\d{0,15})$/;

/** As it goes into a link. */
export function cursorOf({ completedAtUs, transactionId }: PageKey): string {
  return Buffer.from(`${completedAtUs}.${transactionId}`).toString('base64url');
}

/** undefined: it is not one of ours. */
export function pageKeyOf(cursor: string): PageKey | undefined {
  const found = shape.exec(Buffer.from(cursor, 'base64url').toString());
  const transactionId = Number(found?.[2]);
  const key = found && Number.isSafeInteger(transactionId) ? { completedAtUs: found[1]!, transactionId } : undefined;
  // A decoder skips what is not Base64, so that other texts give the same bytes.
  return key && cursorOf(key) === cursor ? key : undefined;
}

/** Where a page ends at this payment. `completedAt`: ISO 8601 with milliseconds. */
export function pageKeyAt({ completedAt, transactionId }: { completedAt: string; transactionId: number }): PageKey {
  return { completedAtUs: `${Date.parse(completedAt)}000`, transactionId };
}

/** SQL of an instant. `microseconds`: a parameter of the statement. */
export function instantSql(microseconds: string): string {
  return `timestamptz 'epoch' + ${microseconds}::bigint * interval '1 microsecond'`;
}
