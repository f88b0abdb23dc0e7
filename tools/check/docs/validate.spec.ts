import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { assertAsyncApi, assertOpenApi } from './validate.ts';

const asyncApi = (): Record<string, unknown> =>
  parse(readFileSync(join(__dirname, '../../../docs/reference/events.asyncapi.yaml'), 'utf8')) as Record<string, unknown>;
const openApi = { openapi: '3.1.0', info: { title: 't', version: '1' }, paths: {} };

describe('validators of reference pages', () => {
  it('the committed AsyncAPI document is valid; one with a wrong action is not', () => {
    expect(() => assertAsyncApi(asyncApi())).not.toThrow();
    const wrong = { ...asyncApi(), operations: { x: { action: 'shout', channel: { $ref: '#/channels/AckReceived' } } } };
    expect(() => assertAsyncApi(wrong)).toThrow('not AsyncAPI 3.0.0');
  });

  it('an OpenAPI document with an unknown member or a reference to nowhere is not valid', async () => {
    await expect(assertOpenApi(openApi, 'x')).resolves.toBeUndefined();
    await expect(assertOpenApi({ ...openApi, surprise: 1 }, 'x')).rejects.toThrow('x is not OpenAPI 3.1');
    const dangling = { ...openApi, paths: { '/a': { get: { responses: { 200: { $ref: '#/components/responses/none' } } } } } };
    await expect(assertOpenApi(dangling, 'x')).rejects.toThrow();
  });
});
