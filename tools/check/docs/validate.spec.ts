import { assertAsyncApi, assertOpenApi } from './validate.ts';

const asyncApi = {
  asyncapi: '3.0.0',
  info: { title: 't', version: '1' },
  channels: { AckReceived: { address: 'acks', messages: { AckReceived: { payload: { type: 'object' } } } } },
  operations: { x: { action: 'receive', channel: { $ref: '#/channels/AckReceived' } } },
};
const openApi = { openapi: '3.1.0', info: { title: 't', version: '1' }, paths: {} };

describe('validators of reference pages', () => {
  it('an AsyncAPI document is valid; one with a wrong action is not', () => {
    expect(() => assertAsyncApi(asyncApi)).not.toThrow();
    const wrong = { ...asyncApi, operations: { x: { action: 'shout', channel: { $ref: '#/channels/AckReceived' } } } };
    expect(() => assertAsyncApi(wrong)).toThrow('not AsyncAPI 3.0.0');
  });

  it('an OpenAPI document with an unknown member or a reference to nowhere is not valid', async () => {
    await expect(assertOpenApi(openApi, 'x')).resolves.toBeUndefined();
    await expect(assertOpenApi({ ...openApi, surprise: 1 }, 'x')).rejects.toThrow('x is not OpenAPI 3.1');
    const dangling = { ...openApi, paths: { '/a': { get: { responses: { 200: { $ref: '#/components/responses/none' } } } } } };
    await expect(assertOpenApi(dangling, 'x')).rejects.toThrow();
  });
});
