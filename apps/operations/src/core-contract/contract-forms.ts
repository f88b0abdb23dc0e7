import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { compactDecrypt, decodeProtectedHeader } from 'jose';

/** Words for people about what breaks a JSON Schema: paths and rules, never values. */
type Problems = string[];

/** The published forms of what a core sends, and the keys that open its notifications. */
export class ContractForms {
  private readonly terminal: ValidateFunction;
  private readonly notification: ValidateFunction;
  private readonly keys: ReadonlyMap<string, Buffer>;

  /** `contracts`: folder of the JSON Schemas. `payloadKeys`: `kid:base64,kid:base64`, as PAYLOAD_KEYS. @throws Error */
  constructor(contracts: string, payloadKeys: string) {
    const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
    const schema = (name: string): ValidateFunction =>
      ajv.compile(JSON.parse(readFileSync(`${contracts}/${name}.schema.json`, 'utf8')) as object);
    this.terminal = schema('transaction-terminal.v1');
    this.notification = schema('transaction-notification.v3');
    this.keys = ringOf(payloadKeys);
  }

  terminalProblems(data: unknown): Problems {
    return problemsOf(this.terminal, data);
  }

  notificationProblems(data: unknown): Problems {
    return problemsOf(this.notification, data);
  }

  /** The text that was sealed. @throws Error that says what is wrong with the seal and quotes nothing */
  async opened(jwe: string): Promise<string> {
    const { alg, enc, kid } = headerOf(jwe);
    if (alg !== 'dir' || enc !== 'A256GCM') throw new Error('its header must say alg dir and enc A256GCM');
    const key = typeof kid === 'string' ? this.keys.get(kid) : undefined;
    if (!key) throw new Error('its kid names none of the payload keys');
    try {
      return Buffer.from((await compactDecrypt(jwe, key)).plaintext).toString('utf8');
    } catch (cause) {
      throw new Error('the payload key of its kid does not open it', { cause });
    }
  }
}

function headerOf(jwe: string): { alg?: unknown; enc?: unknown; kid?: unknown } {
  try {
    return decodeProtectedHeader(jwe);
  } catch (cause) {
    throw new Error('it is no compact JWE', { cause });
  }
}

function ringOf(text: string): Map<string, Buffer> {
  const entries = text
    .trim()
    .split(',')
    .map((entry): [string, Buffer] => {
      const colon = entry.indexOf(':');
      return [entry.slice(0, Math.max(colon, 0)).trim(), Buffer.from(entry.slice(colon + 1), 'base64')];
    });
  if (entries.some(([kid, key]) => kid === '' || key.length !== 32))
    throw new Error('payload keys: expected kid:base64,kid:base64 with keys of 32 bytes');
  return new Map(entries);
}

function problemsOf(validate: ValidateFunction, data: unknown): Problems {
  if (validate(data)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath.slice(1) || 'data'} ${message}`);
}
