import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  operatorName,
  replaceFile,
  signingKeyOf,
  signOperatorToken,
  subjectPattern,
} from '../../../../../libs/access/src/service-token/token-keys.ts';
import { OperatorError } from '../operator-connection.ts';

const hoursMax = 8;
/** Key file of the standalone platform. */
const keyFile = 'secrets/token-keys/operator.pem';
const revocationsFile = 'secrets/token-keys/operator-revocations.json';

interface Revocations {
  tokens: string[];
  issuedUntil: Record<string, number>;
}

interface RevokeOptions {
  token?: string;
  id?: string;
  subject?: string;
  everybody?: boolean;
  file?: string;
}

/** Tokens of persons who operate the platform. */
export function addOperatorCommands(program: Command, write: (text: string) => void): void {
  const operators = program.command('operators').description('tokens of operators');
  const inHome = (name: string): string => join(program.opts<{ home: string }>().home, name);
  operators
    .command('issue')
    .requiredOption('--subject <name>', 'the person; appears in every audit row and log line')
    .option('--hours <hours>', `lifetime of the token in hours, at most ${hoursMax}`, String(hoursMax))
    .option('--key-file <file>', `private key of operator tokens (default: ${keyFile} of the home folder)`)
    .description('print an operator token')
    .action(({ subject, hours, keyFile: file }: { subject: string; hours: string; keyFile?: string }) => {
      write(`${issue({ subject, hours, file: file ?? inHome(keyFile) })}\n`);
    });
  operators
    .command('revoke')
    .option('--token <file>', 'the token in this file')
    .option('--id <jti>', 'the token with this id')
    .option('--subject <name>', 'all tokens of this person issued until now')
    .option('--everybody', 'all tokens issued until now')
    .option('--file <file>', `revocations (default: ${revocationsFile} of the home folder)`)
    .description('revoke operator tokens; running services read the file within a second')
    .action((options: RevokeOptions) => {
      write(`${revoke(options, options.file ?? inHome(revocationsFile))}\n`);
    });
}

function issue({ subject, hours, file }: { subject: string; hours: string; file: string }): string {
  const lifetimeS = Math.round(Number(hours) * 3_600);
  if (!(lifetimeS >= 60 && lifetimeS <= hoursMax * 3_600))
    throw new OperatorError(`--hours must be more than 0 and at most ${hoursMax}`);
  if (!subjectPattern.test(subject)) throw new OperatorError('--subject must be 1 to 64 letters, digits or . _ @ -');
  return signOperatorToken(signingKeyOf(operatorName, textOf(file)), { subject, lifetimeS });
}

function revoke({ token, id, subject, everybody }: RevokeOptions, file: string): string {
  const held = JSON.parse(textOf(file)) as Revocations;
  const nowS = Math.floor(Date.now() / 1_000);
  const tokenId = token === undefined ? id : idIn(textOf(token));
  const name = everybody ? '*' : subject;
  if (tokenId === undefined && name === undefined)
    throw new OperatorError('name the tokens to revoke: --token, --id, --subject or --everybody');
  const revoked: Revocations = {
    tokens: [...new Set([...held.tokens, ...(tokenId === undefined ? [] : [tokenId])])],
    issuedUntil: { ...held.issuedUntil, ...(name === undefined ? {} : { [name]: nowS }) },
  };
  replaceFile(file, `${JSON.stringify(revoked, null, 2)}\n`, 0o600);
  return `${file}: ${revoked.tokens.length} tokens and ${Object.keys(revoked.issuedUntil).length} subjects are revoked`;
}

function idIn(token: string): string {
  try {
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti?: string };
    if (jti) return jti;
  } catch (cause) {
    throw new OperatorError('the file holds no token', { cause });
  }
  throw new OperatorError('the token has no id');
}

function textOf(file: string): string {
  if (!existsSync(file)) throw new OperatorError(`${file} does not exist`);
  return readFileSync(file, 'utf8').trim();
}
