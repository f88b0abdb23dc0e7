import { readFileSync } from 'node:fs';

/** PEM texts: the caller's certificate and key, and the authority that it trusts. */
export interface CallerTls {
  cert: string;
  key: string;
  ca: string;
}

/** Where a setting is given: its name for the reader of an error, and its value. */
export interface CallerTlsFiles {
  MUTUAL_TLS_CERT_FILE?: string;
  MUTUAL_TLS_KEY_FILE?: string;
  MUTUAL_TLS_CA_FILE?: string;
}

/** Reads the three files that mutual TLS between services is made of; undefined when none is named. @throws Error naming setting or file */
export function readCallerTls(files: CallerTlsFiles): CallerTls | undefined {
  const { MUTUAL_TLS_CERT_FILE: cert, MUTUAL_TLS_KEY_FILE: key, MUTUAL_TLS_CA_FILE: ca } = files;
  if (!cert && !key && !ca) return undefined;
  if (!cert || !key || !ca)
    throw new Error('MUTUAL_TLS_CERT_FILE, MUTUAL_TLS_KEY_FILE and MUTUAL_TLS_CA_FILE are given together or not at all');
  return {
    cert: textOf('MUTUAL_TLS_CERT_FILE', cert),
    key: textOf('MUTUAL_TLS_KEY_FILE', key),
    ca: textOf('MUTUAL_TLS_CA_FILE', ca),
  };
}

function textOf(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${setting}: ${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}
