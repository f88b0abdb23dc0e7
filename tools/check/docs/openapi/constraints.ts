import ts from 'typescript';

type Schema = Record<string, unknown>;

/** JSON Schema of a class-validator decorator; `Each`, `Custom` and unknown decorators give nothing. */
const rules: Record<string, (args: unknown[]) => Schema> = {
  IsInt: () => ({ type: 'integer' }),
  IsId: () => ({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  IsIdText: () => ({ pattern: String.raw`^[1-9]\d{0,15}$` }),
  IsInstantText: () => ({ pattern: String.raw`^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$` }),
  IsNumber: () => ({ type: 'number' }),
  IsString: () => ({ type: 'string' }),
  IsBoolean: () => ({ type: 'boolean' }),
  Min: ([min]) => ({ minimum: min }),
  Max: ([max]) => ({ maximum: max }),
  Length: ([min, max]) => ({ minLength: min, maxLength: max }),
  MinLength: ([min]) => ({ minLength: min }),
  MaxLength: ([max]) => ({ maxLength: max }),
  ArrayMinSize: ([min]) => ({ minItems: min }),
  ArrayMaxSize: ([max]) => ({ maxItems: max }),
  Matches: ([pattern]) => ({ pattern }),
  IsEmail: () => ({ format: 'email' }),
  IsUrl: () => ({ format: 'uri' }),
  IsISO4217CurrencyCode: () => ({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' }),
};

export interface Constraints {
  schema: Schema;
  isOptional: boolean;
}

/** Constraints of a class property from its class-validator decorators. */
export function constraintsOf(property: ts.Declaration, checker: ts.TypeChecker): Constraints {
  const decorators = ts.canHaveDecorators(property) ? (ts.getDecorators(property) ?? []) : [];
  const calls = decorators.map(({ expression }) => expression).filter(ts.isCallExpression);
  const names = calls.map(call => call.expression.getText());
  const parts = calls.map(
    (call, index) => rules[names[index]!]?.(call.arguments.map(argument => valueOf(argument, checker))) ?? {},
  );
  const known = Object.entries(Object.assign({}, ...parts) as Schema).filter(([, value]) => value !== undefined);
  return { schema: Object.fromEntries(known), isOptional: names.includes('IsOptional') };
}

/** The value of a literal or a named constant (number, text or pattern); undefined for any other expression. */
export function valueOf(expression: ts.Expression, checker: ts.TypeChecker): unknown {
  if (ts.isNumericLiteral(expression)) return Number(expression.text);
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (ts.isRegularExpressionLiteral(expression)) return patternOf(expression.text);
  if (expression.getText() === 'Number.MAX_SAFE_INTEGER') return Number.MAX_SAFE_INTEGER;
  return ts.isIdentifier(expression) ? constantOf(expression, checker) : undefined;
}

function constantOf(name: ts.Identifier, checker: ts.TypeChecker): unknown {
  const local = checker.getSymbolAtLocation(name);
  const symbol = local && local.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(local) : local;
  const declaration = symbol?.valueDeclaration;
  const initializer = declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
  return initializer ? valueOf(initializer, checker) : undefined;
}

/** The source of a pattern without flags; patterns with flags (`u` classes, `i`) mean something else in JSON Schema and are left out. */
function patternOf(literal: string): string | undefined {
  return literal.endsWith('/') ? literal.slice(1, -1) : undefined;
}
