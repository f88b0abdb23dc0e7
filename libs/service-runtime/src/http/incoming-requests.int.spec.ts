import { connect } from 'node:net';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Type } from 'class-transformer';
import { IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { baseEnv } from '../base-env';
import { type RunningService, startService } from '../boot';
import { DomainError } from '../domain-error';
import { defineEnv } from '../env';
import { eventually, type RawAnswer, rawExchange, rawRequest } from '../testing';

class Contact {
  @IsString()
  name!: string;
}

class Order {
  @IsString()
  reference!: string;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => Contact)
  contact?: Contact;
}

/** Bodies that the handler of internal calls was given. */
const inwardCalls: unknown[] = [];

@Controller()
class OrdersController {
  @Post('orders')
  order(@Body() order: Order): object {
    return order;
  }
  @Post('internal/orders')
  inward(@Body() body: unknown): object {
    inwardCalls.push(body);
    return { body };
  }
  @Post('internal/busy')
  busy(): never {
    throw new DomainError({ status: 503, reason: 'BUSY', message: 'Service Unavailable' });
  }
  @Post('internal/bug')
  bug(): never {
    throw new TypeError(`a bug at ${performance.now()}`);
  }
  @Post('orders/new')
  begin(): object {
    return {};
  }

  @Post('form')
  @RouteConfig({ isBodyIgnored: true })
  form(@Body() body: unknown): object {
    return { body: body ?? null };
  }

  @Post('addresses')
  @RouteConfig({ multilineFields: new Set(['address']) })
  address(@Body() body: object): object {
    return body;
  }
  @Get('orders/:reference')
  read(@Param('reference') reference: string, @Query('colour') colour: unknown): object {
    return { reference, colour };
  }
}

@Controller('public')
class PagesController {
  @Get('page/:name')
  page(@Param('name') name: string): string {
    return `page ${name}`;
  }
}

@Module({ controllers: [OrdersController, PagesController] })
class OrdersModule {}

interface Refusal {
  message: string;
  errors?: { field: string; message: string }[];
}

