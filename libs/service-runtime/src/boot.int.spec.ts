import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import axios from 'axios';
import { IsInt, Max } from 'class-validator';
import { baseEnv } from './base-env';
import { type RunningService, startService } from './boot';
import { DomainError } from './domain-error';
import { defineEnv } from './env';

class Sum {
  @IsInt()
  @Max(99)
  merchantId!: number;
}

@Controller()
class EchoController {
  @Get('internal/secret')
  secret(): object {
    return { internal: true };
  }
  @Post('pluto/sum')
  sum(@Body() body: Sum): object {
    return body;
  }
  @Get('pluto/refused')
  refused(): never {
    throw new DomainError({ status: 406, reason: 'NOPE', message: 'Not Acceptable' });
  }
  @Get('pluto/broken')
  broken(): never {
    throw new Error('password=hunter2');
  }
}

@Module({ controllers: [EchoController] })
class EchoModule {}

describe('a service', () => {
  let service: RunningService;
  const http = axios.create({ validateStatus: () => true });
  const at = (listener: 'internal' | 'public', path: string) => `http://127.0.0.1:${service.ports[listener]}${path}`;
  const json = { headers: { 'content-type': 'application/json' } };

  beforeAll(async () => {
    service = await startService(
      { name: 'echo', env: defineEnv(baseEnv({ internal: 0 })), module: () => EchoModule, hasPublicPaths: true },
      { LOG_LEVEL: 'silent', INTERNAL_PORT: '0', PUBLIC_PORT: '0' },
    );
  });
  afterAll(() => service.stop('test'));

  it('serves /internal and /metrics on the internal listener only (T-27)', async () => {
    expect((await http.get(at('internal', '/internal/secret'))).status).toBe(200);
    expect((await http.get(at('public', '/internal/secret'))).status).toBe(404);
    expect((await http.get(at('public', '/metrics'))).status).toBe(404);
    expect((await http.get(at('internal', '/metrics'))).data).toContain('process_cpu_seconds_total');
  });

  it('names field and rule of a bad body, and the request id (R-7-6)', async () => {
    const answer = await http.post(at('public', '/pluto/sum'), '{"merchantId":"25"}', json);
    expect(answer.status).toBe(400);
    expect(answer.data).toMatchObject({
      status: 400,
      error: 'Bad Request',
      path: '/pluto/sum',
      errors: [{ field: 'merchantId' }],
    });
    expect(answer.headers['x-request-id']).toBe(answer.data.requestId);
  });

  it('refuses duplicate keys, ignores unknown ones (A-59)', async () => {
    expect((await http.post(at('public', '/pluto/sum'), '{"merchantId":1,"merchantId":2}', json)).status).toBe(400);
    expect((await http.post(at('public', '/pluto/sum'), '{"merchantId":1,"colour":"red"}', json)).data).toEqual({
      merchantId: 1,
    });
  });

  it('refuses a body that is not JSON by its type (R-4-1)', async () => {
    const answer = await http.post(at('public', '/pluto/sum'), 'merchantId=1', { headers: { 'content-type': 'text/plain' } });
    expect([answer.status, answer.data.message]).toEqual([415, 'Content-Type must be application/json']);
  });

  it('answers a refusal with its own status and an unexpected error with a 500 that shows nothing', async () => {
    expect((await http.get(at('public', '/pluto/refused'))).data).toMatchObject({ status: 406, message: 'Not Acceptable' });
    const broken = await http.get(at('public', '/pluto/broken?token=secret'));
    expect(broken.status).toBe(500);
    expect(JSON.stringify(broken.data)).not.toMatch(/hunter2|secret/);
  });
});
