const oidText = '2.5.29.30';
/** The same in DER. */
const oidBytes = Buffer.from('0603551d1e', 'hex');
const [sequenceTag, permittedTag, dnsTag, ipTag] = [0x30, 0xa0, 0x82, 0x87];
/** Address and mask of 127.0.0.0/8 and of ::1. */
const loopback = [Buffer.from('7f000000ff000000', 'hex'), Buffer.from(`${'00'.repeat(15)}01${'ff'.repeat(16)}`, 'hex')];

/**
 * The extension of an authority (RFC 5280 4.2.1.10) that limits it to loopback addresses and these DNS names with their subdomains. The
 * certificate library has no class for it.
 */
export function nameConstraints(dns: readonly string[]): { oid: string; value: Uint8Array<ArrayBuffer> } {
  const names = [...dns.map(name => der(dnsTag, Buffer.from(name, 'ascii'))), ...loopback.map(net => der(ipTag, net))];
  const permitted = Buffer.concat(names.map(name => der(sequenceTag, name)));
  return { oid: oidText, value: new Uint8Array(der(sequenceTag, der(permittedTag, permitted))) };
}

/** Whether a certificate, in DER, has the extension. */
export function hasNameConstraints(certificate: Buffer): boolean {
  return certificate.includes(oidBytes);
}

function der(tag: number, content: Buffer): Buffer {
  if (content.length > 0x7f) throw new Error(`${content.length} bytes need a length of several bytes`);
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}
