import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Canary } from './canary.ts';
import { OperationFuzzer, type OperationReport } from './fuzz-operation.ts';
import { operationsOf } from './operations.ts';

const seed = 7;
const errorBody = { timestamp: '', status: 400, error: '', message: '', path: '', requestId: '' };
const json = (schema: Record<string, unknown>) => ({ content: { 'application/json': { schema } } });
const document = {
  paths: {
    '/things/{id}': {
      post: {
        security: [],
        parameters: [{ name: 'id', in: 'path' as const, required: true, schema: { type: 'integer', minimum: 1 } }],
        requestBody: json({ $ref: '#/components/schemas/Thing' }) as never,
        responses: {
          '200': json({ type: 'object', required: ['id'] }),
          '400': json({ $ref: '#/components/schemas/Error' }),
          '415': json({}),
        },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: 20 }, amount: { type: 'number' } },
      },
      Error: { type: 'object', required: Object.keys(errorBody) },
    },
  },
};
const operation = operationsOf('public', document)[0]!;

type Answer = (status: number, body?: object) => void;
type Serve = (text: string, request: IncomingMessage, answer: Answer) => void;

const right: Serve = (text, _, answer) => {
  try {
    JSON.parse(text);
    answer(200, { id: 1 });
  } catch {
    answer(400, errorBody);
  }
};

async function serving<T>(serve: Serve, use: (url: string, server: Server) => Promise<T>): Promise<T> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('error', () => response.destroy());
    request.on('end', () =>
      serve(text, request, (status, body = {}) => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      }),
    );
  });
  // As the gateway does: what cannot be read is refused with the error body.
  const refusal = `Content-Type: application/json\r\nConnection: close\r\n\r\n${JSON.stringify(errorBody)}`;
  server.on('clientError', (_, socket) => socket.end(`HTTP/1.1 400 Bad Request\r\n${refusal}`));
  server.on('checkExpectation', (request, response: ServerResponse) => {
    response.writeHead(417, { 'Content-Type': 'application/json' }).end(JSON.stringify(errorBody));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  } finally {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
}

function fuzz(serve: Serve, cases: number, more: { seed?: number; path?: string } = {}): Promise<OperationReport> {
  const ground = (url: string) => ({ target: { url }, known: {}, callers: [], authorizationOf: () => '' });
  return serving(serve, url => new OperationFuzzer(operation, ground(url)).run({ cases, seed, ...more }));
}

const isPoisoned = (text: string) => /\0|\\u0000/.test(text);

describe('fuzzing of one operation', () => {
  it('a server that answers 500 for a NUL is found, with a small request and a replay that shows it again (T-25)', async () => {
    const serve: Serve = (text, request, answer) => (isPoisoned(text) ? answer(500) : right(text, request, answer));
    const { findings } = await fuzz(serve, 300);
    const finding = findings.find(({ kind }) => kind === 'body');
    expect(finding).toMatchObject({ operation: 'POST /things/{id}', problem: 'status 500' });
    expect(finding!.request.length).toBeLessThan(500);
    const replayed = await fuzz(serve, 1, { seed: finding!.seed, path: finding!.path });
    expect(replayed.findings[0]).toMatchObject({
      problem: 'status 500',
      request: expect.stringMatching(/\\x00|u0000/) as string,
    });
  });

  it('a status that the OpenAPI does not describe is found (T-25)', async () => {
    const { findings } = await fuzz(
      (text, request, answer) => (/"amount":-/.test(text) ? answer(418) : right(text, request, answer)),
      600,
    );
    expect(findings.map(({ problem }) => problem)).toEqual(['status 418 is not described']);
  });

  it('an answer whose body is not the described one is found (T-25)', async () => {
    const { findings } = await fuzz((_, __, answer) => answer(200, { name: 'no id' }), 20);
    expect(findings[0]!.problem).toContain("must have required property 'id'");
  });

  it('a connection that ends without an answer is found (T-25)', async () => {
    const { findings } = await fuzz(
      (text, request, answer) => (isPoisoned(text) ? request.socket.destroy() : right(text, request, answer)),
      600,
    );
    expect(findings.map(({ problem }) => problem)).toContain('the connection ended without an answer');
  });

  it('a server that keeps to its description has no findings, and every kind of case reaches it', async () => {
    const { findings, cases, statuses } = await fuzz(right, 200);
    expect(findings).toEqual([]);
    expect(cases).toBe(200);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400']));
  });
});

describe('the canary', () => {
  const call = { name: 'getCode', method: 'GET', path: '/', authorization: () => 'Basic x' };

  async function untilCalled(canary: Canary, times: number): Promise<number> {
    let [calls, failed] = [0, 0];
    while (calls < times) {
      await pause(5);
      const report = canary.report();
      calls += report.calls;
      failed += report.failures.length;
    }
    return failed;
  }

  it('valid calls that are refused or get no connection are failures; answered ones are not (T-25)', async () => {
    const refused = await serving(
      (_, __, answer) => answer(503),
      async url => {
        const canary = new Canary({ url }, [call], { everyMs: 1 }).start();
        const failed = await untilCalled(canary, 3);
        await canary.stop();
        return failed;
      },
    );
    expect(refused).toBeGreaterThanOrEqual(3);
    const gone = await serving(
      (_, __, answer) => answer(200),
      async (url, server) => {
        const canary = new Canary({ url }, [call], { everyMs: 1 }).start();
        expect(await untilCalled(canary, 3)).toBe(0);
        server.closeAllConnections();
        server.close();
        const failed = await untilCalled(canary, 3);
        await canary.stop();
        return failed;
      },
    );
    expect(gone).toBeGreaterThanOrEqual(1);
  });
});
