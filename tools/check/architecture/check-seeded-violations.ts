/**
 * Proves that the gates still work: writes the seeded violations into a workspace of their own, runs ESLint, dependency-cruiser and the checks of
 * the lock file, of pages, texts, ids, settings and classes there with the project's own configuration, and fails for every violation that
 * is not reported and for every rule without one. Gates die silently: the Nx rule without a project graph skips itself and exits 0.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { citedIdProblems, definedIds, doubleIds, pageProblems, pageRules } from '../gates/references.ts';
import { forbiddenReasons, forbiddenText } from '../gates/forbidden-text.ts';
import { run } from '../gates/run.ts';
import { shapesOf } from '../gates/size.ts';
import { type LockedWorkspace, supplyChainProblems, supplyChainRules } from '../gates/supply-chain.ts';
import { unreadSettings } from '../gates/unread-settings.ts';
import { supplyChainPolicy } from '../../run/images/supply-chain.policy.ts';
import { type Report, seededViolations } from './seeded-violations.ts';

const root = join(import.meta.dirname, '../../..');
const configuration = [
  'eslint.config.mjs',
  '.dependency-cruiser.cjs',
  'nx.json',
  'tools/nx-projects.cjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tools/check/architecture/lint-rules.ts',
];
const texts = new Map(seededViolations.map(({ file, text }) => [file, text]));

type Finding = Report & { file: string };

/** Faults of the gates; empty when every seeded violation was reported and every rule has one. */
export async function seededViolationProblems(): Promise<string[]> {
  // Inside the project, so that packages resolve as they do for the project itself.
  mkdirSync(join(root, '.cache'), { recursive: true });
  const workspace = mkdtempSync(join(root, '.cache/seeded-violations-'));
  try {
    write(workspace);
    const expected = seededViolations.flatMap(({ file, reports }) => reports.map(report => ({ ...report, file })));
    const found = [
      ...(await eslintFindings(workspace)),
      ...(await depcruiseFindings(workspace)),
      ...supplyChainFindings(),
      ...pageFindings(),
      ...shapeFindings(),
      ...textFindings(),
      ...idFindings(),
      ...settingFindings(),
    ];
    return [...missing(expected, found), ...(await unguarded(expected)), ...(await switchedOff(workspace))];
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function write(workspace: string): void {
  for (const path of configuration) cpSync(join(root, path), join(workspace, path), { recursive: true });
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), text);
  }
}

async function eslintFindings(workspace: string): Promise<Finding[]> {
  const env = { NX_DAEMON: 'false', NX_TUI: 'false', NX_WORKSPACE_ROOT_PATH: workspace };
  await run('nx', ['show', 'projects'], { cwd: workspace, env });
  const { stdout } = await run('eslint', ['.', '--format', 'json'], { cwd: workspace, env, mayFail: true });
  const results = JSON.parse(stdout) as { filePath: string; messages: { ruleId: string | null; message: string }[] }[];
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, message }) => ({ gate: 'eslint', rule: ruleId ?? 'parse', file: filePath, message })),
  );
}

