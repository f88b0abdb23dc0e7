import ts from 'typescript';

type Schema = Record<string, unknown>;

/** Makes JSON Schema of TypeScript types; named types of the workspace become components, referenced by name. */
export class TypeSchemas {
  readonly components: Record<string, Schema> = {};

  private readonly checker: ts.TypeChecker;
  private readonly symbols = new Map<string, ts.Symbol>();

  constructor(checker: ts.TypeChecker) {
    this.checker = checker;
  }

  /** undefined when the type says nothing (`unknown`, `any`, `object`). */
  of(type: ts.Type): Schema | undefined {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) return undefined;
    return this.simple(type) ?? (type.isUnion() ? this.union(type) : this.structure(type));
  }

  private simple(type: ts.Type): Schema | undefined {
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.TemplateLiteral)
      return { type: 'string', pattern: templatePattern(type as ts.TemplateLiteralType) };
    const primitives: [ts.TypeFlags, string][] = [
      [ts.TypeFlags.String, 'string'],
      [ts.TypeFlags.Number, 'number'],
      [ts.TypeFlags.Boolean, 'boolean'],
      [ts.TypeFlags.Null, 'null'],
    ];
    const found = primitives.find(([flag]) => type.flags & flag);
    return found && { type: found[1] };
  }

  private union(type: ts.UnionType): Schema {
    const members = type.types.filter(member => !(member.flags & ts.TypeFlags.Undefined));
    const literals = members.filter(member => member.isStringLiteral());
    const booleans = members.filter(member => member.flags & ts.TypeFlags.BooleanLiteral);
    const others = members.filter(member => !literals.includes(member as ts.StringLiteralType) && !booleans.includes(member));
    const schemas = [
      ...(literals.length > 0 ? [{ type: 'string', enum: literals.map(member => (member as ts.StringLiteralType).value) }] : []),
      ...(booleans.length === 2 ? [{ type: 'boolean' }] : booleans.map(member => this.of(member) ?? {})),
      ...others.map(member => this.of(member) ?? {}),
    ];
    return schemas.length === 1 ? schemas[0]! : merged(schemas);
  }

  private structure(type: ts.Type): Schema {
    const symbol = namedSymbolOf(type);
    if (symbol?.name === 'ExactNumber') return { type: 'number' };
    const element = this.checker.isArrayLikeType(type) && this.checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (element) return { type: 'array', items: this.of(element) ?? {} };
    return symbol ? this.component(symbol, type) : this.membersOf(type);
  }

  private component(symbol: ts.Symbol, type: ts.Type): Schema {
    const { name } = symbol;
    const known = this.symbols.get(name);
    if (known && known !== symbol) throw new Error(`two types of one document are called ${name}`);
    if (!known) {
      // Registered before it is filled, so that a type may contain itself.
      this.symbols.set(name, symbol);
      this.components[name] = { ...documentation(symbol, this.checker), ...this.membersOf(type) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The schema of an object type itself, never a reference to a component. */
  membersOf(type: ts.Type): Schema {
    const properties = type.getProperties().map(symbol => this.property(symbol));
    const index = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    const required = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])) }),
      ...(index && { additionalProperties: index.flags & ts.TypeFlags.Never ? false : (this.of(index) ?? {}) }),
    };
  }

  private property(symbol: ts.Symbol): { name: string; schema: Schema; isRequired: boolean } {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    const type = declaration ? this.checker.getTypeOfSymbolAtLocation(symbol, declaration) : this.checker.getTypeOfSymbol(symbol);
    const { schema: constraints, isOptional } = declaration
      ? constraintsOf(declaration, this.checker)
      : { schema: {}, isOptional: false };
    const base = this.of(type) ?? {};
    return {
      name: symbol.name,
      schema: {
        ...documentation(symbol, this.checker),
        ...withNull(constrained(idAware(symbol.name, base), constraints), isOptional),
      },
      isRequired: !(symbol.flags & ts.SymbolFlags.Optional) && !isOptional,
    };
  }
}

