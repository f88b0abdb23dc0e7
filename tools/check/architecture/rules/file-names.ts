import { basename } from 'node:path';
import type { Rule } from 'eslint';

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const emptyWords = /(^|-)(manager|helpers?|utils?|common|misc|impl)(?=[-.]|$)/;
const emptyClassWords = /(Manager|Helpers?|Utils?|Common|Impl)$/;
const interfacePrefix = /^I[A-Z][a-z]/;

/** Suffixes that are the last word of a class in the file: `codes.service.ts` exports a class …Service. */
const classSuffixes = new Set(
  `client consumer controller directory entity error filter guard interceptor job mailer metrics middleware module opener pipe
   poster probe query queue repository route sender service store strategy`.split(/\s+/),
);

/** Suffixes of files that are named for something else than a class. */
const otherSuffixes = new Set(
  `browser cluster compat conformance contract definition dto e2e event fault guide int kit main manifest migration nodes fixture policy ports preload provider rule spec sql
   token worker`.split(/\s+/),
);

/** Boundary rules know controllers and consumers by their suffix; Nest binds event handlers in controllers too. */
const controllerSuffixes = ['controller', 'consumer'];

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

function lastWordOf(name: string): string {
  return /[A-Z][a-z]*$/.exec(name)?.[0].toLowerCase() ?? '';
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

/** `classFile`: a file with a role suffix exports a class whose name ends in it, and a controller stands in a file with its suffix. */
export const classFile: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      missing: 'a .{{suffix}}.ts file exports a class whose name ends in that word',
      controller: 'a @Controller class belongs into a .controller.ts or .consumer.ts file',
    },
  },
  create: context => {
    const roles = basename(context.filename).split('.').slice(1, -1);
    const suffix = roles.find(role => classSuffixes.has(role));
    const lastWords: string[] = [];
    return {
      ClassDeclaration(node) {
        lastWords.push(lastWordOf(nameOf(node)));
        if (decoratorsOf(node).includes('Controller') && !controllerSuffixes.includes(suffix ?? ''))
          context.report({ node, messageId: 'controller' });
      },
      'Program:exit'(node) {
        if (suffix && !lastWords.includes(suffix)) context.report({ node, messageId: 'missing', data: { suffix } });
      },
    };
  },
};
