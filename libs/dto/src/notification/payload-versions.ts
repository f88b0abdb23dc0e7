/** Makes the text of one payload version from stored JSON, which is of V3. Bytes stay bytes where nothing is converted: they are not decoded. */
type PayloadWriter = (stored: string | Buffer) => string | Buffer;

/**
 * The payload versions that a merchant may choose by addHttp, each with its writer (R-9-2). Events and databases hold V3 alone, so a new
 * version is one line here and one pure function.
 */
const writers = {
  V3: stored => stored,
} as const satisfies Record<string, PayloadWriter>;

export type PayloadVersion = keyof typeof writers;

export const payloadVersions = Object.keys(writers) as PayloadVersion[];

/** The version of stored notifications, and of every merchant that has not chosen another. */
export const storedVersion: PayloadVersion = 'V3';

/** Message for any other version. */
export const validVersionsText = `version must be ${payloadVersions.join(' or ')}`;

export function isPayloadVersion(version: string): version is PayloadVersion {
  return Object.hasOwn(writers, version);
}

/** The process does not know this version: a newer release chose it. */
export class UnknownPayloadVersionError extends Error {
  override readonly name = 'UnknownPayloadVersionError';
  readonly code = 'PAYLOAD_VERSION';
}

/** A stored notification as bytes or text of that version. @throws UnknownPayloadVersionError */
export function inVersion<Stored extends string | Buffer>(version: string, stored: Stored): string | Stored {
  if (!isPayloadVersion(version)) throw new UnknownPayloadVersionError(`payload version ${version} is not known here`);
  return (writers[version] as (stored: Stored) => string | Stored)(stored);
}
