import { parseArgs } from 'node:util';
import { UsageError } from './command-error';

export interface HelpCall {
  command: 'help';
  topic: string | undefined;
}

export interface DecryptCall {
  command: 'decrypt';
  file: string | undefined;
  keyFile: string | undefined;
  newKeyFile: string | undefined;
}

export interface VerifyCall {
  command: 'verify';
  url: URL;
  keyFile: string | undefined;
  newKeyFile: string | undefined;
  caFile: string | undefined;
  headerFile: string | undefined;
  clientFile: string | undefined;
  windowMs: number;
  wholeMs: number;
  reference: string | undefined;
  merchantId: number | undefined;
  isJson: boolean;
  isStrict: boolean;
  junitFile: string | undefined;
  htmlFile: string | undefined;
}

/** A call of the program, with everything that can be wrong in its words found. */
export type Call = HelpCall | { command: 'version' } | DecryptCall | VerifyCall;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const options = {
  key: text,
  'new-key': text,
  ca: text,
  'header-file': text,
  client: text,
  window: text,
  within: text,
  reference: text,
  'merchant-id': text,
  junit: text,
  html: text,
  json: flag,
  strict: flag,
  help: { ...flag, short: 'h' },
  version: flag,
} as const;
const decryptOptions = new Set(['key', 'new-key', 'json']);
const programOptions = new Set(['json', 'help', 'version']);
/** For completion. */
export const optionsOfProgram = {
  verify: Object.keys(options).filter(name => !programOptions.has(name)),
  decrypt: ['key', 'new-key'],
};
const referenceCharsMax = 45;

type Values = ReturnType<typeof parsed>['values'];

/** @throws UsageError */
export function parseCall(words: readonly string[]): Call {
  const { values, positionals } = parsed(words);
  const [command, ...rest] = positionals;
  if (values.version) return { command: 'version' };
  if (command === undefined || command === 'help') return { command: 'help', topic: rest[0] };
  if (values.help) return { command: 'help', topic: command };
  if (rest.length > 1) throw new UsageError(`${command} takes one word: what else was given is too much`);
  if (command === 'verify') return verifyCall(rest[0], values);
  if (command === 'decrypt') return decryptCall(rest[0], values);
  throw new UsageError(`there is no command ${JSON.stringify(command)}: see paycode-dev --help`);
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]!, { cause: error });
  }
}

function decryptCall(file: string | undefined, values: Values): DecryptCall {
  const strange = Object.keys(values).find(name => !decryptOptions.has(name));
  if (strange !== undefined) throw new UsageError(`decrypt has no option --${strange}`);
  return { command: 'decrypt', file, keyFile: values.key, newKeyFile: values['new-key'] };
}

function verifyCall(url: string | undefined, values: Values): VerifyCall {
  const { reference } = values;
  if (reference !== undefined && (reference === '' || reference.length > referenceCharsMax))
    throw new UsageError(`--reference: 1 to ${referenceCharsMax} characters`);
  return {
    command: 'verify',
    url: urlOf(url),
    keyFile: values.key,
    newKeyFile: values['new-key'],
    caFile: values.ca,
    headerFile: values['header-file'],
    clientFile: values.client,
    windowMs: secondsOf(values, 'window', { standard: 45, max: 45 }) * 1_000,
    wholeMs: secondsOf(values, 'within', { standard: 600, max: 86_400 }) * 1_000,
    reference,
    merchantId: merchantOf(values['merchant-id']),
    isJson: values.json ?? false,
    isStrict: values.strict ?? false,
    junitFile: values.junit,
    htmlFile: values.html,
  };
}

function urlOf(word: string | undefined): URL {
  if (word === undefined) throw new UsageError('verify needs the URL of the receiver');
  if (!URL.canParse(word)) throw new UsageError('the URL cannot be read: e.g. https://shop.example.com/paycode');
  const url = new URL(word);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new UsageError('the URL must be http or https');
  if (url.username !== '' || url.password !== '') throw new UsageError('the URL must not hold a user or a password');
  return url;
}

function secondsOf(values: Values, name: 'window' | 'within', { standard, max }: { standard: number; max: number }): number {
  const word = values[name];
  if (word === undefined) return standard;
  const seconds = Number(word);
  if (!/^\d+(\.\d+)?$/.test(word) || seconds <= 0 || seconds > max)
    throw new UsageError(`--${name}: seconds, more than 0 and at most ${max}`);
  return seconds;
}

function merchantOf(word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  if (!/^[1-9]\d{0,15}$/.test(word) || !Number.isSafeInteger(Number(word)))
    throw new UsageError('--merchant-id: a positive integer');
  return Number(word);
}
