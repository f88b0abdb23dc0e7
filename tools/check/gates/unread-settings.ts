import ts from 'typescript';

const isSource = /^(apps|libs)\/.*\.ts$/;
/** Tests set settings; only code that runs in a service counts as a reader. */
const isTest = /\.spec\.ts$|\.conformance\.ts$|\/testing\/|^apps\/platform-e2e\//;

/**
 * Settings that a service declares and nothing reads, in the service or in the libraries: the new value would have no effect.
 * @param settings what each service declares, by service and name
 * @param sources files with their texts; those that are no source are passed over
 */
export function unreadSettings(settings: Settings, sources: Iterable<readonly [file: string, text: string]>): string[] {
  const names = new RegExp(String.raw`\b(${Object.values(settings).flatMap(Object.keys).join('|')})\b`);
  const readIn = new Map<string, Set<string>>();
  for (const [file, text] of sources) {
    if (!isSource.test(file) || isTest.test(file) || !names.test(text)) continue;
    const project = file.startsWith('libs/') ? 'libs' : file.split('/', 2).join('/');
    readIn.set(project, new Set([...(readIn.get(project) ?? []), ...namesRead(file, text)]));
  }
  return Object.entries(settings).flatMap(([service, declared]) =>
    Object.keys(declared)
      .filter(name => !readIn.get(`apps/${service}`)?.has(name) && !readIn.get('libs')?.has(name))
      .map(name => `apps/${service}: nothing reads the setting ${name}: hand it to the code that needs it, or delete it`),
  );
}

type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Members that the code of a file takes out of some object. */
function namesRead(file: string, text: string): Set<string> {
  const read = new Set<string>();
  const visit = (node: ts.Node): void => {
    const name = memberRead(node);
    if (name !== undefined) read.add(name);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return read;
}

/** `NAME` of `settings.NAME`, `settings['NAME']`, `{ NAME }` and `{ NAME: name }` on the left of a value. */
function memberRead(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isElementAccessExpression(node)) return textOf(node.argumentExpression);
  if (ts.isBindingElement(node)) return textOf(node.propertyName ?? node.name);
  return undefined;
}

function textOf(node: ts.Node): string | undefined {
  return ts.isIdentifier(node) || ts.isStringLiteral(node) ? node.text : undefined;
}
