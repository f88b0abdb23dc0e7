import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const text = (bytes: Buffer) => bytes.toString('base64url');

/** Values of an answer that an attacker may have wrong, or may change. */
export interface Deviations {
  origin?: string;
  rpId?: string;
  isUserVerified?: boolean;
  challenge?: string;
  userHandle?: string;
  /** In place of one more than the last. */
  count?: number;
}

interface Asked {
  challenge: string;
}

/** A passkey as a device holds one (WebAuthn Level 3, ES256, no attestation), with every field open to change. */
export class SoftPasskey {
  readonly id = text(randomBytes(32));
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private count = 0;

  constructor(
    private readonly origin: string,
    private readonly userHandle: string,
  ) {}

  /** For POST passkeys. */
  create({ challenge }: Asked, over: Deviations = {}) {
    const data = Buffer.concat([this.authenticatorData(over, 0x40), this.attestedData()]);
    const object = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(data),
    ]);
    const clientDataJSON = text(this.clientData('webauthn.create', over.challenge ?? challenge, over));
    return { id: this.id, attestationObject: text(object), clientDataJSON, transports: ['internal'] };
  }

  /** For POST session/passkey. */
  get({ challenge }: Asked, over: Deviations = {}) {
    this.count = over.count ?? this.count + 1;
    const data = this.authenticatorData(over, 0);
    const client = this.clientData('webauthn.get', over.challenge ?? challenge, over);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.keys.privateKey);
    return {
      id: this.id,
      authenticatorData: text(data),
      clientDataJSON: text(client),
      signature: text(signature),
      userHandle: over.userHandle ?? this.userHandle,
    };
  }

  private clientData(type: string, challenge: string, { origin = this.origin }: Deviations): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  private authenticatorData(over: Deviations, flags: number): Buffer {
    const { rpId = new URL(this.origin).hostname, isUserVerified = true } = over;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.count);
    return Buffer.concat([sha256(rpId), Buffer.from([flags | 0x01 | (isUserVerified ? 0x04 : 0)]), count]);
  }

  private attestedData(): Buffer {
    const id = Buffer.from(this.id, 'base64url');
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' });
    const key = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x!, 'base64url')),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y!, 'base64url')),
    ]);
    return Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
  }
}

function cborText(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
}

/** Up to 65,535 bytes. */
function cborBytes(value: Buffer): Buffer {
  const head = value.length < 256 ? [0x58, value.length] : [0x59, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}
