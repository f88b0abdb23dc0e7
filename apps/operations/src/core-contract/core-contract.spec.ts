import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContractForms } from './contract-forms';
import { readArguments, UsageError } from './core-arguments';
import { CoreClient, Unreachable } from './core-client';
import { type Fault, FaultyCore, MemoryLog, operatorToken, payloadKeys } from './testing/faulty-core';
import { allChecks, type Checked, countsOf, verifyCore } from './verify-core';

const forms = new ContractForms(join(__dirname, '../../../../libs/dto/contracts'), payloadKeys);
/** A core of this process answers before its call ends, so that what is missing then stays missing. */
const withinMs = 1;

async function verified(fault?: Fault): Promise<Checked[]> {
  const log = new MemoryLog();
  const faulty = new FaultyCore(log, fault);
  await faulty.listen();
  const core = new CoreClient({ url: faulty.url, token: operatorToken });
  try {
    return await verifyCore({ core, log, forms, merchantId: 1001, currencyCode: 'ZAR', withinMs });
  } finally {
    await core.close();
    await faulty.stop();
  }
}

const failuresOf = (checked: readonly Checked[]): string[] =>
  checked.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);

/** Each with the checks that must notice it, and no others. */
const faults: [Fault, string[]][] = [
  ['asks for no token', ['no-token']],
  ['takes any token', ['wrong-token']],
  ['takes any amount', ['bad-input']],
  ['completes each repeat', ['completed-once']],
  ['takes another amount for a repeat', ['completed-once']],
  ['refuses a repeat', ['completed-once']],
  ['knows what it never saw', ['state']],
  ['announces nothing', ['event']],
  ['keys by merchant', ['event-key', 'reversal']],
  ['sends no ce_type', ['event-headers']],
  ['writes local time', ['event-schema', 'reversal']],
  ['sends the notification in clear', ['event-schema', 'notification', 'reversal']],
  ['seals under another key', ['notification']],
  ['computes with floats', ['notification']],
  ['announces declined as paid', ['declined']],
  ['never reverses', ['reversal']],
  ['reverses under the id of the payment', ['reversal']],
  ['reverses at each request', ['reversal-once']],
  ['reverses what it does not know', ['reversal-unknown']],
  ['stops at a record that it cannot read', ['reversal-poison']],
  ['dates the reversal before the payment', ['order']],
  ['changes what it announced', ['terminal']],
];

describe('the contract of payment cores', () => {
  it('a core that keeps it passes every check', async () => {
    const checked = await verified();
    expect(checked.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(countsOf(checked).pass).toBe(allChecks.length);
  });

  describe('as in R-2.5-10, A-57, P-I2, T-16, T-27, T-29', () => {
    it.each(faults)('a core that %s fails at %j', async (fault, ids) => {
      expect(failuresOf(await verified(fault))).toEqual(ids);
    });
  });

  it('every check fails for one of these cores, or it could not fail', () => {
    const seen = new Set(faults.flatMap(([, ids]) => ids));
    expect(allChecks.map(({ id }) => id).filter(id => !seen.has(id))).toEqual([]);
    expect(new Set(allChecks.map(({ id }) => id)).size).toBe(allChecks.length);
  });

  it('the page for the team of a core explains every check', () => {
    const page = readFileSync(join(__dirname, '../../../../docs/how-to/connect-your-payment-core.md'), 'utf8');
    expect(allChecks.map(({ id }) => id).filter(id => !page.includes(`\`${id}\``))).toEqual([]);
    expect(page).toContain(`${allChecks.length} passed`);
  });

  it('says nothing of payloads, keys and tokens', async () => {
    const text =
      JSON.stringify(await verified('seals under another key')) +
      JSON.stringify(await verified('sends the notification in clear'));
    for (const secret of [operatorToken, payloadKeys.slice(3), 'cardInfo', '110.10"']) expect(text).not.toContain(secret);
  });

  it('a core that does not answer is told from one that answers wrongly', async () => {
    const core = new CoreClient({ url: 'http://127.0.0.1:1', token: operatorToken });
    const run = verifyCore({ core, log: new MemoryLog(), forms, merchantId: 1001, currencyCode: 'ZAR', withinMs });
    await expect(run).rejects.toThrow(Unreachable);
    await core.close();
  });

  it.each([
    [[], '--core is missing'],
    [['--core', 'ftp://core'], '--core: expected http(s)://host:port'],
    [['--core', 'http://core:1', '--token-file', '/nowhere'], '--token-file: /nowhere does not exist'],
    [['--cores', 'x'], "Unknown option '--cores'"],
  ])('refuses the words %j: %s', (words, message) => {
    const read = () => readArguments(words);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
  });
});
