import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './shown-ids.ts';

export interface ReportFile {
  file: string;
  report: Report;
  /** Hours since it was written. */
  ageHours: number;
}

/** Reports of Jest in these files and folders. @throws Error when there is no report, or a file is not a report */
export function readReports(paths: readonly string[]): ReportFile[] {
  const files = paths.flatMap(path => {
    if (!existsSync(path)) return [];
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter(name => name.endsWith('.json'))
      .map(name => join(path, name));
  });
  if (files.length === 0)
    throw new Error(`no report of a test run in ${paths.join(', ')}: run npm test and the other test commands first`);
  return files.map(readReport);
}

function readReport(file: string): ReportFile {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  if (!Array.isArray(report.testResults)) throw new Error(`${file} is not a report of Jest: it has no testResults`);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.some(({ status }) => status === 'passed') && tests.every(({ numPassingAsserts }) => numPassingAsserts === undefined))
    throw new Error(`${file} does not say how many assertions held (numPassingAsserts)`);
  return { file, report, ageHours: (Date.now() - statSync(file).mtimeMs) / 3_600_000 };
}
