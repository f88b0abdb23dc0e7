import { readFileSync, writeFileSync } from 'node:fs';
import { join, basename } from 'node:path';
import ts from 'typescript';

/** How large the project is, by area: `[files, lines]`, or a count. A number in `size.json` may be raised only by editing that file. */
type Sizes = Record<string, number[]>;

/** A mend with its test needs no entry: files and lines may be this much above the recorded ones. A recorded 0 stays 0. */
const room = 1.01;

const record = join(import.meta.dirname, 'size.json');
const remedy = 'remove as much, or raise it in tools/check/gates/size.json and say why in the commit';
/** These may grow without an entry: a regression test, a kit, a manifest. The totals count them. */
const onlyShown = ['specs', 'kits', 'k8s'];
const isTest = /\.(spec|conformance|fixture)\.ts$|\/testing\/|^apps\/platform-e2e\//;
const isProven = /^(apps|libs)\/|^tools\/prove\//;

/** Numbers that rose above the recorded ones, with what may be behind them. @param isRecording lowers the recorded numbers instead */
export function sizeProblems(texts: ReadonlyMap<string, string>, isRecording: boolean): string[] {
  const known = JSON.parse(readFileSync(record, 'utf8')) as Sizes;
  const classes = shapesOf(texts);
  const found: Sizes = { ...areaSizes(texts), bags: [classes.bags.length], portsWithoutDouble: [classes.ports.length] };
  if (isRecording) {
    const lowered = Object.entries(found).map(([area, numbers]) => {
      const kept = numbers.map((number, at) =>
        onlyShown.includes(area) ? number : Math.min(number, known[area]?.[at] ?? number),
      );
      return `  "${area}": [${kept.join(', ')}]`;
    });
    writeFileSync(record, `{\n${lowered.join(',\n')}\n}\n`);
    return [];
  }
  const names: Record<string, string[]> = { bags: classes.bags, portsWithoutDouble: classes.ports };
  return Object.entries(found)
    .filter(
      ([area, numbers]) => !onlyShown.includes(area) && numbers.some((number, at) => number > (known[area]?.[at] ?? 0) * room),
    )
    .map(([area, numbers]) =>
      [
        `${area}: ${numbers.join(' files, ')} rose above ${known[area]?.join(' files, ')} by more than 1 %: ${remedy}`,
        ...(names[area] ?? []),
      ].join('\n  '),
    );
}

function areaSizes(texts: ReadonlyMap<string, string>): Sizes {
  const sizes: Sizes = Object.fromEntries([...areas.map(([area]) => area), 'other', 'total'].map(area => [area, [0, 0]]));
  for (const [file, text] of texts) {
    // A picture has no lines.
    if (text === '' || text.includes('\0') || /(package-lock\.json|go\.sum)$/.test(file)) continue;
    const lines = text.split('\n').length - 1;
    for (const area of [areaOf(file, text), 'total']) {
      sizes[area]![0]! += 1;
      sizes[area]![1]! += lines;
    }
  }
  return sizes;
}

