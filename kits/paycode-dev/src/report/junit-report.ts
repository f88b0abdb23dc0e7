import type { Checked, Report } from '../verify/verify';
import { escaped } from './escaped';

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
