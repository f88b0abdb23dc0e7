// node .ci/rerun.mjs <report of Jest> <flaky list> <npm script, or 'prove <what>'> [options of the script]
//
// Runs each failed suite of the report once more, alone. A suite that passes then replaces its failed result in the report, and its first failure
// is appended to the flaky list. Exit code 0 when every failed suite passed; 1 when one failed again, when more than three suites of the whole run
// failed, or when the report names no failed suite (a leak, a time limit, a crash).
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const flakyMax = 3;
const [reportFile, flakyList, called, ...options] = process.argv.slice(2);
const [script, ...what] = called.trim().split(' ');
const read = file => JSON.parse(readFileSync(file, 'utf8'));

function rerun(file) {
  const reports = mkdtempSync(join(tmpdir(), 'paycode-rerun-'));
  try {
    const env = { ...process.env, PAYCODE_TEST_REPORTS: reports };
    const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...what, file, ...options], { stdio: 'inherit', env });
    if (status !== 0) return undefined;
    const [written] = readdirSync(reports);
    return read(join(reports, written)).testResults.find(({ name }) => name.endsWith(file));
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

const firstLines = text =>
  text
    .replace(/\u001b\[\d+m/g, '')
    .trim()
    .split('\n')
    .slice(0, 12)
    .join('\n')
    .replace(/^/gm, '    ');
const count = (results, status) =>
  results.flatMap(({ assertionResults }) => assertionResults).filter(test => test.status === status).length;

if (!existsSync(reportFile)) process.exit(1);
const report = read(reportFile);
const failed = report.testResults.filter(({ status }) => status === 'failed');
const earlier = existsSync(flakyList) ? (readFileSync(flakyList, 'utf8').match(/^FLAKY /gm) ?? []).length : 0;
if (failed.length === 0 || earlier + failed.length > flakyMax) {
  console.log(
    failed.length === 0
      ? 'no suite to run again'
      : `${earlier + failed.length} suites failed: more than ${flakyMax} are not run again`,
  );
  process.exit(1);
}
for (const suite of failed) {
  const file = relative(process.cwd(), suite.name);
  console.log(`\n--- ${file} failed; it runs once more, alone`);
  const second = rerun(file);
  if (!second) process.exit(1);
  const text = `FLAKY ${file}\n${firstLines(suite.message)}\n`;
  console.log(text);
  appendFileSync(flakyList, text);
  report.testResults[report.testResults.indexOf(suite)] = second;
}
report.numPassedTests = count(report.testResults, 'passed');
report.numFailedTests = count(report.testResults, 'failed');
report.numRuntimeErrorTestSuites = 0;
writeFileSync(reportFile, JSON.stringify(report));
