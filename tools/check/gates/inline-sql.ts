import ts from 'typescript';

/** Statements that name a table, a database or a role. A call such as `select pg_advisory_unlock($1)` may stand where it is made. */
const statement =
  /\b(select\s[^;]*?\sfrom\s|insert\s+into\s|update\s+\S+(\s+\w+)?\s+set\s|delete\s+from\s|(create|alter|drop)\s+(table|role|database|index|trigger)\s)/i;

/** Where SQL belongs, and where it tells what a test did or measured. */
const mayHold = /\.sql\.ts$|\/migrations\/|\.migration\.ts$|\.(spec|conformance|planted)\.ts$|\/testing\/|^apps\/platform-e2e\//;
const isSource = /^(apps|libs|tools\/(operate|run))\/.*\.ts$/;

export const inlineSqlRule = 'inline-sql';

/** Statements in strings and templates of a source file that is not `<thing>.sql.ts`. Comments are not looked at. */
export function inlineSql(file: string, text: string): string[] {
  if (!isSource.test(file) || mayHold.test(file) || !statement.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isText(node) && statement.test(node.getText(source))) found.push(problemAt(source, node));
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
}

function problemAt(source: ts.SourceFile, node: ts.Node): string {
  const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  return `${source.fileName}:${line}: a statement stands in <thing>.sql.ts beside its store, as a constant with a name`;
}
