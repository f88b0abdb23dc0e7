import { stringify } from 'yaml';

/** The placeholder for template code in a tree, until the tree is text. No manifest contains it. */
const mark = /PAYCODE-(\d+)-MARK/;
const codes: string[] = [];

/** A value, or a part of one, that the chart computes. `code`: without its braces. */
export function computed(code: string): string {
  return marked(`{{ ${code} }}`);
}

/** Lines of their own instead of an entry of a list. `code`: with its braces. */
export function line(code: string): string {
  return marked(code);
}

/** Lines of their own among the fields of an object, indented as they are. `code`: with its braces. */
export function fields(code: string): Record<string, 0> {
  return { [marked(code)]: 0 };
}

/** One document of a Helm template. Text in a manifest that resembles template code stays text: alerts and dashboards have templates of their own. */
export function templateText(tree: object): string {
  const text = stringify(tree, { lineWidth: 0, aliasDuplicateObjects: false }).replaceAll('{{', '{{ "{{" }}');
  const lines = text.split('\n').map(written => {
    const alone = new RegExp(`^( *)(- )?${mark.source}(: 0)?$`).exec(written);
    if (!alone) return withCode(written);
    const code = codes[Number(alone[3])]!;
    const isWhole = Boolean(alone[4]) || code.startsWith('{{-');
    return isWhole ? indented(code, alone[1]!) : withCode(written);
  });
  return lines.join('\n');
}

function indented(code: string, indent: string): string {
  return code
    .split('\n')
    .map(written => indent + written)
    .join('\n');
}

function withCode(text: string): string {
  return text.replaceAll(new RegExp(mark, 'g'), (_mark, index) => codes[Number(index)]!);
}

function marked(code: string): string {
  codes.push(code);
  return `PAYCODE-${codes.length - 1}-MARK`;
}