/** Ids are integers, although TypeScript has one kind of number. */
function idAware(name: string, schema: Schema): Schema {
  const integer = (type: unknown): unknown => (type === 'number' ? 'integer' : type);
  const isId = /^id$|Ids?$/.test(name) && schema['type'] !== undefined;
  if (!isId) return schema;
  const items = schema['items'] as Schema | undefined;
  const type = schema['type'];
  return {
    ...schema,
    type: Array.isArray(type) ? type.map(integer) : integer(type),
    ...(items && { items: { ...items, type: integer(items['type']) } }),
  };
}

/** `IsOptional` takes null for a member that is left out. */
function withNull(schema: Schema, isOptional: boolean): Schema {
  if (!isOptional) return schema;
  // Of an object null is not said, because generators make an empty class of `anyOf`.
  if ('$ref' in schema) return schema;
  return typeof schema['type'] === 'string' && !('enum' in schema) ? { ...schema, type: [schema['type'], 'null'] } : schema;
}

const arrayKeywords = new Set(['minItems', 'maxItems']);

/** Decorators are more precise than types (`integer`, not `number`); on a list they apply to its items, and never to null. */
function constrained(base: Schema, constraints: Schema): Schema {
  if ('$ref' in base) return base;
  if (base['type'] === 'array') {
    const entries = Object.entries(constraints);
    const ofList = entries.filter(([keyword]) => arrayKeywords.has(keyword));
    const ofItems = entries.filter(([keyword]) => !arrayKeywords.has(keyword));
    return {
      ...base,
      items: constrained((base['items'] ?? {}) as Schema, Object.fromEntries(ofItems)),
      ...Object.fromEntries(ofList),
    };
  }
  const hasOwnType = Array.isArray(base['type']) || 'anyOf' in base || 'enum' in base;
  return hasOwnType ? { ...constraints, ...base } : { ...base, ...constraints };
}

/** Named types that the workspace declares are components; `Promise`, `Record` and other library types are not. */
function namedSymbolOf(type: ts.Type): ts.Symbol | undefined {
  const symbol = type.aliasSymbol ?? (type.symbol as ts.Symbol | undefined);
  if (!symbol) return undefined;
  const isNamed = Boolean(type.aliasSymbol) || Boolean(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class));
  const isOwn = (symbol.declarations ?? []).every(
    declaration => !declaration.getSourceFile().fileName.includes('/node_modules/'),
  );
  return isNamed && isOwn ? symbol : undefined;
}

function documentation(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): Schema {
  const text = symbol ? ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll('\n', ' ') : '';
  return text === '' ? {} : { description: text };
}

/** `X | null` as one type list where that is possible. */
function merged(schemas: Schema[]): Schema {
  const others = schemas.filter(schema => schema['type'] !== 'null');
  const isPlain =
    others.length === 1 && schemas.length === 2 && typeof others[0]!['type'] === 'string' && !('enum' in others[0]!);
  return isPlain ? { ...others[0], type: [others[0]!['type'], 'null'] } : { anyOf: schemas };
}

function templatePattern(type: ts.TemplateLiteralType): string {
  return `^${type.texts.map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`;
}

/** JSON Schema of a class-validator decorator; `Each`, `Custom` and unknown decorators give nothing. */
const rules: Record<string, (args: unknown[]) => Schema> = {
  IsInt: () => ({ type: 'integer' }),
  IsId: () => ({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  IsIdText: () => ({ pattern: String.raw`^[1-9]\d{0,15}$` }),
  IsInstantText: () => ({ pattern: String.raw`^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$` }),
  IsNumber: () => ({ type: 'number' }),
  IsAmount: () => ({ type: 'number' }),
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

interface Constraints {
  schema: Schema;
  isOptional: boolean;
}

/** Constraints of a class property from its class-validator decorators. */
function constraintsOf(property: ts.Declaration, checker: ts.TypeChecker): Constraints {
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
