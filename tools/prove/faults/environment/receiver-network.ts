import { webcrypto } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import * as x509 from '@peculiar/x509';
import ipaddr from 'ipaddr.js';
import 'reflect-metadata';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;

interface ServerCertificate {
  key: string;
  cert: string;
}

/** Certificates of receivers, from an authority that the dispatchers are told to trust. */
export class ReceiverCertificates {
  private serial = 1;

  private constructor(
    private readonly authority: x509.X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
    /** PEM file of the authority, for OUTBOUND_CA_FILE. */
    readonly caFile: string,
  ) {}

  static async create(caFile: string): Promise<ReceiverCertificates> {
    const keys = await newKeys();
    const authority = await x509.X509CertificateGenerator.createSelfSigned({
      ...validity(0),
      serialNumber: '01',
      name: 'CN=receivers-ca',
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      ],
    });
    writeFileSync(caFile, authority.toString('pem'));
    return new ReceiverCertificates(authority, keys, caFile);
  }

  /** For the host; `ageDays`: made so long ago, for 30 days. */
  async of(host: string, ageDays = 0): Promise<ServerCertificate> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(ageDays),
      ...leaf(host, ++this.serial),
      subject: `CN=${host}`,
      issuer: this.authority.subject,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
    });
    return pem(keys, certificate);
  }

  /** By nobody but itself. */
  async selfSigned(host: string): Promise<ServerCertificate> {
    const keys = await newKeys();
    const made = { ...validity(0), ...leaf(host, ++this.serial), name: `CN=${host}`, keys };
    return pem(keys, await x509.X509CertificateGenerator.createSelfSigned(made));
  }
}

function validity(ageDays: number) {
  const madeMs = Date.now() - (ageDays + 1) * dayMs;
  return { notBefore: new Date(madeMs), notAfter: new Date(madeMs + 30 * dayMs), signingAlgorithm: algorithm };
}

function leaf(host: string, serial: number) {
  return {
    serialNumber: serial.toString(16).padStart(2, '0'),
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns' as const, value: host }])],
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function pem({ privateKey }: webcrypto.CryptoKeyPair, certificate: x509.X509Certificate): Promise<ServerCertificate> {
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
  return { key, cert: certificate.toString('pem') };
}

/** Answer for a name: addresses of either family, no such name, no answer, or a server failure. */
export type NameAnswer = string[] | 'NXDOMAIN' | 'SILENCE' | 'SERVFAIL';

const headerBytes = 12;
const types = { 1: 4, 28: 6 } as const;
const codes = { NXDOMAIN: 3, SERVFAIL: 2 } as const;

/** A name server on a port of its own; `answerFor` may answer differently each time. */
export class NameServer {
  /** Of a name in lower case, without the dot at the end. */
  answerFor: (name: string) => NameAnswer = () => 'NXDOMAIN';
  private readonly socket: Socket = createSocket('udp4');

  static async start(): Promise<NameServer> {
    const server = new NameServer();
    server.socket.on('message', (query, from) => server.reply(query, from));
    await new Promise<void>(resolve => server.socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  /** As OUTBOUND_DNS_SERVERS takes it. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>(resolve => this.socket.close(resolve));
  }

  private reply(query: Buffer, { port, address }: RemoteInfo): void {
    const { name, end } = readName(query);
    const answer = this.answerFor(name.toLowerCase());
    if (answer === 'SILENCE') return;
    const question = query.subarray(headerBytes, end + 4);
    const family = types[query.readUInt16BE(end) as keyof typeof types];
    const addresses = typeof answer === 'string' ? [] : answer.filter(text => (isIPv4(text) ? 4 : 6) === family);
    const header = Buffer.alloc(headerBytes);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? codes[answer] : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    this.socket.send(Buffer.concat([header, question, ...addresses.map(record)]), port, address);
  }
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** An A or AAAA record of the question's name with a TTL of 0. */
function record(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.from([0xc0, headerBytes, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}