async function depcruiseFindings(workspace: string): Promise<Finding[]> {
  const args = ['apps', 'libs', 'tools', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const { stdout } = await run('depcruise', args, { cwd: workspace, mayFail: true });
  const { summary } = JSON.parse(stdout) as { summary: { violations: { from: string; rule: { name: string } }[] } };
  return summary.violations.map(({ from, rule }) => ({ gate: 'depcruise', rule: rule.name, file: from, message: '' }));
}

/** Rules of ESLint and its plugins that the configuration does not reach: their makers prove that they find something. */
async function switchedOff(workspace: string): Promise<string[]> {
  const { stdout } = await run('eslint', ['--print-config', 'apps/alpha/src/index.ts'], { cwd: workspace });
  const { rules } = JSON.parse(stdout) as { rules: Record<string, [severity: number]> };
  const { on } = await guarded();
  return on.filter(rule => rules[rule]?.[0] !== 2).map(rule => `off for the source of services: ${rule}`);
}

interface Guarded {
  /** Rules, boundaries and messages that each have a seeded violation. */
  rules: string[];
  boundaries: string[];
  messages: string[];
  /** Every rule that is on. */
  on: string[];
}

async function guarded(): Promise<Guarded> {
  const config = (await import(pathToFileURL(join(root, 'eslint.config.mjs')).href)) as { guarded: Guarded };
  return config.guarded;
}

function supplyChainFindings(): Finding[] {
  const file = 'supply-chain/package-lock.json';
  const lock = JSON.parse(texts.get(file)!) as LockedWorkspace['lock'];
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as LockedWorkspace['manifest'];
  const problems = supplyChainProblems({ lock, manifest }, supplyChainPolicy);
  return problems.map(({ rule, text }) => ({ gate: 'supply-chain', rule, file, message: text }));
}

function pageFindings(): Finding[] {
  const pages = [...texts.keys()].filter(file => file.endsWith('.md'));
  return pages.flatMap(file => pageProblems(file, texts).map(({ rule, text }) => ({ gate: 'pages', rule, file, message: text })));
}

const sources = (): Map<string, string> => new Map([...texts].filter(([file]) => file.endsWith('.ts')));

function shapeFindings(): Finding[] {
  const { bags, ports } = shapesOf(sources());
  const finding = (rule: string) => (message: string) => ({ gate: 'size', rule, file: /\((.*)\)/.exec(message)![1]!, message });
  return [...bags.map(finding('bag')), ...ports.map(finding('port-without-double'))];
}

function textFindings(): Finding[] {
  const found = [...texts].flatMap(([file, text]) => forbiddenText(file, text).map(each => ({ ...each, file })));
  return found.map(({ file, place, reason }) => ({ gate: 'text', rule: reason, file, message: `${place} ` }));
}

function idFindings(): Finding[] {
  const defined = definedIds(texts);
  const finding = (file: string) => (message: string) => ({ gate: 'ids', rule: 'ids', file, message });
  const cited = [...sources()].flatMap(([file, text]) => citedIdProblems(file, text, defined).map(finding(file)));
  return [...cited, ...doubleIds(defined).map(finding('docs/specification/threats.md'))];
}

function settingFindings(): Finding[] {
  const found = unreadSettings({ alpha: { POSTS_MAX: {} } }, texts);
  return found.map(message => ({ gate: 'settings', rule: 'settings', file: 'apps/alpha/src/config/env.ts', message }));
}

function missing(expected: Finding[], found: Finding[]): string[] {
  const isReported = (wanted: Finding): boolean =>
    found.some(
      ({ gate, rule, file, message }) =>
        gate === wanted.gate && rule === wanted.rule && file.endsWith(wanted.file) && message.includes(wanted.message),
    );
  return expected
    .filter(wanted => !isReported(wanted))
    .map(({ gate, rule, file, message }) => `not reported: ${gate} ${rule} ${message && `"${message}" `}in ${file}`);
}

/** Rules of our own configuration without a seeded violation. */
async function unguarded(expected: Finding[]): Promise<string[]> {
  const { rules: ofLint, boundaries, messages } = await guarded();
  const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
    forbidden: { name: string }[];
  };
  const rules = [...ofLint, ...forbidden.map(({ name }) => name), ...supplyChainRules, ...pageRules, ...forbiddenReasons];
  const isSeeded = (rule: string): boolean => expected.some(item => item.rule === rule);
  const isCited = (text: string): boolean => expected.some(({ message }) => message !== '' && text.startsWith(message));
  return [
    ...[...rules, 'bag', 'port-without-double'].filter(rule => !isSeeded(rule)),
    ...[...boundaries, ...messages].filter(text => !isCited(text)),
  ].map(name => `no seeded violation for: ${name}`);
}
