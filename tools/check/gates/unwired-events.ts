import ts from 'typescript';

/** The entry of an event in the registry. */
export interface RegisteredEvent {
  topic: { name: string; producers: readonly string[]; consumers: readonly { group: string; service: string }[] };
}

const isTest = /\.spec\.ts$|\.conformance\.ts$|\/testing\//;

/**
 * Where the registry of events and the code of the services differ: a consumer without `@OnEvents`, an `@OnEvents` that the registry does not
 * know, and a producer that never names the topic.
 * @param events the registry, by the name under which `topics` has each topic
 * @param sources files with their texts; those outside a service's `src` are passed over
 */
export function unwiredEvents(
  events: Readonly<Record<string, RegisteredEvent>>,
  sources: Iterable<readonly [file: string, text: string]>,
): string[] {
  const uses = usesByService(sources);
  const declared = Object.entries(events).flatMap(([event, { topic }]) =>
    topic.consumers.map(({ group, service }) => ({ service, handler: handlerOf(event, group) })),
  );
  const missing = declared.filter(({ service, handler }) => !uses.get(service)?.handlers.has(handler));
  const unknown = [...uses].flatMap(([service, { handlers }]) =>
    [...handlers]
      .filter(handler => !declared.some(known => known.service === service && known.handler === handler))
      .map(handler => `apps/${service}: ${handler} is no consumer in the registry of events`),
  );
  const silent = Object.entries(events).flatMap(([event, { topic }]) =>
    topic.producers
      .filter(service => !uses.get(service)?.published.has(event))
      .map(service => `apps/${service}: it produces ${topic.name}, and no code names topics.${event}`),
  );
  return [
    ...missing.map(({ service, handler }) => `apps/${service}: no ${handler}, a consumer in the registry of events`),
    ...unknown,
    ...silent,
  ];
}

function handlerOf(event: string, group: string): string {
  return `@OnEvents(topics.${event}, { group: '${group}' })`;
}

interface Uses {
  /** As `handlerOf` writes them. */
  handlers: Set<string>;
  /** Events whose topic the code names elsewhere than in `@OnEvents`. */
  published: Set<string>;
}

function usesByService(sources: Iterable<readonly [file: string, text: string]>): Map<string, Uses> {
  const files = new Map<string, ts.SourceFile[]>();
  for (const [file, text] of sources) {
    const service = /^apps\/([^/]+)\/src\/.*\.ts$/.exec(file)?.[1];
    if (service === undefined || isTest.test(file)) continue;
    files.set(service, [...(files.get(service) ?? []), ts.createSourceFile(file, text, ts.ScriptTarget.Latest)]);
  }
  return new Map([...files].map(([service, parsed]) => [service, usesIn(parsed)]));
}

function usesIn(files: readonly ts.SourceFile[]): Uses {
  const constants = new Map<string, string>();
  const calls: ts.CallExpression[] = [];
  const published = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (isOnEvents(node)) return void calls.push(node);
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer && ts.isStringLiteral(node.initializer))
      constants.set(node.name.text, node.initializer.text);
    const event = topicNamed(node);
    if (event !== undefined) published.add(event);
    ts.forEachChild(node, visit);
  };
  files.forEach(visit);
  return { handlers: new Set(calls.map(call => handlerIn(call, constants))), published };
}

function isOnEvents(node: ts.Node): node is ts.CallExpression {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'OnEvents';
}

/** `ackReceived` of `topics.ackReceived`. */
function topicNamed(node: ts.Node | undefined): string | undefined {
  const isTopic =
    node && ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'topics';
  return isTopic ? node.name.text : undefined;
}

function handlerIn({ arguments: [topic, options] }: ts.CallExpression, constants: ReadonlyMap<string, string>): string {
  const members = options && ts.isObjectLiteralExpression(options) ? options.properties : [];
  const group = members.find(member => member.name && ts.isIdentifier(member.name) && member.name.text === 'group');
  const value = group && ts.isPropertyAssignment(group) ? group.initializer : undefined;
  return handlerOf(topicNamed(topic) ?? '?', groupIn(value, constants));
}

/** The text of a literal, or of a constant of the service. */
function groupIn(value: ts.Expression | undefined, constants: ReadonlyMap<string, string>): string {
  if (value && ts.isStringLiteral(value)) return value.text;
  return (value && ts.isIdentifier(value) && constants.get(value.text)) || '?';
}
