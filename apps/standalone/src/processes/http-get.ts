import { get } from 'node:http';

const answerTimeoutMs = 3_000;

/** Status of a GET on loopback; 0 when there is no answer. */
export function statusOf(url: string): Promise<number> {
  return new Promise(resolve => {
    const request = get(url, { agent: false, timeout: answerTimeoutMs }, response => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(0));
  });
}
