import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A golden sample: the JSON as the platform writes it, digit for digit. */
export interface Sample {
  name: string;
  text: string;
}

export interface Notification {
  transactionId: number;
  text: string;
}

export interface MakerOptions {
  /** Both replace what the samples say, for receivers that look an order or a merchant up. */
  reference?: string;
  merchantId?: number;
}

type Members = Partial<
  Record<'transactionId' | 'referenceTransactionId' | 'merchantId' | 'reference' | 'status', string | number>
>;

const largestId = Number.MAX_SAFE_INTEGER;
const defaultReference = 'paycode-dev-verify';

/** Makes notifications of new transactions out of the golden samples, as text: no number is ever parsed and written again. */
export class NotificationMaker {
  private constructor(
    readonly samples: readonly Sample[],
    private readonly options: MakerOptions,
  ) {}

  /** @param folder the golden samples of the contract, one JSON file each */
  static from(folder: string, options: MakerOptions = {}): NotificationMaker {
    const files = readdirSync(folder)
      .filter(name => name.endsWith('.json'))
      .sort();
    const samples = files.map(name => ({ name: name.replace('.json', ''), text: readFileSync(join(folder, name), 'utf8') }));
    return new NotificationMaker(samples, options);
  }

  /** A new transaction in the form of a sample. */
  ofSample(sample: Sample): Notification {
    const transactionId = sample.text.includes(`"transactionId": ${largestId},`) ? newLargeId() : newId();
    const { reference, merchantId } = this.options;
    return { transactionId, text: changed(sample.text, { transactionId, reference, merchantId }) };
  }

  /** A paid purchase. */
  success(transactionId = newId()): Notification {
    return this.made('purchase-success', { transactionId });
  }

  /** Tells that a payment was reversed; it has an id of its own. */
  reversed(paymentId: number): Notification {
    return this.made('reversal-reversed', { transactionId: newId(), referenceTransactionId: paymentId });
  }

  private made(name: string, members: Members & { transactionId: number }): Notification {
    const sample = this.samples.find(one => one.name === name);
    if (!sample) throw new Error(`the golden sample ${name} is missing`);
    const { reference = defaultReference, merchantId } = this.options;
    return { transactionId: members.transactionId, text: changed(sample.text, { reference, merchantId, ...members }) };
  }
}

/** Far above the ids of a young platform, and new in each run. */
export function newId(): number {
  return 2 ** 47 + randomInt(2 ** 47);
}

/** Near the largest id, and ends in 1: rounded to 15 digits, or kept in a float of 32 bits, it is the same as what is one less. */
export function newLargeId(): number {
  return largestId - 10 * randomInt(2 ** 38);
}

/** The same JSON with other values of top-level members; undefined ones stay as they are. */
function changed(text: string, members: Members): string {
  return Object.entries(members).reduce((json, [name, value]) => {
    if (value === undefined) return json;
    const member = new RegExp(String.raw`("${name}": )("(?:[^"\\]|\\.)*"|\d+)`);
    return json.replace(member, (_, head: string) => head + JSON.stringify(value));
  }, text);
}

/** The same notification with a member that no version has yet. */
export function withUnknownFields(text: string): string {
  return text.replace('{', '{ "laterVersion": { "list": [1, 2.50, "]}", null, true] },');
}

/** The same notification made longer by spaces between its members, so that its envelope in base64 has at least `chars` characters. */
export function widened(text: string, { chars, overheadBytes }: { chars: number; overheadBytes: number }): string {
  const missing = Math.ceil((chars / 4) * 3) - overheadBytes - Buffer.byteLength(text);
  return text.replace('{', `{${' '.repeat(Math.max(0, missing))}`);
}
