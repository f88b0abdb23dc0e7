import ts from 'typescript';
import { valueOf, type TypeSchemas } from './type-schema.ts';

type Schema = Record<string, unknown>;

export interface Route {
  method: string;
  /** As OpenAPI writes it: `/internal/merchants/{merchantId}`. */
  path: string;
  operationId: string;
  summary: string;
  status: number;
  /** Services (or `operator`) that may call an internal route; empty for public ones. */
  callers: string[];
  pathParameters: string[];
  query?: Schema;
  body?: Schema;
  hasBody: boolean;
  /** undefined: the type gives no schema; null: no content. */
  response: Schema | null | undefined;
}

const methods: Record<string, string> = { Get: 'get', Post: 'post', Put: 'put', Patch: 'patch', Delete: 'delete' };

interface Context {
  checker: ts.TypeChecker;
  schemas: TypeSchemas;
  /** Routes of other documents: their types must not become components of this one. */
  keep: (path: string) => boolean;
  /** Callers of an internal route, as the table of internal calls has them. */
  callersOf: (method: string, path: string) => string[];
}

/** Every route of the controllers in one source file. */
export function routesIn(file: ts.SourceFile, context: Context): Route[] {
  return file.statements.filter(ts.isClassDeclaration).flatMap(controller => {
    const decorator = callOf(controller, 'Controller');
    if (!decorator) return [];
    const prefix = textOf(decorator.arguments[0], context.checker);
    return controller.members.filter(ts.isMethodDeclaration).flatMap(member => routesOf({ controller, member, prefix }, context));
  });
}

interface Place {
  controller: ts.ClassDeclaration;
  member: ts.MethodDeclaration;
  prefix: string;
}

function routesOf(place: Place, context: Context): Route[] {
  const name = Object.keys(methods).find(candidate => callOf(place.member, candidate));
  if (!name) return [];
  const ownPath = textOf(callOf(place.member, name)!.arguments[0], context.checker);
  const path = `/${place.prefix}/${ownPath}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
  return context.keep(path) ? [routeOf(place, { method: methods[name]!, path }, context)] : [];
}

function routeOf({ controller, member }: Place, { method, path }: { method: string; path: string }, context: Context): Route {
  const { checker } = context;
  return {
    method,
    path: path.replace(/:(\w+)/g, '{$1}'),
    operationId: `${controller.name!.text.replace(/Controller$/, '')}.${member.name.getText()}`,
    summary: documentationOf(member, checker) || documentationOf(controller, checker),
    status: statusOf(member, method, checker),
    callers: context.callersOf(method.toUpperCase(), path),
    pathParameters: [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter!),
    ...inputOf(member, method, context),
    response: responseOf(member, context),
  };
}

function inputOf(
  member: ts.MethodDeclaration,
  method: string,
  { checker, schemas }: Context,
): Pick<Route, 'query' | 'body' | 'hasBody'> {
  const body = parameterType(member, 'Body', checker);
  const query = parameterType(member, 'Query', checker);
  const readsRequest = body !== undefined || parameterType(member, 'Req', checker) !== undefined;
  return {
    query: query && schemas.membersOf(query),
    body: body && schemas.of(body),
    hasBody: ['post', 'put', 'patch'].includes(method) && readsRequest,
  };
}

function textOf(argument: ts.Expression | undefined, checker: ts.TypeChecker): string {
  const value = argument && valueOf(argument, checker);
  return typeof value === 'string' ? value : '';
}

function callOf(node: ts.HasDecorators, name: string): ts.CallExpression | undefined {
  return (ts.getDecorators(node) ?? [])
    .map(({ expression }) => expression)
    .filter(ts.isCallExpression)
    .find(call => call.expression.getText() === name);
}

function statusOf(member: ts.MethodDeclaration, method: string, checker: ts.TypeChecker): number {
  const code = callOf(member, 'HttpCode')?.arguments[0];
  return code ? Number(valueOf(code, checker)) : method === 'post' ? 201 : 200;
}

function parameterType(member: ts.MethodDeclaration, decorator: string, checker: ts.TypeChecker): ts.Type | undefined {
  const parameter = member.parameters.find(candidate => callOf(candidate, decorator));
  return parameter && checker.getTypeAtLocation(parameter);
}

function responseOf(member: ts.MethodDeclaration, { checker, schemas }: Context): Schema | null | undefined {
  const signature = checker.getSignatureFromDeclaration(member);
  const returned = signature && checker.getReturnTypeOfSignature(signature);
  const type = returned && (checker.getAwaitedType(returned) ?? returned);
  if (!type) return undefined;
  return type.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined) ? null : schemas.of(type);
}

function documentationOf(node: ts.ClassDeclaration | ts.MethodDeclaration, checker: ts.TypeChecker): string {
  const symbol = node.name && checker.getSymbolAtLocation(node.name);
  return symbol ? ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll('\n', ' ') : '';
}
