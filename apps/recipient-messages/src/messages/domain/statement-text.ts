import type { MailedStatement, StatementSums } from '@paycode/dto';
import { escapedHtml, plainText } from './message-texts';
import type { Speech, Text } from './speech';

const rows = {
  paid: 'Paid',
  settled: 'Settled',
  reversed: 'Reversed',
  waiting: 'Waiting',
  refunded: 'Refunded',
} as const satisfies Partial<Record<keyof StatementSums, Text>>;

/** A day or a month, as the page of statements has it, in words: its sums by currency alone. */
export function statementWords({ period, timeZone, totals }: MailedStatement, tenant: string, speech: Speech) {
  const zone = plainText(timeZone, 64);
  const isEmpty = totals.length === 0;
  return {
    fact: speech.say('Statement for {period}, {tenant}', { period: speech.period(period), tenant: plainText(tenant, 100) }),
    paragraphs: [
      isEmpty
        ? speech.say('No payments and no refunds. Days of {zone}.', { zone })
        : speech.say('Days of {zone}. Settled contains the tips. The page shows the sums as they are when you open it.', {
            zone,
          }),
    ],
    table: {
      text: totals.map(sums => textOf(sums, speech)).join('\n\n'),
      html: isEmpty ? '' : `<table>${totals.map(sums => htmlOf(sums, speech)).join('')}</table>`,
    },
    button: 'Open the statement' as const,
  };
}

function linesOf(sums: StatementSums, speech: Speech): [label: string, count: string, money: string][] {
  const moneyOf = (amount: string) => speech.money([{ currencyCode: sums.currencyCode, amount }]);
  const counted = Object.entries(rows) as [keyof typeof rows, Text][];
  const lines = counted.map(([name, label]): [string, string, string] => {
    return [speech.say(label), String(sums[name].count), moneyOf(sums[name].amount)];
  });
  return [...lines, [speech.say('Tips'), '', moneyOf(sums.tips)]];
}

function textOf(sums: StatementSums, speech: Speech): string {
  const lines = linesOf(sums, speech).map(([label, count, money]) => `${label}: ${money}${count && ` (${count})`}`);
  return [sums.currencyCode, ...lines].join('\n');
}

function htmlOf(sums: StatementSums, speech: Speech): string {
  const number = 'style="text-align:end;padding-inline-start:16px"';
  const lines = linesOf(sums, speech).map(cells => {
    const [label, count, money] = cells.map(escapedHtml);
    return `<tr><td>${label}</td><td ${number}>${count}</td><td ${number}>${money}</td></tr>`;
  });
  return `<tbody><tr><td colspan="3" style="padding-top:12px"><b>${escapedHtml(sums.currencyCode)}</b></td></tr>${lines.join('')}</tbody>`;
}