/** The first that fits is the area of a file. */
const areas: readonly [area: string, files: RegExp][] = [
  ['generated', /^docs\/reference\/|schema\.sql$|^libs\/dto\/contracts\//],
  ['specs', /^(apps|libs)\/.*(\.(spec|conformance|fixture)\.ts$|\/testing\/)|^apps\/platform-e2e\/|\.pml$/],
  ['product', /^(apps|libs)\//],
  ['tools', /^tools\//],
  ['kits', /^kits\//],
  ['k8s', /^k8s\//],
  ['pages', /\.md$/],
];

function areaOf(file: string, text: string): string {
  if (file.startsWith('k8s/') && /generated .*by npm run/i.test(text.slice(0, 400))) return 'generated';
  return areas.find(([, files]) => files.test(file))?.[0] ?? 'other';
}

/**
 * Classes of services and libraries that carry other values and do nothing (bags), and abstract classes with at most one implementation that
 * no test replaces.
 */
export function shapesOf(texts: ReadonlyMap<string, string>): { bags: string[]; ports: string[] } {
  const sources = [...texts].filter(([file]) => isProven.test(file) && file.endsWith('.ts'));
  const isProduct = ([file]: readonly [string, string]): boolean => !isTest.test(file) && !file.startsWith('tools/');
  const product = sources.filter(isProduct);
  const tests = sources.filter(source => !isProduct(source)).map(([, text]) => text);
  const classes = product.flatMap(([file, text]) => classesIn(file, text));
  const named = (found: ClassOf[]): string[] => found.map(({ name, file }) => `${name} (${file})`);
  const isLonely = ({ name }: ClassOf): boolean =>
    classes.filter(({ parents }) => parents.includes(name)).length <= 1 && !tests.some(text => doubleOf(name).test(text));
  return {
    bags: named(classes.filter(({ isBag }) => isBag)),
    ports: named(classes.filter(({ isAbstract }) => isAbstract).filter(isLonely)),
  };
}

/** A class, an object or a provider that stands for the port in a test. */
function doubleOf(name: string): RegExp {
  return new RegExp(
    String.raw`\b(extends|implements) [^{]*\b${name}\b|(: |as |satisfies |<)(Partial<|Pick<)?${name}\b[^;\n]*(=|\)|$)|overrideProvider\(${name}\)|provide: ${name}\b`,
    'm',
  );
}

interface ClassOf {
  name: string;
  file: string;
  parents: string[];
  isAbstract: boolean;
  isBag: boolean;
}

function classesIn(file: string, text: string): ClassOf[] {
  if (!/\bclass\s/.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return source.statements.filter(ts.isClassDeclaration).map(node => {
    const parents = (node.heritageClauses ?? []).flatMap(({ types }) =>
      types.map(({ expression }) => expression.getText(source)),
    );
    const isAbstract = kindsOf(node).includes(ts.SyntaxKind.AbstractKeyword);
    return { name: node.name?.text ?? '', file, parents, isAbstract, isBag: parents.length === 0 && isBag(node) };
  });
}

/** A constructor whose parameters are public fields, two at least, and no method. */
function isBag({ members }: ts.ClassDeclaration): boolean {
  const parameters = members.filter(ts.isConstructorDeclaration).flatMap(maker => [...maker.parameters]);
  const others = members.filter(member => !ts.isConstructorDeclaration(member));
  return (
    parameters.length >= 2 &&
    parameters.every(isPublicField) &&
    others.every(ts.isPropertyDeclaration) &&
    others.every(isPublicField)
  );
}

function isPublicField(field: ts.ParameterDeclaration | ts.ClassElement): boolean {
  const kinds = kindsOf(field);
  const hidden = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword];
  return kinds.includes(ts.SyntaxKind.ReadonlyKeyword) && !hidden.some(kind => kinds.includes(kind));
}

function kindsOf(node: ts.Node): ts.SyntaxKind[] {
  return (ts.canHaveModifiers(node) ? [...(ts.getModifiers(node) ?? [])] : []).map(({ kind }) => kind);
}

const usual = { receiving: 350, client: 270 };
/**
 * Most lines of each part of a receiver kit, which a merchant reads before using it: some ten per cent above today's. The reasons:
 * docs/decisions/integrators.md#adr-0071. `parser`: of JSON, where the language's standard library has none.
 */
const limits: Record<string, Record<string, number>> = {
  node: usual,
  python: usual,
  php: usual,
  ruby: usual,
  csharp: usual,
  java: { ...usual, client: 310, parser: 120 },
  go: { receiving: 435, client: 460 },
};
const source = /^kits\/(?!vectors\/)([a-z]+)\/(?!(?:.*\/)?(?:conform|frameworks)\/).*\.(?:ts|py|go|java|php|rb|cs)$/;

/** The parts of receiver kits that are too long to be read whole, and kits without a limit. `texts`: the files of the project. */
export function kitSizeProblems(texts: ReadonlyMap<string, string>): string[] {
  const sizes = new Map(Object.keys(limits).map(kit => [`${kit} receiving`, 0]));
  for (const [file, text] of texts) {
    const [, kit] = source.exec(file) ?? [];
    if (kit === undefined || /adapters/i.test(basename(file))) continue;
    const part = `${kit} ${partOf(basename(file))}`;
    sizes.set(part, (sizes.get(part) ?? 0) + linesOf(file, text));
  }
  return [...sizes].flatMap(([name, lines]) => {
    const [kit, part] = name.split(' ') as [string, string];
    const limit = limits[kit]?.[part] ?? 0;
    return lines > 0 && lines <= limit ? [] : [`kits/${kit}, ${part}: ${lines} lines, of at most ${limit}`];
  });
}

/** All lines but blank ones and those that hold nothing but a comment. A docstring of Python counts. */
function linesOf(file: string, text: string): number {
  const comment = /\.(?:py|rb)$/.test(file) ? /^\s*#/ : /^\s*\/\//;
  const code = text.replace(/^\s*\/\*[^]*?\*\/[ \t]*$/gm, '');
  return code.split('\n').filter(line => line.trim() !== '' && !comment.test(line)).length;
}

function partOf(name: string): string {
  if (/client|ApiE/i.test(name)) return 'client';
  return name === 'Json.java' ? 'parser' : 'receiving';
}
