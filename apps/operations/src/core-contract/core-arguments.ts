import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readCallerTls } from '../../../../libs/platform-client/src/http/mutual-tls.ts';

/** The words of the command are wrong; the message is for the user. */
export class UsageError extends Error {}

export const usage = `npm run prove -- core --core <url> --kafka <brokers> --merchant <id> --token-file <file> --payload-keys-file <file>

Holds a payment core to the contract of docs/how-to/connect-your-payment-core.md. It completes payments and asks for their reversal:
use it where no money moves and Paycode's own services do not run.

  --core <url>                internal listener of the core, e.g. https://payment-core:3205
  --kafka <host:port,…>       brokers of both topics
  --merchant <id>             a merchant that the core knows
  --currency <code>           ISO 4217 code of the payments (default ZAR)
  --token-file <file>         an operator token (paycode operators issue)
  --payload-keys-file <file>  PAYLOAD_KEYS of the core
  --cert, --key, --ca <file>  with https: certificate and key of operator, and the authority, PEM
  --servername <name>         name in the core's certificate (default payment-simulator)
  --kafka-ca <file>           authority of the brokers, PEM; turns TLS on
  --kafka-user <name>         SCRAM-SHA-512 user, with --kafka-password-file <file>
  --within <seconds>          how long an event may take (default 30)
  --json                      the findings as JSON
Exit code 0: all passed. 1: a check failed. 2: the words are wrong. 3: the core or the brokers do not answer.`;

const text = { type: 'string' } as const;
const options = {
  core: text,
  kafka: text,
  merchant: text,
  currency: { ...text, default: 'ZAR' },
  'token-file': text,
  'payload-keys-file': text,
  cert: text,
  key: text,
  ca: text,
  servername: { ...text, default: 'payment-simulator' },
  'kafka-ca': text,
  'kafka-user': text,
  'kafka-password-file': text,
  within: { ...text, default: '30' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parsed>;

/** @throws UsageError */
export function readArguments(words: readonly string[]) {
  const values = parsed(words);
  if (values.help) return undefined;
  const { cert: certFile, key: keyFile, ca: caFile } = values;
  return {
    core: {
      url: urlOf(needed(values, 'core')),
      token: fileOf(values, 'token-file').trim(),
      tls: refusing(() => readCallerTls({ certFile, keyFile, caFile })),
      servername: values.servername,
    },
    kafka: kafkaOf(values),
    payloadKeys: fileOf(values, 'payload-keys-file'),
    merchantId: numberOf(needed(values, 'merchant'), { option: 'merchant', max: Number.MAX_SAFE_INTEGER }),
    currencyCode: currencyOf(values.currency),
    withinMs: numberOf(values.within, { option: 'within', max: 600 }) * 1_000,
    isJson: values.json,
  };
}

function parsed(words: readonly string[]) {
  return refusing(() => parseArgs({ args: [...words], options, strict: true }).values);
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UsageError((cause as Error).message.split('. ')[0]!, { cause });
  }
}

function needed(values: Values, option: 'core' | 'kafka' | 'merchant' | 'token-file' | 'payload-keys-file'): string {
  const value = values[option];
  if (!value) throw new UsageError(`--${option} is missing`);
  return value;
}

function fileOf(values: Values, option: 'token-file' | 'payload-keys-file'): string {
  return textIn(needed(values, option), option);
}

function textIn(file: string, option: string): string {
  if (!existsSync(file)) throw new UsageError(`--${option}: ${file} does not exist`);
  return readFileSync(file, 'utf8');
}

function kafkaOf(values: Values) {
  const brokers = needed(values, 'kafka').split(',');
  const wrong = brokers.find(broker => !/^[^\s:]+:\d{1,5}$/.test(broker));
  if (wrong !== undefined) throw new UsageError(`--kafka: ${JSON.stringify(wrong)} is no host:port`);
  const { 'kafka-ca': ca, 'kafka-user': username, 'kafka-password-file': passwordFile } = values;
  if ((username === undefined) !== (passwordFile === undefined))
    throw new UsageError('--kafka-user and --kafka-password-file go together');
  if (username !== undefined && ca === undefined)
    throw new UsageError('--kafka-user needs --kafka-ca: a password is never sent without TLS');
  return {
    brokers,
    ...(ca === undefined ? {} : { ssl: { ca: [textIn(ca, 'kafka-ca')] } }),
    ...(username === undefined || passwordFile === undefined
      ? {}
      : {
          sasl: { mechanism: 'scram-sha-512' as const, username, password: textIn(passwordFile, 'kafka-password-file').trim() },
        }),
  };
}

function urlOf(word: string): string {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new UsageError('--core: expected http(s)://host:port');
  return word;
}

function currencyOf(word: string): string {
  if (!/^[A-Z]{3}$/.test(word)) throw new UsageError('--currency: three capital letters');
  return word;
}

function numberOf(word: string, { option, max }: { option: string; max: number }): number {
  const value = Number(word);
  if (!/^[1-9]\d*$/.test(word) || value > max) throw new UsageError(`--${option}: a whole number from 1 to ${max}`);
  return value;
}
