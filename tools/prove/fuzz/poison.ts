import { setTimeout as pause } from 'node:timers/promises';
import { sendBytes, type Target } from './raw-client.ts';

export interface PoisonReport {
  requests: number;
  statuses: Record<string, number>;
}

/** Requests per second of the attacker whose NUL bytes once failed the logins of everybody. */
export const poisonPerS = 50;

const basic = Buffer.from('a\0b:pw', 'latin1').toString('base64');

function poisons(host: string): string[] {
  const body = JSON.stringify({ identity: 'a\0b', password: 'pw' });
  return [
    `GET /pluto/code/0000000000 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAuthorization: Basic ${basic}\r\n\r\n`,
    `POST /authentication/login HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ];
}

/** NUL in user names of Basic and in identities of login, in turn, each from another address so that no limit keeps them out. */
export async function poison(target: Target, seconds: number): Promise<PoisonReport> {
  const { host } = new URL(target.url);
  const bytes = poisons(host);
  const statuses: Record<string, number> = {};
  const sent: Promise<void>[] = [];
  for (let count = 0; count < seconds * poisonPerS; count++) {
    const from = process.platform === 'linux' ? { from: `127.66.${(count >> 8) & 255}.${count & 255}` } : {};
    sent.push(
      sendBytes(target, bytes[count % bytes.length]!, from).then(({ answers }) => {
        const status = String(answers[0]?.status ?? 'cut');
        statuses[status] = (statuses[status] ?? 0) + 1;
      }),
    );
    await pause(1_000 / poisonPerS);
  }
  await Promise.all(sent);
  return { requests: sent.length, statuses };
}
