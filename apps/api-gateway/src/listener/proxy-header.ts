import ipaddr from 'ipaddr.js';

/** Longest header of version 1, line end included, and longest part of version 2 that is read (its extension fields are skipped). */
const textBytesMax = 107;
const binaryBytesMax = 4_096;
const signature = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);
const binaryHeadBytes = 16;
const prefix = Buffer.from('PROXY ');
type Family = 'TCP4' | 'TCP6';
const isAddressOf: Record<Family, (text: string) => boolean> = {
  TCP4: text => ipaddr.IPv4.isValidFourPartDecimal(text),
  TCP6: text => ipaddr.IPv6.isValid(text),
};
const textLine = /^PROXY (?:UNKNOWN(?: [^\r\n]*)?|(TCP4|TCP6) (\S+) (\S+) (\d{1,5}) (\d{1,5}))$/;

/** `source`: the client's address; undefined for the proxy's own connections (health checks). */
export type ProxyHeader =
  { kind: 'INCOMPLETE' } | { kind: 'MALFORMED' } | { kind: 'COMPLETE'; bytes: number; source: string | undefined };

const incomplete: ProxyHeader = { kind: 'INCOMPLETE' };
const malformed: ProxyHeader = { kind: 'MALFORMED' };

/**
 * Reads the header that a proxy sends before the bytes of its client: versions 1 and 2 of the PROXY protocol (HAProxy,
 * proxy-protocol.txt, 2020). Decides on at most 4,112 bytes.
 */
export function readProxyHeader(received: Buffer): ProxyHeader {
  if (startsAlike(received, signature)) return received.length < binaryHeadBytes ? incomplete : readBinary(received);
  if (startsAlike(received, prefix)) return readText(received);
  return malformed;
}

function startsAlike(received: Buffer, expected: Buffer): boolean {
  const length = Math.min(received.length, expected.length);
  return received.subarray(0, length).equals(expected.subarray(0, length));
}

function readText(received: Buffer): ProxyHeader {
  const end = received.indexOf('\r\n');
  const bytes = end + 2;
  if (end < 0 ? received.length >= textBytesMax : bytes > textBytesMax) return malformed;
  if (end < 0) return incomplete;
  const line = textLine.exec(received.toString('latin1', 0, end));
  if (!line) return malformed;
  const [, family, source, destination, ...ports] = line;
  if (family === undefined) return { kind: 'COMPLETE', bytes, source: undefined };
  const areValid = [source!, destination!].every(isAddressOf[family as Family]) && ports.every(port => Number(port) <= 65_535);
  return areValid ? { kind: 'COMPLETE', bytes, source: canonical(ipaddr.parse(source!)) } : malformed;
}

const versionTwo = 0x2;
const commands = { local: 0x0, proxy: 0x1 };
/** Family and transport in one byte, and the bytes of one address. */
const addressBytesOf = new Map([
  [0x11, 4],
  [0x21, 16],
]);
const unspecified = 0x00;
const portBytes = 2;

function readBinary(received: Buffer): ProxyHeader {
  const [version, command, family] = [received[12]! >> 4, received[12]! & 0xf, received[13]!];
  const length = received.readUInt16BE(14);
  if (version !== versionTwo || length > binaryBytesMax) return malformed;
  const bytes = binaryHeadBytes + length;
  if (received.length < bytes) return incomplete;
  if (namesNobody(command, family)) return { kind: 'COMPLETE', bytes, source: undefined };
  const addressBytes = command === commands.proxy ? addressBytesOf.get(family) : undefined;
  if (addressBytes === undefined || length < 2 * (addressBytes + portBytes)) return malformed;
  const source = received.subarray(binaryHeadBytes, binaryHeadBytes + addressBytes);
  return { kind: 'COMPLETE', bytes, source: canonical(ipaddr.fromByteArray([...source])) };
}

/** Whether the header contains no address: the connection is the proxy's own, or its family is unspecified. */
function namesNobody(command: number, family: number): boolean {
  return command === commands.local || (command === commands.proxy && family === unspecified);
}

/** `::ffff:192.0.2.1` is `192.0.2.1`; IPv6 in its shortest form. */
function canonical(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return ipaddr.process(address.toString()).toString();
}
