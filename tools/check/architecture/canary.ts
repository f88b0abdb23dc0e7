/**
 * Proves that the gates still work: copies the planted violations of tools/check/architecture/canary into a workspace of their own, runs
 * ESLint, dependency-cruiser, the checks of the lock file, of named folders, of the glossary and of classes there with the project's own configuration, and fails for every
 * planted violation that is not reported and for every rule that has none planted. Gates die silently: the Nx rule without a project graph skips
 * itself and exits 0.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'jsonc-parser';
import { glossaryProblems, glossaryRules } from '../gates/glossary.ts';
import { FileTree, misnamedFolders } from '../gates/named-folders.ts';
import { run } from '../gates/run.ts';
import { shapesOf } from '../gates/size.ts';
import { type LockedWorkspace, supplyChainProblems, supplyChainRules } from '../gates/supply-chain.ts';
import { supplyChainPolicy } from '../../run/images/supply-chain.policy.ts';

const root = join(import.meta.dirname, '../../..');
const plantedFolder = join(import.meta.dirname, 'canary');
const configuration = [
  'eslint.config.mjs',
  '.dependency-cruiser.cjs',
  'nx.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tools/check/architecture/rules',
];
const header = /^(?:\/\/|<!--) reports: (eslint|depcruise|supply-chain|pages|glossary|size) (\S+)(?: "(.*)")?(?: -->)?$/gm;
/** The rules of tools/check about pages and folders, and about the shapes of classes. */
const namedFolders = 'named-folders';
const shapes = ['bag', 'port-without-double'];

interface Finding {
  tool: string;
  rule: string;
  file: string;
  message: string;
}

/** What is wrong with the gates; empty when every planted violation was reported and every rule has one. */
export async function canaryProblems(): Promise<string[]> {
  // Inside the project, so that packages resolve as they do for the project itself.
  mkdirSync(join(root, '.cache'), { recursive: true });
  const workspace = mkdtempSync(join(root, '.cache/canary-'));
  try {
    const expected = plant(workspace);
    const found = [
      ...(await eslintFindings(workspace)),
      ...(await depcruiseFindings(workspace)),
      ...supplyChainFindings(workspace),
      ...pageFindings(workspace),
      ...glossaryFindings(workspace),
      ...shapeFindings(workspace),
    ];
    return [...missing(expected, found), ...(await unguarded(expected))];
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** Builds the workspace and returns what must be reported in it. */
function plant(workspace: string): Finding[] {
  for (const path of configuration) cpSync(join(root, path), join(workspace, path), { recursive: true });
  const files = readdirSync(plantedFolder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.txt'));
  return files.flatMap(name => {
    const file = name.replace(/\.txt$/, '');
    const text = readFileSync(join(plantedFolder, name), 'utf8');
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), text);
    return [...text.matchAll(header)].map(([, tool = '', rule = '', message = '']) => ({ tool, rule, file, message }));
  });
}

async function eslintFindings(workspace: string): Promise<Finding[]> {
  const env = { NX_DAEMON: 'false', NX_TUI: 'false', NX_WORKSPACE_ROOT_PATH: workspace };
  await run('nx', ['show', 'projects'], { cwd: workspace, env });
  const { stdout } = await run('eslint', ['.', '--format', 'json'], { cwd: workspace, env, mayFail: true });
  const results = JSON.parse(stdout) as { filePath: string; messages: { ruleId: string | null; message: string }[] }[];
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, message }) => ({ tool: 'eslint', rule: ruleId ?? 'parse', file: filePath, message })),
  );
}

async function depcruiseFindings(workspace: string): Promise<Finding[]> {
  const args = ['apps', 'libs', 'tools', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const { stdout } = await run('depcruise', args, { cwd: workspace, mayFail: true });
  const { summary } = JSON.parse(stdout) as { summary: { violations: { from: string; rule: { name: string } }[] } };
  return summary.violations.map(({ from, rule }) => ({ tool: 'depcruise', rule: rule.name, file: from, message: '' }));
}

/** The planted lock file has comments, which say what must be reported. */
function supplyChainFindings(workspace: string): Finding[] {
  const file = 'supply-chain/package-lock.json';
  const lock = parse(readFileSync(join(workspace, file), 'utf8')) as LockedWorkspace['lock'];
  const manifest = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as LockedWorkspace['manifest'];
  const problems = supplyChainProblems({ lock, manifest }, supplyChainPolicy);
  return problems.map(({ rule, text }) => ({ tool: 'supply-chain', rule, file, message: text }));
}

function pageFindings(workspace: string): Finding[] {
  const files = readdirSync(workspace, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(workspace, join(parentPath, name)));
  const tree = new FileTree(files);
  const pages = files.filter(file => file.endsWith('.md'));
  return pages.flatMap(file =>
    misnamedFolders(file, readFileSync(join(workspace, file), 'utf8'), tree).map(message => ({
      tool: 'pages',
      rule: namedFolders,
      file,
      message,
    })),
  );
}

function sourcesIn(workspace: string): Map<string, string> {
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));
  return new Map(names.map(name => [name, readFileSync(join(workspace, name), 'utf8')]));
}

function shapeFindings(workspace: string): Finding[] {
  const { bags, ports } = shapesOf(sourcesIn(workspace));
  const finding = (rule: string) => (message: string) => ({ tool: 'size', rule, file: /\((.*)\)/.exec(message)![1]!, message });
  return [...bags.map(finding('bag')), ...ports.map(finding('port-without-double'))];
}

function glossaryFindings(workspace: string): Finding[] {
  const file = 'docs/glossary.md';
  const problems = glossaryProblems(readFileSync(join(workspace, file), 'utf8'), sourcesIn(workspace));
  return problems.map(({ rule, text }) => ({ tool: 'glossary', rule, file, message: text }));
}

function missing(expected: Finding[], found: Finding[]): string[] {
  const isReported = (wanted: Finding): boolean =>
    found.some(
      ({ tool, rule, file, message }) =>
        tool === wanted.tool && rule === wanted.rule && file.endsWith(wanted.file) && message.includes(wanted.message),
    );
  return expected
    .filter(wanted => !isReported(wanted))
    .map(({ tool, rule, file, message }) => `not reported: ${tool} ${rule} ${message && `"${message}" `}in ${file}`);
}

/** Rules of our own configuration that no canary plants a violation of. */
async function unguarded(expected: Finding[]): Promise<string[]> {
  const { guarded } = (await import(pathToFileURL(join(root, 'eslint.config.mjs')).href)) as {
    guarded: { rules: string[]; boundaries: string[]; messages: string[] };
  };
  const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
    forbidden: { name: string }[];
  };
  const isPlanted = (rule: string): boolean => expected.some(item => item.rule === rule);
  const isCited = (text: string): boolean => expected.some(({ message }) => message !== '' && text.startsWith(message));
  return [
    ...[
      ...guarded.rules,
      ...forbidden.map(({ name }) => name),
      ...supplyChainRules,
      ...glossaryRules,
      namedFolders,
      ...shapes,
    ].filter(rule => !isPlanted(rule)),
    ...[...guarded.boundaries, ...guarded.messages].filter(text => !isCited(text)),
  ].map(name => `no planted violation for: ${name}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problems = await canaryProblems();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
