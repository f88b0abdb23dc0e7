import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a node of highlighted code (hast) that this file reads. */
interface CodeNode {
  type: string;
  properties?: Record<string, unknown>;
  children?: CodeNode[];
}

/** Colours of code as classes in one style sheet: the highlighter writes `style` attributes, which the security policy forbids. */
export class CodeColours {
  private readonly styles = new Map<string, string>();

  /** For VitePress's `codeTransformers`. */
  readonly transformer = { name: 'styles-as-classes', root: (node: CodeNode): void => this.toClasses(node) };

  /** Writes `code.css` with the styles of everything that was highlighted. */
  write(folder: string): void {
    const rules = [...this.styles].map(([style, name]) => `.${name}{${style}}`).sort();
    writeFileSync(join(folder, 'code.css'), `${rules.join('\n')}\n`);
  }

  private toClasses({ properties, children = [] }: CodeNode): void {
    if (typeof properties?.['style'] === 'string') {
      properties['class'] = [properties['class'], this.classOf(properties['style'])].flat().filter(Boolean).join(' ');
      delete properties['style'];
    }
    children.forEach(child => this.toClasses(child));
  }

  private classOf(style: string): string {
    const name = this.styles.get(style) ?? `c-${createHash('sha256').update(style).digest('hex').slice(0, 8)}`;
    this.styles.set(style, name);
    return name;
  }
}
