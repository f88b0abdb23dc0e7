import { basename } from 'node:path';
import type { Rule } from 'eslint';

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const emptyWords = /(^|-)(manager|helpers?|utils?|common|misc|impl)(?=[-.]|$)/;
const emptyClassWords = /(Manager|Helpers?|Utils?|Common|Impl)$/;
const interfacePrefix = /^I[A-Z][a-z]/;

/** Suffixes that say what the class of the file is: `pay-code.service.ts` holds PayCodeService. A class without one stands in a file without one. */
const classSuffixes = new Set(
  `client consumer controller directory entity error filter guard interceptor job mailer metrics middleware module opener pipe
   poster probe query queue repository route sender service store strategy`.split(/\s+/),
);

/** Suffixes of files that are named for something else than a class. */
const otherSuffixes = new Set(
  `browser cluster compat conformance contract definition dto e2e event fault guide int kit main manifest migration nodes planted policy ports preload provider rule spec sql
   token worker`.split(/\s+/),
);

/** How Nest itself names what makes a module with options. */
const moduleFactory = /^(forRoot|forFeature|register)(Async)?$/;

/** Decorator of a class to the suffixes its file may have. */
const decoratorSuffixes: Record<string, string[]> = {
  // Nest binds event handlers in controllers too; those are consumers.
  Controller: ['controller', 'consumer'],
  Entity: ['entity'],
  Module: ['module'],
};

interface Member {
  type: string;
  static?: boolean;
  accessibility?: string;
  key?: { name?: string };
}

/** The parts of a class, interface or type declaration that the rules read; ESLint's own types know no decorators. */
interface Declaration {
  id?: { name: string } | null;
  body?: { body: Member[] };
  decorators?: { expression: { callee?: { name?: string } } }[];
}

function nameOf(node: Rule.Node): string {
  return (node as unknown as Declaration).id?.name ?? '';
}

function decoratorsOf(node: Rule.Node): string[] {
  const { decorators = [] } = node as unknown as Declaration;
  return decorators.map(({ expression }) => expression.callee?.name ?? '');
}

/** Names of the static methods that others may call. */
function factoriesOf(node: Rule.Node): string[] {
  const { body } = node as unknown as Declaration;
  const isFactory = ({ type, static: isStatic, accessibility }: Member): boolean =>
    type === 'MethodDefinition' && isStatic === true && accessibility !== 'private';
  return (body?.body ?? []).filter(isFactory).map(({ key }) => key?.name ?? '');
}

function lastWordOf(name: string): string {
  return /[A-Z][a-z]*$/.exec(name)?.[0].toLowerCase() ?? '';
}

function pascalCase(name: string): string {
  return name.replace(/(^|[-.])([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** `fileName`: kebab-case with dots before known role suffixes, and no word that says nothing. */
export const fileName: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      form: '{{name}}: file names are kebab-case',
      empty: '{{name}}: {{word}} says nothing; name the thing',
      suffix: '{{name}}: .{{unknown}} is no suffix of this project (tools/check/architecture/rules/file-names.ts)',
    },
  },
  create: context => ({
    Program(node) {
      const name = basename(context.filename).replace(/\.(tsx?|mjs|cjs)$/, '');
      const word = emptyWords.exec(name)?.[2];
      if (!kebabCase.test(name)) context.report({ node, messageId: 'form', data: { name } });
      else if (word) context.report({ node, messageId: 'empty', data: { name, word } });
      const unknown = name
        .split('.')
        .slice(1)
        .find(part => !classSuffixes.has(part) && !otherSuffixes.has(part));
      if (unknown) context.report({ node, messageId: 'suffix', data: { name, unknown } });
    },
  }),
};

/** `className`: no empty words, no `I` prefix. */
export const className: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { empty: '{{name}}: name the thing, not a Manager, Helper, Util, Common or Impl', prefix: '{{name}}: no I prefix' },
  },
  create: context => {
    const check = (node: Rule.Node): void => {
      const name = nameOf(node);
      if (emptyClassWords.test(name)) context.report({ node, messageId: 'empty', data: { name } });
      if (interfacePrefix.test(name)) context.report({ node, messageId: 'prefix', data: { name } });
    };
    return { ClassDeclaration: check, TSInterfaceDeclaration: check, TSTypeAliasDeclaration: check };
  },
};

/** `classFile`: a file with a role suffix holds the class of the same name, suffix and all; a decorated class sits in a file with its suffix. */
export const classFile: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      missing: 'this file should hold the class {{expected}}',
      suffix: 'a @{{decorator}} class belongs into a .{{suffix}}.ts file',
      name: '{{name}} belongs into a .{{suffix}}.ts file, or is called something else',
      factory: '{{name}}: dynamic modules are made by forRoot, forFeature or register',
    },
  },
  create: context => {
    const name = basename(context.filename, '.ts');
    const suffix = name
      .split('.')
      .slice(1)
      .find(role => classSuffixes.has(role));
    const classes: string[] = [];
    return {
      ClassDeclaration(node) {
        classes.push(nameOf(node));
        for (const problem of problemsOf(node, suffix)) context.report({ node, ...problem });
      },
      'Program:exit'(node) {
        if (!suffix) return;
        const expected = pascalCase(name);
        if (!classes.includes(expected)) context.report({ node, messageId: 'missing', data: { expected } });
      },
    };
  },
};

interface Problem {
  messageId: string;
  data: Record<string, string>;
}

function problemsOf(node: Rule.Node, suffix: string | undefined): Problem[] {
  const decorators = decoratorsOf(node);
  const misplaced = decorators.flatMap((decorator): Problem[] => {
    const wanted = decoratorSuffixes[decorator];
    if (!wanted || wanted.includes(suffix ?? '')) return [];
    return [{ messageId: 'suffix', data: { decorator, suffix: wanted[0]! } }];
  });
  const role = lastWordOf(nameOf(node));
  if (decorators.length > 0 && misplaced.length === 0 && classSuffixes.has(role) && role !== suffix)
    misplaced.push({ messageId: 'name', data: { name: nameOf(node), suffix: role } });
  if (!decorators.includes('Module')) return misplaced;
  const strange = factoriesOf(node).filter(name => !moduleFactory.test(name));
  return [...misplaced, ...strange.map(name => ({ messageId: 'factory', data: { name } }))];
}
