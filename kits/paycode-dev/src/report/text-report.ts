import type { Verdict } from '../verify/check';
import type { Checked, Report } from '../verify/verify';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For XML and HTML, in texts and in attributes. Control characters have no place in either. */
export function escaped(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ').replace(/[&<>"']/g, character => entities[character]!);
}

const columns = 80;
const indent = '      ';
const words: Record<Verdict, string> = { pass: 'pass', warn: 'WARN', fail: 'FAIL', skip: 'skip' };
const colours: Record<Verdict, number> = { pass: 32, warn: 33, fail: 31, skip: 90 };

export interface TextOptions {
  isColoured: boolean;
}

/** One check: a line, and for all but a pass the reason and the page below it. No line is longer than 80 columns. */
export function checkLines({ verdict, id, title, reason, page }: Checked, { isColoured }: TextOptions): string {
  const word = isColoured ? `\u001b[${colours[verdict]}m${words[verdict]}\u001b[0m` : words[verdict];
  const head = `${word}  ${title}${verdict === 'pass' ? '' : ` (${id})`}\n`;
  const told = verdict === 'pass' ? [] : wrapped(reason);
  const where = verdict === 'warn' || verdict === 'fail' ? [page] : [];
  return head + [...told, ...where].map(line => `${indent}${line}\n`).join('');
}

export function summaryLines({ counts, answerTimes, windowMs }: Report): string {
  const { count, p50Ms, p99Ms } = answerTimes;
  return [
    '',
    `${counts.pass} passed, ${counts.warn} warned, ${counts.fail} failed, ${counts.skip} not tried`,
    `${count} answers: p50 ${p50Ms} ms, p99 ${p99Ms} ms; the limit is ${windowMs} ms`,
    '',
  ].join('\n');
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** One test case per check. A warning passes, with its reason as output: JUnit knows no third verdict. */
export function junitReport({ url, startedAt, counts, checks }: Report): string {
  const numbers = `tests="${checks.length}" failures="${counts.fail}" skipped="${counts.skip}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="paycode-dev verify" ${numbers}>`,
    `<testsuite name="${escaped(url)}" timestamp="${startedAt}" ${numbers}>`,
    ...checks.map(testCase),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ id, title, verdict, reason, page }: Checked): string {
  const open = `<testcase classname="paycode-dev.verify" name="${escaped(`${id}: ${title}`)}"`;
  const text = escaped(reason);
  if (verdict === 'pass') return `${open}/>`;
  if (verdict === 'skip') return `${open}><skipped message="${text}"/></testcase>`;
  if (verdict === 'warn') return `${open}><system-out>warning: ${text} ${page}</system-out></testcase>`;
  return `${open}><failure message="${text}">${page}</failure></testcase>`;
}
