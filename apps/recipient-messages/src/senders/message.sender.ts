import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';

export interface Sending<Text> {
  recipient: string;
  text: Text;
  /** The same for all tries. */
  reference: string;
}

/** Sends one message; resolves when the other side has accepted it. @throws SendError */
export abstract class MessageSender<Text> {
  abstract send(message: Sending<Text>): Promise<void>;
  abstract close(): Promise<void>;
}

/** Why a message was not sent. `code` names the kind of fault and contains no address. */
export class SendError extends Error {
  override readonly name = 'SendError';

  constructor(
    readonly code: string,
    /** Whether the other side will never accept it. */
    readonly isPermanent: boolean,
    cause?: unknown,
  ) {
    super(`message not sent: ${code}`, { cause });
  }
}

/** Options of a TLS connection to the operator's own SMTP, SMPP or SMS server: TLS 1.2 or newer, always verified (T-13). */
export function tlsOptions(caFile: string | null): { minVersion: 'TLSv1.2'; rejectUnauthorized: true; ca?: string[] } {
  const verified = { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const;
  return caFile ? { ...verified, ca: [...getCACertificates('default'), readFileSync(caFile, 'utf8')] } : verified;
}
