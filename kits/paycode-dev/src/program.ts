import { readFileSync, writeFileSync } from 'node:fs';
import { type Call, type DecryptCall, parseCall, type VerifyCall } from './arguments';
import { callOf, type Surroundings } from './commands/command';
import { commands } from './commands/commands';
import { CommandError, exitCodes, UsageError } from './command-error';
import { decrypt, readBody } from './decrypt';
import { helpOf } from './help';
import { keyFrom } from './keys';
import { htmlReport } from './report/html-report';
import { checkLines, junitReport, summaryLines } from './report/text-report';
import { type Report, verify } from './verify/verify';
import { RefusedBody } from './webhook/envelope';

/** Runs one command and gives its exit code. */
export async function runProgram(words: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    const command = commands.find(({ name }) => name === words[0]);
    if (!command) return await runCall(parseCall(words), surroundings);
    const call = callOf(command, words.slice(1), surroundings);
    if (!call.flags.has('help')) return await command.run(call);
    surroundings.write(command.help);
    return exitCodes.good;
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof CommandError;
    if (!isExpected) throw error;
    surroundings.complain(`paycode-dev: ${error.message}\n`);
    return error instanceof CommandError ? error.exitCode : exitCodes.usage;
  }
}

async function runCall(call: Call, surroundings: Surroundings): Promise<number> {
  switch (call.command) {
    case 'help':
      surroundings.write(helpOf(call.topic));
      return exitCodes.good;
    case 'version':
      surroundings.write(`${surroundings.version}\n`);
      return exitCodes.good;
    case 'decrypt':
      return runDecrypt(call, surroundings);
    case 'verify':
      return runVerify(call, surroundings);
  }
}

function keysOf({ keyFile, newKeyFile }: VerifyCall | DecryptCall, { environment }: Surroundings) {
  const key = keyFrom({ option: '--key', file: keyFile, variable: 'PAYCODE_WEBHOOK_KEY', value: environment.key });
  const newKey = keyFrom({
    option: '--new-key',
    file: newKeyFile,
    variable: 'PAYCODE_WEBHOOK_NEW_KEY',
    value: environment.newKey,
  });
  if (!key) throw new UsageError('give the key that addHttp answered: --key <file>, or PAYCODE_WEBHOOK_KEY in the environment');
  return { key, newKey };
}

async function runDecrypt(call: DecryptCall, surroundings: Surroundings): Promise<number> {
  const { key, newKey } = keysOf(call, surroundings);
  try {
    const text = decrypt(await readBody(call.file, surroundings.input), newKey ? [newKey, key] : [key]);
    surroundings.write(surroundings.isTerminal && !text.endsWith('\n') ? `${text}\n` : text);
    return exitCodes.good;
  } catch (error) {
    if (!(error instanceof RefusedBody)) throw error;
    surroundings.complain(`paycode-dev: ${error.message}\n`);
    return exitCodes.bad;
  }
}

async function runVerify(call: VerifyCall, surroundings: Surroundings): Promise<number> {
  const isText = !call.isJson;
  const look = { isColoured: surroundings.isTerminal && !surroundings.environment.isColourless };
  const report = await verify({
    ...call,
    ...keysOf(call, surroundings),
    ca: textOf('--ca', call.caFile),
    client: textOf('--client', call.clientFile),
    headers: headersIn(textOf('--header-file', call.headerFile)),
    samplesFolder: surroundings.samplesFolder,
    onChecked: checked => isText && surroundings.write(checkLines(checked, look)),
  });
  surroundings.write(isText ? summaryLines(report) : `${JSON.stringify(report, null, 2)}\n`);
  if (call.junitFile !== undefined) save('--junit', call.junitFile, junitReport(report));
  if (call.htmlFile !== undefined) save('--html', call.htmlFile, htmlReport(report));
  return exitCodeOf(report, call.isStrict);
}

function exitCodeOf({ counts, checks, answerTimes }: Report, isStrict: boolean): number {
  const isBad = counts.fail > 0 || (isStrict && counts.warn > 0);
  if (!isBad) return exitCodes.good;
  const probe = checks.find(({ id }) => id === 'probe');
  return answerTimes.count === 0 && probe?.verdict !== 'pass' ? exitCodes.unreachable : exitCodes.bad;
}

const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ ]*([!-~](?:[ -~]*[!-~])?)\s*$/;

/** As `curl -H @file` reads it. No message repeats the line. */
function headersIn(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined;
  const [, name, value] = headerLine.exec(text) ?? [];
  if (!name || !value) throw new UsageError('--header-file: the file must hold one line, `Name: value`');
  return { [name]: value };
}

function textOf(option: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${option}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

function save(option: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${option}: the file cannot be written (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}
