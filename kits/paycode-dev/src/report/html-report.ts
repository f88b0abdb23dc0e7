import type { Verdict } from '../verify/check';
import type { Checked, Report } from '../verify/verify';
import { escaped } from './text-report';

const words: Record<Verdict, string> = { pass: 'Pass', warn: 'Warning', fail: 'Fail', skip: 'Not tried' };

// Colours keep a contrast of 4.5:1 on their ground, light and dark; a verdict is a word too.
const style = `
:root { color-scheme: light dark; --ground: #fff; --text: #1c2126; --quiet: #565f69; --line: #d9dee3;
  --pass: #176b34; --warn: #8a5300; --fail: #b3201c; --skip: #565f69; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181c; --text: #e7ebef; --quiet: #a5afb9; --line: #343c44;
  --pass: #6fd492; --warn: #f0b45c; --fail: #ff8f8a; --skip: #a5afb9; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; margin: 0; }
.url { margin: .25rem 0 1.25rem; color: var(--quiet); overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: .75rem 2rem; margin: 0 0 1.5rem; }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
ol { list-style: none; margin: 0; padding: 0; }
li { display: grid; grid-template-columns: 6rem 1fr; gap: 0 1rem; padding: .6rem 0; border-top: 1px solid var(--line); }
li > div { min-width: 0; overflow-wrap: anywhere; }
.verdict { font-weight: 600; }
.pass { color: var(--pass); } .warn { color: var(--warn); } .fail { color: var(--fail); } .skip { color: var(--skip); }
p { margin: .1rem 0 0; color: var(--quiet); font-size: .9375rem; }
code { font-size: .875rem; }
@media (max-width: 30rem) { li { grid-template-columns: 1fr; } }`;

/** One page that needs nothing else: no script, no request. */
export function htmlReport({ url, startedAt, counts, answerTimes, windowMs, checks }: Report): string {
  const numbers: [string, string | number][] = [
    ['Passed', counts.pass],
    ['Warnings', counts.warn],
    ['Failed', counts.fail],
    ['Not tried', counts.skip],
    ['Answers', answerTimes.count],
    ['p50', `${answerTimes.p50Ms} ms`],
    ['p99', `${answerTimes.p99Ms} ms`],
    ['Limit', `${windowMs} ms`],
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(counts.fail > 0 ? `${counts.fail} failed` : 'Passed')}: receiver of Paycode notifications</title>
<style>${style}
</style>
<main>
<h1>Receiver check</h1>
<p class="url">${escaped(url)} · <time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time></p>
<dl>
${numbers.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('\n')}
</dl>
<ol>
${checks.map(item).join('\n')}
</ol>
</main>
</html>
`;
}

function item({ id, title, verdict, reason, page }: Checked): string {
  const where = verdict === 'warn' || verdict === 'fail' ? `<p>See <code>${escaped(page)}</code></p>` : '';
  return `<li id="${escaped(id)}"><div class="verdict ${verdict}">${words[verdict]}</div><div>${escaped(title)}<p>${escaped(reason)}</p>${where}</div></li>`;
}
