import type { FuzzCase } from './fuzz-case.ts';

/** The bytes of a case, one per character; `authorization` is what its caller's right credentials are. */
export function wireOf(
  { method, target, headers, body, framing }: FuzzCase,
  { host, authorization }: { host: string; authorization: string | undefined },
): string {
  const line = `${method} ${target} HTTP/1.1\r\n`;
  const signed = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`;
  if (framing !== undefined) return `${line}${framing.includes('Host:') ? '' : `Host: ${host}\r\n`}${signed}${framing}`;
  const has = (name: string) => headers.some(([each]) => each.toLowerCase() === name);
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const usual = [
    has('host') ? '' : `Host: ${host}\r\n`,
    has('connection') ? '' : 'Connection: close\r\n',
    body === undefined ? '' : `Content-Length: ${body.length}\r\n`,
  ].join('');
  return `${line}${usual}${signed}${fields}\r\n${body ?? ''}`;
}

/** A case for people: bytes beyond ASCII and long runs shown as such. */
export function shown(bytes: string): string {
  const visible = bytes
    .replace(/(.)\1{79,}/gs, run => `${run[0]}{x${run.length}}`)
    .replace(/[^\x20-\x7e\n]/g, character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return visible.length > 900 ? `${visible.slice(0, 900)}… (${bytes.length} bytes)` : visible;
}
