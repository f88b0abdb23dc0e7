import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@paycode/service-runtime/testing';
import { Bystanders } from './bystanders.ts';
import { fuzzOperation, type OperationReport } from './run-fuzz.ts';
import { operationsOf } from './operations.ts';

const errorBody = { timestamp: '', status: 400, error: '', message: '', path: '', requestId: '' };
const json = (schema: Record<string, unknown>) => ({ content: { 'application/json': { schema } } });
const error = json({ type: 'object', required: Object.keys(errorBody) });
const [operation] = operationsOf('public', {
  paths: {
    '/things/{id}': {
      post: {
        security: [],
        parameters: [{ name: 'id', in: 'path' as const, required: true, schema: { type: 'integer', minimum: 1 } }],
        requestBody: json({ $ref: '#/components/schemas/Thing' }) as never,
        responses: { '200': json({ type: 'object', required: ['id'] }), '400': error, '415': json({}) },
      },
    },
  },
  components: {
    schemas: { Thing: { type: 'object', properties: { name: { type: 'string', maxLength: 20 }, amount: { type: 'number' } } } },
  },
});

type Answer = (status: number, body?: object) => void;
type Serve = (text: string, answer: Answer, request: IncomingMessage) => void;

const right: Serve = (text, answer) => {
  try {
    JSON.parse(text);
    answer(200, { id: 1 });
  } catch {
    answer(400, errorBody);
  }
};

async function serving<T>(serve: Serve, use: (url: string, stop: () => Promise<void>) => Promise<T>): Promise<T> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('error', () => response.destroy());
    const answer: Answer = (status, body = {}) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    request.on('end', () => serve(text, answer, request));
  });
  // As the gateway does: a request that cannot be read is refused with the error body.
  const refusal = `Content-Type: application/json\r\nConnection: close\r\n\r\n${JSON.stringify(errorBody)}`;
  server.on('clientError', (_, socket) => socket.end(`HTTP/1.1 400 Bad Request\r\n${refusal}`));
  for (const event of ['checkExpectation', 'checkContinue'])
    server.on(event, (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(417, { 'Content-Type': 'application/json' }).end(JSON.stringify(errorBody));
    });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop);
  } finally {
    await stop();
  }
}

function fuzz(serve: Serve, cases: number, only?: number): Promise<OperationReport> {
  return serving(serve, url => {
    const access = { target: { url }, known: {}, callers: [], authorizationOf: () => '' };
    return fuzzOperation(operation!, access, { cases, seed: 7, ...(only === undefined ? {} : { only }) });
  });
}

const hasNul = (text: string) => /\0|\\u0000/.test(text);

describe('fuzzing of one operation', () => {
  it('finds a server that answers 500 to a NUL, and the number of the case shows it again (T-25)', async () => {
    const serve: Serve = (text, answer) => (hasNul(text) ? answer(500) : right(text, answer, undefined as never));
    const finding = (await fuzz(serve, 600)).findings.find(({ kind }) => kind === 'body');
    expect(finding).toMatchObject({ problem: 'status 500' });
    const again = (await fuzz(serve, 1, finding!.number)).findings[0]!;
    expect([again.number, again.problem]).toEqual([finding!.number, finding!.problem]);
  });

  it.each<[string, Serve, RegExp]>([
    ['a status that is not described', (_, answer) => answer(418), /^status 418 is not described$/],
    ['a body that is not described', (_, answer) => answer(200, { name: 'no id' }), /must have required property 'id'/],
    ['a connection without an answer', (_, __, request) => request.socket.destroy(), /ended without an answer/],
  ])('finds %s (T-25)', async (_, serve, problem) => {
    const { findings } = await fuzz(serve, 40);
    expect(findings.map(each => each.problem)).toContainEqual(expect.stringMatching(problem));
  });
});

it('a valid call beside hostile ones counts as failed when it is refused or gets no connection (T-25)', async () => {
  let isRefusing = false;
  const serve: Serve = (_, answer) => answer(isRefusing ? 503 : 200);
  await serving(serve, async (url, stop) => {
    const bystanders = new Bystanders({ url }, [{ name: 'getCode', path: '/', authorization: () => 'Basic x' }]);
    const failed = (pattern: RegExp) =>
      eventually(() => expect(bystanders.failures).toContainEqual(expect.stringMatching(pattern)));
    await eventually(() => expect(bystanders.calls).toBeGreaterThan(0));
    expect(bystanders.failures).toEqual([]);
    isRefusing = true;
    await failed(/^getCode: 503/);
    await stop();
    await failed(/ECONNREFUSED/).finally(() => bystanders.stop());
  });
});
