import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { exitCodes, UsageError } from '../command-error';
import { accountHelp, accountOf, accountOptions, type Command, type CommandCall, numberIn, show } from './command';

const keysKept = 2;
const base = '/portal/restful/merchant/notification';

/** An operation of a merchant's notifications: its members beside the merchant, by the words after the action. */
const actions: Record<string, { path: string; membersOf(words: string[]): object; isKey?: boolean }> = {
  add: { path: `${base}/addHttp`, membersOf: ([url]) => ({ url: given(url, 'add needs the URL'), version: 'V3' }), isKey: true },
  'renew-key': { path: `${base}/renewKey`, membersOf: () => ({}), isKey: true },
  list: { path: `${base}/list`, membersOf: () => ({}) },
  recipients: {
    path: `${base}/extra`,
    membersOf: ([type, value]) => ({
      type: given(type, 'recipients needs EMAIL or SMS'),
      value: given(value, 'recipients needs the address'),
    }),
  },
};

export const notificationsCommand: Command = {
  name: 'notifications',
  summary: "sets a merchant's URL, key and recipients, as its PSP",
  help: `paycode-dev notifications add|renew-key|list|recipients: as the PSP

  paycode-dev notifications add https://shop.example.com/paycode \\
    --merchant-id 1002 --key webhook.key
  paycode-dev notifications renew-key --merchant-id 1002 --key webhook.key
  paycode-dev notifications recipients EMAIL shop@example.org --merchant-id 1002
  paycode-dev notifications list --merchant-id 1002 --as psp-1

add and renew-key write the key to a file of mode 0600, a new key above the old
one, which opens what is on its way: take the old one out after a minute.

  --merchant-id <id>    the merchant
  --key <file>          where the key goes (add, renew-key)
${accountHelp}  --json                the platform's answer, digit for digit, without the key

Exit codes
  0  done              2  wrong call    4  not logged in
  1  refused           3  the platform cannot be reached
`,
  firstWords: Object.keys(actions),
  wordsMax: 3,
  options: ['merchant-id', 'key', ...accountOptions],
  async run(call) {
    const [name = '', ...words] = call.words;
    const action = actions[name];
    if (!action) throw new UsageError(`notifications needs one of: ${Object.keys(actions).join(', ')}`);
    const merchantId = numberIn(call, 'merchant-id', { standard: 0, max: Number.MAX_SAFE_INTEGER });
    if (merchantId === 0) throw new UsageError('--merchant-id: which merchant?');
    const keyFile = action.isKey ? given(call.values['key'], `${name} needs --key <file>, where the key goes`) : undefined;
    const body = JSON.stringify({ merchantId, ...action.membersOf(words) });
    const text = await accountOf(call).call(`notifications ${name}`, { method: 'POST', path: action.path, body });
    if (keyFile === undefined) showEntries(call, text);
    else showKept(call, keyFile, text);
    return exitCodes.good;
  },
};

function given(word: string | undefined, problem: string): string {
  if (word === undefined) throw new UsageError(problem);
  return word;
}

function showEntries(call: CommandCall, text: string): void {
  if (call.flags.has('json')) return show(call, text);
  for (const { type, value } of JSON.parse(text) as { type: string; value: string }[])
    call.surroundings.write(`${type}  ${value}\n`);
}

function showKept(call: CommandCall, file: string, text: string): void {
  const { encryptKey, ...others } = JSON.parse(text) as { encryptKey: string };
  const old = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => line.trim() !== '' && line.trim() !== encryptKey)
    : [];
  // A receiver may read the file at this moment: it finds the old keys or the new ones, never half of them.
  writeFileSync(`${file}.new`, `${[encryptKey, ...old].slice(0, keysKept).join('\n')}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  show(call, JSON.stringify({ ...others, keyFile: file }));
}