/** The input that a service accepts. No caller can cause an error line in its log (R-7-6, A-70, T-40). */
describe('the checks of every request to a service', () => {
  let service: RunningService;
  let errorLines: string[];
  beforeAll(async () => {
    // The logger calls `process.stdout.write` only if that is mocked when the logger is created. Without this the tests below see no lines.
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    service = await startService(
      { name: 'orders', env: defineEnv(baseEnv({ internal: 0 })), module: () => OrdersModule, hasPublicPaths: true },
      { LOG_LEVEL: 'warn', INTERNAL_PORT: '0', PUBLIC_PORT: '0' },
    );
  });
  afterAll(() => service.stop('test'));
  beforeEach(() => {
    errorLines = [];
    jest.spyOn(process.stdout, 'write').mockImplementation(line => errorLines.push(String(line)) > 0);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    expect(errorLines).toEqual([]);
  });

  const post = (path: string, body: string | Buffer, port = service.ports.public!): Promise<RawAnswer> =>
    postAs('application/json', { path, body, port });
  const postAs = (type: string, { path, body, port }: { path: string; body: string | Buffer; port: number }) => {
    const bytes = Buffer.from(body);
    const head = [
      ...[`POST ${path} HTTP/1.1`, 'host: test', 'connection: close', `content-type: ${type}`],
      `content-length: ${bytes.length}`,
    ];
    return rawExchange(port, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]));
  };
  const get = (target: string): Promise<RawAnswer> => rawRequest(service.ports.public!, 'GET', target);
  const refusalOf = ({ status, body }: RawAnswer): unknown[] => {
    const { message, errors } = JSON.parse(body) as Refusal;
    return [status, errors?.[0]?.field ?? message, errors?.[0]?.message];
  };

  it.each([
    ['NUL', '"a\\u0000"'],
    ['a line end', '"a\\nb"'],
    ['a tabulator', '"\\t"'],
    ['DEL', '"a\u007f"'],
    ['C1, as itself', '"a\u0085"'],
    ['C1, escaped', '"\\u009f"'],
  ])('refuses %s in a text and names field and rule (R-7-6, A-70)', async (_, text) => {
    const rule = 'must not contain control characters';
    expect(refusalOf(await post('/orders', `{"reference":${text}}`))).toEqual([400, 'reference', rule]);
    expect(refusalOf(await post('/orders', `{"reference":"1","contact":{"name":${text}}}`))).toEqual([400, 'contact.name', rule]);
    const inward = await post('/internal/orders', `[{"a":1},{"b":[${text}]}]`, service.ports.internal);
    expect(refusalOf(inward)).toEqual([400, '[1].b[0]', rule]);
  });

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b'])(
    'takes a form of type %s, unread, on a path for programs of others, and refuses it on every other (R-5.4-1)',
    async type => {
      const sent = (path: string) => postAs(type, { path, body: 'List-Unsubscribe=One-Click', port: service.ports.public! });
      expect(await sent('/form')).toMatchObject({ status: 201, body: '{"body":null}' });
      expect(refusalOf(await sent('/orders')).slice(0, 2)).toEqual([415, 'Content-Type must be application/json']);
    },
  );

  it('refuses such characters in a key too, and names its place without repeating it (R-7-6, A-70)', async () => {
    expect(refusalOf(await post('/orders', '{"reference":"1","a\\u0000b":1}'))).toEqual([
      400,
      'a\u{FFFD}b',
      'must not contain control characters',
    ]);
  });

  it.each(['"c\\ud800"', '"\\udbffc"', '"\\udc00\\ud800"'])('refuses half a surrogate pair: %s (A-70)', async text => {
    expect(refusalOf(await post('/orders', `{"reference":${text}}`))).toEqual([400, 'reference', 'must be well-formed Unicode']);
  });

  it.each([
    ['announced', 'content-length: 262145', ''],
    ['chunked', 'transfer-encoding: chunked', `40001\r\n${' '.repeat(262_145)}`],
  ])('regression: a public body beyond 256 KiB is refused before it is complete: %s (T-12)', async (_, framing, begun) => {
    const head = `POST /orders HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
    expect(refusalOf(await rawExchange(service.ports.public!, head + begun))).toEqual([
      413,
      'body is larger than allowed',
      undefined,
    ]);
  });

  it('internal calls may send larger bodies', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(300_000) });
    expect((await post('/internal/orders', large, service.ports.internal)).status).toBe(201);
  });

  it.each([
    ['bytes that are none', [0xff, 0xfe]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0xe2, 0x82]],
  ])('refuses bytes that are not UTF-8 instead of replacing them: %s (A-70)', async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"reference":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(refusalOf(await post('/orders', body))).toEqual([400, 'body', 'must be UTF-8']);
  });

  it('regression: names the byte order mark in front of a body, which nobody sees', async () => {
    const rule = 'must not begin with a byte order mark';
    for (const body of ['\uFEFF{"reference":"a"}', '\uFEFF', '\uFEFF[]'])
      expect(refusalOf(await post('/orders', body))).toEqual([400, 'body', rule]);
  });

  it.each([
    ['twice', '{"reference":"a","reference":"b"}', 'reference', 'appears more than once'],
    ['twice with one value', '{"reference":"a","reference":"a"}', 'reference', 'appears more than once'],
    ['twice, between spaces', '{ "reference": "a", "reference": "b" }', 'reference', 'appears more than once'],
    ['twice, once as an escape', String.raw`{"reference":"a","\u0072eference":"b"}`, 'reference', 'appears more than once'],
    ['twice inside an object', '{"reference":"a","contact":{"name":"a","name":"b"}}', 'name', 'appears more than once'],
    ['that is a number twice', '{"reference":"a","1":1,"1":1}', '1', 'appears more than once'],
    ['named __proto__', '{"__proto__":{"reference":"a"}}', '__proto__', 'is not an allowed key'],
    ['named __proto__ by an escape', String.raw`{"\u005f_proto__":{"reference":"a"}}`, '__proto__', 'is not an allowed key'],
  ])('refuses a key %s (A-59)', async (_, body, ...fieldAndRule) => {
    expect(refusalOf(await post('/orders', body))).toEqual([400, ...fieldAndRule]);
  });

  it('takes a key in each of several objects, between spaces or not (A-59)', async () => {
    const order = { reference: '__proto__', contact: { name: 'a' }, others: [{ name: 'a' }, { name: 'a' }] };
    const statuses = [0, 2].map(async indent => (await post('/orders', JSON.stringify(order, null, indent))).status);
    expect(await Promise.all(statuses)).toEqual([201, 201]);
  });

  it('takes every other text unchanged', async () => {
    const reference = 'Ωmega 🙂 \u{10FFFF} "quoted" \\ / \u202e e\u0301';
    const answer = await post('/orders', JSON.stringify({ reference }));
    expect([answer.status, JSON.parse(answer.body)]).toEqual([201, { reference }]);
  });

  it('takes line ends where the route allows them, and nowhere else (A-70)', async () => {
    const address = { address: { street: ['1 Long Road\r\n\tCape Town'] } };
    expect((await post('/addresses', JSON.stringify(address))).status).toBe(201);
    expect(refusalOf(await post('/addresses', '{"address":{"street":["\\u0000"]}}')).slice(0, 2)).toEqual([
      400,
      'address.street[0]',
    ]);
    expect(refusalOf(await post('/addresses', '{"name":"a\\nb"}')).slice(0, 2)).toEqual([400, 'name']);
  });

  it.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', '{"a":'.repeat(33) + '1' + '}'.repeat(33)],
    ['brackets that never close', '['.repeat(33)],
  ])('refuses nesting beyond 32 before it is parsed: %s (T-40)', async (_, body) => {
    for (const [path, port] of [
      ['/orders', service.ports.public!],
      ['/internal/orders', service.ports.internal],
    ] as const)
      expect(refusalOf(await post(path, body, port))).toEqual([400, 'body', 'must not be nested deeper than 32 levels']);
  });

  it('takes 32 levels, and counts no bracket inside a text', async () => {
    const deep = `${'['.repeat(31)}"${'[{'.repeat(50)}\\\\\\"[["${']'.repeat(31)}`;
    expect((await post('/internal/orders', `[${deep}]`, service.ports.internal)).status).toBe(201);
    expect((await post('/internal/orders', `[[${deep}]]`, service.ports.internal)).status).toBe(400);
  });

  it.each(['[]', '[{"reference":"1"}]', '"reference"', '1', 'true', 'null'])(
    'refuses %s where an object belongs, as the body and inside it (R-7-6)',
    async value => {
      expect(refusalOf(await post('/orders', value)).slice(0, 1)).toEqual([400]);
      if (value === 'null') return;
      const inside = await post('/orders', `{"reference":"1","contact":${value}}`);
      expect(refusalOf(inside).slice(0, 2)).toEqual([400, 'contact']);
    },
  );

  it.each([
    ['/orders/%00', 'path', 'must not contain control characters'],
    ['/orders/a%0d%0aSet-Cookie:x', 'path', 'must not contain control characters'],
    ['/orders/%c2%85', 'path', 'must not contain control characters'],
    ['/orders/1?colour=%00red', 'colour', 'must not contain control characters'],
    ['/orders/1?colour=%ff', 'colour', 'must be percent-encoded UTF-8'],
    ['/orders/1?colour=%ed%a0%80', 'colour', 'must be percent-encoded UTF-8'],
    ['/orders/1?colour=%zz', 'colour', 'must be percent-encoded UTF-8'],
    ['/orders/1?a%00b=1', 'query', 'must not contain control characters'],
  ])('refuses the target %s (R-7-6, A-70)', async (target, field, rule) => {
    expect(refusalOf(await get(target))).toEqual([400, field, rule]);
  });

  it('answers a target that cannot be decoded with the error body', async () => {
    expect(refusalOf(await get('/orders/%ff'))[0]).toBe(400);
    expect(refusalOf(await get('/%ff'))).toEqual([400, 'invalid path', undefined]);
    expect((await get(`/orders/${'x'.repeat(600)}`)).status).toBe(404);
  });

  it('takes every other target', async () => {
    const answer = await get('/orders/%CE%A9%20%F0%9F%99%82?colour=%22red%22&empty=&=1');
    expect(JSON.parse(answer.body)).toEqual({ reference: 'Ω 🙂', colour: '"red"' });
  });

  it.each([
    ['DELETE', '/orders', 'POST'],
    ['GET', '/orders/new', 'POST'],
    ['OPTIONS', '/orders/n%65w', 'POST'],
    ['TRACE', '/orders/1', 'GET'],
    ['HEAD', '/orders/1', 'GET'],
    ['OPTIONS', '/addresses?x', 'POST'],
    ['PROPFIND', '/orders/1', 'GET'],
  ])('answers %s %s with 405 and the methods of the path: %s (A-71)', async (method, target, allow) => {
    const answer = await rawRequest(service.ports.public!, method, target);
    expect([answer.status, /^allow: (.*)$/im.exec(answer.head)?.[1]]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(JSON.parse(answer.body)).toMatchObject({ status: 405, message: 'Method Not Allowed' });
  });

  it('regression: a page for everybody is answered to HEAD as to GET, without its body (A-71)', async () => {
    const fieldsOf = ({ head }: RawAnswer) => head.split('\r\n').filter(line => !/^(date|x-request-id):/i.test(line));
    const [byGet, byHead] = [await get('/public/page/1'), await rawRequest(service.ports.public!, 'HEAD', '/public/page/1')];
    expect([byGet.body, byHead.body]).toEqual(['page 1', '']);
    expect(fieldsOf(byHead)).toEqual(fieldsOf(byGet));
    expect((await rawRequest(service.ports.public!, 'POST', '/public/page/1')).head).toMatch(/^allow: GET, HEAD$/im);
  });

  it('answers 404 to an unknown path, and tells nothing of internal ones (A-71)', async () => {
    for (const [method, target] of [
      ['DELETE', '/nothing'],
      ['DELETE', '/internal/orders'],
      ['POST', '/%69nternal/orders'],
      ['PUT', '/metrics'],
    ] as const)
      expect([target, (await rawRequest(service.ports.public!, method, target)).status]).toEqual([target, 404]);
  });

  it('every answer forbids guessing its type (A-72)', async () => {
    const answers = [
      await post('/orders', '{"reference":"1"}'),
      await get('/nothing'),
      await get('/%ff'),
      await post('/orders', '['),
    ];
    for (const { head } of answers) expect(head).toMatch(/^x-content-type-options: nosniff$/im);
  });

  describe('internal calls that say how long their caller waits', () => {
    const request = (body: string, deadline: string, port = service.ports.internal) =>
      [
        `POST ${port === service.ports.internal ? '/internal/orders' : '/addresses'} HTTP/1.1`,
        'host: test',
        'connection: close',
        'content-type: application/json',
        ...(deadline === '' ? [] : [`x-deadline-ms: ${deadline}`]),
        `content-length: ${body.length}`,
        '',
        body,
      ].join('\r\n');
    /** The request and the end of its connection wait in the kernel together. */
    const hangUpAfter = (text: string) =>
      new Promise(resolve => {
        const socket = connect({ port: service.ports.internal, host: '127.0.0.1' }, () => {
          socket.write(text);
          socket.destroy();
        }).once('close', resolve);
      });
    beforeEach(() => inwardCalls.splice(0));

    it('regression: a call whose caller has hung up gets no work', async () => {
      await hangUpAfter(request('{"late":1}', '5000'));
      expect((await rawExchange(service.ports.internal, request('{"next":1}', '5000'))).status).toBe(201);
      expect(inwardCalls).toEqual([{ next: 1 }]);
      await hangUpAfter(request('{"control":1}', ''));
      await eventually(() => expect(inwardCalls).toEqual([{ next: 1 }, { control: 1 }]));
    });

    it('a call whose time is over is answered with 503 before its handler begins', async () => {
      const late = await rawExchange(service.ports.internal, request('{"late":1}', '0'));
      expect([late.status, JSON.parse(late.body), inwardCalls]).toEqual([503, expect.objectContaining({ status: 503 }), []]);
    });

    it.each(['', 'soon', '120000'])('a call that says "%s" is served', async deadline => {
      expect((await rawExchange(service.ports.internal, request('{"a":1}', deadline))).status).toBe(201);
    });

    it('callers from outside have no deadline', async () => {
      expect((await rawExchange(service.ports.public!, request('{"a":1}', '0', service.ports.public))).status).toBe(201);
    });
  });

  it('regression: requests that end with 503, and may be repeated, write one warning a minute for a cause, and no error', async () => {
    for (let n = 0; n < 3; n++) expect((await post('/internal/busy', '{}', service.ports.internal)).status).toBe(503);
    const lines = errorLines.splice(0).map(line => JSON.parse(line) as object);
    expect(lines).toEqual([expect.objectContaining({ level: 'warn', status: 503, count: 1 })]);
  });

  it('regression: a bug that fails every request writes one error a minute, and not one for each request', async () => {
    for (let n = 0; n < 3; n++) expect((await post('/internal/bug', '{}', service.ports.internal)).status).toBe(500);
    const lines = errorLines.splice(0).map(line => JSON.parse(line) as object);
    expect(lines).toEqual([expect.objectContaining({ level: 'error', status: 500, count: 1 })]);
  });
});
