import { exitCodes, UsageError } from '../command-error';
import { keyFrom } from '../keys';
import { forwarded, headerOf, type Heard } from '../listen/forwarder';
import { Listener } from '../listen/listener';
import { Rehearsal } from '../listen/rehearsal';
import { opened, RefusedBody } from '../webhook/envelope';
import { accountHelp, accountOf, accountOptions, type Command, type CommandCall, relayNameOf } from './command';

const options = ['key', 'name', ...accountOptions];
const optionsHelp = `  --key <file>        the key that addHttp answered, or PAYCODE_WEBHOOK_KEY:
                      shows notifications decrypted. They hold personal data
  --name <name>       of the two URLs that an account may have; dev unless given
${accountHelp}  --json              one line of JSON per notification

Exit codes
  0  ended by Ctrl-C   2  wrong call                         4  not logged in
  1  refused           3  the platform cannot be reached
`;

export const listenCommand: Command = {
  name: 'listen',
  summary: 'receives notifications on your machine (sandbox)',
  help: `paycode-dev listen: receives notifications on your machine

  paycode-dev listen --forward-to http://localhost:3000/hook
  paycode-dev listen --forward-to http://localhost:3000/hook --key webhook.key

It prints a URL of your sandbox. Let your PSP set it as the merchant's URL
(addHttp). Each request there is forwarded unchanged, over a connection that
this command made, and the status of your server goes back as the answer. A cut
connection is made anew, and what has no answer yet is not lost.

  --forward-to <url>  your server; http or https
${optionsHelp}`,
  wordsMax: 0,
  options: ['forward-to', ...options],
  run: call => listen(call, targetOf(call)),
};

export const eventsCommand: Command = {
  name: 'events',
  summary: 'shows notifications as they come (sandbox)',
  help: `paycode-dev events tail: shows notifications as they come

  paycode-dev events tail --key webhook.key
  paycode-dev events tail --json

The public API has no list of notifications: this is listen without a server
of yours. It answers each notification with 200, so payments are settled.

${optionsHelp}`,
  firstWords: ['tail'],
  wordsMax: 1,
  options,
  run(call) {
    if (call.words[0] !== 'tail') throw new UsageError('events needs the word tail');
    return listen(call, undefined);
  },
};

async function listen(call: CommandCall, target: URL | undefined): Promise<number> {
  const { values, flags, surroundings } = call;
  const name = relayNameOf(call);
  const { environment, write, complain } = surroundings;
  const key = keyFrom({ option: '--key', file: values['key'], variable: 'PAYCODE_WEBHOOK_KEY', value: environment.key });
  const rehearsal = new Rehearsal(async heard => {
    const startedAtMs = performance.now();
    const status = target ? await forwarded(target, heard) : 200;
    const facts = { ...factsOf(heard, key), answered: status, ms: Math.round(performance.now() - startedAtMs) };
    write(flags.has('json') ? jsonLine(facts) : textLines(facts));
    return status;
  });
  const listener = new Listener({
    account: accountOf(call),
    name,
    answer: heard => rehearsal.answer(heard),
    onRehearsal: scenario => rehearsal.expect(scenario),
    onOpen: url => write(flags.has('json') ? `${JSON.stringify({ url })}\n` : `Notifications are taken at ${url}\n`),
    onCut: () => complain('paycode-dev: the connection was cut; trying again\n'),
  });
  surroundings.onStop(() => listener.stop());
  await listener.run();
  return exitCodes.good;
}

function targetOf({ values }: CommandCall): URL {
  const word = values['forward-to'];
  if (word === undefined || !URL.canParse(word) || !/^https?:$/.test(new URL(word).protocol))
    throw new UsageError('listen needs --forward-to <url> of your server, e.g. http://localhost:3000/hook');
  return new URL(word);
}

interface Facts {
  transactionId: string | null;
  attempt: string | null;
  answered: number;
  ms: number;
  /** JSON of the notification, digit for digit; null without a key that opens it. */
  notification: string | null;
}

function factsOf(heard: Heard, key: Buffer | undefined): Pick<Facts, 'transactionId' | 'attempt' | 'notification'> {
  return {
    transactionId: headerOf(heard, 'x-webhook-transaction-id') ?? null,
    attempt: headerOf(heard, 'x-webhook-attempt') ?? null,
    notification: key === undefined ? null : readable(heard.body, key),
  };
}

/** Null for the probe and for what the key does not open. */
function readable(body: Buffer, key: Buffer): string | null {
  try {
    return opened(body.toString('latin1'), [key]).toString('utf8');
  } catch (error) {
    if (!(error instanceof RefusedBody)) throw error;
    return null;
  }
}

function jsonLine({ notification, ...facts }: Facts): string {
  return `${JSON.stringify(facts).slice(0, -1)},"notification":${notification ?? 'null'}}\n`;
}

function textLines({ transactionId, attempt, answered, ms, notification }: Facts): string {
  const what = transactionId === null ? 'probe' : `${transactionId} attempt ${attempt ?? '1'}`;
  return `${what}  answered ${answered} after ${ms} ms\n${notification === null ? '' : `  ${notification}\n`}`;
}
