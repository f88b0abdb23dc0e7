import type { Rule, Scope } from 'eslint';

const settingName = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
/** A setting of one word is known by what it is read from. */
const oneWord = /^[A-Z]{3,}$/;
const bags = /^(env|settings|values|options)$/;

interface Named {
  type: string;
  name?: string;
  value?: unknown;
}

interface Access {
  object: Rule.Node & Named;
  property: Named;
  computed: boolean;
}

/** The name in `x.NAME`, `x['NAME']` and `{ NAME } = x`; undefined when it is computed. */
function keyOf({ type, name, value }: Named, isComputed: boolean): string | undefined {
  if (type === 'Literal') return typeof value === 'string' ? value : undefined;
  return isComputed ? undefined : name;
}

function variableOf(scope: Scope.Scope | null, name: string): Scope.Variable | undefined {
  for (let at = scope; at; at = at.upper) {
    const variable = at.set.get(name);
    if (variable) return variable;
  }
  return undefined;
}

/** A constant of the language (`Number.MAX_SAFE_INTEGER`) or of a package (`constants.W_OK`). */
function isForeign(object: Access['object'], scope: Scope.Scope): boolean {
  if (object.type !== 'Identifier') return false;
  const variable = variableOf(scope, object.name!);
  if (!variable || variable.defs.length === 0) return true;
  const { type, parent } = variable.defs[0]! as { type: string; parent?: { source?: { value?: unknown } } | null };
  return type === 'ImportBinding' && !/^(\.|@paycode\/)/.test(String(parent?.source?.value));
}

/**
 * `settingReads`: the names of the environment end where it is read. Options of a module, a provider or a class have camelCase names; a
 * service's `config/` or `app.module.ts` translates, and in a library the file that declares the settings (`…-env.ts`).
 */
export const settingReads: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { read: '{{name}} is read here; config/ or app.module.ts hands it over as an option with a camelCase name' },
  },
  create: context => ({
    MemberExpression(node) {
      const { object, property, computed } = node as unknown as Access;
      const name = keyOf(property, computed) ?? '';
      const isSetting = settingName.test(name) || (oneWord.test(name) && bags.test(object.name ?? ''));
      if (isSetting && !isForeign(object, context.sourceCode.getScope(node)))
        context.report({ node, messageId: 'read', data: { name } });
    },
    'ObjectPattern > Property'(node: Rule.Node) {
      const { key, computed } = node as unknown as { key: Named; computed: boolean };
      const name = keyOf(key, computed) ?? '';
      if (settingName.test(name)) context.report({ node, messageId: 'read', data: { name } });
    },
  }),
};
