import type { MailedStatement, StatementSums } from '@paycode/dto';
import { escapedHtml, moneyText, plainText } from './message-texts';

const rows = {
  paid: 'Paid',
  settled: 'Settled',
  reversed: 'Reversed',
  waiting: 'Waiting',
  refunded: 'Refunded',
} as const;

/** A day or a month, as the page of statements has it, in words: its sums by currency alone. */
export function statementWords({ period, timeZone, totals }: MailedStatement, tenant: string) {
  const isDay = period.length > 'yyyy-mm'.length;
  const name = dateText(period, isDay);
  const zone = plainText(timeZone, 64);
  return {
    fact: `Statement for ${name}, ${plainText(tenant, 100)}`,
    paragraphs:
      totals.length === 0
        ? [`No payments and no refunds. Days of ${zone}.`]
        : [`Days of ${zone}. Settled contains the tips. The page shows the sums as they are when you open it.`],
    table: {
      text: totals.map(textOf).join('\n\n'),
      html: totals.length === 0 ? '' : `<table>${totals.map(htmlOf).join('')}</table>`,
    },
    button: 'Open the statement',
  };
}

function linesOf(sums: StatementSums): [label: string, count: string, money: string][] {
  const counted = Object.entries(rows) as [keyof typeof rows, string][];
  const lines = counted.map(([name, label]): [string, string, string] => {
    return [label, String(sums[name].count), moneyText(sums.currencyCode, sums[name].amount)];
  });
  return [...lines, ['Tips', '', moneyText(sums.currencyCode, sums.tips)]];
}

function textOf(sums: StatementSums): string {
  const lines = linesOf(sums).map(([label, count, money]) => `${label}: ${money}${count && ` (${count})`}`);
  return [sums.currencyCode, ...lines].join('\n');
}

function htmlOf(sums: StatementSums): string {
  const right = 'style="text-align:right;padding-left:16px"';
  const lines = linesOf(sums).map(
    ([label, count, money]) =>
      `<tr><th style="text-align:left;font-weight:normal">${label}</th><td ${right}>${count}</td><td ${right}>${escapedHtml(money)}</td></tr>`,
  );
  return `<tbody><tr><th colspan="3" style="text-align:left;padding-top:12px">${escapedHtml(sums.currencyCode)}</th></tr>${lines.join('')}</tbody>`;
}

/** `27 November 2026`, or `November 2026`. */
function dateText(period: string, isDay: boolean): string {
  const parts = { ...(isDay && { day: 'numeric' as const }), month: 'long' as const, year: 'numeric' as const };
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(
    new Date(`${period}${isDay ? '' : '-01'}T00:00:00Z`),
  );
}
