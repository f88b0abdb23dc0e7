import type { Readable } from 'node:stream';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from '../command-error';
import type { Environment } from '../config/env';
import { Account } from '../platform/account';
import { type Profile, ProfileStore } from '../platform/profile-store';

/** The environment of the program, and its input and output. Tests replace them. */
export interface Surroundings {
  environment: Environment;
  input: Readable;
  write(text: string): void;
  complain(text: string): void;
  /** Calls `act` once when the program is asked to end. */
  onStop(act: () => void): void;
  isTerminal: boolean;
  samplesFolder: string;
  version: string;
}

/** A command for those who integrate. Its help shows an example first. */
export interface Command {
  name: string;
  /** One line of the general help. */
  summary: string;
  help: string;
  /** The permitted first words, for completion. */
  firstWords?: readonly string[];
  wordsMax: number;
  options: readonly string[];
  flags?: readonly string[];
  run(call: CommandCall): Promise<number>;
}

export interface CommandCall {
  words: string[];
  /** Options by name; flags are under `flags`. */
  values: Record<string, string | undefined>;
  flags: ReadonlySet<string>;
  surroundings: Surroundings;
}

/** @throws UsageError for words and options that the command does not have */
export function callOf(command: Command, words: readonly string[], surroundings: Surroundings): CommandCall {
  const { values, positionals } = parsed(command, words);
  if (positionals.length > command.wordsMax)
    throw new UsageError(`${command.name} takes no word ${JSON.stringify(positionals[command.wordsMax])}`);
  const given = Object.entries(values);
  return {
    words: positionals,
    values: Object.fromEntries(given.filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
    flags: new Set(given.filter(([, value]) => value === true).map(([name]) => name)),
    surroundings,
  };
}

function parsed({ options, flags = [] }: Command, words: readonly string[]) {
  const known: NonNullable<ParseArgsConfig['options']> = {};
  for (const name of options) known[name] = { type: 'string' };
  for (const name of [...flags, 'json', 'help']) known[name] = { type: 'boolean' };
  try {
    return parseArgs({ args: [...words], options: known, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]!, { cause: error });
  }
}

export function profilesOf({ surroundings }: CommandCall): ProfileStore {
  return new ProfileStore(surroundings.environment.configFolder);
}

/** The account of `--url` and `--as`, or of the last login. @throws CommandError when nobody is logged in there */
export function accountOf(call: CommandCall): Account {
  return new Account(profilesOf(call), profileOf(call));
}

export function profileOf(call: CommandCall): Profile {
  return profilesOf(call).read({ url: urlIn(call.values['url']), identity: call.values['as'] });
}

/** Options with which a command chooses an account, and their help. */
export const accountOptions = ['url', 'as'] as const;
export const accountHelp = `  --url <url>           the platform; that of the last login unless given
  --as <account>        one of the accounts that are logged in there
`;

/** Origin of a platform. @throws UsageError */
export function urlIn(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  if (!URL.canParse(word) || new URL(word).protocol !== 'https:')
    throw new UsageError('--url: the address of the platform, e.g. https://localhost:8443');
  return new URL(word).origin;
}

/** Which of the account's relays: `--name`. @throws UsageError */
export function relayNameOf({ values }: CommandCall): string {
  const name = values['name'] ?? 'dev';
  if (!/^[a-z0-9-]{1,32}$/.test(name)) throw new UsageError('--name: 1 to 32 small letters, digits and hyphens');
  return name;
}

/** A whole number in a range. @throws UsageError */
export function numberIn(call: CommandCall, name: string, { standard, max }: { standard: number; max: number }): number {
  const word = call.values[name];
  if (word === undefined) return standard;
  const value = Number(word);
  if (!/^\d{1,16}$/.test(word) || value < 1 || value > max) throw new UsageError(`--${name}: a whole number from 1 to ${max}`);
  return value;
}

/** Shows an answer: as JSON exactly as it came, or member by member for people. */
export function show({ flags, surroundings }: CommandCall, json: string): void {
  surroundings.write(flags.has('json') ? `${json.trimEnd()}\n` : membersOf(json));
}

/** Members of a flat object, one per line, digits as they came. */
function membersOf(json: string): string {
  const members = [...json.matchAll(/"(\w+)":\s*("(?:[^"\\]|\\.)*"|[^,{}[\]]+)/g)];
  const width = Math.max(0, ...members.map(([, name]) => name!.length));
  return members.map(([, name, value]) => `${name!.padEnd(width)}  ${plain(value!)}\n`).join('');
}

function plain(value: string): string {
  return value.startsWith('"') ? String(JSON.parse(value)) : value.trim();
}
