import { basename } from 'node:path';
import type { Rule } from 'eslint';

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const emptyWords = /(^|-)(manager|helpers?|utils?|common|misc|impl)(?=[-.]|$)/;
const emptyClassWords = /(Manager|Helpers?|Utils?|Common|Impl)$/;
const interfacePrefix = /^I[A-Z][a-z]/;

/** Files whose suffix names a class: `dispatch-webhook.service.ts` holds DispatchWebhookService or DispatchWebhook. */
const classSuffixes = [
  'service',
  'controller',
  'consumer',
  'client',
  'entity',
  'job',
  'module',
  'guard',
  'filter',
  'strategy',
  'error',
];

/** Decorator of a class to the suffixes its file may have. */
const decoratorSuffixes: Record<string, string[]> = {
  // Nest binds event handlers in controllers too; those are consumers.
  Controller: ['controller', 'consumer'],
  Entity: ['entity'],
  Module: ['module'],
};

/** The parts of a class, interface or type declaration that the rules read; ESLint's own types know no decorators. */
interface Declaration {
  id?: { name: string } | null;
  decorators?: { expression: { callee?: { name?: string } } }[];
}

function nameOf(node: Rule.Node): string {
  return (node as unknown as Declaration).id?.name ?? '';
}

function decoratorsOf(node: Rule.Node): string[] {
  const { decorators = [] } = node as unknown as Declaration;
  return decorators.map(({ expression }) => expression.callee?.name ?? '');
}

function pascalCase(name: string): string {
  return name.replace(/(^|[-.])([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** `fileName`: kebab-case with dots before role suffixes, and no word that says nothing. */
export const fileName: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { form: '{{name}}: file names are kebab-case', empty: '{{name}}: {{word}} says nothing; name the thing' },
  },
  create: context => ({
    Program(node) {
      const name = basename(context.filename).replace(/\.(ts|mjs|cjs)$/, '');
      const word = emptyWords.exec(name)?.[2];
      if (!kebabCase.test(name)) context.report({ node, messageId: 'form', data: { name } });
      else if (word) context.report({ node, messageId: 'empty', data: { name, word } });
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

/** `classFile`: a class file is named after its class, and a decorated class sits in a file with its role suffix. */
export const classFile: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      missing: 'this file should hold the class {{expected}}',
      suffix: 'a @{{decorator}} class belongs into a .{{suffix}}.ts file',
    },
  },
  create: context => {
    const name = basename(context.filename, '.ts');
    const suffix = classSuffixes.find(role => name.endsWith(`.${role}`));
    const classes: string[] = [];
    return {
      ClassDeclaration(node) {
        classes.push(nameOf(node));
        for (const decorator of decoratorsOf(node)) {
          const wanted = decoratorSuffixes[decorator];
          if (!wanted || wanted.includes(suffix ?? '')) continue;
          context.report({ node, messageId: 'suffix', data: { decorator, suffix: wanted[0]! } });
        }
      },
      'Program:exit'(node) {
        if (!suffix) return;
        const expected = pascalCase(name);
        const short = pascalCase(name.slice(0, -suffix.length - 1));
        const isThere = classes.some(found => found === expected || found === short);
        if (!isThere) context.report({ node, messageId: 'missing', data: { expected } });
      },
    };
  },
};
