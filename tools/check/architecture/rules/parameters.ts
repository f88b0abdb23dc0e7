import type { Rule } from 'eslint';

interface Parameter {
  type: string;
  argument?: { type: string; elements?: unknown[] };
}

/** A rest parameter that is taken apart, `(...[a, b])`, is as many parameters as it has names. */
function sizeOf({ type, argument }: Parameter): number {
  return type === 'RestElement' && argument?.type === 'ArrayPattern' ? argument.elements!.filter(Boolean).length : 1;
}

/** `parameters`: at most 3 parameters (use an options object); a constructor may take 5, its dependencies. */
export const parameters: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [
      {
        type: 'object',
        properties: { max: { type: 'integer' }, constructorMax: { type: 'integer' } },
        additionalProperties: false,
      },
    ],
    messages: { many: '{{count}} parameters; at most {{max}}' },
  },
  create: context => {
    const { max = 3, constructorMax = 5 } = (context.options[0] ?? {}) as { max?: number; constructorMax?: number };
    const check = (node: Rule.Node): void => {
      const { parent } = node as unknown as { parent?: { type: string; kind?: string } };
      const isConstructor = parent?.type === 'MethodDefinition' && parent.kind === 'constructor';
      const limit = isConstructor ? constructorMax : max;
      const count = (node as unknown as { params: Parameter[] }).params.reduce((sum, parameter) => sum + sizeOf(parameter), 0);
      if (count > limit) context.report({ node, messageId: 'many', data: { count: String(count), max: String(limit) } });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};
