import type { Rule } from 'eslint';

const parametersMax = 3;

interface Parameter {
  type: string;
  argument?: { type: string; elements?: unknown[] };
}

/** A rest parameter that is taken apart, `(...[a, b])`, is as many parameters as it has names. */
function sizeOf({ type, argument }: Parameter): number {
  return type === 'RestElement' && argument?.type === 'ArrayPattern' ? argument.elements!.filter(Boolean).length : 1;
}

/** `parameters`: at most 3 parameters (use an options object). A constructor takes what it needs. */
export const parameters: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { many: '{{count}} parameters; at most {{max}}' },
  },
  create: context => {
    const check = (node: Rule.Node): void => {
      const { parent } = node as unknown as { parent?: { type: string; kind?: string } };
      if (parent?.type === 'MethodDefinition' && parent.kind === 'constructor') return;
      const count = (node as unknown as { params: Parameter[] }).params.reduce((sum, parameter) => sum + sizeOf(parameter), 0);
      if (count > parametersMax)
        context.report({ node, messageId: 'many', data: { count: String(count), max: String(parametersMax) } });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};
