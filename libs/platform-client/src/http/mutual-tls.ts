import { readFileSync } from 'node:fs';

/** PEM texts: the caller's certificate and key, and the authority that it trusts. */
export interface CallerTls {
  cert: string;
  key: string;
  ca: string;
}

/** Paths of PEM files; all or none. */
export interface CallerTlsFiles {
  certFile?: string;
  keyFile?: string;
  caFile?: string;
}

/** Reads the three files that mutual TLS between services is made of; undefined when none is named. @throws Error naming setting or file */
export function readCallerTls(files: CallerTlsFiles): CallerTls | undefined {
  const { certFile: cert, keyFile: key, caFile: ca } = files;
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
