import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateWebhookKey, importWebhookKey, webhookEnvelope } from '@paycode/crypto';
import { userAgent } from '@paycode/safe-http';
import { parse } from 'yaml';
import { openNotification } from '../../../node/src/index';
import { notificationRequest, opened, probeRequest, RefusedBody, sealed } from './envelope';
import { newLargeId, NotificationMaker, widened, withUnknownFields } from './notification-maker';

const root = join(__dirname, '../../../..');
const maker = NotificationMaker.from(join(root, 'libs/dto/samples/notifications'));

interface Vector {
  name: string;
  keys: string[];
  body: string;
  expect: { result: string };
}

const { vectors } = JSON.parse(readFileSync(join(root, 'kits/vectors/notifications.json'), 'utf8')) as { vectors: Vector[] };
const document = parse(readFileSync(join(root, 'docs/reference/http/webhooks.openapi.yaml'), 'utf8'));

describe('the body that verify sends is the platform’s (R-6.1-1)', () => {
  const { text } = maker.success();

  it('the platform’s own code opens it', () => {
    const key = generateWebhookKey();
    const body = sealed(text, Buffer.from(key, 'hex')).toString('base64');
    expect(webhookEnvelope('AES-128-GCM').decrypt(importWebhookKey(key), body).toString('utf8')).toBe(text);
  });

  it('the Node kit opens it', () => {
    const key = generateWebhookKey();
    expect(openNotification(sealed(text, Buffer.from(key, 'hex')).toString('base64'), [key]).text).toBe(text);
  });

  it('a nonce is never used twice (T-23)', () => {
    const key = Buffer.from(generateWebhookKey(), 'hex');
    expect(sealed(text, key).subarray(0, 12).equals(sealed(text, key).subarray(0, 12))).toBe(false);
  });

  it.each(vectors.map(vector => [vector.name, vector] as const))('decrypt agrees with the test vector %j', (_, vector) => {
    const result = (): string => {
      try {
        opened(
          vector.body,
          vector.keys.map(key => Buffer.from(key, 'hex')),
        );
        return 'OK';
      } catch (error) {
        return (error as RefusedBody).code;
      }
    };
    // `decrypt` does not check that the opened text is a notification.
    expect(result()).toBe(vector.expect.result.replace('NOT_A_NOTIFICATION', 'OK'));
  });
});

describe('the headers that verify sends are the platform’s', () => {
  const { webhooks } = document;

  it('those of a notification are the documented ones that each has, with the content type of A-62', () => {
    const { headers } = notificationRequest('', {
      transactionId: 17,
      attempt: 2,
      key: Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
    });
    const { parameters, requestBody } = webhooks.transactionNotification.post;
    const always = (parameters as { name: string; required: boolean }[]).filter(({ required }) => required);
    const documented = always.map(({ name }) => name);
    expect(Object.keys(headers).sort()).toEqual(['Content-Type', 'User-Agent', ...documented].sort());
    expect(headers).toMatchObject({
      'Content-Type': Object.keys(requestBody.content)[0],
      'User-Agent': userAgent,
      'X-Webhook-Encryption': webhookEnvelope('AES-128-GCM').headerValue,
      'X-Webhook-Key-Id': 'a8faed6abbf35c12',
      'X-Webhook-Transaction-Id': '17',
      'X-Webhook-Attempt': '2',
    });
  });

  it('the probe is the documented one, not encrypted (R-6.1-2)', () => {
    const { headers, body } = probeRequest();
    const [[type, { example }]] = Object.entries<{ example: unknown }>(webhooks.probe.post.requestBody.content) as [
      [string, { example: unknown }],
    ];
    expect([headers['Content-Type'], headers['User-Agent'], JSON.parse(body)]).toEqual([type, userAgent, example]);
  });
});

describe('notifications of verify', () => {
  it('a sample stays as it is, digit for digit, but for its id', () => {
    for (const sample of maker.samples) {
      const { transactionId, text } = maker.ofSample(sample);
      expect(text.replace(/"transactionId": \d+/, '')).toBe(sample.text.replace(/"transactionId": \d+/, ''));
      expect(JSON.parse(text).transactionId).toBe(transactionId);
    }
  });

  it('reference and merchant are the caller’s', () => {
    const own = NotificationMaker.from(join(root, 'libs/dto/samples/notifications'), { reference: 'a "b" $1', merchantId: 77 });
    for (const { text } of [own.success(), own.reversed(5), ...own.samples.map(sample => own.ofSample(sample))])
      expect(JSON.parse(text)).toMatchObject({ reference: 'a "b" $1', merchantId: 77 });
  });

  it('the largest body has 64 KiB in base64', () => {
    const { text } = maker.success();
    const wide = widened(text, { chars: 65_536, overheadBytes: 28 });
    expect(sealed(wide, Buffer.alloc(16)).toString('base64')).toHaveLength(65_536);
    expect(JSON.parse(wide)).toEqual(JSON.parse(text));
  });

  it('a large id is the same as its neighbour once it is rounded to 15 digits', () => {
    for (let count = 0; count < 1_000; count += 1) {
      const id = newLargeId();
      expect(Number.isSafeInteger(id)).toBe(true);
      expect(id.toPrecision(15)).toBe((id - 1).toPrecision(15));
    }
  });

  it('unknown fields stand beside all that are known', () => {
    const { text } = maker.success();
    expect(JSON.parse(withUnknownFields(text))).toMatchObject(JSON.parse(text));
  });
});
